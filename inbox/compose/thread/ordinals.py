"""Days that are named by their weekday and their number alone: "Thursday the 3rd"; pure."""

from datetime import date, timedelta

import regex

from inbox.extract.readers.calendar_words import weekdays
from inbox.languages import any_of, lazy_regex

# How far ahead such a day may be.
MOST_DAYS = 62
_NUMBERED = lazy_regex(
    lambda: (
        rf"(?<!\p{{L}})(?P<weekday>{'|'.join(sorted(weekdays(), key=len, reverse=True))}),?\s"
        rf"(?P<article>(?:{any_of(lambda it: it.claims.before_days)})\s)?(?P<day>\d{{1,2}})"
        r"(?P<mark>st|nd|rd|th|er|º|\.(?=\s))?(?!\d|[:.,/-]\d)"
        rf"(?P<then>(?=,?\s{any_of(lambda it: it.talk.at, lambda it: it.clock.at)}\s\d))?"
        r"(?!\s?(?:h|uhr|uur|o.clock|[ap]\.?m)\b|\s?%|\s(?:of\s)?\p{Lu}\p{Ll}{2,})"
    ),
    regex.IGNORECASE,
)


def with_dates(text: str, sent_on: date) -> str:
    """Return the text with each such day as a whole date, where a near day fits both its parts."""

    def dated(found: regex.Match[str]) -> str:
        if not (found["article"] or found["mark"] or found["then"] is not None):
            return found[0]
        weekday, number = weekdays()[found["weekday"].lower()], int(found["day"])
        near = (sent_on + timedelta(days=ahead) for ahead in range(MOST_DAYS))
        day = next((it for it in near if (it.weekday(), it.day) == (weekday, number)), None)
        return f"{found['weekday']} {day.isoformat()}" if day else found[0]

    return _NUMBERED.sub(dated, text)


# "At 11 or on Friday": what stands behind an hour would be taken for what it counts.
_HOUR_AND_MORE = lazy_regex(
    lambda: (
        rf"(?<=(?<!\p{{L}}){any_of(lambda it: it.talk.at, lambda it: it.clock.at)}\s\d{{1,2}})\s"
        rf"(?={any_of(lambda it: it.clauses.choice, lambda it: it.clauses.joints)}\s)"
    ),
    regex.IGNORECASE,
)


def with_hours_apart(text: str) -> str:
    """Return the text, as long as it was, with a mark between an hour and what joins another."""
    return _HOUR_AND_MORE.sub(";", text)
