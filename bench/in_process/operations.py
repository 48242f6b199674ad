"""Operations and lists over HTTP, on what `furnish` wrote, against the bare view of that server."""

from typing import Any
from urllib.parse import urlencode

from agents.models import Agent
from agents.operations.agents import create_token, known_scopes
from bench.in_process.furnish import READER
from bench.in_process.readings import Calls
from bench.in_process.tool_calls import call, compare, serving
from bench.results import Result, hand_over, milliseconds, percentile

CALLS, WARM_UP = 60, 10
ANCHOR: tuple[str, dict[str, Any] | None] = ("/bare", {})
SHORT: tuple[str, dict[str, Any] | None] = ("/api/bare", {})
# What ranks what it found is allowed more than what reads a page; free time is of a month, and of a
# fortnight, in which 450 series take place.
FREE, PAGE, WORK = 5, 10, 25
# A folder against the inbox, whose mail is newer and more.
FOLDER = 1.5
GOALS = {
    "email_list inbox": PAGE, "email_list junk": PAGE, "email_list sent": PAGE,
    "email_list archive": PAGE, "email_get": PAGE, "contact_list": PAGE,
    "file_list, large folder": PAGE, "tasks list": WORK, "cache_get_stats": PAGE,
    "list_threads, label": PAGE, "get_messages_from_agents": PAGE, "list_context_keys": PAGE,
    "calendar_list_events 7": PAGE, "calendar_check_availability": FREE,
    "calendar_check_availability, 14 days": FREE, "find_free_slots": FREE,
    "search_files bacedi": WORK, "search_unified bacedi": WORK, "memory bacedi": WORK,
    "/messages by -created_at, deep": PAGE, "/threads by -updated_at, deep": PAGE,
    "/events by -dtstart, deep": PAGE, "/files by -modified_at, deep": PAGE,
    "/people by -contact_count, deep": PAGE, "/receipts by -id, deep": PAGE,
    "/activities by -created_at, deep": PAGE,
}  # fmt: skip


def measure() -> list[Result]:
    """Make the calls and the bare ones by turns, over one kept connection."""
    calls = Calls()
    _, token = create_token(agent=Agent.objects.get(name=READER), scopes=known_scopes())
    named = {name: _request(name, *it[1:]) for name, it in calls.all().items() if name in GOALS}
    asked: dict[str, tuple[str, dict[str, Any] | None]] = {"": ANCHOR, " ": SHORT, **named}
    times: dict[str, list[float]] = {name: [] for name in asked}
    with serving() as connection:
        for turn in range(CALLS + WARM_UP):
            for name, (path, arguments) in asked.items():
                seconds = call(connection, path, arguments, token)
                if turn >= WARM_UP:
                    times[name].append(seconds)
    anchor, short = times.pop(""), times.pop(" ")
    return [
        *(_against_the_inbox(name, times) for name in ("email_list sent", "email_list archive")),
        *_against_the_bare(times, anchor, short),
    ]


def _against_the_inbox(name: str, times: dict[str, list[float]]) -> Result:
    """Return the line of a folder that most newer mail is not in."""
    ours, other = (percentile(times[it], 50) for it in (name, "email_list inbox"))
    return Result(
        f"{name}, p50", milliseconds(ours), f"the inbox {milliseconds(other)}",
        f"{ours / other:.2f}", f"≤ {FOLDER}", ours / other <= FOLDER,
    )  # fmt: skip


def _against_the_bare(
    times: dict[str, list[float]], anchor: list[float], short: list[float]
) -> list[Result]:
    return [
        compare(name.removeprefix("/"), seconds, anchor, short, percent, goal=GOALS[name])
        for name, seconds in times.items()
        for percent in (50, 95)
    ]


def _request(name: str, tool: str, given: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """Return the address of a call and the body that is posted to it; None: it is got."""
    if not name.startswith("/"):
        return f"/api/tools/{tool}", given
    return f"/api/v1{name.partition(' ')[0]}?{urlencode(given)}", None


if __name__ == "__main__":
    hand_over(measure())
