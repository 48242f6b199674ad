"""How far two words are from each other: letters wrong, missing, too many or exchanged."""


def may_be_near(one: str, other: str, most: int) -> bool:
    """Return False where it is plain, and quick to see, that more than so many letters are off."""
    if abs(len(one) - len(other)) > most:
        return False
    return len(set(one) ^ set(other)) <= 2 * most


def distance(one: str, other: str, most: int) -> int:
    """Return how many letters are off (Damerau, two neighbours exchanged count once).

    Where it is more than `most`, any number above it.
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, 1):
        earlier, before, row = before, row, [at]
        for place, its in enumerate(other, 1):
            best = min(before[place] + 1, row[-1] + 1, before[place - 1] + (letter != its))
            is_exchanged = at > 1 and place > 1 and letter == other[place - 2]
            if is_exchanged and its == one[at - 2]:
                best = min(best, earlier[place - 2] + 1)
            row.append(best)
        if min(row) > most and min(before) > most:
            return most + 1
    return row[-1]
