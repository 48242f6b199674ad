"""MIME messages made up by a seed: as they should be, as they are in real life, and hostile."""

import random
from binascii import b2a_base64, b2a_qp, b2a_uu
from collections.abc import Callable
from datetime import UTC, datetime
from email.header import Header
from urllib.parse import quote

from inbox.rfc5322.addresses.parsing import Address
from inbox.rfc5322.build import OutgoingAttachment, OutgoingMessage, build_message

WORDS = [
    "the",
    "offer",
    "order",
    "invoice",
    "Friday",
    "please",
    "find",
    "attached",
    "Grüße",
    "straße",
    "naïve",
    "price",
    "1,200",
    "EUR",
    "свободно",
    "こんにちは",
    "価格",
    "مرحبا",
    "🎉",
    ">From",
    "begin",
    "From",
    "--",
    "=",
    ".",
    "=3D",
    "=?utf-8?q?x?=",
    "<b>",
    "&",
    "\u200b",
]
CHARSETS = ("utf-8", "us-ascii", "iso-8859-1", "windows-1252", "koi8-r", "shift_jis", "iso-2022-jp",
            "utf-16", "utf-7", "gb18030", "x-unknown", "", "UTF-8", "utf8", "hz")  # fmt: skip
TYPES = ("text/plain", "text/html", "text/calendar", "text/csv", "image/png", "application/pdf",
         "application/zip", "message/rfc822", "message/partial", "message/external-body",
         "application/pgp-encrypted", "application/pkcs7-mime", "application/octet-stream", "text",
         "", "TEXT/PLAIN", "application/x-pkcs7-mime", "message/delivery-status")  # fmt: skip
MULTIPARTS = ("mixed", "mixed", "alternative", "related", "signed", "encrypted", "digest", "report")
DOMAINS = ("customer.example", "Lantern.Example", "xn--bcher-kva.example", "brook.example")


