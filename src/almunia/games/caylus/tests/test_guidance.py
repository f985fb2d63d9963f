"""Tests of Caylus' guidance: rule marks, refusals, hit tests, and promised points. Docstrings cite RULES.md."""

import re

import numpy as np
import pytest

from almunia.bots import make
from almunia.core.contract import RuleRef
from almunia.core.rich_text import own_points, plain_text
from almunia.games.caylus import components as box
from almunia.games.caylus.rules.state import ActionKind, Stage
from almunia.games.caylus.tests.test_caylus import PHASES, PLAIN, READER, TILES_IN_ORDER, prepared
from almunia.games.caylus.text import actions
from almunia.games.caylus.text.words import LINE_IDS, PLACE_IDS, tile_id
from almunia.games.caylus.view import gains
from almunia.games.caylus.view.plan import HEIGHT, SPOTS, TILE_X, WIDTH
from almunia.scenario import put

ACTIONS, GAINS = PLAIN.checked(actions), PLAIN.checked(gains)
MARKS = set(re.findall(r"\*\*([1-9]\d*\.\d+|D\d+)\*\*", PLAIN.file("RULES.md").read_text("utf-8")))


def course(seats, seed, bot="greedy", **options):
    """Yield the decisions of a whole play: the position before, the action, and the position after.

    Actions are random for an odd seed, else chosen by the bot.
    """
    play, rng = PLAIN.new(seats, seed, **options), np.random.default_rng(seed)
    player = make(bot, PLAIN, seed=seed)
    while not play.over:
        before = play.observe(0).state.copy()
        action = int(rng.choice(play.legal_actions)) if seed % 2 else player.choose(play.observe(play.turn))
        play.apply(action)
        yield before, action, play.observe(0).state


@pytest.mark.parametrize(("seats", "seed"), [(2, 1), (5, 3), pytest.param(3, 2, marks=pytest.mark.exhaustive)])
def test_every_mark_that_is_cited_is_in_the_rules(seats, seed):
    """RULES.md has the marks of questions, log lines and sources of points."""
    told = set()
    for before, action, after in course(seats, seed):
        assert PLAIN.text.rule_of_question(before) in MARKS
        told |= {
            part.mark
            for line in PLAIN.text.log_lines(before, action, after)
            for part in line
            if isinstance(part, RuleRef)
        }
    assert told <= MARKS
    assert {"2.1", "2.3", "2.16", "2.27", "2.29", "3.1"} <= told
    assert {source.rule for source in PLAIN.text.score_breakdown(after)} <= MARKS


# --- refusals ---------------------------------------------------------------------------------------------------------

PLACES = (
    *(*PLACE_IDS, *LINE_IDS, "bridge", "order", "section-0", "section-1", "section-2"),
    *(tile_id(tile) for tile in range(box.FIRST_BUILT, box.RESIDENCE)),
)


def place_of(s, action):
    kind, arg = ACTIONS.decode(action)
    match kind:
        case ActionKind.PLACE | ActionKind.CONVERT:
            return PLACE_IDS[arg]
        case ActionKind.MOVE:
            return PLACE_IDS[s.provost + arg - box.STEPS - 1]
        case ActionKind.BUILD:
            return tile_id(box.FIRST_BUILT + arg)
        case ActionKind.FAVOUR:
            return LINE_IDS[arg]
    return ""


@pytest.mark.parametrize(
    ("seats", "seed"),
    [
        (2, 1),
        (3, 1),
        pytest.param(2, 2, marks=pytest.mark.slow),
        pytest.param(4, 2, marks=pytest.mark.exhaustive),
        pytest.param(5, 4, marks=pytest.mark.exhaustive),
    ],
)
def test_illegal_places_are_explained_and_legal_ones_are_not(seats, seed):
    """A place is refused if no legal action names it, by a sentence with a mark of RULES.md."""
    for number, (s, _, _) in enumerate(course(seats, seed)):
        if number % 3:
            continue
        may = {place_of(s, action) for action in legal_in(s)}
        for place in PLACES:
            refusal = PLAIN.text.explain_illegal(s, place, {})
            assert (refusal is None) == (place in may), (place, refusal)
            if refusal:
                words = plain_text(refusal.sentence)
                assert words[0].isupper() or words.startswith("seat ")
                assert words.endswith(".")
                assert refusal.rule in MARKS
                assert refusal.target in ("", *PLACES)


