"""Cards as the programs of several makers write them; their people are made up."""

APPLE = b"""BEGIN:VCARD\r
VERSION:3.0\r
PRODID:-//Apple Inc.//macOS 14.1//EN\r
N:Byron;Ada;Augusta;Dr.;\r
FN:Dr. Ada Augusta Byron\r
ORG:Lantern Works;Engines\r
TITLE:Analyst\r
item1.EMAIL;type=INTERNET;type=pref:Ada@Lantern.example\r
item1.X-ABLabel:_$!<Other>!$_\r
EMAIL;type=INTERNET;type=HOME:ada@home.example\r
TEL;type=CELL;type=VOICE;type=pref:+44 20 7946 0001\r
TEL;type=WORK;type=FAX:+44 20 7946 0002\r
item2.ADR;type=HOME;type=pref:;;12 St James Square;London;;SW1Y;United Kingdom\r
item2.X-ABADR:gb\r
item3.URL;type=pref:https\\://ada.example\r
item3.X-ABLabel:_$!<HomePage>!$_\r
NOTE:Met in 1833\\, at a party.\\nLikes engines.\r
BDAY;X-APPLE-OMIT-YEAR=1604:1604-12-10\r
PHOTO;ENCODING=b;TYPE=JPEG;X-ABCROP-RECTANGLE=ABClipRect_1&0&0&96&96:/9j/4AAQSkZJRg\r
 ABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIs\r
X-SOCIALPROFILE;type=twitter;x-user=ada:http://twitter.example/ada\r
REV:2026-01-05T10:00:00Z\r
UID:8E1B2B7E-1111-4A5D-9D3B-0C1DFA000001\r
END:VCARD\r
"""

GOOGLE = b"""BEGIN:VCARD\r
VERSION:3.0\r
N:Lovelace;Grace;;;\r
FN:Grace Lovelace\r
EMAIL;TYPE=INTERNET;TYPE=WORK:grace@customer.example\r
EMAIL;TYPE=INTERNET:grace@other.example\r
item1.TEL:+1 555 0100\r
item1.X-ABLabel:Ranch\r
TEL;TYPE=CELL:+1 555 0101\r
ORG:Customer Inc.\r
TITLE:CTO\r
CATEGORIES:myContacts,starred\r
X-PHONETIC-FIRST-NAME:Grays\r
UID:5f0a1b2c3d\r
REV:2026-02-01T08:30:00Z\r
END:VCARD\r
"""

NEXTCLOUD = """BEGIN:VCARD\r
VERSION:4.0\r
PRODID:-//Nextcloud Contacts v5.5\r
UID:urn:uuid:3e3ee3d6-0000-4000-8000-000000000001\r
FN:Jürgen Müller\r
N:Müller;Jürgen;;;\r
EMAIL;TYPE=HOME;PREF=2:juergen@privat.example\r
EMAIL;TYPE=WORK;PREF=1:j.mueller@werk.example\r
TEL;VALUE=uri;TYPE="work,voice":tel:+49-30-123456\r
ORG:Werk GmbH;Einkauf;Süd\r
GEO:geo:52.5\\,13.4\r
LANG:de\r
X-MANAGERSNAME:Frau Weiß\r
REV:20260201T083000Z\r
END:VCARD\r
""".encode()

OUTLOOK = b"""BEGIN:VCARD\r
VERSION:2.1\r
N;LANGUAGE=de;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Gr=C3=B6=C3=9Fer;Bj=C3=B6rn\r
FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Bj=C3=B6rn Gr=C3=B6=C3=9Fer\r
ORG:Lantern Works\r
TEL;WORK;VOICE:+49 40 1\r
TEL;CELL;VOICE:+49 170 1\r
ADR;WORK;PREF:;;Hafen 1;Hamburg;;20457;Germany\r
NOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Zeile eins=0D=0A=\r
Zeile zwei\r
X-MS-OL-DEFAULT-POSTAL-ADDRESS:2\r
EMAIL;PREF;INTERNET:bjoern@hafen.example\r
REV:20260105T100000Z\r
END:VCARD\r
"""

THUNDERBIRD = b"""BEGIN:VCARD\r
VERSION:4.0\r
N:Hopper;Mary;;;\r
FN:Mary Hopper\r
EMAIL;PREF=1:mary@list.example\r
NICKNAME:mary\r
URL;TYPE=work;VALUE=URL:https://hopper.example\r
X-CUSTOM1;VALUE=TEXT:a\\;b\r
TZ;VALUE=TEXT:Europe/Berlin\r
UID:6ad11b1c-9b1d-4b0a-9b1b-2f6f8e5f0001\r
END:VCARD\r
"""

ALL = {
    "Apple": APPLE, "Google": GOOGLE, "Nextcloud": NEXTCLOUD, "Outlook": OUTLOOK,
    "Thunderbird": THUNDERBIRD,
}  # fmt: skip

GROUP = b"""BEGIN:VCARD\r
VERSION:3.0\r
N:Family\r
FN:Family\r
X-ADDRESSBOOKSERVER-KIND:group\r
X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:8E1B2B7E-1111-4A5D-9D3B-0C1DFA000001\r
UID:group-1\r
END:VCARD\r
"""


def card(fn, *lines):
    """Return a small card."""
    body = "".join(f"{line}\r\n" for line in (f"FN:{fn}", f"N:;{fn};;;", *lines))
    return f"BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{fn}\r\n{body}END:VCARD\r\n".encode()
