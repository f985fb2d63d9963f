"""Tests of the pictures of Orchard. Docstrings cite RULES.md."""

import re
from random import Random
from xml.etree import ElementTree as ET

import pytest

import almunia
from almunia.core.english import signed
from almunia.core.rich_text import own_points, plain_text
from almunia.games.orchard import components as box, rules
from almunia.games.orchard.tests import naive, scenes
from almunia.games.orchard.text import words
from almunia.games.orchard.view import hand, orchard
from almunia.games.orchard.view.drawing import U
from almunia.play.panels import panels, preview
from almunia.scenario import put

PLAIN = almunia.game("orchard", "plain")
WORDS, ORCHARD = PLAIN.checked(words), PLAIN.checked(orchard)
FRUIT = {"A": "apple", "P": "pear", "L": "plum"}
LETTER = 10.5  # width of a digit in the picture of the hand, in its units
APART = 5
SVG = "{http://www.w3.org/2000/svg}"


def pictures(play, reader, legal=()):
    """Return the seat and the element tree of each panel that a reader gets, by name."""
    drawn = panels(play.observe(reader), legal)
    return {panel.name: (panel.seat, ET.fromstring(panel.svg)) for panel in drawn}


def find_all(tree, *classes):
    return [element for element in tree.iter() if {*classes} <= {*element.get("class", "").split()}]


def moved_to(element):
    x, y = re.fullmatch(r"transform:translate\((.*)px,(.*)px\)", element.get("style")).groups()
    return float(x), float(y)


def middle(row, column):
    """[D7]"""
    return (column + 0.5) * U, (row + 0.5) * U


def trees_in(card):
    left, top = moved_to(card)
    uses = card.findall(f"{SVG}use") or card.findall("use")
    return {(left + float(use.get("x")), top + float(use.get("y"))): use.get("href").partition("-")[2] for use in uses}


def place_of(action):
    way, cell = divmod(action, box.CELLS)
    row, column = divmod(cell, box.SIDE)
    return way // 4, way % 4, row - box.CENTRE, column - box.CENTRE


@pytest.fixture(scope="module")
def advanced():
    """Return a play of three seats after some rounds, with seat 0's next card chosen."""
    play, rng = PLAIN.new(seats=3, seed=3), Random(5)
    for _ in range(13):
        gaining = [a for a in play.legal_actions if "rot" not in plain_text(PLAIN.text.effect_text(play.state, a))]
        rotting = [a for a in play.legal_actions if a not in gaining]
        play.apply(rng.choice(rotting if rotting and play.turn == 1 and len(play.actions) < 3 else gaining))
    assert play.turn == 1
    return play


@pytest.mark.parametrize("reader", [-1, 0, 1, 2])
def test_every_orchard_is_drawn_like_the_state(advanced, reader):
    found = pictures(advanced, reader)
    own = max(reader, 0)
    names = {"orchard": own} | {f"orchard-{p}": p for p in range(3) if p != own}
    assert {name: seat for name, (seat, _) in found.items() if name != "hand"} == names
    for name, p in names.items():
        compare_orchard(advanced.state, p, found[name][1])
        assert bool(find_all(found[name][1], "pending")) == (p == reader == 0)  # [D8]


def tree_in_words(s, me, cell):
    kind, die = WORDS.trees_of(me)[cell], [d for d in range(box.DICE) if me.die_cell[d] == cell and me.die_step[d]]
    value = f", {box.LADDER[s.edition, me.die_step[die[0]]]}" if die else ""
    fruit = "rotten" if kind == rules.ROTTEN else list(FRUIT.values())[kind] + value
    return f"{WORDS.way_to(cell).capitalize()}: {fruit}"


