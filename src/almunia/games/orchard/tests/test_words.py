"""Tests of the text of Orchard. Docstrings cite RULES.md."""

import re
from random import Random
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import almunia
from almunia.core.contract import NONE, ElementRef, Points, RuleRef, SeatName
from almunia.core.rich_text import plain_text
from almunia.games.orchard import components as box, observe
from almunia.games.orchard.rules import Phase
from almunia.games.orchard.tests import scenes
from almunia.play.panels import panels
from almunia.scenario import put

PLAIN = almunia.game("orchard", "plain")
TEXT = PLAIN.text
VIEW, OPEN = PLAIN.view, PLAIN.checked(observe)
MARKS = set(re.findall(r"\*\*(\d+\.\d+|D\d+)\*\*", PLAIN.file("RULES.md").read_text("utf-8")))
MINUS = "\N{MINUS SIGN}"

# All apple dice are in the orchard. Card 18 would free the die that shows 6, and could use it on either of its apples.
SCARCE = (
    "card 17 at 10,10",
    "card 4 at 11,10",
    "card 16 at 10,16",
    *(f"die apple 1 at {cell}" for cell in ("0,0", "1,0", "11,16", "11,17")),
    "die apple 6 at 11,10",
)


def position(*changes, seats=1, deal="2 18 1 3 5 6 7 8 9", **options):
    play = PLAIN.new(seats=seats, seed=1, deal=deal, **options)
    reader = PLAIN.checked(scenes)
    for change in changes:
        put(play.state, reader, change)
    play.refresh()
    return play


def effect(play, words):
    return plain_text(TEXT.effect_text(play.state, play.string_to_action(words)))


def told(play, words, reader=0):
    before, action = play.observe(reader), play.string_to_action(words)
    known = action if PLAIN.may_see(before.state, reader) else NONE
    play.apply(action)
    return ["".join(map(heard, line)) for line in TEXT.log_lines(before.state, known, play.observe(reader).state)]


def heard(piece):
    match piece:
        case SeatName():
            return f"<{piece.seat}>"
        case Points():
            return f"{piece.value:+d}"
        case ElementRef():
            return f"[{piece.words}]"
        case RuleRef():
            return ""
    return piece


# --- actions -------------------------------------------------------------------------------------


def test_turns_are_named_as_the_card_is_turned():
    """[3.1, D7]"""
    play = position()
    turns = {90: "a quarter turn right", 180: "a half turn", 270: "a quarter turn left"}
    said = {degrees: play.string_to_action(f"place 18 at 2,0 turned {degrees}") for degrees in turns}
    assert (
        plain_text(TEXT.button_label(play.state, play.string_to_action("place 18 at 2,0")))
        == "Card 18, 2 down from the start"
    )
    for degrees, action in said.items():
        assert plain_text(TEXT.button_label(play.state, action)) == f"Card 18, {turns[degrees]}, 2 down from the start"
        assert TEXT.parts(play.state, action) == {"card": "18", "turned": str(degrees), "place": "2,0"}


def test_effects_count_matching_and_rotting_trees():
    """[4.1, 4.3, 5.2, 6.4, D3]"""
    play = position(*SCARCE)
    effects = {said: effect(play, said) for said in ("place 18 at 10,10", "place 1 at 2,0")}
    assert effects["place 18 at 10,10"] == f"four trees match (no die left for one), two trees rot (6 lost): {MINUS}9"
    assert effects["place 1 at 2,0"] == f"two trees rot: {MINUS}6"
    play = position("die apple 3 at 0,0", deal="2 4 1 3 5 6 7 8 9")
    assert effect(play, "place 4 at -2,0") == "two trees match (3 to 6, one new): +4"
    assert effect(play, "place 4 at 2,1 turned 180") == f"one tree rots: {MINUS}3"
    assert effect(play, "place 1 at 2,1 turned 180") == "one tree matches: +1"


