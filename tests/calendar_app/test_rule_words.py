"""How often something takes place, in words of both languages."""

from django.utils import translation

from calendar_app.rule_words import rule_in_words
from tests.cases import in_one_test


@in_one_test(
    ("rule", "english", "german"),
    [
        ("FREQ=WEEKLY;BYDAY=MO,WE", "every week on Monday, Wednesday",
         "jede Woche am Montag, Mittwoch"),
        ("FREQ=DAILY;INTERVAL=2;COUNT=10", "every 2 days, 10 times", "alle 2 Tage, 10-mal"),
        ("FREQ=MONTHLY;BYDAY=-1FR", "every month on the last Friday",
         "jeden Monat am letzten Freitag"),
        ("FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=3", "every year on day 3 in May",
         "jedes Jahr am 3. Tag im Mai"),
        ("FREQ=WEEKLY;UNTIL=20260503T080000Z", "every week, until 3 May 2026",
         "jede Woche, bis 3. Mai 2026"),
        ("FREQ=MONTHLY;BYSETPOS=2;BYDAY=MO", "FREQ=MONTHLY;BYSETPOS=2;BYDAY=MO",
         "FREQ=MONTHLY;BYSETPOS=2;BYDAY=MO"),
        ("nonsense", "nonsense", "nonsense"),
    ],
)  # fmt: skip
def test_a_rule_is_told_in_words(rule, english, german):
    assert rule_in_words(rule) == english
    with translation.override("de"):
        assert rule_in_words(rule) == german
