"""Tests of Alpujarras' guidance: rule marks, refusals, effects and suggestions. Docstrings cite RULES.md."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import almunia
from almunia.core.contract import RuleRef
from almunia.core.rich_text import plain_text
from almunia.games.alpujarras import components as box
from almunia.games.alpujarras.rules.state import Phase
from almunia.games.alpujarras.tests.test_alpujarras import asked_all, prepared
from almunia.play.panels import panels

PLAIN = almunia.game("alpujarras", "plain")
MARKS = set(re.findall(r"\*\*([1-9]\d*\.\d+|D\d+)\*\*", PLAIN.file("RULES.md").read_text("utf-8")))


def positions(seats: int, seed: int) -> Iterator[almunia.Play]:
    play, rng = PLAIN.new(seats=seats, seed=seed), np.random.default_rng(seed)
    while not play.over:
        yield play
        near = play.legal_actions[:6] if play.phase == Phase.GO else play.legal_actions
        play.apply(int(rng.choice(near)))
    yield play


def test_questions_logs_and_sources_cite_existing_paragraphs():
    asked, told = set(), set()
    for seats in (2, 3):
        before = None
        for play in positions(seats, 27):
            if before:
                lines = PLAIN.text.log_lines(before.state, play.actions[-1], play.state)
                told |= {part.mark for line in lines for part in line if isinstance(part, RuleRef)}
            if not play.over:
                asked.add(PLAIN.text.rule_of_question(play.state))
            before = play.copy()
    sources = {source.rule for source in PLAIN.text.score_breakdown(play.state)}
    assert asked | told | sources <= MARKS
    assert {"3.3", "3.6", "3.9", "4.1", "8.1"} <= asked
    assert {"8.5", "9.1", "10.1", "10.4"} <= told


# --- refusals -----------------------------------------------------------------------------------------------


RECT = "{http://www.w3.org/2000/svg}rect"


def targets(element: ET.Element, x: float, y: float) -> Iterator[tuple[int, float, float]]:
    found = re.match(r"translate\((-?[\d.]+),? (-?[\d.]+)\)", element.get("transform", ""))
    found = found or re.search(r"--x:(-?[\d.]+)px;--y:(-?[\d.]+)px", element.get("style", ""))
    if found:
        x, y = x + float(found[1]), y + float(found[2])
    if "data-action" in element.attrib:
        frame = element if element.tag == RECT else element.find(RECT)
        left, top, width, height = (float(frame.get(name, 0)) for name in ("x", "y", "width", "height"))
        yield int(element.attrib["data-action"]), x + left + width / 2, y + top + height / 2
    for part in element:
        yield from targets(part, x, y)


WITHOUT_A_PLACE = ("skip", "finish", "end turn", "take what fits", "roll", "Zara")  # buttons without a place
GRID = [(x, y) for x in range(5, 864, 31) for y in range(5, 864, 31)]


def places(play: almunia.Play) -> dict[str, bool]:
    found = {}
    for panel in panels(play.observe(play.turn), play.legal_actions):
        picture = ET.fromstring(panel.svg)
        _, _, width, height = map(float, picture.attrib["viewBox"].split())
        for x, y in GRID:
            if x < width and y < height:
                found.setdefault(PLAIN.view.hit_test(play.state, play.turn, panel.name, x, y), False)
        for action, x, y in targets(picture, 0, 0):
            if not play.action_to_string(action).startswith(WITHOUT_A_PLACE):
                found[PLAIN.view.hit_test(play.state, play.turn, panel.name, x, y)] = True
    assert found.pop("") is False, "a target lies nowhere"
    return found


@pytest.mark.slow
def test_only_places_with_targets_can_be_chosen():
    """[3.3, 4.1, 5.1, 6.5, 7.1, 8.1]"""
    times = Counter()
    for play in chain(asked_all(), positions(4, 3)):
        times[play.seats, play.phase] += 1
        if play.over or times[play.seats, play.phase] % 20 != 1:
            continue
        seen = play.observe(play.turn)
        drawn = "".join(panel.svg for panel in panels(seen, ()))
        for place, offered in places(play).items():
            refusal = PLAIN.text.explain_illegal(seen.state, place, {})
            assert (refusal is None) == offered, f"{place} in {Phase(play.phase).name}: {refusal}"
            if refusal:
                assert refusal.rule in MARKS
                assert plain_text(refusal.sentence).endswith(".")
                assert not refusal.target or f'id="{refusal.target}"' in drawn


# --- effects and suggestions ---------------------------------------------------------------------------------


def effects(play: almunia.Play) -> dict[str, str]:
    s = play.observe(play.turn).state
    return {
        play.action_to_string(action): plain_text(PLAIN.text.effect_text(s, action)) for action in play.legal_actions
    }


def test_effects_name_gains_before_costs_and_risks():
    """[3.1, 7.1, 8.5, 8.6, 9.1, D41]"""
    start = ("segments in order", "mules 10 15 18 19", "market lemon apple grape cherry orange", "open d05 d12 d13")
    fruit = ("fruit 3 lemon", "fruit 1 cherry", "farmers 1 in red", "token 2 lemon in red", "award a1 green in red")
    play = prepared(4, *start, *fruit)
    assert "then you move again" in effects(play)["go to 11"]
    assert effects(play)["go to 31"].endswith("passes a market and a harvest")
    play.apply(play.string_to_action("go to 16"))
    found = effects(play)
    assert found["deliver 2 lemon to red"].startswith("+7; including a bonus of 2 for lemons; award: 2 dirhems")
    assert "then you have no farmer in the red farmland" in found["deliver 2 lemon to red"]
    assert found["deliver card d05"].endswith("; a new card is turned up, which can't be undone")


def test_a_farmer_and_its_fruit_are_suggested_together():
    """[3.8, 4.2]"""
    play = prepared(
        3, "segments in order", "mules 3 8 9", "farmers 1 in red for seat 1", "fruit 1 lemon", "open d05 d12 d13"
    )
    play.apply(play.string_to_action("go to 4"))
    found = PLAIN.text.suggestions(play.observe(0).state)
    offers = [plain_text(course.offer) for course in found]
    assert len(offers) == 3
    assert all(offer.startswith("Farmer to ") and ", pick " in offer for offer in offers)
    for course in found:
        trial = play.copy()
        for action in course.actions:
            trial.apply(action)
        assert (trial.phase, trial.turn) == (Phase.ACT, 0)


def test_forced_gains_are_suggested_with_the_choice_before_them():
    """[4.1, 4.7, 6.1]"""
    play = prepared(3, "segments in order", "mules 3 8 9", "farmers 1 in red for seat 1")
    there = effects(play)
    found = {}
    for words in ("add a farmer to purple and take 1 noria", "take 2 fruits"):
        trial = play.copy()
        trial.apply(trial.string_to_action(next(go for go, effect in there.items() if effect.startswith(words))))
        found[words] = [
            (plain_text(one.offer), plain_text(one.effect)) for one in PLAIN.text.suggestions(trial.observe(0).state)
        ]
    (farmer, brings), *_ = found["add a farmer to purple and take 1 noria"]
    assert re.fullmatch(r"Farmer to purple, pick an? \w+, take the norias", farmer)
    assert "1 noria" in brings
    (fruits, _), *_ = found["take 2 fruits"]
    assert re.fullmatch(r"Take (an? \w+ and an? \w+|2 \w+)", fruits)


def test_a_small_screen_starts_at_the_first_legal_place():
    """[3.3]"""
    play = prepared(3, "segments in order", "mules 3 8 9")
    found = re.findall(r'id="(place-\d+)"[^>]*class="[^"]*look-here', shown(play)["board"])
    assert found == [play.action_to_string(play.legal_actions[0]).replace("go to ", "place-")]


def test_the_anchor_of_a_farmland_is_invisible_and_has_its_own_class():
    play = prepared(3, "segments in order", "mules 3 8 9")
    drawn = "".join(shown(play).values())
    assert re.findall(r'<(\w+)[^>]*class="[^"]*\bheart\b', drawn) == ["rect"] * box.LANDS
    hiding = re.findall(
        r"\.alpujarras (\S+) \{[^}]*fill: none; stroke: none", PLAIN.file("view/view.css").read_text("utf-8")
    )
    assert hiding == [".heart"]


def test_pictures_show_what_targets_earn_and_mark_the_most():
    """[3.2, 8.5, 8.6, 9.1]"""
    start = ("segments in order", "mules 10 15 18 19", "market lemon apple grape cherry orange", "open d05 d12 d13")
    fruit = ("fruit 3 lemon", "fruit 1 cherry", "farmers 1 in red", "token 2 lemon in red", "award a1 green in red")
    play = prepared(4, *start, *fruit)
    drawn = shown(play)["board"]
    assert 'class="again"' in drawn
    assert "Up to space 14 you move again." in shown(play)["turn"]
    play.apply(play.string_to_action("go to 16"))
    assert re.search(r'class="gain most"[^>]*>.*?\+8<', shown(play)["board"])
    assert re.search(r'class="gain"[^>]*>.*?\+2<', shown(play)["market"])
    for name in ("board", "market"):  # no edge of a target goes through a number
        assert re.search(r'data-action="\d+"><title>[^<]*</title></rect><g [^>]*class="gain', shown(play)[name])
    play = prepared(3, "segments in order", "mules 3 8 9", "farmers 1 in red for seat 1")
    play.apply(play.string_to_action("go to 4"))
    assert shown(play)["board"].count('class="sign"') == box.LANDS  # a tie is enough among three


@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("20", ""),
        ("30", ""),
        ("42", "This passes 2 markets and 2 harvests."),
        ("58", "This passes 3 markets and 3 harvests."),
    ],
)
def test_a_jump_over_more_than_one_market_is_warned_of(to, said):
    """[3.6, 8.1]"""
    play = prepared(4, "segments in order", "mules 10 15 18 19")
    action = play.string_to_action(f"go to {to}")
    assert PLAIN.text.warning(play.observe(play.turn).state, action) == said


def shown(play: almunia.Play) -> dict[str, str]:
    return {panel.name: panel.svg for panel in panels(play.observe(play.turn), play.legal_actions)}


def test_the_question_at_the_end_of_a_turn_warns_that_undo_ends():
    """[3.9]"""
    play, rng, found = PLAIN.new(3, seed=2), np.random.default_rng(2), set()
    while not play.over:
        warned = PLAIN.text.question(play.state).endswith("End your turn. You can't undo this.")
        found.add(warned)
        if warned:
            after = play.copy()
            after.apply(after.string_to_action("end turn"))
            assert not after.can_undo
        play.apply(int(rng.choice(play.legal_actions)))
    assert found == {True, False}