def test_effects_mention_dice_at_their_maximum():
    """[4.4, D9]"""
    play = position("die apple 6 at 0,0", "die plum 10 at 0,1", deal="2 4 1 3 5 6 7 8 9")
    assert effect(play, "place 4 at -2,0") == "two trees match (10 stays, 6 to 10): +4"
    play = position("die apple 3 at 0,0", "die plum 6 at 0,1", deal="2 4 1 3 5 6 7 8 9", edition="2018")
    assert effect(play, "place 4 at -2,0") == "two trees match (6 stays, 3 to 6): +3"


def test_the_question_about_a_last_die_names_its_fruit_and_both_trees():
    """[D2]"""
    play = position(*SCARCE)
    assert TEXT.question(play.state) == "Place a card. You can't undo this."
    play.apply(play.string_to_action("place 18 at 10,10"))
    assert TEXT.question(play.state) == "One apple die is left for two trees. Choose the tree that gets it."
    assert [play.action_to_string(action) for action in play.legal_actions] == [
        "last apple die at 10,10",
        "last apple die at 10,11",
    ]
    assert [plain_text(TEXT.button_label(play.state, action)) for action in play.legal_actions] == [
        "The tree 10 down and 10 right of the start",
        "The tree 10 down and 11 right of the start",
    ]
    assert [TEXT.parts(play.state, action)["tree"] for action in play.legal_actions] == ["10,10", "10,11"]
    assert [TEXT.effect_text(play.state, action) for action in play.legal_actions] == [["the other tree gets none"]] * 2


# --- the position --------------------------------------------------------------------------------


def test_facts_are_those_of_the_seat():
    play = position("die apple 6 at 0,0 for seat 1", "rotten at 0,1 for seat 1", seats=2)
    for change in ("die pear 10 at 2,0 for seat 1", "die pear 10 at 2,1 for seat 1"):
        put(play.state, PLAIN.checked(scenes), change)
    assert dict(TEXT.seat_facts(play.state, 0)) == {
        "Apple dice left": "5",
        "Pear dice left": "5",
        "Plum dice left": "5",
        "Rotten fruit left": "2",
    }
    other = {"Apple dice left": "4", "Pear dice left": "3", "Rotten fruit left": "1"}
    assert dict(TEXT.seat_facts(play.state, 1)) == dict(TEXT.seat_facts(play.state, 0)) | other
    play.state.seat[1].stuck = 1
    assert dict(TEXT.seat_facts(play.state, 1))["Stuck"] == "yes"  # [D5]
    assert dict(TEXT.seat_facts(position().state, 0))["Title"] == "Pal-tree"


def test_the_board_shows_every_orchard_the_readers_own_first():
    play = position("die apple 6 at 0,0 for seat 1", "rotten at 0,1 for seat 1", seats=2)
    own = """Orchard 1: 0 points, Pal-tree
        0   1
   0   A.  L.
   1   A.  L.
   2   P.  P.

Hand
18      1
 A A    L A
 P L    A L
 P L    P P
Dice left: apple 5, pear 5, plum 5."""
    other = (
        own.replace("Orchard 1: 0", "Orchard 2: 3").replace("   0   A.  L.", "   0   A6  xx").replace("le 5", "le 4")
    )
    for reader, rooms in ((0, [own, other]), (1, [other, own]), (-1, [own, other])):
        assert TEXT.board(play.observe(reader).state, reader) == "\n\n".join(rooms)


# --- the log -------------------------------------------------------------------------------------


def test_the_log_reports_the_card_and_each_die():
    """[3.4, 4.1, 5.2, D2, D3]"""
    play = position(*SCARCE)
    assert told(play, "place 18 at 10,10") == ["Card 18 covers two trees for the last apple die."]
    laid = "[Card 18] covers six trees: -9 (apple 6 lost, apple 1, pear 1, plum 1, rotten fruit, rotten fruit)."
    assert told(play.copy(), "last apple die at 10,11")[0].startswith("[Card 18] covers six trees: -9 (apple ")
    assert sorted(told(play, "last apple die at 10,11")[0]) == sorted(laid)
    play = position("die apple 3 at 0,0", "die pear 1 at 2,0", deal="2 4 1 3 5 6 7 8 9")
    lines = told(play, "place 4 at -2,0")
    assert lines == ["[Card 4] covers two trees: +4 (apple 3 to 6, plum 1).", "Card 3 is drawn."]


