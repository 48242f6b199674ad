"""How drafts are written in a language and goals in it are read, field by field."""

from pydantic import model_validator

from inbox.languages.section import Plain, Section, Words, filled_in


class Formats(Section):
    """How dates, times and sums are written; what is in braces is filled in."""

    date: str = "{day} {month} {year}"
    """A date; `{number}` is that of the month."""
    first: str = ""
    """How the first day of a month is written: "1er"; "" for the number alone."""
    day_of_week: str = "{weekday}, {day}"
    """A date with its day of the week; `{day}` is the date as above."""
    clock: str = "{hour}:{minute:02}"
    """A time of day."""
    full_hour: str = ""
    """A time without minutes; as `clock` where it is left out."""
    thousands: str = ","
    """What parts thousands; one character."""
    decimal: str = "."
    """What parts the decimals; one character."""
    own_currency: dict[str, str] = {}
    """A sum of such a currency, where it is written in a way of its own: `{JPY: "{amount}円"}`."""
    joint: str = " "
    """What stands between two sentences."""
    stop: str = "."
    """What ends a sentence."""


class Compose(Section):
    """What is known of the language when a letter is to be written in it."""

    names: Words = ""
    """What the language is called in any language: "reply in Dutch"."""
    other_names: Words = ""
    """Names of languages that have no file."""
    short_words: Plain = ""
    """Short words that hardly any other language has; they tell the language of a few words."""
    shared_words: Plain = ""
    """Short words of other languages that English has as well."""
    english_too: Plain = ""
    """Those of `short_words` that English has as well, and that therefore tell nothing."""
    script: str = ""
    """The class of its letters, where these alone tell the language."""
    months: Plain = ""
    """The names of the twelve months as a letter writes them."""
    weekdays: Plain = ""
    """The names of the days of the week as a letter writes them, from Monday."""
    formats: Formats = Formats()


class Instructions(Section):
    """How a goal in the language tells what to do."""

    macros: dict[str, str] = {}
    """Parts of what follows and of macros behind them, which name them in braces."""
    whom: str = ""
    """The pattern of to whom a letter speaks: "him", "the customer"."""
    politely: str = ""
    """The pattern of what may stand before an instruction: "please", "then"."""
    forms: dict[str, str] = {}
    """Infinitives that begin an instruction as well, each with the imperative of the patterns."""
    patterns: list[tuple[str, str]] = []
    """The acts and the patterns of how a goal tells them; the likeliest first. `{w}` is `whom`."""

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, page: dict[str, object]) -> dict[str, object]:
        macros = page.get("macros")
        if not isinstance(macros, dict):
            return page
        filled = {name: filled_in(str(page.get(name, "")), macros) for name in ("whom", "politely")}
        patterns = page.get("patterns")
        if not isinstance(patterns, list):
            return {**page, **filled}
        return {**page, **filled, "patterns": [
            [filled_in(str(step), macros) for step in pair] for pair in patterns
        ]}  # fmt: skip


class Clauses(Section):
    """The words by which a goal is parted into clauses that each tell one thing to do."""

    joints: Words = ""
    """What joins two clauses."""
    parts: Words = ""
    """What parts two clauses by itself, whatever follows."""
    speaks: Words = ""
    """Verbs that begin another instruction wherever they stand behind a joint."""
    behind: Words = ""
    """What is another instruction behind a joint of the same language, whatever verb it is."""
    tasks: Words = ""
    """Verbs of the work on the letter; behind a joint never part of what the letter says."""
    does: Words = ""
    """Verbs that may go on with what stands before: "we will check it and send a new one"."""
    reader: Words = ""
    """Verbs of `speaks` that the reader may be asked to do as well: "ask her to confirm"."""
    before_ordinals: Words = ""
    """What stands before a number whose stop ends no sentence: "im 3. Stock"."""
    ing: Words = ""
    """Verbs as they follow "write a reply …": "declining the offer"; English only."""
    only_if: Words = ""
    """What begins an instruction that holds in some case only."""
    otherwise: Words = ""
    """The same, anywhere in it."""
    choice: Words = ""
    """What joins two instructions of which one is to be chosen."""


class OwnWords(Section):
    """What words of a goal have to be before they are said to the reader as they stand."""

    tells: Words = ""
    """What tells something, where the name of a thing is wanted: not said."""
    subjects: Words = ""
    """What a main clause begins with that is said as it stands: "we", "the", "there"."""
    openings: Words = ""
    """What makes such a clause of whatever stands behind: "hay", "il y a"."""
    states: Words = ""
    """Finite verbs of such a clause."""
    states_alone: Words = ""
    """Those that make one of whatever few words stand before them: "delivery takes a week"."""
    clauses: Words = ""
    """What opens a clause within another: "that", "which", "if"; not before such a verb."""
    unsure: Words = ""
    """What says that such a clause is no word of the letter yet: "maybe"."""
    no_subjects: Words = ""
    """What no such clause begins with: verbs that tell what to do."""
    particles: Words = ""
    """What no name of a thing begins with: "thank him in advance"."""
    joints: Words = ""
    """What joins two parts of a reported clause."""
    goes_on: Words = ""
    """What may follow a joint there; anything else may be another instruction."""
    unclear: Words = ""
    """Pronouns and names that may mean somebody else than the reader."""
    unfit: Words = ""
    """What a goal says of the letter itself, or leaves open."""


class Reported(Section):
    """How a clause about the reader is said to the reader."""

    reports: bool = False
    """Whether clauses of a goal in this language can be said in a letter."""
    changes: list[tuple[str, str]] = []
    """Patterns, each with what stands for it: "his" becomes "your"."""
    third: str = ""
    """The pattern of a short clause about the reader: groups lead, who, rest, before and verb."""
    whom: dict[str, str] = {}
    """Who is meant: `who` of it, with the pattern of what the goal calls the reader before."""
    plurals: dict[str, str] = {}
    """Verbs of it whose form to the reader is not made by `verb_ends`."""
    verb_ends: tuple[str, str] = ("", "")
    """What such a verb ends in, and what stands for that to the reader."""
    you: str = ""
    """The reader as the subject."""
    formal: Words = ""
    """What addresses a reader formally, where it is more than `reader`; case matters."""
    reader: Words = ""
    """What speaks to the reader, in upper or lower case as written."""


class Informal(Section):
    """What drafts say otherwise to whom one is on first-name terms with; a language may lack it."""

    asks: Words = ""
    """What a mail says to a reader whom it addresses so: "du", "dein"."""
    greeting: str = ""
    """The greeting of any tone."""
    opener: str = ""
    """The first sentence of any tone."""
    phrases: dict[str, str] = {}
    """Sentences, by the keys of `Reply.phrases`."""
    things: dict[str, str] = {}
    """Things, by the names of `Reply.things`."""


class Reply(Section):
    """What drafts are made of; what is in braces is filled in.

    A language can be written in when it has `phrases`.
    """

    greeting: dict[str, str] = {}
    """The greeting by tone (friendly, formal, brief) and for `nobody`."""
    closing: dict[str, str] = {}
    """The closing by tone."""
    opener: dict[str, str] = {}
    """The first sentence by tone."""
    goes_on: Words = ""
    """First words that are written in lower case behind the comma of a greeting."""
    phrases: dict[str, str] = {}
    """The sentences by their keys; one that is left out makes the draft unsure of itself."""
    informal: Informal = Informal()
    """What is said otherwise where the mail is informal."""
    things: dict[str, str] = {}
    """What goals speak of, in the form that follows "for", "confirm" and "send us"."""
