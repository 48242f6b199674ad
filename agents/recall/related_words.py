"""Words that are about the same: what a person's habits, people, places and work are called.

Small on purpose: it holds what notes about people are most often asked by other words for.
"""

from agents.recall.words import stem

_GROUPS = """
eat food meal meat vegetarian vegan diet dish lunch dinner breakfast restaurant cuisine cook
drink coffee tea beverage wine beer
allergy allergic intolerant intolerance
phone telephone mobile cell number call ring
email mail address inbox
birthday born birth
wife husband spouse partner married
child children kid son daughter
mother father parent mum mom dad
brother sister sibling
pet dog cat
home house flat apartment live lives reside residence address
office workplace desk
job work employer company profession occupation
boss supervisor superior lead
colleague coworker teammate
meeting appointment call session
calendar schedule agenda
morning early
evening late night
vacation holiday leave trip travel journey
flight plane airline fly airport
train rail railway station
car vehicle drive parking
hotel accommodation stay lodging
seat aisle
doctor physician dentist medical clinic hospital
illness sick ill disease health
price cost amount fee budget
invoice bill payment pay
buy purchase order
contract agreement deal
deadline due
customer client
supplier vendor
likes prefer preference favourite favorite enjoy love
dislike hate avoid
language speak spoken native
timezone zone
name called nickname
password passphrase secret credential
colour color
shoe clothes clothing size
sport exercise gym run running
music song band concert
book novel author read
hobby interest pastime
city town
country nation
teach teacher school
study student university college degree
"""


def _read() -> dict[str, frozenset[str]]:
    kin: dict[str, set[str]] = {}
    for line in _GROUPS.strip().splitlines():
        group = {stem(word) for word in line.split()}
        for word in group:
            kin.setdefault(word, set()).update(group - {word})
    return {word: frozenset(others) for word, others in kin.items()}


_KIN = _read()


def kin_of(word: str) -> frozenset[str]:
    """Return the stems that are about the same as this one."""
    return _KIN.get(word, frozenset())
