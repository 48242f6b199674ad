"""IBANs in a text: by their country's length and their check digits."""

import pytest

from inbox.extract.readers.checksums import find_ibans

GB = "GB33BUKB20201555555555"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"Pay to {GB} today.", [GB]),
        ("GB33 BUKB 2020 1555 5555 55, please", ["GB33 BUKB 2020 1555 5555 55"]),
        ("GB33-BUKB-2020-1555-5555-55", ["GB33-BUKB-2020-1555-5555-55"]),
        (f"PAY TO OUR ACCOUNT {GB} FROM TODAY ON", [GB]),
        (f"newaccount{GB}fromtodayon", [GB]),
        ("GB 3  3 BUKB 2  0  2  0  1 555555555", ["GB 3  3 BUKB 2  0  2  0  1 555555555"]),
        (f"{GB} and DE89 3704 0044 0532 0130 00", [GB, "DE89 3704 0044 0532 0130 00"]),
        ("GB34BUKB20201555555555", []),
        (f"X{GB}5", []),
        (f"PAYTOACCOUNT{GB}FROMTODAYON", [GB]),
        ("GB33 BUKB 2020", []),
        ("GB33\nBUKB20201555555555", []),
        ("ZZ89370400440532013000", []),
    ],
)
def test_an_iban_is_found_however_it_is_parted(text, found):
    assert [text[start:end] for start, end in find_ibans(text)] == found
