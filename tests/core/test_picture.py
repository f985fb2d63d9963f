"""Pictures as text."""

import re

from hypothesis import given, strategies as st

from almunia.play.panels import round_numbers


def plainly(text: str) -> str:
    """Round numbers as `round_numbers` does, by one slow expression."""
    return re.sub(r"[0-9]+[.][0-9]{4,}", lambda found: f"{float(found[0]):.3f}".rstrip("0").rstrip("."), text)


@given(st.text("0129. -M", max_size=40))
def test_numbers_have_three_digits_behind_the_point(text):
    assert round_numbers(text) == plainly(text)


def test_what_is_rounded():
    assert round_numbers("M9.99996 -0.00004L1.2345 1.234.56789 .12345") == "M10 -0L1.234 1.234.568 .12345"
