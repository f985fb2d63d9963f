"""Pictures that are sent as differences from those that a browser shows."""

import json
import re
from itertools import pairwise

import pytest

import almunia
from almunia.play.panels import panels
from almunia.server.web.fragments import SEPARATOR, SentPictures, ShownFragments, difference

from ..tiers import games

DELTA = re.compile(r'data-hash="(\w+)"><script type="application/json" data-from="(\w+)">(.*?)</script></div>')
WHOLE = re.compile(r'data-hash="(\w+)">(<svg.*?</svg>)</div>', re.DOTALL)
SHOWN = re.compile(r'data-fragment="([\w-]+)" data-hash="(\w+)"')


def apply(old, steps):
    """Return a text from its difference, as table-view.js does."""
    parts = old.split(SEPARATOR)
    write = (step if isinstance(step, str) else SEPARATOR.join(parts[step[0] : sum(step)]) for step in steps)
    return SEPARATOR.join(write)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", "<a/>"),
        ("<a/>", ""),
        ("<a/><b/><c/><d/>", "<a/><b/><c/><d/>"),
        ("<a/><b/><c/><d/>", "<d/><a/><b/><c/>"),
        ("<a/><b/><c/>", "<a/><b/><c/><a/><b/><c/>"),
        ("<a>x</a><b/>", "<a>y</a><b/>"),
        ("words", "words < more"),
        ("<a b='1'/>", "<a b='<'/>"),
    ],
)
def test_a_difference_restores_the_new_text(old, new):
    assert apply(old, difference(old, new)) == new


@pytest.mark.parametrize("name", games())
def test_differences_of_a_game_restore_its_pictures_and_are_short(name):
    game = almunia.game(name, "plain")
    play, boards = game.new(seed=5), []
    for _ in range(8):
        boards.append(panels(play.observe(play.turn), play.legal_actions)[0].svg)
        play.apply(play.legal_actions[-1])
    steps = [difference(old, new) for old, new in pairwise(boards)]
    assert [apply(old, made) for old, made in zip(boards, steps, strict=False)] == boards[1:]
    assert 3 * len(json.dumps(steps)) < sum(map(len, boards[1:]))


def test_pictures_sent_longest_ago_are_forgotten_above_the_limit():
    sent = SentPictures(max_characters=10)
    for digest in "abc":
        sent.add("viewer", digest, digest * 4)
    assert [sent.get("viewer", digest) for digest in "abc"] == [None, "bbbb", "cccc"]
    sent.add("viewer", "b", "bbbb")
    sent.add("viewer", "d", "dddd")
    assert [sent.get("viewer", digest) for digest in "bcd"] == ["bbbb", None, "dddd"]


def test_a_difference_refers_only_to_pictures_of_the_same_viewer():
    board, *_ = panels(almunia.game("orchard", "plain").new(seed=1).observe(0))
    sent = SentPictures()
    sent.add("another viewer", "abc", board.svg)
    shown = ShownFragments({board.name: "abc+"}, sent, "viewer")
    assert shown.content(board) == board.svg


def test_a_picture_that_the_browser_has_no_text_of_is_sent_whole():
    board, *_ = panels(almunia.game("orchard", "plain").new(seed=1).observe(0))
    sent = SentPictures()
    sent.add("viewer", "abc", board.svg)
    assert ShownFragments({board.name: "abc"}, sent, "viewer").content(board) == board.svg
    assert "data-from" in ShownFragments({board.name: "abc+"}, sent, "viewer").content(board)


def test_the_present_is_sent_as_a_difference_from_the_step_in_the_same_response():
    play = almunia.game("orchard", "plain").new(seed=1)
    step, present = (panels(play.observe(0), legal)[0] for legal in ((), play.legal_actions))
    shown = ShownFragments({}, SentPictures(), "viewer")
    assert shown.content(step) == step.svg
    assert f'data-from="{step.digest}"' in shown.after({step.name: step.digest}).content(present)


def test_a_page_sends_differences_until_the_end_of_a_game(visitor):
    """Read the responses as the page does: its pictures equal those of a page without X-Fragments."""
    table = visitor.open(**{"seat-0": "me"})
    texts, shown, differences = {}, {}, 0
    while visitor.seen(table)[2]:
        marks = [f"{name}={digest}{'+' if digest in texts else ''}" for name, digest in shown.items()]
        headers = {"HX-Request": "true", "X-Fragments": " ".join(marks)}
        visitor.act(table)
        part = visitor.get(table, headers=headers).text
        texts |= dict(WHOLE.findall(part))
        for digest, base, steps in DELTA.findall(part):
            texts[digest] = apply(texts[base], json.loads(steps))
            differences += 1
        shown = dict(SHOWN.findall(part))
        whole = dict(WHOLE.findall(visitor.get(table, headers={"HX-Request": "true"}).text))
        assert {digest: texts[digest] for digest in whole} == whole
    assert differences > 5
