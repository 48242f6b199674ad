"""Every code that a page may say has a name in German."""

from django.apps import apps
from django.utils import translation

from agents.admin.evidence.words import flag_in_words
from agents.contracts import REGISTRY, Effect
from inbox.admin.messages.anomalies import ANOMALIES
from inbox.classify.rules import load_rules
from inbox.flags import FILTERS, title_of
from inbox.reasons.codes import NAMES
from tests.cases import in_one_test

STATES = {
    str(code)
    for app in ("inbox", "agents", "calendar_app")
    for model in apps.get_app_config(app).get_models()
    for field in model._meta.get_fields()
    if getattr(field, "name", "") in {"status", "state", "urgency", "activity_type", "partstat"}
    for code, _label in getattr(field, "choices", None) or ()
}
SUBJECTS = {subject for signal in load_rules().signals.values() for subject in signal.adds}
SENDING = {tool.name for tool in REGISTRY.tools if tool.effect is Effect.SEND}
EVERY = sorted({*STATES, *SUBJECTS, *ANOMALIES, *SENDING} - {""})


@in_one_test("code", EVERY)
def test_each_code_has_a_name(code):
    assert code.replace("_", " ").replace("-", " ").replace(".", " ").lower() in set(
        map(str, NAMES)
    )


@in_one_test("flag", FILTERS)
def test_what_the_queue_filters_by_is_german_on_a_german_page(flag):

    with translation.override("en"):
        english = flag_in_words(flag)
    with translation.override("de"):
        assert (title_of(flag) or flag_in_words(flag)) != english
