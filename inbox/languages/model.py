"""What the file of a language may have, field by field; all but its code may be left out."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from inbox.languages.carrying import Carrying
from inbox.languages.mail import Mail, Recall, Search
from inbox.languages.section import Plain, Section, Words, filled_in
from inbox.languages.talk import Talk
from inbox.languages.values import (
    Answers,
    Calendar,
    Clock,
    Contacts,
    Counts,
    Forms,
    Labels,
    Money,
    Numbering,
    People,
    Places,
    Roles,
    Schemas,
)
from inbox.languages.writing import Clauses, Compose, Instructions, OwnWords, Reply, Reported


class Detection(Section):
    """How a text is known to be in the language."""

    words: Plain = ""
    """Its commonest words, for a language of Latin letters."""
    letters: str = ""
    """The class of its letters, for a script of its own: `[\\u0400-\\u04ff]`."""
    letter_weight: int = 1
    """How many Latin letters one of them says as much as."""
    with_letters_of: str = ""
    """The language whose letters it uses as well, as Japanese those of Chinese."""
    within: str = ""
    """The language whose script it writes, with letters of its own: Persian and Arabic."""
    one_in: int = 20
    """One of so many letters must be of `letters` where `with_letters_of` or `within` is given."""


class Letters(Section):
    """The forms of a letter."""

    greetings: Words = ""
    """What a greeting begins with."""
    greeting_lines: Words = ""
    """Whole lines that only greet, where a greeting has its mark at the end."""


class Tone(Section):
    """What orders a person about or reproaches them; our own words to people never do."""

    macros: dict[str, str] = {}
    """Parts of the phrases below and of macros before them, which name them in braces."""
    phrases: list[str] = []
    """Regular expressions; a space in one stands for any spacing."""
    as_written: list[str] = []
    """The same, where upper and lower case tell: the German "Sie"."""

    @model_validator(mode="after")
    def _fill_in(self) -> Self:
        self.phrases[:] = [filled_in(text, self.macros) for text in self.phrases]
        return self


class Classify(Section):
    """The signs by which mail is classified; written as `inbox/classify/rules.yaml` explains."""

    negations: list[str] = []
    """Words that take back a signal behind them, where the signal is `negatable`."""
    lists: dict[str, list[str]] = {}
    """What `<name>` stands for in the phrases of all languages: `weekday`, `month`, `soon`, …"""
    signals: dict[str, list[str]] = {}
    """The phrases of each signal of the rules."""
    matters: dict[str, Plain] = {}
    """Words of what mail is about, by the same names in each language: `billing`."""
    unless: dict[str, list[str]] = {}
    """Phrases which, in the same sentence, take the signal back."""
    prefixes: list[str] = []
    """What is written as the beginning of the next word, as the Arabic "and" is; longest first."""
    alike: dict[str, str] = {}
    """Letters that are taken for one another, each with what stands for it."""
    openings: Words = ""
    """Words before what a sentence really begins with: "hi", "and", "so"."""
    turns: Words = ""
    """Words behind which a negation before them no longer holds: "but"."""
    advert_marks: Words = ""
    """What a subject says that is advertising by law."""
    of_anybody: Plain = ""
    """Words in a sender's name that say nothing of who it is, parted by spaces: "team service"."""


