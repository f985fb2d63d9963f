"""Tests of the text of Oregon. Docstrings cite RULES.md."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import almunia
from almunia.core.contract import NONE, RuleRef
from almunia.core.rich_text import own_points, plain_text
from almunia.games.oregon import observe
from almunia.games.oregon.rules.state import CARD, SPACE, Phase
from almunia.games.oregon.tests import scenes
from almunia.games.oregon.text.prospects import prospects
from almunia.play.panels import panels
from almunia.scenario import put

PLAIN = almunia.game("oregon", "plain")
TEXT, VIEW = PLAIN.text, PLAIN.view
READER, OPEN = PLAIN.checked(scenes), PLAIN.checked(observe)
MARKS = set(re.findall(r"\*\*(\d+\.\d+|D\d+)\*\*", PLAIN.file("RULES.md").read_text("utf-8")))
NAMES = ("Ann", "Ben", "Cid", "Dora")


def position(*changes, seats=2):
    """Return a play after the first round with these changes. A change that begins with `do ` is an action."""
    play = PLAIN.new(seats, seed=1)
    for change in ("turn 0", *changes):
        if change.startswith("do "):
            play.apply(play.string_to_action(change.removeprefix("do ")))
        else:
            put(play.state, READER, change)
            play.refresh()
    return play


def wandering(seats, seed, every=1):
    """Yield a random play before its end, whenever the number of actions so far is a multiple of `every`."""
    play, rng = PLAIN.new(seats, seed), np.random.default_rng(seed)
    while not play.over:
        if len(play.actions) % every == 0:
            yield play
        play.apply(int(rng.choice(play.legal_actions)))


def why(play, place):
    """Return the explanation of a place as sentence, mark and target, or None if there is no explanation."""
    found = TEXT.explain_illegal(play.state, place, {})
    return found and (plain_text(found.sentence, NAMES), found.rule, found.target)


def space(name):
    return f"space-{scenes.cell_of(name)}"


# --- paragraphs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 4])
def test_every_paragraph_that_is_named_is_there(seats):
    play, rng = PLAIN.new(seats, 3), np.random.default_rng(3)
    named = set()
    while not play.over:
        before = [play.observe(reader) for reader in range(-1, seats)]
        named |= {TEXT.rule_of_question(seen.state) for seen in before}
        play.apply(int(rng.choice(play.legal_actions)))
        for seen in before:
            lines = TEXT.log_lines(seen.state, NONE, play.observe(seen.seat).state)
            named |= {part.mark for line in lines for part in line if isinstance(part, RuleRef)}
    named |= {source.rule for source in TEXT.score_breakdown(play.state)}
    assert named <= MARKS
    assert {"3.1", "4.2", "5.2", "6.2", "8.2", "8.3", "8.4", "10.1", "11.1", "12.1", "13.2", "13.3", "13.4"} <= named


def test_the_log_names_sources_of_points():
    """[8.2, 9.1]"""
    play = position(
        *(f"farmer 0 at {cell}" for cell in ("h3", "i3")),
        "building post-office at k3",
        "hand 0: eagle eagle bison church",
        "do play eagle",
        "do play eagle",
    )
    before = play.state.copy()
    play.apply(play.string_to_action("place at j3"))
    (line,) = TEXT.log_lines(before, NONE, play.state)
    told = "Ann places a farmer at j3 with two eagle cards: +8 (post office 3, a group 5)."
    assert plain_text(line, NAMES) == told
    assert [part.target for part in line if hasattr(part, "target")] == [space("j3"), space("k3"), space("j3")]
    assert [part.mark for part in line if isinstance(part, RuleRef)] == ["8.2", "9.1"]


# --- public questions ------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3])
def test_legal_actions_marked_public_are_known_to_all_viewers(seats):
    """[3.1, 12.1, D20]"""
    seen = set()
    for play in wandering(seats, seed=5):
        others = [play.observe(reader) for reader in range(-1, seats) if reader != play.turn]
        public = {bool(OPEN.legal_is_public(state)) for state in (play.state, *(other.state for other in others))}
        assert len(public) == 1, "the answer gives something away"
        if public == {True}:
            seen.add((Phase(play.phase), len(play.legal_actions) == 1))
            guesses = [other.determinize(seed) for other in others for seed in range(2)]
            assert all(guess.legal_actions == play.legal_actions for guess in guesses)
    assert {(Phase.START, False), (Phase.DRAW, False), (Phase.DRAW, True)} <= seen


def test_a_useless_card_keeps_the_end_of_the_turn_private():
    """[12.3]"""
    play = position("s.seat[0].extra: 0", "hand 0: eagle eagle bison church", "do play eagle", "do play eagle")
    play.apply(play.string_to_action("place at j3"))
    for _ in range(2):
        play.apply(play.string_to_action("draw a landscape card"))
    assert OPEN.legal_is_public(play.state)
    put(play.state, READER, "stock harbor 0")
    assert not OPEN.legal_is_public(play.state)
    put(play.state, READER, "discards building: harbor harbor harbor")
    assert OPEN.legal_is_public(play.state)
    play.state.final = 1
    assert not OPEN.legal_is_public(play.state), "what was placed last could not be undone [D22]"


# --- why not ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seats", "seed"), [(2, 1), (3, 2)])
def test_illegal_places_are_explained_and_legal_ones_are_not(seats, seed):
    rng = np.random.default_rng(seed)
    for play in wandering(seats, seed, every=2):
        trees = [ET.fromstring(panel.svg) for panel in panels(play.observe(play.turn), play.legal_actions)]
        drawn = [element.attrib for tree in trees for element in tree.iter()]
        open_to = {f"space-{int(a['data-action']) - SPACE}" for a in drawn if "data-action" in a and "id" not in a}
        open_to |= {a["id"] for a in drawn if "data-action" in a and "id" in a}
        ids = {a["id"] for a in drawn if "id" in a}
        places = [name for name in ids if re.match("space-|hand-|token-|deck-", name)]
        for place in {*rng.choice(places, 12), *(name for name in places if not name.startswith("space"))}:
            found = TEXT.explain_illegal(play.state, place, {})
            assert (found is None) == (place in open_to), (place, found)
            if found:
                assert re.fullmatch(r"[A-Z].+\.", plain_text(found.sentence))
                assert found.rule in MARKS
                assert found.target in {"", *ids}


def test_a_space_is_refused_in_the_words_of_its_rule():
    """[3.1, 4.2, 5.2, 5.3, 6.2, 6.3, 6.5, 7.1, D1]"""
    play = position("farmer 1 at k8", "building church at d3", "farmer 0 at j8", "hand 0: bison eagle wagon harbor")
    assert why(play, space("a1")) == ("First choose two cards. They decide where you can place something.", "4.2", "")
    play.apply(play.string_to_action("play bison"))
    assert why(play, space("a1")) == ("First choose the card to play with the bison.", "4.2", "")
    play.apply(play.string_to_action("play eagle"))
    assert why(play, space("k8")) == ("Space k8 already holds Ben's farmer.", "5.3", space("k8"))
    assert why(play, space("j8")) == ("Your own farmer is already on j8.", "5.3", space("j8"))
    assert why(play, space("d3")) == ("A church is already on d3.", "5.3", space("d3"))
    assert why(play, space("l7")) == ("You can't place a farmer on water, and l7 is water.", "5.3", space("l7"))
    here = "Space a1 is in the row of the campfire and the column of the wagon."
    opened = f"Your bison and eagle open the areas where they cross. {here}"
    assert why(play, space("a1")) == (opened, "5.2", space("a1"))
    play.undo()
    play.apply(play.string_to_action("play joker"))
    assert why(play, space("a1"))[:2] == (f"Your bison opens its own row and column. {here}", "7.1")
    play.undo()
    play.apply(play.string_to_action("play harbor"))
    assert why(play, space("a1"))[:2] == (f"The harbor goes in the row or the column of the bison. {here}", "6.2")
    assert why(play, space("e1"))[:2] == ("A harbor goes on a plain space, and e1 is a mountain.", "6.3")
    assert why(play, space("d1"))[:2] == ("A harbor needs water beside it, and d1 has none.", "6.5")


def test_a_card_is_refused_in_the_words_of_its_rule():
    """[4.2, 6.4, 7.2, 11.3, 12.2, 12.3, D4, D5, D7, D12, D18, D19]"""
    play = position("s.seat[0].joker: 0", "hand 0: wagon church harbor eagle", "stock harbor 0")
    assert why(play, "hand-2") == ("The stack of the harbor is empty.", "6.4", "")
    assert why(play, "token-0")[0] == "You have used your joker. A warehouse makes it ready again."
    assert why(play, "token-1") == (
        "You can use the extra turn after you have played two cards and scored.",
        "11.1",
        "",
    )
    assert why(play, "deck-building")[1] == "12.1"
    play.apply(play.string_to_action("play church"))
    assert why(play, "hand-2")[1] == "D4"
    assert why(play, "hand-3")[0] == "Your church is already chosen. Choose a card to go with it, or undo."
    play.apply(play.string_to_action("play wagon"))
    assert why(play, "hand-1") == ("You have chosen your two cards. Choose a space, or undo.", "D5", "")
    play.apply(play.string_to_action("place at a9"))
    assert why(play, "hand-0") == ("You can't play any more cards in this turn. Draw cards.", "4.1", "")
    assert why(play, "token-1") == ("You can't play the cards that you have left.", "D12", "")
    assert TEXT.explain_illegal(play.state, "hand-1", {}) is None  # the useless harbor can be exchanged
    play.apply(play.string_to_action("draw a landscape card"))
    assert why(play, "token-1")[0].startswith("You have started to draw, so you can't use the extra turn now.")
    play.apply(play.string_to_action("draw a landscape card"))
    assert why(play, "deck-landscape") == ("Your hand is full. You have 4 cards.", "12.1", "")


def test_the_last_card_and_the_last_turn_are_explained():
    """[12.2, 12.3, D18]"""
    play = position("hand 0: eagle eagle wagon church", "do play eagle", "do play church")
    assert why(play, space("a1"))[1] == "6.2"
    play.apply(play.legal_actions[0])
    for said in ("use the extra turn", "play eagle", "play wagon"):
        play.apply(play.string_to_action(said))
    assert why(play, "token-1") == ("You can use only one extra turn in a turn.", "11.3", "token-1")
    play.apply(play.legal_actions[0])
    for _ in range(3):
        play.apply(play.string_to_action("draw a landscape card"))
    assert why(play, "deck-landscape")[:2] == (
        "Your last card must be a building card because a hand needs one from each deck.",
        "12.2",
    )
    play.state.final = 1
    assert why(play, "deck-building") == ("This was your last turn, so you draw no cards.", "D18", "")


def test_cards_that_open_no_space_are_explained():
    """[5.3, 6.4, D7, D19]"""
    play = position("s.seat[0].joker: 0", "hand 0: eagle eagle wagon church", "full eagle eagle 1")
    play.apply(play.string_to_action("play eagle"))
    assert why(play, "hand-1")[0] == "Your eagle is already chosen. Choose a card to go with it, or undo."
    assert why(play, "hand-2") == ("The eagle and the eagle open no empty space for a farmer.", "5.3", "")
    play.undo()
    play.state.seat[0].farmers = 0
    play.refresh()
    assert why(play, "hand-3") is None
    play.apply(play.string_to_action("play wagon"))
    assert why(play, "hand-1") == ("You have no farmer left to place.", "D19", "")
    play.undo()
    play.state.seat[0].joker = 1
    put(play.state, READER, "stock church 0")
    play.refresh()
    assert why(play, space("a1"))[1] == why(play, "token-0")[1] == "D7"


def test_hit_tests_match_the_pictures():
    play = position("hand 0: eagle bison bison church", "do play bison")
    s = play.observe(0).state
    assert VIEW.hit_test(s, 0, "board", 58 + 10.5 * 44, 53 + 7.5 * 44) == space("k8")
    assert [VIEW.hit_test(s, 0, "board", *point) for point in ((20, 80), (80, 20), (58 + 15.1 * 44, 80))] == [""] * 3
    tree = ET.fromstring(
        next(panel.svg for panel in panels(play.observe(0), play.legal_actions) if panel.name == "hand")
    )
    pieces = [element.attrib for element in tree.iter() if "id" in element.attrib]
    for piece in pieces:
        x, y = (float(number) for number in re.findall(r"--[xy]:(-?[\d.]+)px", piece["style"]))
        assert VIEW.hit_test(s, 0, "hand", x + 5, y + 5) == piece["id"]
    assert len(pieces) == 8
    assert VIEW.hit_test(s, -1, "hand", 20, 20) == VIEW.hit_test(s, 0, "tally", 20, 20) == ""


# --- gains from cards ------------------------------------------------------------------------------


def test_a_card_shows_the_most_that_it_can_earn():
    """[4.2, 8.2, 9.1]"""
    play = position(
        *(f"farmer 0 at {cell}" for cell in ("h3", "i3")),
        "building post-office at k3",
        "s.seat[0].joker: 0",
        "hand 0: eagle eagle wagon church",
    )
    said = {
        words: plain_text(TEXT.effect_text(play.state, play.string_to_action(f"play {words}")))
        for words in ("eagle", "wagon", "church")
    }
    assert said == {
        "eagle": "with the eagle: a farmer, up to +8, 5 spaces",
        "wagon": "with the eagle: a farmer, 10 spaces",
        "church": "with the eagle: a church, up to +4, 35 spaces",
    }
    assert badges(play) == {"hand-0": "0", "hand-1": "+8", "hand-2": "+8", "hand-3": "+4"}
    play.apply(play.string_to_action("play eagle"))
    assert badges(play) == {"hand-0": "0", "hand-2": "+8", "hand-3": "+4"}
    assert own_points(TEXT.effect_text(play.state, play.string_to_action("play church"))) == 4


def badges(play):
    tree = ET.fromstring(
        next(panel.svg for panel in panels(play.observe(0), play.legal_actions) if panel.name == "hand")
    )
    shown = {piece.attrib.get("id"): [part.text for part in piece.iter() if is_badge(part)] for piece in tree}
    return {name: points[0] for name, points in shown.items() if points}


def is_badge(part):
    return part.attrib.get("class") == "points"


@pytest.mark.parametrize("seed", range(3))
def test_cards_earn_the_promised_points(seed):
    rng = np.random.default_rng(seed)
    play = PLAIN.new(seats=2, seed=seed)
    while not play.over:
        if play.state.phase == Phase.FIRST:
            found = prospects(play.observe(play.turn).state)
            assert {pair: most.points for pair, most in found.items()} == played(play)
        play.apply(int(rng.choice(play.legal_actions)))


def played(play):
    """Return the most points that each pair of cards earns, found by playing all pairs."""
    most, seat = {}, play.turn
    for one in play.legal_actions:
        first = play.copy()
        first.apply(one)
        for other in first.legal_actions:
            second = first.copy()
            second.apply(other)
            if second.state.phase != Phase.SPACE:
                continue  # they are discarded
            for action in second.legal_actions:
                third = second.copy()
                third.apply(action)
                pair = min(one, other) - CARD, max(one, other) - CARD
                most[pair] = max(most.get(pair, 0), third.state.seat[seat].score - second.state.seat[seat].score)
    return most


def test_effects_mention_the_last_tile_and_the_last_round():
    """[6.4, 13.1, 13.2]"""
    play = position("stock church 1", "stock harbor 0", "hand 0: eagle eagle wagon church")
    for said in ("play church", "play eagle"):
        play.apply(play.string_to_action(said))
    effect = plain_text(TEXT.effect_text(play.state, play.legal_actions[0]))
    assert effect == "nothing yet; the last church tile; the game ends after this round"


def test_questions_fit_into_two_lines_of_a_phone():
    asked = {TEXT.question(play.observe(play.turn).state) for seed in range(3) for play in wandering(4, seed)}
    assert any("useless" in question for question in asked)
    assert any("last turn" in question for question in asked)
    assert max(map(len, asked)) <= 76


def test_a_larger_board_has_no_empty_room_around_it():
    drawn = next(panel for panel in panels(position().observe(0), []) if panel.name == "board")
    _, _, width, height = ET.fromstring(drawn.svg).attrib["viewBox"].split()
    assert f"aspect-ratio: {width} / {height};" in PLAIN.file("view/view.css").read_text("utf-8")


def test_titles_of_symbols_name_their_columns_and_rows():
    drawn = next(panel.svg for panel in panels(position().observe(0), []) if panel.name == "board")
    titles = re.findall(r"<title>(.*?)</title>", drawn)
    assert {"wagon: columns a to c", "campfire: columns m to o"} <= {*titles}
    assert {"campfire: rows 1 to 2", "wagon: rows 9 to 10"} <= {*titles}


# --- suggestions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3])
def test_courses_are_legal_step_by_step(seats):
    """[4.2, 12.1, 12.2]"""
    offered = set()
    for play in wandering(seats, seed=9, every=3):
        for course in TEXT.suggestions(play.state):
            trial = play.copy()
            for action in course.actions:
                assert action in trial.legal_actions
                trial.apply(action)
            offered.add((Phase(play.phase), len(course.actions)))
            assert trial.phase in (Phase.SPACE, Phase.DRAW)
            assert trial.turn == play.turn
    assert {(Phase.FIRST, 2), (Phase.EXTRA, 2), (Phase.DRAW, 2)} <= offered


def test_the_best_two_cards_and_the_usual_hand_are_offered_first():
    play = position(
        *(f"farmer 0 at {cell}" for cell in ("h3", "i3")), "s.seat[0].extra: 0", "hand 0: eagle eagle wagon church"
    )
    courses = TEXT.suggestions(play.state)
    assert [plain_text(course.offer) for course in courses] == ["Eagle and eagle"]
    assert plain_text(courses[0].effect) == "a farmer, up to +5, 6 spaces"
    for action in courses[0].actions:
        play.apply(action)
    play.apply(play.legal_actions[0])
    draws = [plain_text(course.offer) for course in TEXT.suggestions(play.state)]
    assert draws == ["Draw 2 landscapes"]
    put(play.state, READER, "hand 0: eagle")
    assert [plain_text(course.offer) for course in TEXT.suggestions(play.state)] == ["Draw 2 landscapes, 1 building"]
    put(play.state, READER, "hand 0: church church")
    assert [plain_text(course.offer) for course in TEXT.suggestions(play.state)] == ["Draw 2 landscapes"]
    assert TEXT.suggestions(play.observe(1).state) == []


def test_the_number_of_an_empty_deck_is_marked_itself():
    # A browser that steps through a replay may lose colours set by rules on neighbouring elements.
    full, empty = (str(PLAIN.view.hand.deck(0, left)) for left in (1, 0))
    assert 'class="count"' in full
    assert 'class="count bare"' in empty
    assert ".deck .none +" not in PLAIN.file("view/view.css").read_text("utf-8")


def test_places_and_cards_that_earn_nothing_show_zero():
    board = PLAIN.view.board
    assert ">0<" in str(board.promise(7, 0, (), False))
    assert 'class="promise poor"' in str(board.promise(7, 0, (), True))
    assert ">0<" not in str(board.promise(7, 0, ("coal",), False))  # the gain is drawn as a symbol
    assert 'class="promise most"' in str(board.promise(7, 3, (), True))
    play = next(play for play in wandering(2, 1) if play.phase == Phase.SPACE)
    drawn = panels(play.observe(play.turn), play.legal_actions)[0].svg
    assert drawn.count('class="promise') == sum(action >= SPACE for action in play.legal_actions)
    play = next(play for play in wandering(2, 1) if play.phase == Phase.FIRST and not TEXT.actions.stuck(play.state))
    hand = panels(play.observe(play.turn), play.legal_actions)[1].svg
    assert hand.count('class="promise') == hand.count("data-action")
