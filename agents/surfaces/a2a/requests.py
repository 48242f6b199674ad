"""What clients send: the parameters of each method, in ProtoJSON's camelCase (A2A 1.0, 5.5)."""

from datetime import datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic import model_validator as on_model
from pydantic.alias_generators import to_camel

from agents.contracts.validation import validate
from agents.errors import ToolError
from agents.surfaces.a2a.refusals import RpcError, by_tool_error

_MOST_PARTS = 50
_MOST_ERRORS = 20
# What goes into a key, a column and an answer alike.
Name = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,200}$")]
Wanted = Literal[
    "TASK_STATE_UNSPECIFIED", "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED",
    "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_REJECTED", "TASK_STATE_AUTH_REQUIRED",
]  # fmt: skip
HistoryLength = Annotated[int, Field(ge=0, le=2**31 - 1)]


class Request(BaseModel):
    """Fields that are unknown are passed over (5.7); null is a field that was left out."""

    model_config = ConfigDict(extra="ignore", alias_generator=to_camel, strict=True, frozen=True)

    @on_model(mode="before")
    @classmethod
    def leave_out_nulls(cls, given: object) -> object:
        """Return what was given without nulls."""
        if not isinstance(given, dict):
            return given
        return {name: one for name, one in given.items() if one is not None}


class Part(Request):
    """A part of a message: text, data, or a file, which is not taken."""

    text: str | None = None
    data: Any = None
    raw: str | None = None
    url: str | None = None
    media_type: str = ""


class Message(Request):
    """A message of a client."""

    message_id: Name
    role: Literal["ROLE_USER"]
    parts: Annotated[list[Part], Field(min_length=1, max_length=_MOST_PARTS)]
    context_id: Name | None = None
    task_id: str = ""


class Authentication(Request):
    """How we show an address who we are."""

    scheme: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,40}$")]
    credentials: Annotated[str, StringConstraints(pattern=r"^[\x20-\x7e]{0,4000}$")] = ""


class PushConfig(Request):
    """Where a task's changes are pushed to."""

    id: Name | None = None
    task_id: str = ""
    url: Annotated[str, StringConstraints(min_length=1, max_length=1000)]
    token: Annotated[str, StringConstraints(pattern=r"^[\x20-\x7e]{0,4000}$")] = ""
    authentication: Authentication | None = None


class Configuration(Request):
    """How a message is to be answered; a call here is over before the answer in any case."""

    history_length: HistoryLength | None = None
    task_push_notification_config: PushConfig | None = None


class SendMessage(Request):
    """`SendMessage`."""

    message: Message
    configuration: Configuration = Configuration()


class GetTask(Request):
    """`GetTask`."""

    id: str
    history_length: HistoryLength | None = None


class ListTasks(Request):
    """`ListTasks`."""

    context_id: str = ""
    status: Wanted = "TASK_STATE_UNSPECIFIED"
    page_size: Annotated[int, Field(ge=1, le=100)] = 50
    page_token: str = ""
    history_length: HistoryLength | None = None
    status_timestamp_after: Annotated[datetime | None, Field(strict=False)] = None
    include_artifacts: bool = False


class OfTask(Request):
    """`CancelTask` and `SubscribeToTask`."""

    id: str


class OfPush(Request):
    """`GetTaskPushNotificationConfig` and the one that deletes."""

    task_id: str
    id: str


class ListPushes(Request):
    """`ListTaskPushNotificationConfigs`: of one task there are few, on one page."""

    task_id: str


class _Whole(BaseModel):
    """Parameters of which it is only asked whether a database can hold them."""

    model_config = ConfigDict(extra="allow")


R = TypeVar("R", bound=Request)


def read(model: type[R], params: dict[str, Any]) -> R:
    """Return a method's parameters; raises RpcError, which names each field that is not one."""
    try:
        validate(_Whole, params, {})
        return model.model_validate(params, by_alias=True, by_name=False)
    except ToolError as error:
        raise by_tool_error(error) from None
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
    fields = [(".".join(map(str, each["loc"])), each["msg"]) for each in found[:_MOST_ERRORS]]
    raise RpcError("INVALID_PARAMS", f"{fields[0][0]}: {fields[0][1]}", fields=fields)
