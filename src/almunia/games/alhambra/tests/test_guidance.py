"""Tests of guidance in Alhambra. Docstrings cite RULES.md."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from almunia.core.contract import NONE, RuleRef
from almunia.core.rich_text import own_points, plain_text
from almunia.games.alhambra import observe
from almunia.games.alhambra.components import Kind
from almunia.games.alhambra.rules.state import BUILD, BUY, FETCH, PAY, PICK, REMOVE, TAKE, Phase
from almunia.games.alhambra.tests.positions import PLAIN, SCENES, begun, done, position, steps
from almunia.games.alhambra.text import scorings
from almunia.play.panels import panels

TEXT, VIEW = PLAIN.text, PLAIN.view
OPEN, SCORED = PLAIN.checked(observe), PLAIN.checked(scorings)
MARKS = set(re.findall(r"\*\*(\d+\.\d+|D\d+)\*\*", PLAIN.file("RULES.md").read_text("utf-8")))
NAMES = ("Ann", "Ben", "Cid")


def wandering(seats, seed, most=250, **options):
    """Yield a random play, which prefers to buy and build, at each position after fewer than `most` actions."""
    play, rng = PLAIN.new(seats, seed, **options), np.random.default_rng(seed)
    while not play.over and len(play.actions) < most:
        yield play
        eager = [action for action in play.legal_actions if BUY <= action < FETCH or action >= BUILD]
        wanted = eager if eager and rng.random() < 0.7 else play.legal_actions
        play.apply(int(rng.choice(wanted)))


def why(play, place):
    """Return the explanation of a place as sentence, mark and target, or None if there is no explanation."""
    found = TEXT.explain_illegal(play.observe(play.turn).state, place, {})
    return found and (plain_text(found.sentence, NAMES), found.rule, found.target)


# --- paragraphs ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["the_end", "dirk", "passing", "new_deck", "exact_payments", "turn_limit", "short_bag"]
)
def test_every_paragraph_that_is_named_is_there(name):
    named, before = set(), None
    for _, play in steps(name):
        after = play.observe(0)
        if before:
            named |= marks(TEXT.log_lines(before.state, NONE, after.state))
        named |= {TEXT.rule_of_question(after.state), *(source.rule for source in TEXT.score_breakdown(after.state))}
        before = after
    assert named <= MARKS


def marks(lines):
    return {part.mark for line in lines for part in line if isinstance(part, RuleRef)}


def test_the_log_cites_the_paragraph_of_a_payment():
    """[5.2, 5.3]"""
    play = position("s.turn: 0", "hand/0: florin 9, florin 8", "market: garden 8 NE")
    for card, mark in (("florin 8", "5.3"), ("florin 9", "5.2")):
        paying = done(play.copy(), "buy garden 8 NE")
        before = paying.observe(1).state
        assert marks(TEXT.log_lines(before, NONE, done(paying, f"pay {card}").observe(1).state)) == {mark}


# --- public questions ------------------------------------------------------------------------------


@pytest.mark.parametrize("memory", ["hands hidden", "perfect"])
def test_legal_actions_marked_public_are_known_to_all_viewers(memory):
    """[D8]"""
    seen = set()
    for play in wandering(3, seed=4, memory=memory):
        others = [play.observe(reader) for reader in range(-1, 3) if reader != play.turn]
        public = {bool(OPEN.legal_is_public(state)) for state in (play.state, *(other.state for other in others))}
        assert len(public) == 1, "the answer gives something away"
        if public == {True}:
            seen.add(Phase(play.phase))
            guesses = [other.determinize(seed) for other in others for seed in range(2)]
            assert all(guess.legal_actions == play.legal_actions for guess in guesses)
    hidden = {Phase.ACT, Phase.PAY}
    assert {Phase.TAKE, Phase.POSITION, Phase.END} <= seen
    assert seen & hidden == (hidden if memory == "perfect" else set())


# --- why not ---------------------------------------------------------------------------------------


def meant(play, action):
    """Return the place to click for an action, or an empty string."""
    for first, count, name in ((TAKE, 36, "money"), (BUY, 4, "square"), (FETCH, 54, "tile"), (PICK, 54, "tile")):
        if first <= action < first + count:
            return f"{name}-{action - first}"
    if PAY <= action < PAY + 9:
        return f"card-{play.state.square * 9 + action - PAY}"
    if REMOVE <= action < REMOVE + 54:
        return f"cell-{play.state.cell[action - REMOVE]}"
    return f"cell-{action - BUILD}" if BUILD <= action < BUILD + 1600 else ""


def places_of(play):
    """Return the places in the pictures of the seat to move that hit tests on a grid of points find."""
    found, s = set(), play.observe(play.turn).state
    for panel in panels(play.observe(play.turn), ()):
        left, top, wide, high = map(float, ET.fromstring(panel.svg).attrib["viewBox"].split())
        points = [(left + x, top + y) for x in np.arange(5, wide, 15) for y in np.arange(5, high, 15)]
        found |= {VIEW.hit_test(s, play.turn, panel.name, x, y) for x, y in points}
    return found - {""}


@pytest.mark.parametrize(("seats", "seed"), [(2, 1), (3, 2)])
def test_illegal_places_are_explained_and_legal_ones_are_not(seats, seed):
    for number, play in enumerate(wandering(seats, seed)):
        if number % 7:
            continue
        places, s = places_of(play), play.observe(play.turn).state
        open_to = {meant(play, action) for action in play.legal_actions} - {""}
        assert open_to <= places
        ids = {
            name for panel in panels(play.observe(play.turn), ()) for name in re.findall(r' id="([^"]+)"', panel.svg)
        }
        for place in places:
            found = TEXT.explain_illegal(s, place, {})
            assert (found is None) == (place in open_to), (place, found)
            if found:
                assert re.fullmatch(r"[A-Z0-9].+\.", plain_text(found.sentence)), found
                assert found.rule in MARKS
                assert found.target in {"", *ids}


def cell(row, column):
    return f"cell-{row % 40 * 40 + column % 40}"


def test_a_place_is_refused_in_the_words_of_its_rule():
    """[6.2-6.5, 7.3, 7.5, D6]"""
    play = position(
        "s.turn: 0",
        "hand/0: florin 8, florin 2, ducat 1",
        "market: garden 8 NE, tower 13 E",
        "built/0: tower 11 N at 1E, tower 12 open at 1N, seraglio 8 S at 1S, chambers 9 W at 1W",
    )
    assert why(play, cell(0, 0))[:2] == ("You can't move or exchange the fountain.", "7.5")
    assert why(play, cell(0, 1)) is None  # it may be removed
    assert why(play, cell(1, 1)) == (
        "First choose a tile for this place. Buy a building, or bring one in from your reserve.",
        "3.2",
        "",
    )
    assert why(play, "rival-1") == ("This is the Alhambra of Ben. You build your own.", "3.2", "")
    done(
        play, "buy garden 8 NE", "pay florin 8", "take " + TEXT.action_to_string(play.state, play.legal_actions[0])[5:]
    )
    while play.phase != Phase.POSITION:
        done(play, "take no more")
    assert why(play, cell(3, 3))[1] == "6.4"
    assert why(play, cell(0, 1))[1] == "7.3"
    assert why(play, cell(-2, 1))[0].startswith("2N 1E only touches your Alhambra at a corner")
    sentence = "The wall on its east side would meet the open side of the tower 12 open."
    assert why(play, cell(-1, -1)) == (sentence, "6.2", f"tile-{tile('tower 12 open')}")


def tile(name):
    return SCENES.TILE[name]


def test_a_walled_place_and_a_hole_are_refused():
    """[6.3, 6.5]"""
    play = next(play for words, play in steps("across_no_wall") if words.startswith("pay"))
    assert why(play, cell(-1, 1))[1] in ("6.2", "6.3")
    play = next(play for words, play in steps("no_hole") if words == "pay florin 5")
    assert why(play, cell(1, 0)) == ("A tile at 1S would enclose an empty place.", "6.5", "")


def test_money_is_refused_in_the_words_of_its_rule():
    """[4.2, 4.3, 5.1, 5.5, D3]"""
    play = position(
        "s.turn: 0",
        "hand/0: florin 6, florin 3, ducat 2",
        "market: garden 8 NE, tower 13 E",
        "open: florin 1, dirham 2, denar 4, ducat 1",
    )
    assert why(play, "square-1") == (
        "Tower 13 E costs 13 dirhams, and you have 0. You need 13 dirhams more.",
        "5.1",
        "square-1",
    )
    assert why(play, "card-8")[1] == "5.1"
    taking = done(play.copy(), "take dirham 2")
    assert why(taking, "money-0") == (
        "You take money from left to right, so you can't take florin 1 after dirham 2.",
        "D3",
        "",
    )
    assert why(taking, "money-21") == (
        "Several cards can be worth at most 5 together. With denar 4 they would be worth 6.",
        "4.2",
        "",
    )
    assert why(taking, "square-0")[1] == why(taking, "cell-1")[1] == "4.3"
    paying = done(play.copy(), "buy garden 8 NE")
    assert why(paying, "card-28")[:2] == ("You pay for garden 8 NE in florins, and this card is in ducats.", "5.1")
    words = "You pay the highest cards first. From 3 down you only have 3, and you must pay 8."
    assert why(paying, "card-2")[:2] == (words, "D3")
    assert why(paying, "square-0")[0] == "You are paying for garden 8 NE. Choose cards from your hand."


# --- suggestions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 4])
def test_courses_are_legal_step_by_step(seats):
    """[4.2, 5.2, 5.3, D3]"""
    offered = set()
    for play in wandering(seats, seed=9):
        phase = Phase(play.phase)
        for course in TEXT.suggestions(play.observe(play.turn).state):
            trial = play.copy()
            for action in course.actions:
                assert action in trial.legal_actions
                trial.apply(action)
            assert trial.phase not in (Phase.PAY, Phase.TAKE)
            assert (plain_text(course.effect) == "exact, so you get another action") == (trial.phase == Phase.ACT)
            offered.add((phase, plain_text(course.offer).split()[0]))
        assert TEXT.suggestions(play.observe(-1).state) == []
    assert offered == {(Phase.ACT, "Take"), (Phase.PAY, "Pay")}


def test_suggested_payments_are_sorted_by_cost():
    """[5.2, 5.3]"""
    play = position("s.turn: 0", "hand/0: florin 7, florin 5, florin 3, florin 2, florin 1", "market: garden 8 NE")
    done(play, "buy garden 8 NE")
    assert [(plain_text(one.offer), plain_text(one.effect)) for one in TEXT.suggestions(play.state)] == [
        ("Pay florin 5 and 3", "exact, so you get another action"),
        ("Pay florin 7 and 1", "exact, so you get another action"),
        ("Pay florin 5, 2 and 1", "exact, so you get another action"),
    ]
    for hand, words in (
        ("florin 7, florin 2, florin 2", "7 and 2"),
        ("florin 7, florin 6, florin 5, florin 4", "5 and 4"),
    ):
        play = position("s.turn: 0", f"hand/0: {hand}", "market: garden 8 NE")
        (only,) = TEXT.suggestions(done(play, "buy garden 8 NE").state)
        assert plain_text(only.offer) == f"Pay florin {words}"
        assert plain_text(only.effect) == "1 wasted, and you get no other action"


def test_money_worth_most_is_taken_together():
    """[4.2]"""
    play = position("s.turn: 0", "hand/0: ducat 1", "open: florin 1, florin 2, denar 2, ducat 9", "market: garden 8 NE")
    assert [plain_text(one.offer) for one in TEXT.suggestions(play.state)] == ["Take florin 1, florin 2 and denar 2"]


# --- what tiles earn -------------------------------------------------------------------------------


def test_places_show_what_they_earn():
    """[10.2, 10.6]"""
    for play in wandering(3, seed=11, most=160):
        s, p = play.observe(play.turn).state, play.turn
        for action in play.legal_actions:
            if BUILD <= action < BUILD + 1600 or REMOVE <= action < PICK - 1:
                trial = play.copy()
                trial.apply(action)
                before, after = (dict(TEXT.seat_facts(x, p))["Scored now"] for x in (play.state, trial.state))
                assert own_points(TEXT.effect_text(s, action)) == int(after) - int(before)


def test_the_market_shows_what_a_tile_brings_and_who_leads():
    """[10.2]"""
    play = position(
        "s.turn: 0",
        "hand/0: florin 8",
        "market: garden 8 NE, tower 13 E",
        "built/1: garden 11 open at 1E, garden 10 open at 1W",
    )
    said = plain_text(TEXT.effect_text(play.state, play.string_to_action("buy garden 8 NE")), NAMES)
    assert said == "up to +2 if scored now: 1 garden, Ben 2; you can pay exactly with 8 and get another action"
    (market,) = (panel.svg for panel in panels(play.observe(0), play.legal_actions) if panel.name == "market")
    assert re.findall(r'class="points"[^>]*>([^<]+)<', market) == ["+2"]
    assert market.count('of-1"') == 1


# --- scorings --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["first_scoring", "dirk", "the_end", "both_at_once", "limit_and_scoring_card"])
def test_a_scoring_adds_up(name):
    """[10.2, 10.3, 10.8]"""
    assert scorings_of(name)


def test_a_scoring_names_the_reasons_of_points():
    """[10.2, 12.3]"""
    scorings = scorings_of("first_scoring")
    assert [one.name for one in scorings[0].columns] == ["Pavilions", "Gardens", "Towers", "Walls"]
    assert scorings[0].columns[1][:3] == ("Gardens", (0, 0, 5), ("1 garden", "no gardens", "2 gardens"))
    assert scorings[0].columns[3].notes == ("2 sides", "1 side", "2 sides")
    first = scorings_of("dirk")[0]
    assert first.title == "First scoring round: Dirk gets 11"
    assert first.columns[0][:3] == ("Gardens", (0, 0), ("no gardens, Dirk 2", "no gardens, Dirk 2"))


def test_a_scoring_names_dirk_if_he_has_buildings():
    """[12.3]"""
    seen = position("dirk: tower 13 E", "built/0: garden 8 NE at 1E", seats=2).observe(0).state
    assert SCORED.column(seen, Kind.GARDEN, 1).notes == ("1 garden", "no gardens")
    assert SCORED.column(seen, Kind.TOWER, 1).notes == ("no towers, Dirk 1", "no towers, Dirk 1")


def scorings_of(name):
    found, before = [], begun(name).observe(0)
    for _, play in steps(name):
        after = play.observe(0)
        scoring = TEXT.scoring(before.state, NONE, after.state)
        if scoring:
            check(scoring, before, after)
            found.append(scoring)
        before = after
    return found


def check(scoring, before, after):
    gains = after.score_table()[:, 0] - before.score_table()[:, 0]
    assert [sum(points) for points in zip(*(one.points for one in scoring.columns), strict=True)] == [*gains]
    shown = {name for panel in panels(after, ()) for name in re.findall(r' id="([^"]+)"', panel.svg)}
    assert {target for one in scoring.columns for target in one.targets} <= shown
    assert scoring.rule in MARKS