class Claims(Section):
    """What the claims of a message are told by, which is held against its sources."""

    months: Words = ""
    """What months are called that are counted: "within two months"."""
    years: Words = ""
    """What years are called that are counted."""
    working_days: Words = ""
    """What days are called on which people work, behind their number: "two working days"."""
    before_days: Words = ""
    """What stands before a day that is named by its number alone: "the 10th"."""
    refused_before: Words = ""
    """What rules out a day behind it: "not the 9th", "we are closed on"."""
    refused_behind: Words = ""
    """The same before it: "the 14th is impossible"."""
    everyone: Words = ""
    """What says of an event that it takes all of a house: "everyone", "closed"."""
    ours_zoned: Words = ""
    """What says of a time before it that it is that time where the writer is: "here"."""
    yours: Words = ""
    """What says of a time behind it that it is the reader's: "your 11:00"."""
    zoned: Words = ""
    """What says of a time beside it where it is that time: "your time", "over here"."""
    measures: dict[str, Words] = {}
    """The names of units, by the symbol that they stand for: `kg`, `km`, `l`."""
    totals: Words = ""
    """What stands beside an amount that is all of it: "in total", "altogether"."""
    net: Words = ""
    """What says beside an amount that no tax is in it: "net", "plus VAT"."""
    gross: Words = ""
    """What says that it is: "gross", "VAT included"."""
    roughly: Words = ""
    """What stands before a number that is rounded: "about", "just under"."""
    per_cent: Words = ""
    """What stands behind a number of per cent, besides the sign."""
    attached: Words = ""
    """What says that a file goes with the message."""
    contains: Words = ""
    """What says of a file that something is in it: "it covers"."""
    refers: Words = ""
    """What says that it stands in a file: "there you will find", "clause 7"."""
    presents: Words = ""
    """What says that something is here, which may be a file: "here is the"."""
    others_attached: Words = ""
    """What says that somebody else's mail had it: "the file you attached"."""
    versions: Words = ""
    """What stands before the number of a version."""
    dated: Words = ""
    """What stands before the day that a document is of: "dated"."""
    documents: dict[str, Words] = {}
    """What files are, by the same names in each language: `invoice`, `quote`, `contract`."""
    titles: Words = ""
    """Titles before a name in a sentence, besides those of `people`."""
    before_names: Words = ""
    """What stands between a greeting and a name, besides titles."""
    vocatives: Words = ""
    """The endings of a name by which somebody is called, where a language has them: "u"."""
    capitalised: bool = False
    """Whether every noun begins with a capital, so that two such words are no name yet."""
    misters: Words = ""
    """Titles of a man: "Mr", "sir"."""
    madams: Words = ""
    """Titles of a woman: "Mrs", "madam"."""
    anybody: Words = ""
    """Whom a letter greets by no name: "all", "team", "colleagues"."""
    our_account: Words = ""
    """What a sentence says that gives a bank account as ours, or asks to be paid to it."""
    proposes: Words = ""
    """Words of a sentence that proposes or asks something, and claims nothing."""
    accepts: Words = ""
    """What takes an offer, or agrees to a day or a time."""
    joins: Words = ""
    """What stands between two things that are named beside each other: "and", "or"."""
    replaced: Words = ""
    """What stands before an address, a room or a number that holds no more: "not", "formerly"."""
    no_more: Words = ""
    """What stands behind one: "is no longer"."""
    discounts: Words = ""
    """What is taken off a price: "discount", "off"."""
    grants: Words = ""
    """What gives somebody something: "give", "can have"."""
    states: dict[str, Words] = {}
    """What became of something, by the same names in each language: `paid`, `due`, `accepted`.

    `coming` is what stands before what has not become so yet: "will be".
    """
    places: Words = ""
    """What places are that a letter, a number or a name behind tells apart: "room", "gate"."""
    streets: Words = ""
    """What streets are called before the number of a house."""
    streets_behind: Words = ""
    """The same, where the number stands first."""
    belongs: Words = ""
    """What stands between somebody and the house that he or she is of: "of", "from"."""
    floors: Words = ""
    """What floors of a house are called beside their number."""
    contacts: Words = ""
    """What is said of somebody who will call or write, behind the name: "will get back"."""
    promises: dict[str, Words] = {}
    """What promises or admits something, by what it is about: `refund`, `costs`, `free`, …"""
    promised: dict[str, Words] = {}
    """What a source says of the same, by the same names."""
    withheld: Words = ""
    """Words before a promise, or beside its source, which take it back: "not", "only"."""
    confidential: Words = ""
    """What a text says where it begins that is not to leave the house: "confidential"."""
    internal: Words = ""
    """The same, where it is a line's first word or that of a folder: "internal"."""
    changes: Words = ""
    """What a sentence says that tells something otherwise than before: "now", "instead"."""
    secret: Words = ""
    """What a sentence or a rule says of something that nobody outside is told: "not named"."""


class Language(Section):
    """A language."""

    code: Annotated[str, Field(pattern="^[a-z]{2,3}$")]
    """Its ISO 639-1 code, which is the name of the file."""
    place: int = 99
    """Where its words stand among those of others, in patterns that hold all; English is 1."""
    detection: Detection = Detection()
    letters: Letters = Letters()
    tone: Tone = Tone()
    calendar: Calendar = Calendar()
    clock: Clock = Clock()
    money: Money = Money()
    people: People = People()
    contacts: Contacts = Contacts()
    places: Places = Places()
    numbering: Numbering = Numbering()
    counts: Counts = Counts()
    labels: Labels = Labels()
    mail: Mail = Mail()
    recall: Recall = Recall()
    search: Search = Search()
    answers: Answers = Answers()
    schemas: Schemas = Schemas()
    roles: Roles = Roles()
    forms: Forms = Forms()
    meanings: dict[str, Words] = {}
    """What a text says for a word of a schema, such as one of the values of a choice."""
    classify: Classify = Classify()
    compose: Compose = Compose()
    instructions: Instructions = Instructions()
    clauses: Clauses = Clauses()
    own_words: OwnWords = OwnWords()
    reported: Reported = Reported()
    carrying: Carrying = Carrying()
    talk: Talk = Talk()
    reply: Reply = Reply()
    claims: Claims = Claims()
    things: dict[str, Words] = {}
    """What goals and mail speak of, by the words of the language."""