def legal_in(s):
    found = [0] * PLAIN.rules.ACTIONS
    return found[: PLAIN.rules.legal(s, found)]


def why(play, place):
    refusal = PLAIN.text.explain_illegal(play.observe(play.turn).state, place, {})
    return refusal and f"{plain_text(refusal.sentence)} [{refusal.rule}]"


@pytest.mark.parametrize(
    ("place", "changes", "words"),
    [
        ("space-12", (), "Space 12 is empty, and a worker needs a building. [2.5]"),
        ("space-9", ("tile 9 residence of 1",), "Residences take no workers. [2.5]"),
        ("space-9", ("tile 9 library of 1",), "Prestige buildings take no workers. [2.5]"),
        ("space-1", ("worker 1 of 1",), "seat 2's worker is already at the farm on space 1. [2.5]"),
        ("space-1", ("worker 1 of 0",), "Your worker is already at the farm on space 1. [2.5]"),
        (
            "space-1",
            ("passed 1", "s.seat[0].money: 1"),
            "A worker costs 2 deniers here, and you have 1. You need 1 more. [2.4]",
        ),
        ("castle", ("castle 0",), "You already have a worker in the castle, and you may have only one. [2.7]"),
        ("stables", ("stables 0",), "You already have a worker in the Stables, and you may have only one. [2.7]"),
        ("inn", ("worker inn of 1",), "seat 2's worker is already on the left circle of the Inn. [2.7]"),
        ("gate", ("worker gate of 2",), "seat 3's worker is already at the Gate. [2.5]"),
        (
            "tile-mason",
            (),
            "A worker at a Carpenter builds wood buildings when the road is used. [2.19]",
        ),
        ("section-0", (), "Your worker in the castle can build houses after the road has been used. [2.24]"),
        ("line-prestige", (), "You choose a line when you get a favour. Now place a worker, or pass. [2.2]"),
        ("order", (), "Only workers in the Stables change the turn order. [2.12]"),
    ],
)
def test_reasons_are_given_for_places_closed_to_workers(place, changes, words):
    assert why(prepared(3, TILES_IN_ORDER, "order 0 1 2", *changes, "stage placing"), place) == words


def test_the_stables_are_full_or_not_for_two():
    """[2.7, 5.1]"""
    full = prepared(4, "order 3 0 1 2", "stables 0 1 2", "stage placing")
    assert why(full, "stables") == "All three circles of the Stables are taken. [2.7]"
    two = prepared(2, "order 0 1", "stage placing")
    assert why(two, "stables") == "Two players don't use the Stables because they swap places every turn. [5.1]"


AT_NINE = ("s.provost: 9", "worker 9 of 0", "stage road")


@pytest.mark.parametrize(
    ("place", "changes", "words"),
    [
        (
            "space-12",
            ("stage provost",),
            "The provost moves by up to three spaces, and space 12 is 6 away. [2.15]",
        ),
        (
            "space-9",
            ("s.seat[0].money: 1", "stage provost"),
            "Moving him 3 spaces costs 3 deniers, and you have 1. [2.15]",
        ),
        ("castle", ("stage provost",), "The provost stays on the road. Choose one of its spaces. [D1]"),
        (
            "tile-mason",
            ("cubes 0: 2 wood", "worker 6 of 0", "stage road"),
            "The mason costs 1 food and 1 wood. You still need 1 food. [2.19]",
        ),
        (
            "tile-bank",
            ("worker 6 of 0", "stage road"),
            "The carpenter builds wood buildings, and this is a stone building. [2.19]",
        ),
        (
            "tile-statue",
            ("tile 9 architect of 0", "tile 2 residence of 0", "cubes 0: 9 food 1 gold", *AT_NINE),
            "The statue costs 2 stone and 1 gold. You still need 2 stone. [2.20]",
        ),
        (
            "space-7",
            ("tile 9 lawyer of 1", "cubes 0: 1 cloth", *AT_NINE),
            "The peddler is printed on the road and can't become a residence. [2.21]",
        ),
        (
            "space-9",
            ("tile 9 lawyer of 1", "cubes 0: 1 cloth", *AT_NINE),
            "The lawyer can't become a residence. [D7]",
        ),
        (
            "space-10",
            ("tile 9 lawyer of 1", "tile 10 park of 1", "cubes 0: 1 cloth", *AT_NINE),
            "seat 2 owns the park. Only a neutral building or your own can become a residence. [2.21]",
        ),
        (
            "section-1",
            ("castle 0", "cubes 0: 3 food 3 wood 3 stone", "stage castle"),
            "The next house goes to the Dungeon, the first section with room. [2.24]",
        ),
        (
            "section-0",
            ("s.section: 1", "stage provost"),
            "The Dungeon has been scored, so you can't build houses here any more. [2.30]",
        ),
    ],
)
def test_reasons_are_given_for_illegal_places_in_later_stages(place, changes, words):
    play = prepared(3, TILES_IN_ORDER, "order 0 1 2", "passed 0 1 2")
    for change in changes:
        put(play.state, READER, change)
    play.refresh()
    assert why(play, place) == words


