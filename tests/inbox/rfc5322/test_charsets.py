"""Bytes to text whatever the label says."""

from inbox.rfc5322.charsets import codec_for, decode
from tests.cases import in_one_test


@in_one_test(
    ("text", "codec", "label"),
    [
        ("Grüße – €", "cp1252", "iso-8859-1"),
        ("Grüße", "utf-8", "utf-8"),
        ("Grüße", "latin-1", "us-ascii"),
        ("汉字𠀀", "gb18030", "gb2312"),
        ("こんにちは", "iso2022_jp", "iso-2022-jp"),
        ("こんにちは①", "cp932", "Shift_JIS"),
        ("Привет", "koi8-r", "koi8-r"),
        ("안녕하세요", "cp949", "ks_c_5601-1987"),
        ("漢字", "big5", "big5"),
        ("ąęć", "iso8859-2", '"ISO-8859-2"'),
        ("Ünïcode", "utf-16", "utf-16"),
        ("hello", "ascii", "utf-8*en"),
    ],
)
def test_a_label_means_what_mail_means_by_it(text: str, codec: str, label: str):
    assert decode(text.encode(codec), label)[0] == text


@in_one_test("label", ["iso-8859-1", "windows-1252", "us-ascii", "", "unknown-8bit"])
def test_mislabelled_utf8_is_utf8(label: str):
    assert decode("Grüße, 東京".encode(), label) == ("Grüße, 東京", True)


def test_text_that_is_not_the_utf8_it_claims_is_guessed():
    assert decode("Grüße aus Köln".encode("cp1252"), "utf-8") == ("Grüße aus Köln", True)
    assert decode("Привет, как дела у вас".encode("cp1251"), "utf-8")[0] == "Привет, как дела у вас"


def test_one_cut_character_does_not_spoil_the_rest():
    text, wrong = decode("Grüße, 東京".encode()[:-1], "utf-8")
    assert (text, wrong) == ("Grüße, 東\ufffd", True)


def test_unlabelled_japanese_escapes_are_read():
    assert decode("こんにちは".encode("iso2022_jp"))[0] == "こんにちは"


@in_one_test(
    "label", ["punycode", "unicode_escape", "zlib", "rot13", "idna", "undefined", "x" * 99, "ü", ""]
)
def test_what_is_no_charset_is_no_codec(label: str):
    assert codec_for(label) == ""
