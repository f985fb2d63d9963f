"""The codes of actions, laid out by name."""

import re

import numpy as np
import pytest

import almunia
from almunia.core.codes import Codes
from almunia.errors import SetupError

CODES = Codes(TAKE={"card": 5}, LAY={"slot": 2, "row": 3, "column": 4}, PASS={})


def test_codes_of_kinds_are_contiguous() -> None:
    assert (CODES.first, CODES.total, CODES.names) == ((0, 5, 29), 30, ("TAKE", "LAY", "PASS"))
    assert CODES.table().tolist() == [0] * 5 + [1] * 24 + [2]
    assert [CODES.split(code) for code in (0, 4, 5, 28, 29)] == [
        *(("TAKE", 0), ("TAKE", 4), ("LAY", 0), ("LAY", 23), ("PASS", 0)),
    ]


def test_arguments_of_an_action_are_mixed_radix_digits() -> None:
    assert CODES.decode(5 + 12 + 2 * 4 + 3) == ("LAY", {"slot": 1, "row": 2, "column": 3})
    assert CODES.decode(29) == ("PASS", {})
    assert all(CODES.encode(kind, **named) == code for code in range(30) for kind, named in [CODES.decode(code)])


@pytest.mark.parametrize("game", ["alhambra", "alpujarras", "orchard", "oregon"])
def test_every_code_of_a_game_can_be_read_and_written(game) -> None:
    codes = almunia.game(game, "plain").rules.CODES
    for code in range(0, codes.total, 1 + codes.total // 500):
        kind, named = codes.decode(code)
        assert codes.encode(kind, **named) == code
        assert all(type(value) is int for value in named.values())


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: CODES.decode(30), "No action has the code 30: codes go from 0 to 29."),
        (lambda: CODES.decode("12"), "No action has the code '12'"),
        (lambda: CODES.encode("TAKE", card=1.5), "TAKE has no card 1.5"),
        (lambda: CODES.decode(-1), "No action has the code -1"),
        (lambda: CODES.encode("BUY"), "no actions of the kind 'BUY', only TAKE, LAY, PASS."),
        (lambda: CODES.encode("TAKE"), "TAKE takes card, not nothing."),
        (lambda: CODES.encode("PASS", card=1), "PASS takes nothing, not card."),
        (lambda: CODES.encode("TAKE", card=5), "TAKE has no card 5: they go from 0 to 4."),
        (lambda: CODES.encode("TAKE", card=-1), "TAKE has no card -1"),
    ],
)
def test_unknown_names_and_codes_are_refused(ask, words) -> None:
    with pytest.raises(SetupError, match=re.escape(words)):
        ask()


def test_the_table_of_kinds_is_int8() -> None:
    assert CODES.table().dtype == np.int8
