"""Whether what is attached is what the message says."""

from datetime import date

import pytest

from agents.evidence.claims.check import check_claims
from agents.evidence.claims.records import AttachedFile, Mark, ProposedMessage, Source

TODAY = date(2026, 3, 10)


def attachment(body, *files) -> list[Mark]:
    attached = tuple(AttachedFile(name, text) for name, text in files)
    sources = [
        Source("attachment", it.name, it.text, TODAY, is_ours=True) for it in attached if it.text
    ]
    marks = check_claims(ProposedMessage("", body, TODAY, "", (), attached), sources)
    return [mark for mark in marks if mark.kind == "attachment"]


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
