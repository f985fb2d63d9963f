"""Tests of Alpujarras: data, setup, rules, hidden cards, words, pictures and bots. Docstrings cite RULES.md."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.stats import chisquare

import almunia
from almunia.core.contract import ElementRef, Points, Role, RuleRef, SeatName
from almunia.games.alpujarras import components as box
from almunia.games.alpujarras.components import COLOURS, DATA, FRUITS, SEGMENT_KINDS
from almunia.games.alpujarras.rules import phases, state as numbers
from almunia.games.alpujarras.rules.state import Phase
from almunia.games.alpujarras.tests import scenes
from almunia.scenario import put

PLAIN = almunia.game("alpujarras", "plain")
FAST = almunia.game("alpujarras")


def prepared(seats: int, *words: str, seed: int = 1) -> almunia.Play:
    play, reader = PLAIN.new(seats=seats, seed=seed), PLAIN.checked(scenes)
    for change in words:
        put(play.state, reader, change)
    play.refresh()
    return play


def told(play: almunia.Play, words: str) -> list[str]:
    before = play.copy()
    action = play.string_to_action(words)
    play.apply(action)
    lines = PLAIN.text.log_lines(before.observe(0).state, action, play.observe(0).state)
    return ["".join(plain(piece) for piece in line) for line in lines]


def plain(piece) -> str:
    match piece:
        case SeatName(seat):
            return f"P{seat}"
        case Points(value):
            return f"{value:+d}"
        case ElementRef(words, _):
            return words
        case RuleRef():
            return ""
    return piece


# --- the data --------------------------------------------------------------------------------------------


def test_the_data_keep_the_documented_facts():
    assert FRUITS == ("orange", "lemon", "apple", "cherry", "grape")
    assert dict(zip(COLOURS, FRUITS, strict=True))["green"] == "apple"
    assert (box.FARMERS, box.FRUIT_EACH, box.CARDS, box.TOKENS) == (15, 21, 20, 25)
    assert list(box.BUYS_DIRHEMS) == [0, 0, 0, 0, 1, 3]
    assert "Reconstruction 1" in PLAIN.meta.data


# --- setting up --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("deals", [120, pytest.param(200, marks=pytest.mark.exhaustive)])
def test_the_track_alternates_and_uses_the_right_sides(seats, deals):
    """[1.2, 2.1, D1]"""
    firsts = Counter()
    for seed in range(deals):
        s = PLAIN.new(seats=seats, seed=seed).state
        order = list(dict.fromkeys(box.PLACE_SEGMENT[place] for place in s.track if place >= 0))
        kinds = [SEGMENT_KINDS[segment] for segment in order]
        assert kinds == DATA["setup"]["segment_order"]
        firsts[order[1], order[2]] += 1
    assert len(firsts) == 16
    assert sum(place >= 0 for place in s.track) == (80 if seats == 4 else 61)


@pytest.mark.parametrize(("seats", "each"), [(2, 4), (3, 4), (4, 5)])
def test_villages_get_their_tokens_of_three_kinds(seats, each):
    """[2.2, 2.3, D36]"""
    for seed in range(100):
        token = PLAIN.new(seats=seats, seed=seed).array["token"][0]
        assert (token.sum(axis=(1, 2)) == each).all()
        assert ((token.sum(axis=2) > 0).sum(axis=1) >= 3).all()
        assert (token.sum(axis=0) == [2 if seats == 4 else 1, 1, 1, 1]).all()


@pytest.mark.compiled
def test_every_token_comes_to_every_village_as_often():
    """[2.2, D36]"""
    there = sum(FAST.new(seats=3, seed=seed).array["token"][0].astype(int) for seed in range(3000))
    for fruit in range(box.LANDS):
        for size in range(box.SIZES):
            assert chisquare(there[:, fruit, size]).pvalue > 1e-5


@pytest.mark.parametrize(("seats", "field"), [(2, 2), (3, 2), (4, 3)])
def test_everything_is_laid_out(seats, field):
    """[2.4-2.10, 11.1, D37, D40]"""
    s = PLAIN.new(seats=seats, seed=5).state
    standing = sorted(position for position in s.mule if position >= 0)
    assert standing == list(range(4 if seats == 4 else 3))
    assert (s.mule[2] >= 0, s.mule[3] >= 0) == (True, seats == 4)
    assert [s.seat[p].farmers for p in range(seats)] == [15] * seats
    assert s.growing[COLOURS.index("green"), FRUITS.index("lemon")] == field
    assert list(s.supply) == [20 - 3 * field] * 5
    assert sorted(s.market) == sorted(s.award) == list(range(5))
    assert [goal // 2 for goal in s.goal] == [0, 1, 2, 3]
    assert (s.left, s.goal_tokens, list(s.flipped)) == (17, 10, [0] * 5)
    assert scenes.broken(s) == ""
    assert PLAIN.meta.seats == (2, 4)


@pytest.mark.compiled
def test_luck_is_even():
    """[2.4, 2.6-2.9, D39]"""
    states = [FAST.new(seats=4, seed=seed).array for seed in range(2000)]
    for field, values in (("market", 5), ("award", 5), ("mule", 4)):
        first = Counter(int(state[field][0, 0]) for state in states)
        assert chisquare([first[value] for value in range(values)]).pvalue > 1e-5
    two = [FAST.new(seats=2, seed=seed).array["mule"][0] for seed in range(900)]
    for mule in range(3):
        places = Counter(int(mules[mule]) for mules in two)  # the third is Zara's [11.1]
        assert chisquare([places[place] for place in range(3)]).pvalue > 1e-5
    for seats in (2, 3, 4):
        begun = Counter(FAST.new(seats=seats, seed=seed).turn for seed in range(600))
        assert chisquare([begun[seat] for seat in range(seats)]).pvalue > 1e-5
    for card in range(4):
        sides = Counter(int(state["goal"][0, card]) % 2 for state in states)
        assert chisquare([sides[0], sides[1]]).pvalue > 1e-5
    opened = Counter(int(card) for state in states for card in state["open"][0])
    assert chisquare([opened[card] for card in range(20)]).pvalue > 1e-5


# --- rules that take many lines ------------------------------------------------------------------------------

GOALS = [  # a position that meets the goal, and a position that just misses it
    ("fruit3", ["fruit 1 apple", "fruit 1 cherry", "fruit 1 grape"], ["fruit 3 apple", "fruit 3 cherry"]),
    ("fruit_pairs", ["fruit 2 apple", "fruit 2 cherry"], ["fruit 5 apple", "fruit 1 cherry"]),
    ("farmers3", ["farmers 3 in red"], ["farmers 2 in red", "farmers 2 in green", "villagers 3 in red"]),
    ("farmers2x2", ["farmers 2 in red", "farmers 2 in green"], ["farmers 5 in red", "farmers 1 in green"]),
    (
        "tokens3",
        ["token 2 apple taken", "token 3 cherry taken", "token 4 grape taken"],
        ["token 2 apple taken", "token 3 apple taken", "token 4 grape taken"],
    ),
    ("tokens_same2", ["token 2 apple taken", "token 4 apple taken"], ["token 2 apple taken", "token 2 cherry taken"]),
    (
        "villages4",
        ["villagers 1 in red", "villagers 1 in green", "villagers 1 in orange", "villagers 1 in yellow"],
        ["villagers 2 in red", "villagers 1 in green", "villagers 1 in orange", "farmers 3 in yellow"],
    ),
    ("villages2x2", ["villagers 2 in red", "villagers 2 in green"], ["villagers 3 in red", "villagers 1 in green"]),
]


@pytest.mark.parametrize(("goal", "enough", "too_little"), GOALS, ids=[goal[0] for goal in GOALS])
def test_goals_are_met(goal, enough, too_little):
    """[7.8-7.11, D21, D22]"""
    for words, met in ((enough, True), (too_little, False)):
        play = prepared(4, "segments in order", "mules 19 22 23 24", f"goals {goal}", *words)
        play.apply(play.string_to_action("go to 20"))
        spoken = [play.action_to_string(action) for action in play.legal_actions]
        assert any(said.startswith(f"goal {goal} ") for said in spoken) == met


def zara_walks(here: int, players: tuple[int, int], die: int) -> int:
    from almunia.games.alpujarras.rules import zara

    play = prepared(2, "segments in order", f"mules {players[0]} {players[1]} {here}")
    return PLAIN.checked(zara).walk(play.state, here - 1, die) + 1


@pytest.mark.parametrize(
    ("here", "players", "die", "there"),
    [
        (1, (2, 3), 2, 5),  # from a start spot: other spots of the go space are not counted
        (4, (5, 6), 1, 7),  # places with mules are not counted
        (4, (9, 10), 6, 12),  # four spaces, then two spots of the market, which begins at 11
        (9, (20, 21), 4, 13),  # she counts on from spot to spot, up to the last spot
        (9, (11, 21), 2, 12),  # over free spots only
        (9, (12, 13), 6, 11),
        (11, (20, 21), 1, 14),  # leaving a market, its other spots are not counted
        (11, (12, 14), 3, 17),
        (52, (60, 61), 6, 55),
        (56, (60, 61), 6, 59),  # in the end space she takes the first free spot
        (57, (59, 60), 6, 61),
    ],
)
def test_zara_walks_over_free_places_and_stops_in_time(here, players, die, there):
    """[11.5, 11.6, 11.9, D32]"""
    assert zara_walks(here, players, die) == there


@pytest.mark.compiled
def test_zara_rolls_every_number_as_often():
    """[11.4, D39]"""
    rolled = Counter()
    for seed in range(3000):
        play = FAST.new(seats=2, seed=seed)
        if play.phase == Phase.ZARA_ROLL:
            play.apply(play.legal_actions[0])
            rolled[play.state.die] += 1
    assert chisquare([rolled[pips] for pips in range(1, 7)]).pvalue > 1e-5


def test_a_turn_can_be_taken_back_to_the_last_card_turned_up():
    """[D41]"""
    start = ("segments in order", "mules 12 13 14 15", "open d05 d12 d13", "fruit 3 lemon", "fruit 1 cherry")
    play = prepared(4, *start, "farmers 1 in red", "token 2 lemon in red", "award a1 green in red")
    play.apply(play.string_to_action("go to 16"))
    play.apply(play.string_to_action("deliver card d05"))
    assert not play.can_undo
    play.apply(play.string_to_action("deliver 2 lemon to red"))
    play.apply(play.string_to_action("skip move"))
    play.undo()
    play.undo()
    assert not play.can_undo


# --- hidden cards ----------------------------------------------------------------------------------------------


def test_only_the_order_of_the_deck_is_hidden():
    """[2.7, D38, D51]"""
    play = prepared(2, "deck d05 d06")
    for seat in (-1, 0, 1):
        seen = play.observe(seat)
        assert scenes.look(seen.state, "top") == "apple, arrow up"
        assert not any(0 <= card < box.CARDS for card in seen.state.deck)
        assert (seen.state.seat[1].token[0, 0], seen.state.seat[1].norias) == (0, 0)
        assert "apple, arrow up" in seen.board()
        assert seen.parts()["back"].argmax() == box.BACK[box.CARD_IDS.index("d05")]


@pytest.mark.parametrize("guesses", [120, pytest.param(400, marks=pytest.mark.exhaustive)])
def test_determinizations_keep_the_back_and_known_cards(guesses):
    """[D38, D49]"""
    start = ("segments in order", "mules 20 21 16", "deck d05 d06")
    play = prepared(2, *start)
    play.apply(play.legal_actions[0])
    play.apply(play.legal_actions[0])
    tops = Counter()
    for seed in range(guesses):
        guess = play.observe(0).determinize(seed).state
        tops[box.CARD_IDS[guess.deck[guess.left - 1]]] += 1
        assert (guess.known, box.CARD_IDS[guess.deck[0]]) == (1, "d05")
        assert scenes.broken(guess) == ""
    state, back = play.state, box.BACK[box.CARD_IDS.index("d06")]
    hidden = [card for card in list(state.deck)[1 : state.left] if box.BACK[card] == back]
    assert len(hidden) == 2
    assert set(tops) == {box.CARD_IDS[card] for card in hidden}
    assert chisquare(list(tops.values())).pvalue > 1e-5


# --- the order of questions -----------------------------------------------------------------------------------------

ORDER = {  # the order of RULES.md
    Phase.PICK: "the fruit where you added or moved a farmer",
    Phase.TO: "where a farmer moves to",
    Phase.CALL: "the farmer for a goal card",
    Phase.BUY: "the farmer that you bought",
    Phase.GIVE: "the fruit that you return in an exchange",
    Phase.TAKE: "the fruit that you take",
    Phase.CROP: "the crop of a new field",
    Phase.OVERFLOW: "norias beyond five",
    Phase.AWARD: "the award",
    Phase.MARKET: "the other half of the market action",
    Phase.GO: "the move of the mule",
    Phase.ACT: "what else the place offers",
}


def test_questions_have_the_order_of_the_rules():
    """[D56]"""
    lines = PLAIN.file("RULES.md").read_text("utf-8")
    paragraph = " ".join(lines.partition("- **D56** ")[2].partition("\n\n")[0].split())
    assert paragraph == f"Within a turn, the questions come in this order: {'; '.join(ORDER.values())}."


@pytest.mark.parametrize("can_go_on", [True, False], ids=["another half", "no other half"])
def test_later_questions_wait_for_earlier_ones(can_go_on):
    """[3.8, 8.2, D54, D56]"""
    space = next(i for i, land in enumerate(box.LEADS_TO) if land != numbers.NONE)
    bought, award = (f"s.owed[{owing}].todo[{box.ADD}]" for owing in (numbers.BOUGHT, numbers.AWARD))
    market = f"s.owed[{numbers.SPACE}].todo[{box.MARKET}]"
    begun = {  # by question: the changes that make it wait, and those that settle it
        Phase.PICK: ("s.joined_land: 0", "s.joined_land: -1"),
        Phase.TO: ("s.moving_from: 0", "s.moving_from: -1"),
        Phase.CALL: ("s.calling_farmer: 1", "s.calling_farmer: 0"),
        Phase.BUY: (f"{bought}: 1", f"{bought}: 0"),
        Phase.GIVE: ("s.exchanging: 1", "s.given: 0"),
        Phase.TAKE: ("s.given: -1", "s.exchanging: 0"),
        Phase.CROP: (f"s.watered_space: {space}", f"s.channel[{space}]: 0"),
        Phase.OVERFLOW: ("s.noria_overflow: 6", "s.noria_overflow: 0"),
        Phase.AWARD: (f"{award}: 1", f"{award}: 0"),
        Phase.MARKET: (f"{market}: 1", f"{market}: 0"),
        Phase.GO: ("s.moved: 0", "s.moved: 1"),
    }
    fruit = [f"fruit 2 {name}" for name in FRUITS] if can_go_on else []
    channel = f"s.channel[{space}]: {numbers.DUG}"
    play = prepared(3, "s.turn: 0", "s.token_taken: 1", channel, *fruit, *(new for new, _ in begun.values()))
    twin, reader, asked = PLAIN.checked(phases), PLAIN.checked(scenes), []
    for _ in range(len(ORDER) - (not can_go_on)):
        twin.next_phase(play.state)
        asked.append(Phase(play.state.phase))
        if asked[-1] in begun:
            put(play.state, reader, begun[asked[-1]][1])
    assert asked == [phase for phase in ORDER if can_go_on or phase != Phase.MARKET]
    assert play.state.watered_space == numbers.NONE  # the field has its crop
    assert play.state.owed[numbers.SPACE].todo[box.MARKET] == 0


# --- words, pictures, bots ----------------------------------------------------------------------------------------


def test_the_log_reports_actions():
    play = prepared(
        4, "segments in order", "mules 6 8 9 10", "fruit 2 lemon", "token 2 lemon in orange", "s.seat[0].norias: 5"
    )
    assert told(play, "go to 7") == ["P0 goes to space 7 (add a farmer to orange and take 1 noria)."]
    assert told(play, "add to orange") == ["P0 adds a farmer to the orange farmland."]
    assert told(play, "pick grape") == ["P0 picks a grape in the orange farmland."]
    assert told(play, "take norias") == []
    assert told(play.copy(), "take what fits") == ["P0 loses 1 noria."]
    assert told(play, "spend 1") == ["P0 spends 1 noria."]
    assert told(play, "return grape") == []
    assert told(play, "receive cherry") == ["P0 exchanges a grape for a cherry."]
    assert told(play, "take what fits") == ["P0 takes 1 noria."]
    assert told(play, "end turn") == []


def test_the_log_reports_zara():
    play = prepared(2, "segments in order", "mules 20 21 16", "deck d05 d06")
    assert told(play, "roll Zara's die")[0].startswith("Zara rolls ")
    line = "Zara flips the card of lemon and cherry: a lemon and a cherry leave the green farmland."
    assert told(play, "Zara's harvest") == [line]
    play = prepared(2, "segments in order", "mules 20 21 10", "deck d05 d06", "token 5 apple in green")
    told(play, "roll Zara's die")
    assert told(play, "Zara's market") == [
        "Zara sees an apple and an arrow pointing up: the token for 5 apples leaves the green village."
    ]


def test_purchases_are_offered_exactly_when_they_are_allowed():
    """[3.8, 6.4, D16]"""
    play = PLAIN.new(seats=3, seed=8)
    rng = np.random.default_rng(8)
    allowed = Counter()
    while not play.over:
        can_buy = any(numbers.BUY <= action < numbers.GIVE for action in play.legal_actions)
        allowed[play.phase] += can_buy
        near = play.legal_actions[:6] if play.phase == Phase.GO else play.legal_actions
        play.apply(int(rng.choice(near)))
    assert {phase for phase, times in allowed.items() if times} <= {Phase.GO, Phase.ACT, Phase.OVERFLOW}
    assert allowed[Phase.GO]
    assert allowed[Phase.ACT]


def shown(play: almunia.Play):
    from almunia.play.panels import panels

    seen = play.observe(play.turn)
    return panels(seen, seen.legal_actions)


def asked_all() -> Iterator[almunia.Play]:
    """Yield a random play before each of its actions, then two constructed positions."""
    play, rng = PLAIN.new(seats=2, seed=27), np.random.default_rng(27)
    while not play.over:
        yield play
        near = play.legal_actions[:6] if play.phase == Phase.GO else play.legal_actions
        play.apply(int(rng.choice(near)))
    fruit = ("fruit 1 apple", "fruit 1 cherry", "fruit 1 grape")
    goal = ("segments in order", "mules 19 22 23 24", "goals fruit3", *fruit)
    for words in (
        ("farmers 2 in red", "farmers 1 in green", "s.seat[0].farmers: 0"),
        ("s.seat[0].norias: 5", "farmers 1 in red"),
    ):
        play = prepared(4, *goal, *words)
        play.apply(play.string_to_action("go to 20"))
        play.apply(play.string_to_action("goal fruit3 space 4"))
        yield play


def test_every_choice_can_be_clicked_in_the_picture():
    seen = Counter()
    for play in asked_all():
        seen[Phase(play.phase)] += 1
        if seen[play.phase] <= 3:
            drawn = "".join(panel.svg for panel in shown(play))
            assert all(f'data-action="{action}"' in drawn for action in play.legal_actions)
    assert set(seen) == set(Phase)


def test_seat_facts_and_sources_of_points_are_right():
    """[10.5, 10.6]"""
    play = prepared(4, "segments in order", "mules 12 13 14 15", "fruit 3 lemon", "farmers 1 in red")
    put(play.state, PLAIN.checked(scenes), "token 2 lemon in red")
    play.refresh()
    play.apply(play.string_to_action("go to 16"))
    play.apply(play.string_to_action("deliver 2 lemon to red"))
    seen = play.observe(0)
    facts = dict(PLAIN.text.seat_facts(seen.state, 0))
    assert {name: facts[name] for name in ("Lemons", "Tokens", "Goals")} == {"Lemons": "1", "Tokens": "1", "Goals": "0"}
    earned = {source.name: source.points for source in PLAIN.text.score_breakdown(seen.state)}
    assert earned["Delivery tokens"] == (3, 0, 0, 0)


def test_delivered_tokens_are_a_secondary_panel():
    """[D51]"""
    play = prepared(3, "token 4 apple taken")
    panels = {panel.name: panel for panel in shown(play)}
    assert panels["deliveries"].role == Role.SECONDARY
    assert "4 apples for 5 dirhems" in panels["deliveries"].svg
    assert panels["deliveries"].svg.count('class="empty"') == 2


@pytest.mark.compiled
def test_greedy_bots_beat_random_ones():
    result = almunia.simulate(FAST, 200, bots=["greedy", "random"], seed=1)
    assert (result["ranks"][:, 0] == 1).mean() >= 0.97
    assert almunia.simulate(FAST, 100, bots=["greedy"] * 4, seed=2)["scores"].mean() > 40


@pytest.mark.compiled
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_random_plays_end(seats):
    result = almunia.simulate(FAST, 1000, seats=seats, bots=["random"] * seats, seed=0)
    assert (result["ending"] == 1).all()


def test_a_full_game_of_cards_leaves_the_deck_empty():
    """Four players at five markets can buy all twenty cards."""
    spots = sum(kind == "market" for kind in SEGMENT_KINDS) + 1
    assert 4 * spots == box.CARDS
