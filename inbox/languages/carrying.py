"""How a goal's own words are carried into a letter, field by field."""

from pydantic import model_validator

from inbox.languages.section import Section, Words, filled_in


class Carrying(Section):
    """How a goal's own words become sentences of a letter, where no act is known for them."""

    macros: dict[str, str] = {}
    """Parts of what follows and of macros behind them, which name them in braces."""
    cleans: list[tuple[str, str]] = []
    """What is written short or sloppily, each with what stands for it: "w/" is "with"."""
    splits: Words = ""
    """What begins another instruction behind a joint or a comma, whatever stands before it."""
    keeps_verb: Words = ""
    """An instruction that goes on behind the joint with its verb left out: "ask for A and if B"."""
    goes_on: Words = ""
    """What begins such a second part: "and whether"."""
    leads: list[tuple[str, str]] = []
    """The patterns of whole instructions, with what is said for each.

    Groups are filled in where braces name them, turned to the reader; `{do}` is `do` without its
    "you". Behind " || " stands what is said to whom one is on first-name terms with. "-" says
    nothing, and "…" reads the group `again` as an instruction of its own. "~" before it says that
    it cannot be told who is to do it, and "?" that the thread must have the numbers of it.
    """
    subjects: list[tuple[str, str]] = []
    """What begins a clause without its subject, each with what stands for it.

    `{we}` is who writes.
    """
    singular: Words = ""
    """What says that one person writes: "I", "my"."""
    plural: Words = ""
    """What says that several do."""
    we: tuple[str, str] = ("", "")
    """Several who write, and one."""
    orders: Words = ""
    """What begins an instruction; none that is left over is said."""
    verbs: Words = ""
    """Verbs that begin an instruction, unless another verb makes a statement: "stall"."""
    openers: Words = ""
    """What begins a statement though `taken` follows: "tomorrow the". Any other word is a verb."""
    taken: Words = ""
    """What stands behind a verb at the beginning, and hardly behind a noun: "him", "the"."""
    particles: Words = ""
    """What may stand between the two: "out"."""
    within: Words = ""
    """What begins a clause within another, whose verb is not the main one: "until"."""
    opens: Words = ""
    """What begins a clause that its main clause follows: "if"."""
    closed: Words = ""
    """Whole instructions that say all themselves: what stands behind a comma is another thing."""
    asides: Words = ""
    """What begins a remark behind an instruction: "no hurry"."""
    questions: Words = ""
    """What begins a question to the reader within a goal: "can you"."""
    objects: Words = ""
    """What follows such a verb in the middle of a clause, which is then not said either."""
    asks: str = ""
    """What says of a template that the reader is to do what follows: "please"."""
    we_do: str = ""
    """What may go on with such a verb, which is then what somebody does: "we", "they will"."""
    unsaid: Words = ""
    """What no letter says, wherever it stands: the letter itself, or whoever is told."""
    doubtful: Words = ""
    """What shows of a sentence that is done that it may be a part of another: it is flagged."""
    fragments: Words = ""
    """What says something without a verb: "no", "needed", a sum, a day."""
    weak: Words = ""
    """What may make a part of a sentence of a few words; that is said, and flagged."""
    finite: Words = ""
    """Verbs that make a sentence of the words about them."""
    third: Words = ""
    """Pronouns of which it cannot be told whom they mean, where they are left: it is flagged."""
    turns: list[tuple[str, str]] = []
    """What means the reader, each with how the reader is addressed."""
    informal: list[tuple[str, str]] = []
    """The same to whom one is on first-name terms with."""
    people: dict[str, Words] = {}
    """What speaks of somebody else than the reader, by the pronoun for them; `any` for each."""
    polish: list[tuple[str, str]] = []
    """What a sentence that is done begins with, each with what sounds better; case matters."""
    uncovered: Words = ""
    """Longer words of an instruction that the letter need not have: "whether", "sorry"."""
    wanted: Words = ""
    """What stands before a verb where a letter wants its reader to do that: "could you"."""
    offered: Words = ""
    """What stands before a verb where its writer offers to do that: "shall we"."""
    doings: tuple[str, str, str] = ("", "", "")
    """What is said of what the writer does, the reader, and one of them; with "~" before them the
    thread tells which, where it has the verb."""
    joints: Words = ""
    """What may stand before that: "but"."""
    but: Words = ""
    """The joints that part an instruction from a statement: "accept it but we pay later"."""
    lowered: Words = ""
    """What loses the capital with which an instruction begins; "" for all."""
    subordinate: Words = ""
    """What begins a clause that is no sentence of its own: "because"."""
    that_too: str = ""
    """What parts two clauses that are told together: "and that"."""
    titles: Words = ""
    """Titles before the reader's name."""
    reader: str = ""
    """What stands for the reader's name in what is turned: "the customer"."""

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, page: dict[str, object]) -> dict[str, object]:
        macros = page.get("macros")
        if not isinstance(macros, dict):
            return page
        return {name: _filled(value, macros) for name, value in page.items() if name != "macros"}


def _filled(value: object, macros: dict[str, str]) -> object:
    """Return a pattern, or the patterns of pairs, with the macros filled in."""
    if isinstance(value, str):
        return filled_in(value, macros)
    if isinstance(value, list):
        return [
            [filled_in(str(it[0]), macros), *it[1:]] if isinstance(it, list) else it for it in value
        ]
    return value
