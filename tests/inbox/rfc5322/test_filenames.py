"""Attachment names made harmless."""

from inbox.rfc5322.filenames import safe_filename
from tests.cases import in_one_test


@in_one_test(
    ("name", "safe"),
    [
        ("offer 2026.pdf", "offer 2026.pdf"),
        ("Grüße.pdf", "Grüße.pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\windows\\win.ini", "win.ini"),
        ("C:\\x.txt", "x.txt"),
        ("file.txt\x00.exe", "file.txt.exe"),
        ("gpj.\u202eexe", "gpj.exe"),
        ("%2e%2e%2fetc%2fpasswd", "___etc_passwd"),
        ("..%c0%af..%c0%afetc", "_.._etc"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("com1.log", "_com1.log"),
        ("console.log", "console.log"),
        ("a\r\nb.txt", "a b.txt"),
        ('a<b>"c".txt', "a_b__c_.txt"),
        ("...", ""),
        ("", ""),
        (".htaccess", "htaccess"),
        ("100% sure.txt", "100% sure.txt"),
    ],
)
def test_a_name_follows_the_rule(name: str, safe: str):
    assert safe_filename(name) == safe


def test_a_long_name_keeps_its_extension():
    safe = safe_filename("ü" * 300 + ".pdf")
    assert len(safe.encode()) <= 255
    assert safe.endswith("ü.pdf")


def test_the_rule_applied_twice_changes_nothing():
    for name in ("../a b.txt", "CON.x", "ü" * 300, "a%2fb", "..a"):
        assert safe_filename(safe_filename(name)) == safe_filename(name)