def test_a_line_is_used_once_in_a_stage():
    """[4.3]"""
    play = prepared(3, "order 0 1 2", "passed 0 1 2", "cubes 0: 1 cloth", "worker joust_field of 0", "stage special")
    play.state.seat[0].used[0] = 1
    play.apply(play.string_to_action("joust"))
    assert why(play, "line-prestige").startswith("You have already used the prestige line")
    assert why(play, "line-deniers") is None


def test_hit_tests_match_the_pictures():
    """Hit tests find every place of each picture, and none outside the pictures."""
    play = prepared(3, TILES_IN_ORDER, "order 0 1 2", "stage placing")
    s = play.observe(0).state
    found = {PLAIN.view.hit_test(s, 0, "board", x, y) for x in range(0, WIDTH, 20) for y in range(0, HEIGHT, 20)}
    sections = {f"section-{number}" for number in range(box.SECTIONS)}
    assert {*PLACE_IDS, *sections, *LINE_IDS, "bridge", "order"} == found - {""}
    tiles = {PLAIN.view.hit_test(s, 0, "buildings", x, y) for x in range(0, 402, 20) for y in range(0, 1037, 20)}
    assert {tile_id(tile) for tile in range(box.FIRST_BUILT, box.RESIDENCE) if not box.OPTIONAL[tile]} == tiles - {""}
    assert PLAIN.view.hit_test(s, 0, "board", float("nan"), -5) == PLAIN.view.hit_test(s, 0, "none", 5, 5) == ""


def test_offered_cards_hide_the_places_below_them():
    play = prepared(3, TILES_IN_ORDER, "order 0 1 2", "passed 0 1 2", "worker 6 of 0", "stage road")
    s = play.observe(0).state
    assert at(s, 28) == ""
    assert at(s, 7) == "space-7"


def at(s, space):
    """Return the id of the place where a space is drawn."""
    spot = SPOTS[space - 1]
    return PLAIN.view.hit_test(s, 0, "board", spot.x + TILE_X / 2, spot.y + 40)


def test_offered_cards_do_not_cover_their_space():
    """Cards cover the upper rows if a building on a low space is used or built."""
    changes = (
        TILES_IN_ORDER,
        "order 0 1 2",
        "passed 0 1 2",
        "tile 20 peddler_wood of 1",
        "worker 20 of 0",
        "s.provost: 21",
    )
    play = prepared(3, *changes, "stage road")
    s = play.observe(0).state
    assert at(s, 1) == ""
    assert at(s, 20) == "space-20"
    town = [f"tile {space} residence of 1" for space in range(9, 16)]
    play = prepared(3, *changes[:3], *town, "worker 6 of 0", "stage road")
    s = play.observe(0).state
    assert any(play.action_to_string(action).startswith("build") for action in play.legal_actions)
    assert at(s, 17) == "space-17"
    play = prepared(3, *changes[:3], "castle 0", "cubes 0: 3 food 3 wood 3 stone", "stage castle")
    s = play.observe(0).state
    assert at(s, 1) == ""
    assert at(s, 28) == "space-28"


