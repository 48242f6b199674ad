"""Whether what is attached is what the message says."""

from datetime import date

import pytest

from agents.evidence.claims.check import check_claims
from agents.evidence.claims.records import AttachedFile, Mark, ProposedMessage, Source

TODAY = date(2026, 3, 10)


def attachment(body, *files, further=None, kind="attachment", language="") -> list[Mark]:
    attached = tuple(AttachedFile(name, text) for name, text in files)
    sources = [
        Source("attachment", it.name, it.text, TODAY, is_ours=True) for it in attached if it.text
    ]
    sources += [further] if further else []
    marks = check_claims(ProposedMessage("", body, TODAY, language, (), attached), sources)
    return [mark for mark in marks if mark.kind == kind]


@pytest.mark.parametrize(
    ("body", "right", "wrong"),
    [
        (
            "Please find attached our invoice RG-2026-118.",
            ("RG-2026-118.txt", "INVOICE RG-2026-118"), ("RG-2026-081.txt", "INVOICE RG-2026-081"),
        ),
        ("The plan, now version 3, is attached.", ("Plan v3.txt", ""), ("Plan v2.txt", "")),
        ("Anbei Version 2 des Plans.", ("Plan_v2.pdf", ""), ("Plan_v1.pdf", "")),
        ("Our tariffs for 2027 are attached.", ("Tariffs 2027.txt", ""), ("Tariffs 2026.txt", "")),
        ("La facture est jointe.", ("Facture mars.txt", ""), ("Devis mars.txt", "DEVIS")),
        ("Der Mietvertrag liegt bei.", ("Mietvertrag Lager.pdf", ""), ("Rechnung Lager.pdf", "")),
        (
            "Attached is the quotation, rev. B, with the longer belt.",
            ("Quotation-rev-B.txt", "QUOTATION rev. B"), ("Quotation-rev-A.txt", "QUOTATION rev. A"),
        ),
        (
            "Anbei der Plan vom 19. November.",
            ("Plan neu.txt", "Bauzeitenplan;19.11.2025"), ("Plan.txt", "Bauzeitenplan;30.10.2025"),
        ),
        ("W załączeniu przesyłamy ofertę.", ("Oferta.txt", ""), ("Faktura.txt", "")),
        ("In allegato il preventivo.", ("Preventivo.txt", ""), ("Fattura.txt", "")),
    ],
)  # fmt: skip
def test_the_wrong_file_differs_from_what_is_said_of_it(body, right, wrong):
    assert [it.state for it in attachment(body, wrong)] == ["differs"]
    assert [it.state for it in attachment(body, right)] == ["found"]
    assert [it.state for it in attachment(body, wrong, right)] == ["found"]
    assert [it.state for it in attachment(body)] == ["nowhere"]


@pytest.mark.parametrize(
    ("body", "file"),
    [
        ("Please bin v2, the text of v3 is attached.", ("Plan v3.txt", "")),
        ("The file for your order PO-77120 is attached.", ("Weights.txt", "Crate A 40 kg")),
        ("Attached is the list that we sent on 3 March 2025.", ("List 2026.txt", "")),
        ("The contract follows, its report is attached.", ("Report.txt", "")),
        (
            "Attached are minutes no. 07 on NV-26-40771.",
            ("2614-minutes-07.txt", "Project PR-26140"),
        ),
    ],
)
def test_what_a_file_does_not_contradict_is_found(body, file):
    assert [it.state for it in attachment(body, file)] == ["found"]


@pytest.mark.parametrize(
    "body",
    ["Der Anteil liegt bei 5 %.", "Das hängt an der Lieferung.", "Das Werk liegt bei Kassel."],
)
def test_what_only_lies_or_hangs_somewhere_is_no_attachment(body):
    assert attachment(body) == []


PRESENTED = {
    "en": "Here is the programme, version 2.",
    "de": "Hier ist der Plan, Version 2.",
    "fr": "Voici le programme, version 2.",
    "es": "Le envío el programa, versión 2.",
    "nl": "Hierbij het programma, versie 2.",
    "pl": "Przesyłam program, wersja 2.",
}


@pytest.mark.parametrize("language", PRESENTED)
def test_what_is_here_is_compared_with_what_goes_along_if_anything_does(language):
    (mark,) = attachment(PRESENTED[language], ("Programme v1.txt", ""))
    assert (mark.state, mark.excerpt.endswith("2")) == ("differs", True)
    assert attachment(PRESENTED[language], ("Programme v2.txt", "")) == []
    assert attachment(PRESENTED[language]) == []


def test_a_file_of_which_we_have_a_later_version_is_told_apart():
    newer = Source("file", "2", "/plans/Yard plan v3.txt\nYARD", TODAY, is_ours=True)
    (mark,) = attachment("The yard plan is attached.", ("Yard plan v2.txt", ""), further=newer)
    assert (mark.state, mark.expected) == ("differs", "Yard plan v3.txt")
    for name in ("Yard plan v3.txt", "Roof plan v2.txt", "Yard plan.txt"):
        (mark,) = attachment("The yard plan is attached.", (name, ""), further=newer)
        assert mark.state == "found", name


REPORT = ("Report.txt", "Lift 4711\nDoors, ropes, brake 4 mm, 12 days")
LISTED = {
    "en": "I attach the report. It covers the doors, the ropes and the overload.",
    "de": "Anbei der Bericht. Er umfasst die Doors, die Ropes und die Überlast.",
    "fr": "Ci-joint le rapport. Il couvre les doors, les ropes et la surcharge.",
    "es": "Adjunto el informe. Contiene los doors, los ropes y la sobrecarga.",
    "nl": "In de bijlage het rapport. Het bevat de doors, de ropes en de overbelasting.",
    "pl": "W załączeniu raport. Zawiera doors, ropes oraz przeciążenie.",
}


@pytest.mark.parametrize("language", LISTED)
def test_of_what_a_file_is_said_to_have_each_part_is_looked_for(language):
    body = LISTED[language]
    lacking = [it for it in attachment(body, REPORT) if it.state == "nowhere"]
    assert [it.excerpt for it in lacking] == [body[lacking[0].start : -1]]
    whole = (
        REPORT[0],
        f"{REPORT[1]} overload Überlast surcharge sobrecarga overbelasting przeciążenie",
    )
    assert [it.state for it in attachment(body, whole)] == ["found"]


REFERRED = {
    "en": "You will see that it takes 21 days.",
    "de": "Laut Bericht dauert es 21 Tage.",
    "fr": "Vous y verrez qu'il faut 21 jours.",
    "es": "Según el informe son 21 días.",
    "nl": "Volgens het rapport duurt het 21 dagen.",
    "pl": "Zgodnie z raportem to 21 dni.",
}


@pytest.mark.parametrize("language", REFERRED)
def test_a_value_that_a_file_is_said_to_have_stands_in_it(language):
    def states(*files, further=None):
        body = f"{REFERRED[language]}\n"
        marks = attachment(body, *files, further=further, kind="quantity", language=language)
        return [(it.state, it.expected) for it in marks]

    assert states(REPORT) == [("differs", "12 days")]
    assert states((REPORT[0], "Back in 21 days")) == [("found", "")]
