"""Fields written without a template are, byte for byte, as Django's templates write them."""

from django import forms

from inbox.admin.quick_widgets import QuickText, QuickTextarea
from tests.cases import in_one_test

ATTRIBUTES = {
    "class": "a", "data-first": True, "data-not": False, "rows": 2, "title": '"><b>&',
    "maxlength": "40000", "aria-label": "Größe", "required": True,
}  # fmt: skip


@in_one_test("value", [None, "", "plain", "</textarea><script>\"'&", "two\nlines\n", 5])
def test_they_are_as_django_writes_them(value):
    for ours, theirs in ((QuickText, forms.TextInput), (QuickTextarea, forms.Textarea)):
        for attributes in ({}, ATTRIBUTES):
            made = ours(attrs=attributes).render("na<me", value, {"id": "id_x"})
            known = theirs(attrs=attributes).render("na<me", value, {"id": "id_x"})
            assert made.strip() == known.strip()
