"""Letters of others in a file: read, counted by schema and field, and never shown where only counted."""

from bench.understanding.extraction.__main__ import main
from bench.understanding.extraction.written import read_written

LETTERS = """
letters:
- schema: invoice
  from: Harrow Ltd
  email: billing@harrow.example
  subject: Invoice 17
  text: "Invoice no. INV-17\\nDate: 3 September 2026\\nTotal due: £120.00"
  find: {invoice_number: INV-17, invoice_date: '2026-09-03', total: 120.0, currency: GBP, due_date: '2026-10-01'}
  also: {supplier: Harrow Ltd}
"""


def test_letters_of_a_file_are_counted_by_schema_and_field(tmp_path, capsys):
    path = tmp_path / "letters.yaml"
    path.write_text(LETTERS)
    letter = next(read_written(tmp_path))
    assert (letter.name, letter.also) == ("invoice letters-0", {"supplier": ("Harrow Ltd",)})
    assert main(["--none", "--failures", "--letters", str(path), "--counted", str(path)]) == 0
    shown, _, counted = capsys.readouterr().out.partition("only counted")
    assert "due_date missed: None, not '2026-10-01'" in shown
    assert "2026-10-01" not in counted
    assert "invoice.total            100.0%  1.000" in counted
    assert "(5 right, 1 missed, 0 wrong, 0 made up; ECE" in counted
