"""Ranks from points and tie-breaks, in every build."""


def rank(table, seats, out):
    """Write each seat's rank: 1 is best, and equals share. Larger is better in every column."""
    for p in range(seats):
        out[p] = 1
        for other in range(seats):
            if beats(table, other, p):
                out[p] += 1


def beats(table, one, other):
    """Is the row of `one` better than that of `other`, the first columns counting most?"""
    for column in range(table.shape[1]):
        if table[one, column] != table[other, column]:
            return table[one, column] > table[other, column]
    return False
