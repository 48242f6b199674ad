"""How often something takes place, in the words of the reader's language."""

from typing import Any

from django.utils.dates import MONTHS, WEEKDAYS
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from calendar_app.recurrence import Rule, read_rule

_EVERY: dict[str, Any] = {
    "HOURLY": ngettext_lazy("every hour", "every %(count)s hours", "count"),
    "DAILY": ngettext_lazy("every day", "every %(count)s days", "count"),
    "WEEKLY": ngettext_lazy("every week", "every %(count)s weeks", "count"),
    "MONTHLY": ngettext_lazy("every month", "every %(count)s months", "count"),
    "YEARLY": ngettext_lazy("every year", "every %(count)s years", "count"),
}
_WHICH: dict[int, Any] = {
    1: gettext_lazy("the first %(day)s"), 2: gettext_lazy("the second %(day)s"),
    3: gettext_lazy("the third %(day)s"), 4: gettext_lazy("the fourth %(day)s"),
    5: gettext_lazy("the fifth %(day)s"), -1: gettext_lazy("the last %(day)s"),
}  # fmt: skip
_TOLD = {"BYMONTH", "BYMONTHDAY"}


def rule_in_words(text: str) -> str:
    """Return an RRULE in words; what is too odd for them, as it is written."""
    try:
        rule = read_rule(text)
    except ValueError:
        return text
    days = _days(rule)
    numbered = rule.by.get("BYMONTHDAY", ())
    if days is None or set(rule.by) - _TOLD or any(day < 1 for day in numbered):
        return text
    parts = [str(_EVERY[rule.freq] % {"count": rule.interval})]
    if days:
        parts.append(_("on %(days)s") % {"days": ", ".join(days)})
    if numbered:
        numbers = ", ".join([str(day) for day in numbered])
        parts.append(_("on day %(days)s") % {"days": numbers})
    if rule.by.get("BYMONTH"):
        months = [str(MONTHS[month]) for month in rule.by["BYMONTH"]]
        parts.append(_("in %(months)s") % {"months": ", ".join(months)})
    return " ".join(parts) + _ending(rule)


def _ending(rule: Rule) -> str:
    if rule.until is not None:
        return _(", until %(day)s") % {"day": date_format(rule.until)}
    if rule.count is not None:
        return _(", %(count)s times") % {"count": rule.count}
    return ""


def _days(rule: Rule) -> list[str] | None:
    """Return the days of the week that it names; None for those that no word is for."""
    found = []
    for which, day in rule.byday:
        name = str(WEEKDAYS[day])
        if which and which not in _WHICH:
            return None
        found.append(str(_WHICH[which] % {"day": name}) if which else name)
    return found