def test_the_log_gives_no_choice_away():
    """[7.2, D8]"""
    play = position(seats=2, deal="2 4 1 3 5 6 7 8 9")
    other = play.copy()
    assert told(play, "place 4 at 1,0") == ["<0> chooses card 4."]
    assert told(other, "place 4 at 1,0", reader=1) == []
    assert {tuple(told(play.copy(), "place 1 at -2,0 turned 180", reader)) for reader in (0, 1, -1)} == {
        (
            "The cards are placed.",
            "<0>: [Card 4] covers four trees: +4 (apple 1, pear 1, pear 1, plum 1).",
            "<1>: [Card 1] covers two trees: +2 (apple 1, plum 1).",
            "Card 3 is drawn.",
        )
    }


def test_the_log_hides_a_last_die_while_others_choose():
    """[7.2, D2]"""
    play, rng = PLAIN.new(3, 37), Random(37)
    for _ in range(22):
        play.apply(rng.choice(play.legal_actions))
    assert play.state.phase == Phase.DIE
    for reader in (0, 1, 2, -1):
        assert told(play.copy(), play.action_to_string(play.legal_actions[1]), reader) == []


# --- paragraphs, and public actions --------------------------------------------------------------


@pytest.mark.parametrize("seats", [1, 3])
def test_every_paragraph_that_is_named_is_there(seats):
    play, rng, named = PLAIN.new(seats, 2), np.random.default_rng(2), set()
    while not play.over:
        before = play.observe(play.turn)
        named.add(TEXT.rule_of_question(before.state))
        play.apply(int(rng.choice(play.legal_actions)))
        lines = TEXT.log_lines(before.state, NONE, play.observe(before.seat).state)
        named |= {part.mark for line in lines for part in line if isinstance(part, RuleRef)}
    named |= {source.rule for source in TEXT.score_breakdown(play.state)}
    assert named <= MARKS
    assert {"3.1", "4.3", "6.3", "6.4"} <= named


@pytest.mark.parametrize("half", ["first", "second"])
def test_legal_actions_of_a_solo_player_are_public_until_undo_is_possible(half):
    """[3.4, D8, D14]"""
    play, rng = PLAIN.new(1, 4, half=half), np.random.default_rng(4)
    while not play.over:
        public, watcher = OPEN.legal_is_public(play.state), play.observe(-1)
        assert public == (play.state.drawn < (18 if half == "second" else 9)) == OPEN.legal_is_public(watcher.state)
        assert watcher.determinize(1).legal_actions == play.legal_actions
        play.apply(int(rng.choice(play.legal_actions)))
    assert not OPEN.legal_is_public(PLAIN.new(2, 4).state)


# --- why not -------------------------------------------------------------------------------------


def why(play, words, **chosen):
    """Return the sentence and the mark of the refusal for this place, or None."""
    row, column = map(int, words.split(","))
    turned = int(chosen.get("turned", 0)) // 90
    x, y = column + box.WIDTH[turned] / 2, row + box.HEIGHT[turned] / 2
    place = VIEW.hit_test(play.state, 0, "orchard", 56 * x, 56 * y)
    found = TEXT.explain_illegal(play.state, place, {name: str(value) for name, value in chosen.items()})
    return found and (plain_text(found.sentence), found.rule)


