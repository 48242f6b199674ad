"""Encoded words in header text."""

from inbox.rfc5322.encoded_words import decode_words
from inbox.rfc5322.parameters import parse_parameters
from tests.cases import in_one_test


@in_one_test(
    ("text", "decoded"),
    [
        ("plain", "plain"),
        ("=?utf-8?q?Gr=C3=BC=C3=9Fe_an?= alle", "Grüße an alle"),
        ("=?UTF-8?B?R3LDvMOfZQ==?=", "Grüße"),
        ("=?utf-8?q?a?= =?utf-8?q?b?=", "ab"),
        ("=?utf-8?q?a?=\r\n =?iso-8859-1?q?=FC?=", "aü"),
        ("=?utf-8?q?a?= x =?utf-8?q?b?=", "a x b"),
        ("=?utf-8?b?5p2x5A==?= =?utf-8?b?uqw=?=", "東京"),
        ("=?utf-8?q?=E6=9D?= =?utf-8?b?sQ==?=", "東"),
        ("x=?utf-8?q?=C3=BC?=y", "xüy"),
        ("=?utf-8?q?what??=", "what?"),
        ("=?utf-8?q?two words?=", "two words"),
        ("=?utf-8*en?q?a?=", "a"),
        ("=?utf-8?b?R3LDvMOfZQ", "Grüße"),
        ("=?utf-8?x?a?=", "=?utf-8?x?a?="),
        ("a =? b ?= c", "a =? b ?= c"),
        ("=?no-such-set?q?a=FC?=", "aü"),
    ],
)
def test_encoded_words_are_read(text: str, decoded: str):
    assert decode_words(text)[0] == decoded


@in_one_test("mark", ["=?utf-8?q?", "=?", "=?a?b?c", "?=", "=?utf-8?q?a?= "])
def test_repeated_beginnings_take_linear_time(mark: str):
    decode_words(mark * 20_000)


@in_one_test(
    ("value", "name", "decoded"),
    [
        ('text/plain; name="a b.txt"', "name", "a b.txt"),
        ("text/plain; name=a b.txt", "name", "a b.txt"),
        ("attachment; filename*=utf-8''na%C3%AFve.txt", "filename", "naïve.txt"),
        ("attachment; filename*0=one-; filename*1=two.txt", "filename", "one-two.txt"),
        ("a/b; name*1*=%BC.txt; name*0*=utf-8'de'%C3", "name", "ü.txt"),
        ("a/b; name=old.txt; name*=utf-8''n%C3%A9w.txt", "name", "néw.txt"),
        ('a/b; name="=?utf-8?q?=C3=BC=2Etxt?="', "name", "ü.txt"),
        ('a/b; name="C:\\tmp\\x.txt"', "name", "C:\\tmp\\x.txt"),
        ('a/b; name="never closed', "name", "never closed"),
        ('multipart/mixed\n\tboundary="x y"', "boundary", "x y"),
        ("text/plain ; charset = utf-8 ", "charset", "utf-8"),
        ("text/plain (a comment); charset=utf-8", "charset", "utf-8"),
    ],
)
def test_parameters_are_read(value: str, name: str, decoded: str):
    main, parameters = parse_parameters(value)
    assert parameters[name] == decoded
    assert " " not in main
    assert "(" not in main