class Generator:
    """One message, by its seed."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.boundaries: list[str] = []
        # Of every second message nothing is odd but what its kind of parts brings along.
        self.is_careful = self.odds(0.5)

    def message(self) -> tuple[str, bytes]:
        """Return of which kind it is, and its bytes."""
        kind = self.chance.choices(("built", "written", "broken"), (3, 5, 2))[0]
        raw = self.built() if kind == "built" or self.odds(0.1) else self.written()
        if kind == "broken":
            for _ in range(self.chance.randint(1, 4)):
                raw = self.broken(raw)
        return kind, raw

    def odds(self, share: float) -> bool:
        return self.chance.random() < share

    def rarely(self, share: float) -> bool:
        """Return True so often, and never in a message that is written with care."""
        return self.odds(share) and not self.is_careful

    def text(self, most: int = 40) -> str:
        words = self.chance.choices(WORDS, k=self.chance.randint(0, most))
        return "".join(word + self.chance.choice((" ", " ", " ", "\n", "\n\n")) for word in words)

    def line(self, most: int = 8) -> str:
        """Return words that may stand in a header: without breaks and what nobody sees."""
        words = [word for word in WORDS if word != "\u200b"]
        return " ".join(self.chance.choices(words, k=self.chance.randint(1, most)))

    # As our own builder writes them.

    def built(self) -> bytes:
        """Return a message as the product seals it."""
        files = tuple(self._file() for _ in range(self.chance.choice((0, 0, 1, 3))))
        calendar = "BEGIN:VCALENDAR\nMETHOD:REQUEST\nSUMMARY:Grüße\nEND:VCALENDAR\n"
        people = [tuple(self._person() for _ in range(self.chance.randint(0, 4))) for _ in "tc"]
        return build_message(
            OutgoingMessage(
                from_=self._person(), to=(self._person(), *people[0]), cc=people[1],
                subject=self.line(30) if self.odds(0.9) else "", body=self.text(80),
                message_id=f"<{self.chance.getrandbits(64)}@lantern.example>",
                date=datetime(2026, 3, 2, 10, tzinfo=UTC), attachments=files,
                calendar=calendar if self.odds(0.2) else "",
            )
        )  # fmt: skip

    def _file(self) -> OutgoingAttachment:
        kind = self.chance.choice(("application/pdf", "text/plain", "text/html", "message/rfc822"))
        return OutgoingAttachment(f"{self.line(12)}.pdf", kind, self.bytes_())

    def _person(self) -> Address:
        email = f"{self.word()}@{self.chance.choice(DOMAINS)}"
        return Address(email, self.line(12) if self.odds(0.6) else "")

    def word(self) -> str:
        return self.chance.choice(["ada", "bo", "carl.d", "eve+x", "o'f", "j_k"])

    def bytes_(self) -> bytes:
        return self.chance.randbytes(self.chance.choice((0, 1, 30, 200)))

    # As others write them.

    def written(self) -> bytes:
        """Return a message written by the letter, or nearly so, with all that MIME has."""
        lines = [f"From: {self.mailboxes(1)}", f"To: {self.mailboxes(4)}"]
        lines += [f"{name}: {self.mailboxes(3)}" for name in ("Cc", "Bcc") if self.odds(0.3)]
        lines += [f"Subject: {self.header_text()}", "MIME-Version: 1.0"]
        odd: tuple[Callable[[], str], ...] = (
            lambda: f"From: {self.mailboxes(2)}", lambda: f"To: {self.mailboxes(2)}",
            lambda: f"Subject: {self.header_text()}", lambda: "X-Long: " + "x" * 5000,
            lambda: f"Reply-To: {self.mailboxes(1)}", lambda: "no field at all",
            lambda: f"Subject : {self.line()}", lambda: " \r\n folded", lambda: "To:",
        )  # fmt: skip
        lines += [self.chance.choice(odd)() for _ in range(3) if self.rarely(0.16)]
        if self.rarely(0.1):
            self.chance.shuffle(lines)
        head = "\r\n".join(lines).encode("utf-8", "replace")
        raw = head + b"\r\n" + self.entity(0)
        return self.line_ends(raw)

    def line_ends(self, raw: bytes) -> bytes:
        new = self.chance.choices((b"\r\n", b"\n", b"\r"), (40, 1, 1))[0]
        return raw if new == b"\r\n" or self.is_careful else raw.replace(b"\r\n", new)

    def mailboxes(self, most: int) -> str:
        return ", ".join(self.mailbox() for _ in range(self.chance.randint(1, most)))

    def mailbox(self) -> str:
        email = f"{self.word()}@{self.chance.choice(DOMAINS)}"
        name = self.line(3).replace("<", "").replace(">", "").replace("&", "")
        # Letters beyond ASCII and encoded words in one field are read in two ways.
        quoted = name.encode("ascii", "replace" if self.odds(0.5) else "ignore").decode()
        quoted = (quoted if not self.rarely(0.2) else name).replace("=?", "")
        usual = (email, f"<{email}>", f"{self.word()} <{email}>", f'"{quoted}" <{email}>',
                 f"{self.encoded(name)} <{email}>")  # fmt: skip
        rare = (
            f"{email} ({self.word()})", f"team: {email}, x@brook.example;", "undisclosed:;",
            f"<@relay.example:{email}>", f'"a@brook.example" <{email}>', f"{name} <{email}",
            '"x y"@brook.example', f"{email} <b@evil.example>", f"(<c@evil.example>) {email}",
            f'"{self.encoded(name)}" <{email}>', f"=?utf-8?q?a=40evil.example=2C?= <{email}>",
            f"{email},, ,", f"{email}\r\n ,b@evil.example", f"a\x00{email}", name,
        )  # fmt: skip
        return self.chance.choice(rare if self.rarely(0.07) else usual)

    def header_text(self) -> str:
        text = self.line(10)
        usual = (text.encode("ascii", "ignore").decode().replace("=?", ""), self.encoded(text))
        rare = (
            text, f"a {self.encoded(text)} b", "=?utf-8?b?4pi?= =?utf-8?b?gw==?=",
            "=?utf-8?b?w7x=?=", "=?x-unknown?q?=FC?=", "=?utf-8?q?a?==?utf-8?q?b?=",
            "=?utf-8?q?a b?=", "=?utf-8*de?q?a?=", "=?utf-8?q?=0D=0ATo:_x=40y?=", "",
            f"{text}\r\n\t{text}", "x" * 3000, "=?iso-8859-1?q?=FC?=", "\u202egnp.exe", "a\x00b",
        )  # fmt: skip
        return self.chance.choice(rare if self.rarely(0.15) else usual)

    def encoded(self, text: str) -> str:
        if self.odds(0.5):
            return f"=?utf-8?b?{b2a_base64(text[:12].encode(), newline=False).decode()}?="
        return Header(text, "utf-8").encode().replace("\n", "\r\n")

    # The parts.

    def entity(self, depth: int) -> bytes:
        """Return the headers of the content, an empty line, and the content."""
        if depth < 4 and self.odds((0.7, 0.35, 0.2, 0.1)[depth]):
            return self.multipart(depth)
        return self.leaf(depth)

    def multipart(self, depth: int) -> bytes:
        boundary = self.boundary()
        kind = self.chance.choice(MULTIPARTS[: None if self.rarely(0.3) else 4])
        parameter = f'boundary="{boundary}"'
        if self.rarely(0.08):
            parameter = self.chance.choice(
                ("", "boundary=", f"boundary={boundary}", f'boundary="{boundary}"; boundary="x"',
                 f'boundary*0="{boundary[:2]}"; boundary*1="{boundary[2:]}"',
                 f"boundary*=utf-8''{boundary}", f'boundary="{boundary} "')
            )  # fmt: skip
        head = f"Content-Type: multipart/{kind}; {parameter}\r\n\r\n".encode()
        parts = [
            self.entity(depth + 1)
            for _ in range(
                self.chance.choice((1, 1, 2, 2, 3) if self.is_careful else (0, 1, 2, 2, 3))
            )
        ]
        delimiter = b"--" + boundary.encode()
        body = b"".join(delimiter + b"\r\n" + part + b"\r\n" for part in parts)
        before = b"A preamble.\r\n" if self.rarely(0.08) else b""
        after = b"An epilogue.\r\n" if self.rarely(0.08) else b""
        end = delimiter + b"--\r\n" if not self.rarely(0.08) else b""
        return head + before + body + end + after

    def boundary(self) -> str:
        if self.boundaries and self.rarely(0.06):
            return self.chance.choice(self.boundaries) + self.chance.choice(("", "x", "--"))
        usual, rare = f"=_{self.chance.getrandbits(48):x}", ("b", "a b", "x" * 80, "(.*)", "-", "ü")
        self.boundaries.append(self.chance.choice(rare) if self.rarely(0.08) else usual)
        return self.boundaries[-1]

    def leaf(self, depth: int) -> bytes:
        kind = self.chance.choice(TYPES if self.rarely(0.6) else TYPES[:8])
        content, charset = self.content(kind, depth)
        lines = []
        if kind:
            name = self.parameter("name") if self.rarely(0.08) else ""
            lines.append(f"Content-Type: {kind}{charset}{name}")
        encoding, body = self.transfer(content, kind)
        lines += [f"Content-Transfer-Encoding: {encoding}"] if encoding else []
        is_file = not kind.lower().startswith("text") or self.odds(0.1)
        if is_file and not self.rarely(0.1):
            how = self.chance.choices(
                ("attachment", "inline", "form-data", ""),
                (8, 2, 1, 1) if not self.is_careful else (8, 2, 0, 0),
            )[0]
            lines.append(f"Content-Disposition: {how}{self.parameter('filename')}")
        if self.rarely(0.05):
            lines.append(self.chance.choice(
                ("Content-Transfer-Encoding: base64", "Content-Type: text/html", "X-Part: 1",
                 "Content-Description: words", "Content-ID: <a@b>", "broken", "Content-MD5: x")
            ))  # fmt: skip
        return "".join(f"{line}\r\n" for line in lines).encode("utf-8", "replace") + b"\r\n" + body

    def content(self, kind: str, depth: int) -> tuple[bytes, str]:
        """Return the bytes of a part, and its parameter `charset` where it has one."""
        if kind == "message/rfc822" and depth < 3:
            return self.written(), ""
        if not kind.lower().startswith(("text", "message")) and kind:
            return self.bytes_(), ""
        text = f"<p>{self.text()}</p>" if kind == "text/html" else self.text()
        label = self.chance.choice(CHARSETS) if self.rarely(0.25) else "utf-8"
        try:
            data = text.replace("\n", "\r\n").encode(label or "utf-8", "replace")
        except LookupError:
            data = text.encode("utf-8")
        if self.rarely(0.05):
            label = self.chance.choice(CHARSETS)
        if self.rarely(0.05):
            data += self.chance.choice(
                (b"\x00", b"\xff\xfe", b"\r", b"\x1b[2J", b"begin 644 x\r\n#86)C\r\n`\r\nend\r\n",
                 b"-----BEGIN PGP MESSAGE-----\r\n\r\nhQ==\r\n-----END PGP MESSAGE-----\r\n")
            )  # fmt: skip
        return data, f"; charset={label}" if label else ""

    def transfer(self, content: bytes, kind: str) -> tuple[str, bytes]:
        """Return the transfer encoding and the content so encoded; seldom wrongly."""
        if self.rarely(0.08):
            return self.wrong_transfer(content)
        if kind.lower().startswith("message/"):
            return "8bit", content
        if kind.lower().startswith("text") and self.odds(0.6):
            if self.odds(0.5):
                return "8bit", content
            soft = b2a_qp(content.replace(b"\r\n", b"\n"), istext=True)
            return "quoted-printable", soft.replace(b"\n", b"\r\n")
        pieces = (content[at : at + 57] for at in range(0, len(content), 57))
        return "base64", b"".join(b2a_base64(one, newline=False) + b"\r\n" for one in pieces)

    def wrong_transfer(self, content: bytes) -> tuple[str, bytes]:
        whole = b2a_base64(content, newline=False)
        lines = b"".join(b2a_uu(content[at : at + 45]) for at in range(0, len(content), 45))
        return self.chance.choice((
            ("base64", whole[:-3]), ("base64", whole[:8] + b"!*-" + whole[8:]),
            ("base64", whole + whole), ("BASE64", whole), ("x-unknown", content),
            ("x-uuencode", b"begin 644 x\n" + lines + b"`\nend\n"), ("base-64", whole),
            ("quoted-printable", content + b"=ZZ =\r\n=4"), ("7bit", content), ("binary", content),
            ("base64 (as ever)", whole), ('"base64"', whole), ("", content), ("base64; x=y", whole),
        ))  # fmt: skip

    def parameter(self, name: str) -> str:
        """Return a file's name as a parameter, in one of the ways there are."""
        text = f"{self.line(4)}.pdf".replace('"', "").replace("\\", "")
        plain = text.encode("ascii", "ignore").decode().replace("=?", "")
        usual = (f'; {name}="{plain}"', f"; {name}*=utf-8''{quote(text, safe='')}", "",
                 f"; {name}*0*=utf-8''{quote(text[:2], safe='')};\r\n {name}*1=x.pdf")  # fmt: skip
        rare = (
            f"; {name}={self.encoded(text)}", f'; {name}="{self.encoded(text)}"',
            f'; {name}="a.pdf"; {name}="b.exe"', f"; {name}=a.pdf; {name}*=utf-8''b.exe",
            f'; {name}="../../etc/passwd"', f"; {name}*=x-unknown'de'%FC.pdf", f"; {name}=a b.pdf",
            f"; {name}*0=a; {name}*2=.exe; {name}*1=b", f"; {name}*=utf-8''%FF.pdf", f";{name}=",
            f'; {name}="\u202egnp.exe"', f'; {name}="a\\"b.pdf"', f'; {name}="a', f"; {name}*1=b",
        )  # fmt: skip
        return self.chance.choice(rare if self.rarely(0.1) else usual)

    # Broken on the way, or on purpose.

    def broken(self, raw: bytes) -> bytes:
        """Return the message with something done to it at random."""
        at, far = sorted(self.chance.randrange(len(raw) + 1) for _ in "ab")
        blank = max(raw.find(b"\r\n\r\n"), 0)
        field = self.chance.choice(
            (b"Bcc: c@evil.example", b"To: c@evil.example", b"Content-Type: text/html",
             b"Content-Type: multipart/mixed; boundary=z", b"From: ceo@evil.example", b"junk",
             b"Content-Transfer-Encoding: base64", b"Subject: another", b"Content-Encoding: gzip")
        )  # fmt: skip
        odd = self.chance.choice((b"\x00", b"\r", b"\n", b"\r\n\r\n", b"--", b"=", b"\xff", b" "))
        ways = (
            raw[:at] + odd + raw[at:], raw[:at] + raw[far:] if far - at < 40 else raw[:far],
            raw[:far] + raw[at:], raw[:at], raw[:blank] + b"\r\n" + field + raw[blank:],
            field + b"\r\n" + raw, raw.replace(b"\r\n", odd, 1), raw.replace(b"\r\n", b"\n"),
            raw.replace(b"\r\n--", b"\n--"), raw.replace(b"--\r\n", b"-- \r\n"),
            raw.replace(b"; charset=utf-8", b"; charset=utf-7"), b"\xef\xbb\xbf" + raw,
            raw.replace(b"\r\n\r\n", b"\r\n\r\n\r\n", 1), raw.replace(b"--=_", b"--=_ ", 1),
        )  # fmt: skip
        return self.chance.choice(ways)
