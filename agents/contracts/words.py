"""What an argument is, where its declaration says no more: by its name, said once for all tools.

A name that means the same wherever it stands is said once here instead of at every place.
"""

from collections.abc import Mapping
from typing import Final

from agents.contracts.schemas import Schema

_BY_NAME: Final[Mapping[str, str]] = {
    "activity_id": "The activity; an id that is not known is taken too, and says nothing.",
    "activity_ids": "The activities, each by its id.",
    "activity_type": "What kind of thing it is.",
    "address": "The address.",
    "after": "Only what came after it.",
    "approval_id": "The approval, as the held call named it.",
    "autonomy_tier": "1 silent, 2 noted, 3 a request, 4 urgent or weighty.",
    "before": "Created before then; that very time is not among them.",
    "body": "Plain text.",
    "business": "A telephone number at work.",
    "businessPhones": "All telephone numbers at work, anew.",
    "calendar_id": "The calendar, by its id or name.",
    "categories": "All categories, anew.",
    "cc": "Who gets a copy.",
    "classification": "The parts of the classification to set.",
    "command": "The note's text, or the name of the tool to call.",
    "companyName": "Where they work.",
    "completedDateTime": "When it was done.",
    "confidence": "How sure it is, from 0 to 1.",
    "confirm": "Your promise that it is meant; it is never an approval.",
    "content": "The text.",
    "cursor": "Goes on where a page ended, with the same filters.",
    "dateTime": "With its offset (RFC 3339).",
    "days": "On which days of the week.",
    "department": "Of what department they are.",
    "description": "More about it, as plain text.",
    "destination_folder": "Where it goes.",
    "displayName": "The name as it is shown.",
    "dueDateTime": "Until when it is to be done.",
    "duration_minutes": "For so many minutes.",
    "email": "An address, whatever its case; it wins over `search`.",
    "emailAddresses": "All addresses, anew.",
    "email_addresses": "Their addresses.",
    "end": "Until then, with its offset; after the start.",
    "end_at": "Until then, with its offset; after the start.",
    "flagStatus": "Whether it is to be followed up, or was.",
    "flow_cache": "The `_flow_cache` that account_authenticate answered.",
    "givenName": "The first name.",
    "given_name": "The first name.",
    "home": "A telephone number at home.",
    "homePhones": "All telephone numbers at home, anew.",
    "importance": "How pressing it is.",
    "include_body": "Whether the text comes with it.",
    "inferenceClassification": "Among those to look at, or beside them.",
    "isRead": "Whether it was read.",
    "jobTitle": "What they are there.",
    "limit": "At most so many.",
    "location": "Where it is.",
    "mobile": "A mobile number.",
    "mobilePhone": "The mobile number.",
    "name": "The name.",
    "operation": "What the task does.",
    "option_framing": "how to present if surfaced",
    "parameters": "What the operation takes.",
    "pattern": "A `*` glob over resource:account:…; other characters stand for themselves.",
    "payload": "The arguments of the tool.",
    "personas": "The parts of life that it belongs to.",
    "phone_numbers": "Their telephone numbers.",
    "priority": "How pressing it is.",
    "query": "The words to look for.",
    "reason": "Why, for the record.",
    "reasoning": "why this classification",
    "response": "What to answer.",
    "schedule_id": "The schedule, as its creation named it.",
    "search": "A part of a name, address or organisation.",
    "sender_email": "Who sent it.",
    "since": "Created then or later.",
    "start": "From then on, with its offset.",
    "startDateTime": "From when on it is to be done.",
    "start_at": "From then on, with its offset.",
    "starts_at": "When what it is about begins.",
    "state": "Where it stands.",
    "status": "Where it stands.",
    "subject": "What it is about, in a line.",
    "suggested_actions": "1-3 concrete actions user could take",
    "surname": "The last name.",
    "task_id": "The task, as enqueuing it named it.",
    "tentative_is_free": "Whether a tentative time counts as free.",
    "timeZone": "The IANA time zone in which it is meant.",
    "title": "What it is called.",
    "to": "Who gets it.",
    "trigger_at": "When it comes due, with its offset; not in the past.",
    "type": "What comes due: a note to the reviewers, or the call of a tool.",
    "type_filter": "Which kind of thing to list.",
    "updates": "What to set; null leaves as is.",
    "urgency": "How pressing it is.",
}


def with_words(schema: Schema) -> Schema:
    """Return a schema whose every field is described, in its own words where it has some."""
    return {name: _within(name, part) for name, part in schema.items()}


def _within(name: str, part: object) -> object:
    if name == "properties" and isinstance(part, dict):
        return {field: _described(field, one) for field, one in part.items()}
    if name in {"default", "enum", "const", "required", "examples"}:
        return part
    if isinstance(part, dict):
        return with_words(part)
    if isinstance(part, list):
        return [with_words(one) if isinstance(one, dict) else one for one in part]
    return part


def _described(field: str, schema: Schema) -> Schema:
    words = {} if "description" in schema else {"description": _BY_NAME.get(field)}
    return {**{key: said for key, said in words.items() if said}, **with_words(schema)}
