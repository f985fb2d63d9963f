"""What Caylus says beside its moves: the paragraphs behind questions and log lines. Marks as in RULES.md."""

import re

import numpy as np
import pytest

from almunia.bots import make
from almunia.core.contract import Cite
from almunia.games.caylus.tests.test_caylus import PLAIN

MARKS = set(re.findall(r"\*\*([1-9]\d*\.\d+|D\d+)\*\*", PLAIN.file("RULES.md").read_text("utf-8")))


def course(seats, seed, bot="greedy", **options):
    """A whole play from decision to decision: the position before it, the action, and the position after it."""
    play, rng = PLAIN.new(seats, seed, **options), np.random.default_rng(seed)
    player = make(bot, PLAIN, seed=seed)
    while not play.over:
        before = play.observe(0).state.copy()
        action = int(rng.choice(play.legal)) if seed % 2 else player.choose(play.observe(play.turn))
        play.apply(action)
        yield before, action, play.observe(0).state


@pytest.mark.parametrize(("seats", "seed"), [(2, 1), (3, 2), (5, 3)])
def test_every_mark_that_is_cited_is_in_the_rules(seats, seed):
    """Behind questions, in the log, and of sources of points."""
    told = set()
    for before, action, after in course(seats, seed):
        assert PLAIN.text.cite(before) in MARKS
        told |= {
            part.mark for line in PLAIN.text.tell(before, action, after) for part in line if isinstance(part, Cite)
        }
    assert told <= MARKS
    assert {"2.1", "2.3", "2.16", "2.27", "2.29", "3.1"} <= told
    assert {source.rule for source in PLAIN.text.sources(after)} <= MARKS
