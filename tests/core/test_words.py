"""Numbers and lists as English writes them."""

import pytest

from almunia.core.english import NUMBERS, capitalize, join_words, number, pluralize, signed

MINUS = "\N{MINUS SIGN}"


def test_numbers_have_a_printers_minus_sign():
    assert [number(value) for value in (4, 0, -4)] == ["4", "0", f"{MINUS}4"]
    assert [signed(value) for value in (4, 0, -4)] == ["+4", "+0", f"{MINUS}4"]
    assert NUMBERS[0] == "no"
    assert NUMBERS[12] == "twelve"


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0 points"), (1, "1 point"), (2, "2 points"), (-1, f"{MINUS}1 point")]
)
def test_things_are_counted(count, words):
    assert pluralize(count, "point") == words


@pytest.mark.parametrize(
    ("things", "words"), [((), ""), (("a",), "a"), (("a", "b"), "a and b"), (iter("abc"), "a, b and c")]
)
def test_things_are_listed(things, words):
    assert join_words(things) == words


def test_a_sentence_begins_with_a_capital():
    assert [capitalize(words) for words in ("", "the END", "1 noria")] == ["", "The END", "1 noria"]