def test_a_place_is_refused_in_the_words_of_its_rule():
    """[3.1, 5.1, 5.5, D2]"""
    play = position("rotten at 0,0", deal="2 4 1 3 5 6 7 8 9")
    assert why(play, "0,0") == ("First choose a card from your hand.", "3.1")
    assert why(play, "5,5", card=4) == ("The card must cover at least one tree, and it covers none here.", "3.1")
    assert why(play, "16,30", card=4) == ("The card must cover at least one tree, and it covers none here.", "3.1")
    assert why(play, "-2,-1", card=4) == ("You can't cover a rotten tree.", "5.5")
    which = "an apple on a plum, a pear on a plum and an apple on a pear"
    sentence = f"Three trees would rot here ({which}), and you have one rotten-fruit token left."
    assert why(play, "0,1", card=4) == (sentence, "5.1")
    put(play.state, PLAIN.checked(scenes), "rotten at 1,0")
    assert why(play, "2,1", card=4) == (
        "An apple on a pear would rot here, and you have used both rotten-fruit tokens.",
        "5.1",
    )
    assert why(play, "2,1", card=1, turned=180) is None
    hand = [TEXT.explain_illegal(play.state, f"hand-{number}", {}) for number in (4, 1)]
    assert hand == [None, None]
    assert TEXT.explain_illegal(play.state, VIEW.hit_test(play.state, 0, "hand", 800, 20), {}).rule == "3.4"


def test_the_orchards_of_others_and_the_last_die_are_refused_too():
    """[7.1, D2]"""
    play = position(seats=2)
    other = TEXT.explain_illegal(play.state, VIEW.hit_test(play.state, 0, "orchard-1", 10, 10), {})
    assert (plain_text(other.sentence, ("Ann", "Ben")), other.rule) == (
        "This is the orchard of Ben. You place cards in your own.",
        "7.1",
    )
    play = position(*SCARCE)
    play.apply(play.string_to_action("place 18 at 10,10"))
    assert TEXT.explain_illegal(play.state, "hand-1", {}).rule == "D2"
    here, there = (VIEW.hit_test(play.state, 0, "orchard", 56 * 10.5, 56 * y) for y in (10.5, 11.5))
    assert TEXT.explain_illegal(play.state, here, {}) is None
    assert TEXT.explain_illegal(play.state, there, {}).rule == "D2"


@pytest.mark.parametrize("seed", [1, 2])
def test_illegal_places_are_explained_and_legal_ones_are_not(seed):
    """[3.1]"""
    play, rng, rules = PLAIN.new(1, seed), np.random.default_rng(seed), set()
    while not play.over:
        legal = {tuple(TEXT.parts(play.state, action).values()) for action in play.legal_actions}
        ids = {
            element.attrib.get("id")
            for panel in panels(play.observe(0), play.legal_actions)
            for element in ET.fromstring(panel.svg).iter()
        }
        for _ in range(60):
            number = int(rng.choice([number for number in play.state.seat[0].hand if number]))
            turned, row, column = 90 * int(rng.integers(4)), int(rng.integers(-5, 6)), int(rng.integers(-5, 6))
            x, y = column + box.WIDTH[turned // 90] / 2, row + box.HEIGHT[turned // 90] / 2
            place = VIEW.hit_test(play.state, 0, "orchard", 56 * (x + rng.uniform(-0.1, 0.1)), 56 * y)
            found = TEXT.explain_illegal(play.state, place, {"card": str(number), "turned": str(turned)})
            assert (found is None) == ((str(number), str(turned), f"{row},{column}") in legal)
            if found:
                assert found.rule in MARKS
                assert found.target in {"", *ids}
                rules.add(found.rule)
        play.apply(int(rng.choice(play.legal_actions)))
    assert rules == {"3.1", "5.1", "5.5"}


# --- the end -------------------------------------------------------------------------------------


def test_the_sources_add_up_the_dice_of_every_seat():
    """[6.3, 6.4]"""
    play = position("die apple 3 at 0,0 for seat 1", "die apple 10 at 1,0 for seat 1", seats=2)
    for change in ("rotten at 2,0 for seat 1", "rotten at 2,1 for seat 1", "die plum 1 at 0,1"):
        put(play.state, PLAIN.checked(scenes), change)
    assert {source.name: source.points for source in TEXT.score_breakdown(play.state)} == {
        "Apple dice": (0, 13),
        "Pear dice": (0, 0),
        "Plum dice": (1, 0),
        "Rotten fruit": (0, -6),
    }
    assert [TEXT.result_lines(play.state, p) for p in range(2)] == [["1 point: Pal-tree."], ["7 points: Pal-tree."]]
