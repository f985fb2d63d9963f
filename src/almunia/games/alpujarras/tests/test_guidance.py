"""What leads a player of Alpujarras: the rules behind questions and log lines. Marks as in RULES.md."""

import re
from collections.abc import Iterator

import numpy as np

import almunia
from almunia.core.contract import Cite
from almunia.games.alpujarras.rules.state import Phase

PLAIN = almunia.game("alpujarras", "plain")
MARKS = set(re.findall(r"\*\*([1-9]\d*\.\d+|D\d+)\*\*", PLAIN.file("RULES.md").read_text("utf-8")))


def positions(seats: int, seed: int) -> Iterator[almunia.Play]:
    """A random play at all of its positions; mules take small steps, so that much happens."""
    play, rng = PLAIN.new(seats=seats, seed=seed), np.random.default_rng(seed)
    while not play.over:
        yield play
        near = play.legal[:6] if play.phase == Phase.GO else play.legal
        play.apply(int(rng.choice(near)))
    yield play


def test_questions_lines_and_sources_cite_paragraphs_that_there_are():
    asked, told = set(), set()
    for seats in (2, 3):
        before = None
        for play in positions(seats, 27):
            if before:
                lines = PLAIN.text.tell(before.state, play.actions[-1], play.state)
                told |= {part.mark for line in lines for part in line if isinstance(part, Cite)}
            if not play.over:
                asked.add(PLAIN.text.cite(play.state))
            before = play.copy()
    sources = {source.rule for source in PLAIN.text.sources(play.state)}
    assert asked | told | sources <= MARKS
    assert {"3.3", "3.6", "3.9", "4.1", "8.1"} <= asked
    assert {"8.5", "9.1", "10.1", "10.4"} <= told
