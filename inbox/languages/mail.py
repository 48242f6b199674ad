"""What mail programs and servers write in a language, field by field."""

from inbox.languages.section import Plain, Section, Words


class Mail(Section):
    """What programs write into mail by themselves, and what they call things."""

    original: Words = ""
    """What stands between marks above a message that is quoted: "-----Original Message-----"."""
    forwarded_below: Words = ""
    """What stands, with a colon, above one that is forwarded: "Begin forwarded message:"."""
    senders: Words = ""
    """The names of the field From in a header that is quoted as text."""
    subjects: Words = ""
    """The names of the field Subject there."""
    fields: Words = ""
    """The names of its other fields: date and recipients."""
    attributions: Words = ""
    """What a line that announces a quotation begins with: `On\\b`. Case matters."""
    wrote: Words = ""
    """What such a line ends with, before its colon."""
    signatures: Words = ""
    """What telephones and mail sites put below, as a whole line; each begins with a letter."""
    list_footers: Words = ""
    """What the lines say that a mailing list puts below a rule."""
    replies: Words = ""
    """What stands before the subject of a reply: "Re", without the colon."""
    references: Words = ""
    """The same where people write it before other subjects as well: "Ref"."""
    forwards: Words = ""
    """What stands before the subject of a forwarded mail."""
    on_behalf: Words = ""
    """What lists put behind a sender's name, before their own: "Ada (via Orders)"."""
    mailboxes: dict[str, Words] = {}
    """What servers and programs call the mailbox of each role, in lower case."""
    bounces: Words = ""
    """What the subject of a message says that came back."""
    delays: Words = ""
    """What a mail system says of mail that it still tries to deliver."""
    given_up: Words = ""
    """What it says where it does not try again."""
    returned_below: Words = ""
    """What stands between marks above the mail that came back."""


class Recall(Section):
    """How memories are found by the words of a question."""

    little_words: Plain = ""
    """Words that say little of what a text is about."""
    related: list[Plain] = []
    """Words that are about the same, parted by spaces: one line of words each."""


class Search(Section):
    """How a search finds the words of a text in other forms."""

    stemmer: str = ""
    """The algorithm of Snowball for its endings; the index has those of English."""
    endings: dict[str, str] = {}
    """Endings of other forms that it leaves as they are, and what takes their place before it."""
    parts: Plain = ""
    """Words that many compounds have as their first or last part, in each of their forms."""
    joints: Plain = ""
    """What may stand between the parts of a compound: the s of "Rechnungsnummer"."""
