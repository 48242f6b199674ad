"""A strict server of collections by JMAP: methods, limits, states that are forgotten."""

import json
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from tests.machines.api_server import ApiServer, Call, Reply, Token, serving
from tests.machines.jmap.cards import check_card
from tests.machines.jmap.events import check_event
from tests.machines.jmap.protocol import (
    MethodRefusedError,
    SetRefusedError,
    patched,
    resolved,
    same,
)

CORE, CONTACTS = "urn:ietf:params:jmap:core", "urn:ietf:params:jmap:contacts"
CALENDARS = "urn:ietf:params:jmap:calendars"
ACCOUNT = "A13824"
LIMITS = {
    "maxSizeUpload": 50_000_000, "maxConcurrentUpload": 4, "maxSizeRequest": 5_000_000,
    "maxConcurrentRequests": 4, "maxCallsInRequest": 16, "maxObjectsInGet": 50,
    "maxObjectsInSet": 50, "collationAlgorithms": [],
}  # fmt: skip


@dataclass
class ObjectType:
    """The objects of a type, what was done with them, and in which collections they lie."""

    capability: str
    # The property that says in which collections one is, and their type.
    within: str = ""
    holder: str = ""
    check: Callable[[dict[str, Any]], list[str]] = lambda _one: []
    objects: dict[str, dict[str, Any]] = field(default_factory=dict)
    log: list[tuple[str, str]] = field(default_factory=list)
    # States before this one are forgotten.
    known_from: int = 0

    @property
    def state(self) -> str:
        return f"s{len(self.log)}"


