"""What a person typed into a search box, as terms."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from inbox.rfc5322.text.unspaced import UNSPACED, bigrams
from inbox.rfc5322.text.word_forms import forms_of
from inbox.search.operators import OPERATORS, Operators, Test, read_operator

# So that a whole message can be asked with; what comes after is not looked for.
LONGEST_QUERY, MOST_TERMS = 20_000, 400
# A query of more words than somebody types is a whole message.
MOST_TYPED = 16
# In a longer query quotation marks are those of a message, and keep nothing together.
LONGEST_QUOTED = 100
# In a longer one, or one of several lines, no operator has a meaning: it is a message.
LONGEST_TYPED = 300
_PIECE = re.compile(r'"([^"]*)"|([^\s"]+)')
_ITEM = re.compile(
    r'(?P<minus>-(?=[^\W_]|"))?(?:(?P<operator>[A-Za-z]{1,12}):)?'
    r'(?:"(?P<phrase>[^"]*)"|(?P<word>[^\s"]+))'
)
# A word may hold what addresses, file names and dates are made of; the index takes it as a phrase.
WORD = re.compile(r"[^\W_](?:[\w@.\-'’/+:&]*[^\W_])?")
_LONE = re.compile(r"[^\W_]+")
_SINGLE = re.compile(r"[^\W_]\w*")


@dataclass(frozen=True, slots=True)
class Term:
    """A word, or words that stand together; where `is_open`, other ends of it count too.

    What has one of the `others` has it as well. What `is_literal` was quoted.
    """

    text: str
    is_open: bool = False
    others: tuple[str, ...] = ()
    is_literal: bool = False

    @property
    def forms(self) -> tuple[str, ...]:
        """All of which one is enough."""
        return (self.text, *self.others)


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for: the terms to rank by, and the conditions that must hold.

    Of each condition one of its tests is enough.
    """

    terms: tuple[Term, ...] = ()
    conditions: tuple[tuple[Test, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class _Item:
    """One piece of what was typed: words, which may be quoted, or an operator with its value."""

    text: str
    operator: str = ""
    is_negated: bool = False
    is_phrase: bool = False

    @property
    def is_words(self) -> bool:
        """Return True if it is ranked by, and no condition."""
        return not self.operator and not self.is_negated

    def test(self, operators: Operators) -> Test | None:
        """Return the condition that it sets; None where it has no word."""
        if self.operator:
            return read_operator(operators, self.operator, self.text, negated=self.is_negated)
        words = " ".join(WORD.findall(self.text))
        return Test("", words, self.is_negated) if words else None

    def terms(self) -> list[Term]:
        """Return what it has to rank by."""
        return _terms(self.text, together=self.is_phrase)


def read_query(query: str, operators: Operators = OPERATORS) -> Query:
    """Return what somebody typed, or a message that is asked with.

    `"…"` keeps words together, `-` leaves out what has a word, a phrase or a condition, `OR`
    takes either of its neighbours, and `from:` and the others of the operators are conditions. What
    has another word before its colon is words. DomainError names an operator whose value is none.
    """
    text = _clean(query)
    if len(text) > LONGEST_TYPED or "\n" in text.strip():
        return Query(parse_query(query))
    terms: dict[tuple[str, bool], Term] = {}
    conditions: list[tuple[Test, ...]] = []
    for group in _either(text, operators):
        found = _as_terms(group)
        tests = tuple(test for item in group if not found and (test := item.test(operators)))
        conditions += [tests] if tests else []
        for term in found:
            terms.setdefault((term.text.casefold(), term.is_open), term)
    return Query(tuple(terms.values())[:MOST_TERMS], tuple(conditions))


def _either(text: str, operators: Operators) -> list[list[_Item]]:
    """Return the items of a query, those that `OR` stands between together."""
    groups: list[list[_Item]] = []
    joins = False
    for found in _ITEM.finditer(text):
        if found[0] == "OR" and groups and not joins:
            joins = True
            continue
        item = _item(found, operators)
        if joins:
            groups[-1].append(item)
        else:
            groups.append([item])
        joins = False
    return [*groups, [_Item("OR")]] if joins else groups


def _item(found: re.Match[str], operators: Operators) -> _Item:
    operator = (found["operator"] or "").lower()
    value = found["phrase"] if found["phrase"] is not None else found["word"]
    if operator and operator not in operators:
        operator, value = "", f"{found['operator']}:{value}"
    is_phrase = found["phrase"] is not None and not operator
    return _Item(value, operator, bool(found["minus"]), is_phrase)


def _as_terms(group: Sequence[_Item]) -> list[Term]:
    """Return the terms of a group that is words alone; those of several become one term."""
    if not all(item.is_words for item in group):
        return []
    found = [term for item in group for term in item.terms()]
    if len(group) == 1 or len(found) < 2 or any(term.is_open for term in found):
        return found
    return [Term(found[0].text, others=tuple(term.text for term in found[1:]))]


def _clean(query: str) -> str:
    text = query[:LONGEST_QUERY].encode("utf-8", "ignore").decode().replace("\x00", " ")
    return unicodedata.normalize("NFC", text)


def parse_query(query: str) -> tuple[Term, ...]:
    """Return the terms of a query, none of its characters with a meaning but the quotation marks.

    A run of an unspaced script becomes its pairs of characters, as in the index; a single one
    stays open. The same term twice, in whatever case, counts once.
    """
    text = _clean(query)
    terms: dict[tuple[str, bool], Term] = {}
    if len(text) > LONGEST_QUOTED:
        text = text.replace('"', " ")
    for phrase, word in _PIECE.findall(text):
        for term in _terms(phrase, together=True) if phrase else _terms(word, together=False):
            terms.setdefault((term.text.casefold(), term.is_open), term)
    return tuple(terms.values())[:MOST_TERMS]


def _terms(text: str, *, together: bool) -> list[Term]:
    pairs = [Term(pair, is_open=len(pair) == 1) for pair in bigrams(text)]
    rest = UNSPACED.sub(" ", text)
    words = WORD.findall(rest)
    if together and words:
        return [*pairs, Term(" ".join(words), is_literal=True)]
    return [*pairs, *map(Term, words)]


def is_message(terms: Sequence[Term]) -> bool:
    """Return True if these have more words than somebody types: a whole message is asked with."""
    return len(words_of(terms)) > MOST_TYPED


def words_of(terms: Sequence[Term], *, apart: bool = False) -> tuple[Term, ...]:
    """Return the words of the terms; what was quoted, an address and an `identifier_so` stay.

    With `apart`, only the beginning of a word stays.
    """
    words: dict[tuple[str, bool], Term] = {}
    for term in terms:
        if term.others:
            words.setdefault((term.text.casefold(), term.is_open), term)
            continue
        whole = term.is_open or (not apart and (" " in term.text or "@" in term.text))
        single = _LONE if apart else _SINGLE
        for text in [term.text] if whole else single.findall(term.text):
            words.setdefault((text.casefold(), term.is_open), Term(text, term.is_open))
    return tuple(words.values())[:MOST_TERMS]


def in_all_forms(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Return the terms, single words with the other forms that the index has of them."""
    return tuple(
        term if term.is_open or term.others else replace(term, others=forms_of(term.text))
        for term in terms
    )


def open_last(terms: Sequence[Term]) -> tuple[Term, ...] | None:
    """Return the terms with the last one open, as typed half-way; None where it is too short."""
    last = terms[-1]
    if last.is_open or last.others or len(last.text) < 3 or not last.text.isalnum():
        return None
    return (*terms[:-1], Term(last.text, is_open=True))
