"""Layouts, randomness and the checked build."""

import numpy as np
import pytest
from scipy.stats import chisquare

from almunia.engine.checked import CheckedArray, checked_record, checked_table
from almunia.engine.kernels.rng import next_u32, randbelow, seed_rng, shuffle
from almunia.engine.state_dtype import HEADER, copy_states, i1, i2, i8, record_dtype, state_dtype, zeros

SEAT = record_dtype(score=i2, cards=(i1, 3))
STATE = state_dtype(word=i8, seat=(SEAT, 2), small=i1)


def test_fields_are_aligned_and_every_byte_is_a_field():
    assert STATE.isalignedstruct
    for kind in (SEAT, STATE):
        assert sum(kind.fields[name][0].itemsize for name in kind.names) == kind.itemsize
    assert list(HEADER) == [name for name in STATE.names if name in HEADER]


def test_a_copy_of_states_is_equal_and_independent():
    one = zeros(STATE)
    one["seat"]["cards"][0, 1] = 7
    two = copy_states(one)
    assert one.tobytes() == two.tobytes()
    two["small"] = 1
    assert one["small"] == 0


def test_a_reading_gives_python_numbers_and_writes_through():
    states = zeros(STATE)
    s = checked_record(states)
    s.seat[1].score += 40
    s.seat[1].cards[2] = 5
    assert type(s.seat[1].score) is int
    assert states["seat"]["score"].tolist() == [[0, 40]]
    assert list(s.seat[1].cards) == [0, 0, 5]
    assert len(s.seat) == 2
    twin = s.copy()
    twin.seat[1].score = 1
    assert s.seat[1].score == 40


@pytest.mark.parametrize("place", [-1, 3])
def test_an_index_outside_is_refused(place):
    s = checked_record(zeros(STATE))
    with pytest.raises(IndexError, match=r"outside 0 \.\. 2"):
        s.seat[0].cards[place]
    with pytest.raises(IndexError, match=r"outside 0 \.\. 2"):
        s.seat[0].cards[place] = 1


def test_a_value_too_large_for_its_field_is_refused():
    s = checked_record(zeros(STATE))
    with pytest.raises(OverflowError):
        s.small = 128
    with pytest.raises(AttributeError, match="no field 'smal'"):
        print(s.smal)


def test_floats_are_refused_in_integer_fields():
    s = checked_record(zeros(STATE))
    with pytest.raises(TypeError, match="'small' holds whole numbers, not"):
        s.small = 1.0
    for place in (0, np.int64(0)):
        with pytest.raises(TypeError, match="holds whole numbers, not"):
            s.seat[0].cards[place] = 1.0
    table = CheckedArray(np.zeros((2, 3), np.float32))
    table[1, 2] = table[1][1] = 0.5
    assert [list(row) for row in table] == [[0, 0, 0], [0, 0.5, 0.5]]


def test_a_state_shows_its_fields():
    s = checked_record(zeros(STATE))
    s.word, s.seat[1].score = 5, 3
    fields = ", ".join(f"{name}=int64[4]" if name == "rng" else f"{name}=0" for name in HEADER)
    assert repr(s) == f"<{fields}, word=5, seat=record[2], small=0>"
    assert repr(s.seat[1]) == "<score=3, cards=int8[3]>"
    assert (repr(s.seat), repr(s.seat[1].cards)) == ("record[2]", "[0, 0, 0]")


def test_records_are_read_at_any_whole_number():
    s = checked_record(zeros(STATE))
    s.seat[1].score = 3
    assert s.seat[np.int64(1)].score == s.seat[(1,)].score == 3
    assert s.seat[1].cards[np.int8(0)] == 0


@pytest.mark.parametrize("flag", [True, np.True_])
def test_a_bool_is_refused_as_an_index(flag):
    """NumPy would use a boolean as a mask, and Numba refuses it."""
    numbers, table = CheckedArray(np.arange(4)), CheckedArray(np.arange(6).reshape(2, 3))
    seats = checked_record(zeros(STATE)).seat
    for array, place in ((numbers, flag), (table, flag), (table, (1, flag)), (table, (flag, 1)), (seats, flag)):
        with pytest.raises(TypeError, match="An index is an integer, not True"):
            array[place]
        with pytest.raises(TypeError, match="An index is an integer, not True"):
            array[place] = 7
    assert repr(numbers) == "[0, 1, 2, 3]"


@pytest.mark.parametrize("shape", [(2,), (2, 2), (2, 2, 2), (2, 2, 2, 2)])
def test_a_bool_is_refused_as_an_index_of_a_table(shape):
    table = checked_table(np.arange(2 ** len(shape)).reshape(shape))
    assert table[(1,) * len(shape)] == 2 ** len(shape) - 1
    for axis in range(len(shape)):
        place = tuple(True if i == axis else 1 for i in range(len(shape)))
        with pytest.raises(TypeError, match="An index is an integer, not True"):
            table[place if len(shape) > 1 else True]


def test_a_loop_over_an_array_reads_live_values():
    """Compiled loops read live values, too."""
    s = checked_record(zeros(STATE))
    seen = []
    for card in s.seat[0].cards:
        seen.append(card)
        s.seat[0].cards[2] = 7
    assert seen == [0, 0, 7]


def test_every_axis_of_a_table_is_checked():
    table = CheckedArray(np.arange(6).reshape(2, 3))
    assert table[1, 2] == table[1][2] == 5
    assert table.shape == (2, 3)
    for place in ((0, 3), (2, 0), (-1, 0), (0, -1), (0, 0, 0)):
        with pytest.raises(IndexError, match=r"outside 0|too many"):
            table[place]
        with pytest.raises(IndexError, match=r"outside 0|too many"):
            table[place] = 1
    deep = CheckedArray(np.arange(24).reshape(2, 3, 4))
    assert deep[1, 2, 3] == deep[1, 2][3] == deep[1][2, 3] == 23


# --- randomness -----------------------------------------------------------------------------------


def shaken(seed):
    rng = [0] * 4
    seed_rng(rng, seed)
    return rng


def test_the_generator_is_xoshiro128_plus_plus():
    """Compare the first numbers from the state 1, 2, 3, 4 with those computed by hand from the published algorithm."""
    rng = [1, 2, 3, 4]
    assert next_u32(rng) == ((5 << 7) & 0xFFFFFFFF) + 1
    assert rng == [1 ^ 4 ^ 2, 2 ^ 3 ^ 1, (3 ^ 1) ^ (2 << 9), ((4 ^ 2) << 11) & 0xFFFFFFFF]


def test_seeds_give_streams_of_their_own():
    streams = {tuple(next_u32(rng) for _ in range(4)) for rng in map(shaken, [0, 1, 2, 2**32, 2**32 + 1, 2**63 - 1])}
    assert len(streams) == 6
    assert all(0 <= word < 2**32 for stream in streams for word in stream)


def test_draws_are_even():
    rng = shaken(5)
    counts = np.bincount([randbelow(rng, 7) for _ in range(14_000)], minlength=7)
    assert chisquare(counts).pvalue > 1e-4


def test_a_shuffle_touches_only_its_part_and_is_even():
    rng, firsts = shaken(6), []
    for _ in range(3000):
        cards = list(range(6))
        shuffle(rng, cards, 1, 5)
        assert (cards[0], cards[5]) == (0, 5)
        assert sorted(cards) == list(range(6))
        firsts.append(cards[1])
    assert chisquare(np.bincount(firsts)[1:]).pvalue > 1e-4