def compare_orchard(s, p, tree):
    me = s.seat[p]
    drawn = {element.get("id"): element for element in tree.iter() if element.get("id")}
    for i in range(me.laid):
        row, column = (line - box.CENTRE for line in divmod(me.cell[i], box.SIDE))
        card = drawn[f"o{p}-card-{me.card[i]}"]
        cells = naive.spread(me.card[i], me.turned[i], row, column)
        assert trees_in(card) == {middle(*cell): FRUIT[letter] for cell, letter in cells.items()}
    assert [card.get("id") for card in find_all(tree, "newest")] == [f"o{p}-card-{me.card[me.laid - 1]}"]
    for die in range(box.DICE):
        name = f"o{p}-die-{die}"
        assert (name in drawn) == (me.die_step[die] > 0)
        if name in drawn:
            row, column = divmod(me.die_cell[die], box.SIDE)
            assert moved_to(drawn[name]) == middle(row - box.CENTRE, column - box.CENTRE)
            assert "".join(drawn[name].itertext()) == ["", "1", "3", "6", "10"][me.die_step[die]]
            assert FRUIT["APL"[die // 5]] in drawn[name].get("class")
    heard = [element.findtext(f"{SVG}title") for element in tree if element.find(f"{SVG}title") is not None]
    assert heard == [tree_in_words(s, me, cell) for cell in WORDS.trees_of(me)]
    lying = [element for element in tree if element.get("class") == "rotten"]
    rotten = [divmod(cell, box.SIDE) for cell, kind in WORDS.trees_of(me).items() if kind == rules.ROTTEN]
    assert {moved_to(token) for token in lying} == {
        middle(row - box.CENTRE, column - box.CENTRE) for row, column in rotten
    }


@pytest.mark.parametrize("reader", [0, 1, 2])
def test_the_hand_is_the_readers(advanced, reader):
    """[3.4, D8]"""
    legal = advanced.legal_actions if reader == advanced.turn else ()
    _, tree = pictures(advanced, reader, legal)["hand"]
    me = advanced.state.seat[reader]
    assert [card.get("id") for card in find_all(tree, "held")] == [f"hand-{number}" for number in me.hand if number]
    spent = {element.get("id") for element in find_all(tree, "held", "spent")}
    chosen = {f"hand-{me.hand[place_of(me.choice)[0]]}"} if me.choice != rules.NONE else set()
    assert (spent, bool(chosen)) == (chosen, reader == 0)
    for card, *after in (place for place in tree if place.get("id", "").startswith("slot-")):
        slot = list(me.hand).index(int(card.get("id").removeprefix("hand-")))
        chips = after[0] if after else ET.Element("nothing")
        ways = {way.get("class").split()[-1]: "".join(way.itertext()) for way in find_all(chips, "way")}
        best = {f"way-{90 * turned}": max(gains) for turned, gains in gains_of(advanced, legal, slot).items()}
        assert ways == {way: written(points) for way, points in best.items()}
        number = card.get("id").removeprefix("hand-")
        parts = {
            (way.get("data-of-card"), way.get("data-part"), way.get("data-value")) for way in find_all(chips, "way")
        }
        assert parts == {(number, "turned", way.removeprefix("way-")) for way in best}
        names = [way.get("data-name") for way in find_all(chips, "way")]
        assert all(name.startswith(f"Card {number}, ") for name in names)
        assert len({*names}) == len(names)
        assert (card.get("data-part") is not None) == bool(best)


def test_a_card_of_the_hand_is_named_by_its_trees():
    play = PLAIN.new(seed=1, deal="2 18 1 3 5 6 7 8 9")
    _, tree = pictures(play, 0, play.legal_actions)["hand"]
    names = [card.get("data-name") for card in find_all(tree, "held")]
    assert names == [
        "Card 18: apple and apple, pear and plum, pear and plum",
        "Card 1: plum and apple, apple and plum, pear and pear",
    ]


def gains_of(play, legal, slot):
    found = {}
    for action in legal:
        where, turned, *_ = place_of(action)
        if where == slot:
            found.setdefault(turned, []).append(own_points(PLAIN.text.effect_text(play.state, action)))
    return found


def written(points):
    return signed(points) if points else "0"


@pytest.mark.parametrize("half", ["first", "second"])
def test_the_pile_is_that_of_the_nine_cards_in_play(half):
    """[D10]"""
    _, tree = pictures(PLAIN.new(seed=3, half=half), 0)["hand"]
    (pile,) = find_all(tree, "pile")
    assert [text.text for text in pile if text.tag.endswith("text")] == ["6"]
    assert len(find_all(pile, "back")) == 3


def put_at(element):
    return tuple(
        map(float, re.fullmatch(r"translate\((.*)\)", element.get("transform")).group(1).replace(",", " ").split())
    )


def test_targets_are_in_the_middle_of_cards_and_show_gains(advanced):
    """[3.1, 4, 5, D7]"""
    found = kinds_of_places(advanced) | kinds_of_places(PLAIN.new(seats=3, seed=1))
    assert found == {"poor", "good", "best"}


def kinds_of_places(play):
    """Check the places for cards against their gains, and return the kinds of places."""
    _, tree = pictures(play, play.turn, play.legal_actions)["orchard"]
    places = {int(element.get("data-action")): element for element in find_all(tree, "target")}
    assert set(places) == set(play.legal_actions)
    kinds = set()
    for action, place in places.items():
        slot, turned, row, column = place_of(action)
        cells = [*naive.spread(play.state.seat[play.turn].hand[slot], turned, row, column)]
        ends = middle(*cells[0]), middle(*cells[-1])
        assert put_at(place) == tuple(sum(axis) / 2 for axis in zip(*ends, strict=True))
        points = own_points(PLAIN.text.effect_text(play.state, action))
        best = points == max(gains_of(play, play.legal_actions, slot)[turned])
        kind = "poor" if points <= 0 else "best" if best else "good"
        assert ("".join(place.itertext()), place.get("class").split()[-1]) == (written(points), kind)
        kinds.add(kind)
    return kinds


def test_all_places_fit_into_a_frame_that_is_kept_until_a_card_is_laid(advanced):
    before, after = advanced.copy(), advanced.copy()
    after.apply(advanced.legal_actions[0])
    frames = [pictures(play, 1, play.legal_actions)["orchard"][1].get("viewBox") for play in (before, after)]
    assert frames[0] == frames[1]
    left, top, width, height = map(float, frames[0].split())
    for action in advanced.legal_actions:
        _, turned, row, column = place_of(action)
        assert left < column * U < (column + int(box.WIDTH[turned])) * U < left + width
        assert top < row * U < (row + int(box.HEIGHT[turned])) * U < top + height
    _, far = pictures(advanced, 1)["orchard-0"]
    rows, columns = zip(*(divmod(cell, box.SIDE) for cell in WORDS.trees_of(advanced.state.seat[0])), strict=True)
    spans = [(max(lines) - min(lines) + 1) * U for lines in (columns, rows)]
    assert all(span < float(side) < span + U for span, side in zip(spans, far.get("viewBox").split()[2:], strict=True))


def without_supply(state):
    """Return a state in which all dice of the seat to move lie somewhere."""
    found = state.copy()
    me = found.seat[found.turn]
    for die in range(box.DICE):
        if me.die_cell[die] == rules.NOWHERE:
            me.die_cell[die], me.die_step[die] = 0, 1
    return found


def test_a_card_is_foreseen_as_the_rules_lay_it():
    for seed in range(8):
        rng, play = Random(seed), PLAIN.new(seats=2, seed=seed)
        while not play.over:
            placing = play.legal_actions[0] < rules.LAST_DIE
            for action in play.legal_actions[::5] if placing else ():
                for state in (play.state.copy(), without_supply(play.state)):
                    me = state.seat[state.turn]
                    number, turned, cell = WORDS.decode(state, action)
                    notes = ORCHARD.notes_below(me, turned, cell), ORCHARD.noted(me)[1]
                    seen = ORCHARD.foreseen(number, turned, cell, *notes, state.edition)
                    me.choice = action
                    laid = ORCHARD.as_laid(state, state.turn)
                    assert seen._replace(dice=tuple(sorted(seen.dice))) == laid._replace(dice=tuple(sorted(laid.dice)))
            play.apply(rng.choice(play.legal_actions))


def test_a_ghost_is_the_card_as_it_would_lie(advanced):
    for action in advanced.legal_actions[::17]:
        tree = ET.fromstring(preview(advanced.observe(1), action))
        slot, turned, row, column = place_of(action)
        cells = naive.spread(advanced.state.seat[1].hand[slot], turned, row, column)
        assert trees_in(find_all(tree, "card")[0]) == {middle(*cell): FRUIT[fruit] for cell, fruit in cells.items()}
        promised = signed(own_points(PLAIN.text.effect_text(advanced.state, action)))
        assert "".join(find_all(tree, "gain")[0].itertext()) == promised
        after = advanced.copy()
        after.apply(action)
        after.apply(after.legal_actions[0])  # seat 2 chooses, and all cards are laid
        me = after.state.seat[1]
        lying = {me.die_cell[die]: str(box.LADDER[0, me.die_step[die]]) for die in range(box.DICE) if me.die_step[die]}
        there = {}
        for cell, points in lying.items():
            line, place = (number - box.CENTRE for number in divmod(cell, box.SIDE))
            if (line, place) in cells:
                there[middle(line, place)] = points
        assert {moved_to(die): "".join(die.itertext()) for die in find_all(tree, "die")} == there


def test_a_last_die_is_on_neither_tree_before_the_decision():
    """[D2]"""
    play = PLAIN.new(seed=1, deal="2 4 1 3 5 6 7 8 9")
    reader = PLAIN.checked(scenes)
    for change in ("card 17 at 10,10", "card 18 at 10,14"):
        put(play.state, reader, change)
    for cell in ("11,10", "12,11", "11,14", "12,14"):
        put(play.state, reader, f"die pear 1 at {cell}")
    play.refresh()
    play.apply(play.string_to_action("place 4 at 1,0"))
    _, tree = pictures(play, 0, play.legal_actions)["orchard"]
    (pending,) = find_all(tree, "pending")
    assert not find_all(pending, "die", "pear")
    assert {moved_to(die) for die in find_all(pending, "die")} == {middle(1, 0), middle(1, 1)}
    spots = {put_at(spot) for spot in find_all(tree, "target")}
    assert spots == {middle(2, 0), middle(2, 1)}
    for action, cell in zip(play.legal_actions, ((2, 0), (2, 1)), strict=True):
        (die,) = find_all(ET.fromstring(preview(play.observe(0), action)), "die")
        assert (moved_to(die), die.get("class")) == (middle(*cell), "die pear")


def test_the_number_of_a_card_has_a_background():
    numbers = set()
    for seed in range(60):
        for shown in find_all(pictures(PLAIN.new(seed=seed), 0)["hand"][1], "number"):
            ground, text = shown
            numbers.add(len(text.text))
            assert float(ground.get("width")) >= LETTER * len(text.text) + 4
    assert numbers == {1, 2}


def test_the_pile_does_not_overlap_the_cards_of_a_narrow_hand():
    strip = pictures(PLAIN.new(seed=7), 0)["hand"][1]
    (pile,) = find_all(strip, "pile")
    held = sorted(float(re.search(r"--nx:([\d.]+)", card.get("style"))[1]) for card in find_all(strip, "held"))
    at = float(re.search(r"--nx:([\d.]+)", pile.get("style"))[1])
    assert held[0] + hand.SQUARE + APART <= at
    assert at + hand.PILE_X + APART <= held[1] + U / 2  # the second card is upright