# --- chips ------------------------------------------------------------------------------------------------------------


def promised(play, words):
    s = play.observe(play.turn).state
    choice = GAINS.choices_of(s, play.legal_actions)[play.string_to_action(words)]
    return {chip.kind: chip.number for chip in choice.chips}, choice.best


def test_places_show_promised_points_and_who_gains():
    """[2.6, 2.16, 2.19, 2.22, 2.24]"""
    tiles = ("tile 9 park of 1", "tile 10 church of 2", "tile 11 mason of 0", "cubes 0: 3 food 2 wood 1 stone 1 cloth")
    play = prepared(3, TILES_IN_ORDER, "order 0 1 2", *tiles, "passed 1", "s.seat[0].money: 5", "stage placing")
    assert promised(play, "place at castle") == ({"later": 10}, True)
    assert promised(play, "place at 6 carpenter") == ({"later": 4}, False)
    assert promised(play, "place at 9 park") == ({"guest": 1, "far": 3}, False)
    assert promised(play, "place at 10 church") == ({"later": 3, "guest": 1, "far": 4}, False)
    assert promised(play, "place at 11 mason") == ({"later": 6, "far": 5, "price": 1}, False)
    assert promised(play, "place at Gate") == ({}, False)
    poor = prepared(3, "order 0 1 2", "points 0: 1", "stage placing")
    assert promised(poor, "place at castle") == ({"later": -1}, False)


def test_moves_of_the_provost_show_costs_and_workers_beyond():
    """[2.15, 2.16]"""
    workers = ("worker 5 of 0", "worker 7 of 1", "worker 8 of 0")
    play = prepared(3, TILES_IN_ORDER, "order 0 1 2", "passed 0 1 2", *workers, "stage provost")
    assert promised(play, "provost 2 back") == ({"price": 2, "beyond": 2}, False)
    assert promised(play, "provost 2 forward") == ({"price": 2}, False)


@pytest.mark.parametrize(
    ("seats", "seed"),
    [(2, 3), pytest.param(2, 2, marks=pytest.mark.slow), pytest.param(4, 2, marks=pytest.mark.exhaustive)],
)
def test_chips_show_the_points_that_are_scored(seats, seed):
    """Chips show the points scored at once, and the best choices are marked."""
    for number, (s, _, _) in enumerate(course(seats, seed)):
        if number % 4:
            continue
        choices = GAINS.choices_of(s, legal_in(s))
        most = max(GAINS.points_on(choice.chips) for choice in choices.values())
        for action, choice in choices.items():
            after = s.copy()
            PHASES.apply_one(after, action)
            now = sum(chip.number for chip in choice.chips if chip.kind == "now")
            assert now == sum(after.seat[s.turn].earned) - sum(s.seat[s.turn].earned)
            assert choice.best == (0 < GAINS.points_on(choice.chips) == most)


def test_a_worker_scores_the_promised_points():
    """[2.19-2.22]"""
    for tile, cubes, money, points in (
        ("church", "", 7, 5),
        ("tailor", "2 cloth", 1, 4),
        ("lawyer", "1 cloth", 2, 2),
        ("mason", "1 food 1 wood 1 stone", 1, 6),
        ("mason", "2 wood", 1, 0),
        ("church", "", 1, 0),
    ):
        have = (f"tile 9 {tile} of 1", f"cubes 0: {cubes}", f"s.seat[0].money: {money}", "s.provost: 9")
        play = prepared(3, TILES_IN_ORDER, "order 0 1 2", *have, "stage placing")
        assert promised(play, f"place at 9 {tile}")[0].get("later", 0) == points
        play.apply(play.string_to_action(f"place at 9 {tile}"))
        while play.state.stage < Stage.ROAD:
            play.apply(play.string_to_action("pass" if play.state.stage == Stage.PLACING else "provost stays"))
        gains = [own_points(PLAIN.text.effect_text(play.state, action)) for action in play.legal_actions]
        assert max(gains, default=0) == (points if play.state.stage == Stage.ROAD else 0)