class JmapServer(ApiServer):
    """Of one user; `types` are looked at and bent by tests."""

    def __init__(self) -> None:
        super().__init__()
        self.types = {
            "AddressBook": ObjectType(CONTACTS),
            "ContactCard": ObjectType(CONTACTS, "addressBookIds", "AddressBook", check_card),
            "Calendar": ObjectType(CALENDARS),
            "CalendarEvent": ObjectType(CALENDARS, "calendarIds", "Calendar", check_event),
        }
        self.refusing: dict[str, str] = {}
        self.sets: list[dict[str, Any]] = []
        self.violations: list[str] = []
        self.limits = dict(LIMITS)
        self._number = 0

    # -- for tests ---------------------------------------------------------------------------------
    def new_id(self, letter: str) -> str:
        self._number += 1
        return f"{letter}{self._number}"

    def add(self, kind: str, fields: dict[str, Any]) -> str:
        """Make an object, whatever it says."""
        id_ = self.new_id(kind[0])
        self.types[kind].objects[id_] = {**deepcopy(fields), "id": id_}
        self.types[kind].log.append((id_, "created"))
        return id_

    @property
    def books(self) -> dict[str, dict[str, Any]]:
        return self.types["AddressBook"].objects

    @property
    def cards(self) -> dict[str, dict[str, Any]]:
        return self.types["ContactCard"].objects

    @property
    def events(self) -> dict[str, dict[str, Any]]:
        return self.types["CalendarEvent"].objects

    def change(self, kind: str, key: str, patch: dict[str, Any]) -> None:
        """Change an object as another client."""
        self._change(self.types[kind], kind, key, patch)

    def destroy(self, kind: str, key: str) -> None:
        """Destroy an object as another client."""
        self._destroy(self.types[kind], kind, key, None)

    def empty(self, kind: str) -> None:
        """Destroy all objects of a type as another client."""
        for key in list(self.types[kind].objects):
            self.destroy(kind, key)

    def forget_changes(self) -> None:
        for of in self.types.values():
            of.known_from = len(of.log) + 1
            of.log.append(("", ""))

    def token_of(self, call: Call) -> Token | None:
        """Return what a token opens; as a password it opens the same."""
        scheme, _, given = call.headers.get("authorization", "").partition(" ")
        if scheme != "Basic":
            return super().token_of(call)
        return self.tokens.get(b64decode(given).decode().partition(":")[2])

    # -- calls -------------------------------------------------------------------------------------
    def error(self, status: int, code: str, words: str) -> Reply:
        return Reply(status, {"type": code, "status": status, "detail": words})

    def answer(self, call: Call) -> Reply:
        if self.token_of(call) is None:
            return self.error(401, "about:blank", "no such token")
        if self.must_wait(ACCOUNT):
            reply = self.error(429, "urn:ietf:params:jmap:error:limit", "too often")
            reply.headers["Retry-After"] = self.retry_after
            return reply
        if call.path == "/.well-known/jmap":
            return Reply(200, self.session())
        if (call.method, call.path) != ("POST", "/jmap/api"):
            return self.error(404, "about:blank", "nothing here")
        return self._run(call)

    def session(self) -> dict[str, Any]:
        own = sorted({of.capability for of in self.types.values()})
        return {
            "capabilities": {CORE: self.limits, **{it: {} for it in own}},
            "accounts": {ACCOUNT: {
                "name": "mira", "isPersonal": True, "isReadOnly": False,
                "accountCapabilities": {it: {} for it in own},
            }},
            "primaryAccounts": dict.fromkeys(own, ACCOUNT),
            "username": "mira", "apiUrl": "/jmap/api", "downloadUrl": "/jmap/get/{blobId}",
            "uploadUrl": "/jmap/put/{accountId}", "eventSourceUrl": "/jmap/news", "state": "0",
        }  # fmt: skip

    def _run(self, call: Call) -> Reply:
        asked = json.loads(call.body)
        if len(call.body) > self.limits["maxSizeRequest"]:
            return self.error(400, "urn:ietf:params:jmap:error:limit", "maxSizeRequest")
        offered = {CORE, *(of.capability for of in self.types.values())}
        if not offered >= set(asked["using"]):
            self.violations.append(f"using {asked['using']}")
            return self.error(400, "urn:ietf:params:jmap:error:unknownCapability", "using")
        answers: list[list[Any]] = []
        for name, arguments, key in asked["methodCalls"]:
            try:
                said = self._method(name, resolved(arguments, answers), asked["using"])
                answers.append([name, said, key])
            except MethodRefusedError as error:
                answers.append(["error", error.answer, key])
        return Reply(200, {"methodResponses": answers, "sessionState": "0"})

    def _method(self, name: str, arguments: dict[str, Any], using: list[str]) -> dict[str, Any]:
        kind, _, method = name.partition("/")
        of = self.types.get(kind)
        run = getattr(self, f"_{method}", None)
        if of is None or run is None or of.capability not in using:
            self.violations.append(name)
            raise MethodRefusedError("unknownMethod")
        if arguments.pop("accountId", None) != ACCOUNT:
            raise MethodRefusedError("accountNotFound")
        if name in self.refusing:
            raise MethodRefusedError(self.refusing.pop(name))
        return {"accountId": ACCOUNT, **run(of, kind, **arguments)}

    # -- methods -----------------------------------------------------------------------------------
    def _get(
        self, of: ObjectType, _kind: str, ids: list[str] | None = None,
        properties: list[str] | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        wanted = [*of.objects] if ids is None else list(dict.fromkeys(ids))
        if len(wanted) > self.limits["maxObjectsInGet"]:
            raise MethodRefusedError("requestTooLarge")
        found = [of.objects[it] for it in wanted if it in of.objects]
        if properties is not None:
            names = {"id", *properties}
            found = [{k: v for k, v in one.items() if k in names} for one in found]
        gone = [it for it in wanted if it not in of.objects]
        return {"state": of.state, "list": found, "notFound": gone}

    def _changes(
        self, of: ObjectType, _kind: str, sinceState: str, maxChanges: int | None = None  # noqa: N803
    ) -> dict[str, Any]:  # fmt: skip
        number = sinceState.removeprefix("s")
        if not number.isdecimal() or not of.known_from <= int(number) <= len(of.log):
            raise MethodRefusedError("cannotCalculateChanges")
        since, until = of.log[int(number) :], len(of.log)
        if maxChanges is not None and len(since) > maxChanges:
            since, until = since[:maxChanges], int(number) + maxChanges
        made = {id_ for id_, what in since if what == "created"}
        gone = {id_ for id_, what in since if what == "destroyed"}
        changed = {id_ for id_, what in since if what == "updated"}
        return {
            "oldState": sinceState, "newState": f"s{until}", "hasMoreChanges": until < len(of.log),
            "created": sorted(made - gone), "updated": sorted(changed - made - gone),
            "destroyed": sorted(gone - made),
        }  # fmt: skip

    def _query(
        self, of: ObjectType, _kind: str, position: int = 0, limit: int | None = None,
        filter: dict[str, Any] | None = None,  # noqa: A002
    ) -> dict[str, Any]:  # fmt: skip
        wanted = filter or {}
        if set(wanted) - {"uid"}:
            raise MethodRefusedError("unsupportedFilter")
        ids = [it for it, one in of.objects.items()
               if "uid" not in wanted or one["uid"] == wanted["uid"]]  # fmt: skip
        most = self.limits["maxObjectsInGet"]
        end = position + min(most if limit is None else limit, most)
        found = {"queryState": of.state, "canCalculateChanges": False, "position": position,
                 "ids": ids[position:end]}  # fmt: skip
        return found | ({"limit": most} if limit is None or limit > most else {})

    def _set(
        self, of: ObjectType, kind: str, *, ifInState: str | None = None,  # noqa: N803
        create: dict[str, Any] | None = None, update: dict[str, Any] | None = None,
        destroy: list[str] | None = None, **more: Any,
    ) -> dict[str, Any]:  # fmt: skip
        if ifInState is not None and ifInState != of.state:
            raise MethodRefusedError("stateMismatch")
        self.sets.append({"kind": kind, "create": create, "update": update, **more})
        told: dict[str, Any] = {"oldState": of.state}
        for name, refused, asked, run in (
            ("created", "notCreated", create or {}, self._make),
            ("updated", "notUpdated", update or {}, self._change),
            ("destroyed", "notDestroyed", dict.fromkeys(destroy or []), self._destroy),
        ):
            done: dict[str, Any] = {}
            not_done: dict[str, Any] = {}
            for key, said in asked.items():
                try:
                    done[key] = run(of, kind, key, said)
                except SetRefusedError as error:
                    not_done[key] = error.answer
            told[name] = (list(done) if name == "destroyed" else done) or None
            told[refused] = not_done or None
        return told | {"newState": of.state}

    def _make(self, of: ObjectType, kind: str, _key: str, said: dict[str, Any]) -> dict[str, Any]:
        if "id" in said:
            raise SetRefusedError("invalidProperties", properties=["id"])
        self._check(of, said)
        return {"id": self.add(kind, said)}

    def _change(self, of: ObjectType, _kind: str, key: str, patch: dict[str, Any]) -> None:
        if key not in of.objects:
            raise SetRefusedError("notFound")
        after = patched(of.objects[key], patch)
        if any(after.get(name) != of.objects[key].get(name) for name in ("id", "uid")):
            raise SetRefusedError("invalidProperties", properties=["id", "uid"])
        self._check(of, after, key)
        if not same(after, of.objects[key]):
            of.objects[key] = after
            of.log.append((key, "updated"))

    def _destroy(self, of: ObjectType, _kind: str, key: str, _said: None) -> None:
        if key not in of.objects:
            raise SetRefusedError("notFound")
        del of.objects[key]
        of.log.append((key, "destroyed"))

    def _check(self, of: ObjectType, one: dict[str, Any], key: str = "") -> None:
        wrong = of.check(one)
        if of.holder:
            books, known = one.get(of.within), self.types[of.holder].objects
            if not books or any(
                it not in known or is_in is not True for it, is_in in books.items()
            ):
                wrong.append(of.within)
        if of.within and any(
            it["uid"] == one.get("uid") and id_ != key for id_, it in of.objects.items()
        ):
            wrong.append("uid")
        if wrong:
            raise SetRefusedError("invalidProperties", properties=wrong)


@contextmanager
def jmap_server() -> Iterator[JmapServer]:
    """Serve until left; nothing may have been asked that is not described."""
    server = JmapServer()
    with serving(server):
        yield server
    assert server.violations == []
