"""Tests of the text of Alhambra. Docstrings cite RULES.md."""

import pytest

from almunia.core.rich_text import plain_text
from almunia.games.alhambra.components import Kind
from almunia.games.alhambra.tests.positions import PLAIN, chronicle, done, position, told
from almunia.games.alhambra.text import words

TEXT = PLAIN.text

SHOPPING = (
    "s.turn: 0",
    "hand/0: florin 9, florin 5, florin 3, florin 2, florin 2, florin 1, dirham 9",
    "hand/1: ducat 1",
    "open: florin 2, denar 1, denar 2, ducat 6",
    "market: garden 8 NE, tower 8 NES, tower 12 open, tower 11 open",
    "built/0: tower 13 E at 1E, tower 11 N at 1N",
    "reserve/0: pavilion 2 NEW, chambers 9 W",
)


def effects(play):
    return {
        play.action_to_string(action): plain_text(TEXT.effect_text(play.state, action)) for action in play.legal_actions
    }


def offers(play):
    """Return the label and the only part of each legal action, by the action's text."""
    shown = {}
    for action in play.legal_actions:
        (part,) = TEXT.parts(play.state, action).items()
        shown[play.action_to_string(action)] = (plain_text(TEXT.button_label(play.state, action)), *part)
    return shown


# --- actions -------------------------------------------------------------------------------------


def test_effects_of_taking_money_count_cards_and_name_excluded_ones():
    """[4.2, D3]"""
    play = position("hand/0: florin 8, florin 3, denar 2", *SHOPPING[:1], *SHOPPING[3:4], "market: tower 12 open")
    assert effects(play) == {
        "take florin 2": "you'll have 13 florins",
        "take denar 1": "you'll have 3 denars; if you also want florin 2, take it first",
        "take denar 2": "you'll have 4 denars; if you also want florin 2 and denar 1, take them first",
        "take ducat 6": "you'll have 6 ducats",
    }
    assert TEXT.question(play.state) == "Take money, buy a building, or redesign your Alhambra."
    done(play, "take florin 2")
    assert TEXT.question(play.state) == "You have taken 2. Take more, up to 5 in all, from left to right?"
    assert effects(play) == {
        "take denar 1": "you'll have 3 denars",
        "take denar 2": "you'll have 4 denars; if you also want denar 1, take it first",
        "take no more": "",
    }
    done(play, "take denar 2")
    assert TEXT.question(play.state) == "End your turn? Until you do, you can undo all of it."


def test_the_effect_of_buying_is_the_shortest_exact_payment_or_the_loss():
    """[5.2, 5.3]"""
    play = position(*SHOPPING)
    said = effects(play)
    assert said["buy garden 8 NE"].endswith("; you can pay exactly with 5 + 3 and get another action")
    assert said["buy tower 8 NES"].endswith("; you waste at least 1 because you get no change")
    assert offers(play)["buy garden 8 NE"] == ("Buy garden 8 NE for 8 florins", "buy", "garden 8 NE")
    done(play, "buy garden 8 NE")
    assert TEXT.question(play.state) == "Pay 8 florins for garden 8 NE."
    assert effects(play) == {
        "pay florin 3": "then pay exactly with 2 + 2 + 1",
        "pay florin 5": "then pay exactly with 3",
        "pay florin 9": "1 wasted, and you get no other action",
    }
    done(play, "pay florin 5")
    assert TEXT.question(play.state) == "Pay 3 florins more for garden 8 NE."
    assert effects(play) == {
        "pay florin 2": "then pay exactly with 1",
        "pay florin 3": "exact, so you get another action",
    }
    done(play, "pay florin 3")
    assert TEXT.question(play.state) == "You paid exactly, so you have another action. Take money, buy, or redesign."
    play = done(position(*SHOPPING, "hand/0: florin 5, florin 3, florin 3, florin 3"), "buy garden 8 NE")
    # A 5 may not follow a 3.
    assert effects(play) == {
        "pay florin 3": "5 still to pay, and you can't pay that exactly",
        "pay florin 5": "then pay exactly with 3",
    }
    play = done(position(*SHOPPING[:1], *SHOPPING[3:], "hand/0: florin 7, florin 6"), "buy garden 8 NE")
    assert effects(play)["pay florin 7"] == "1 still to pay, and you can't pay that exactly"


def test_the_effect_of_building_is_the_wall_and_the_points():
    """[7.1-7.3, 10.2, 10.6]"""
    play = position(*SHOPPING)
    said = effects(play)
    only = "only if it replaces another tile"
    assert said["use pavilion 2 NEW"] == f"up to +3 if scored now: the most pavilions (1); {only}"
    assert said["use chambers 9 W"].startswith("up to +4 if scored now: ")
    assert said["remove tower 13 E"].startswith("nothing if scored now: wall stays at 1; ")
    assert offers(play)["use chambers 9 W"] == ("Bring chambers 9 W in from the reserve", "fetch", "chambers 9 W")
    assert offers(play)["remove tower 13 E"] == ("Move tower 13 E to the reserve", "remove", "tower 13 E")
    bought = done(play.copy(), "buy garden 8 NE", "pay florin 9")
    assert TEXT.question(bought.state) == "Where do you put garden 8 NE?"
    gain = "+8 if scored now: wall 1 to 4; the most gardens (1)"
    assert effects(bought) == {"build garden 8 NE at 1N 1E": gain, "reserve it": ""}
    assert offers(bought) == {
        "build garden 8 NE at 1N 1E": ("Build at 1N 1E", "build", "1N 1E"),
        "reserve it": ("Put it on the reserve board", "reserve", "garden 8 NE"),
    }
    brought = done(play.copy(), "use chambers 9 W")
    assert TEXT.question(brought.state) == "Where do you put chambers 9 W? It can also replace a tile in your Alhambra."
    two = "buy garden 8 NE", "pay florin 5", "pay florin 3", "buy tower 8 NES", "pay dirham 9"
    picking = done(play, *two)
    assert TEXT.question(picking.state) == "Which building do you place next?"
    assert effects(picking) == {
        "position garden 8 NE": "up to +8 if scored now: the most gardens (1)",
        "position tower 8 NES": "doesn't fit anywhere now",
    }
    lost = position("s.turn: 0", "built/0: garden 8 NE at 1E")
    minus = "\N{MINUS SIGN}"
    assert effects(lost)["remove garden 8 NE"] == f"{minus}7 if scored now: wall 2 to 0; no gardens"


def test_an_exchange_is_offered_as_one():
    """[7.3]"""
    play = position("s.turn: 0", "built/0: garden 8 NE at 1E", "reserve/0: arcades 6 NE")
    words_of = "build arcades 6 NE at 1E for garden 8 NE"
    assert offers(done(play, "use arcades 6 NE"))[words_of] == ("Exchange garden 8 NE at 1E", "build", "1E")


def test_the_effect_of_a_present_counts_dirks_buildings():
    """[12.6]"""
    changes = "s.turn: 1", "hand/1: florin 8", "dirk: tower 13 E, garden 10 open", "built/1: tower 10 W at 1W"
    play = position(*changes, "market: garden 8 NE", "built/0: garden 8 NW at 1W, garden 10 N at 1S", seats=2)
    done(play, "buy garden 8 NE", "pay florin 8", f"take {words.card_name(words.on_display(play.state)[-1])}")
    while play.phase != 5:
        play.apply(play.string_to_action("take no more"))
    assert effects(play)["give it to Dirk"] == "Dirk will have 2 gardens"
    assert offers(play)["give it to Dirk"] == ("Give it to Dirk", "give", "garden 8 NE")


@pytest.mark.parametrize(("number", "said"), [(0, "no arcades"), (1, "1 arcade"), (2, "2 arcades")])
def test_buildings_are_counted_as_english_does(number, said):
    assert words.of_kind(Kind.ARCADES, number) == said


def test_the_question_names_the_round_that_is_due():
    """[9.3, 10.1, D10]"""
    play, _ = chronicle("limit_and_scoring_card")
    play.undo()
    assert TEXT.question(play.state) == "The third scoring round takes place."
    assert offers(play) == {"score": ("Count the points", "on", "score")}
    play = position("s.turn: 0", "open: ducat 9, dirham 9, dirham 8, dirham 7", "deck: denar 1, scoring 1")
    done(play, "take ducat 9", "end the turn")
    assert TEXT.question(play.state) == "The first scoring round takes place."


def test_the_question_says_if_money_can_be_neither_taken_nor_spent():
    """[D4]"""
    play = position("s.turn: 1", "open:", "hand/1: ducat 2", "market: tower 13 E, tower 12 open, tower 11 open")
    asked = "There is no money to take, and you can't buy anything. Redesign your Alhambra, or pass."
    assert TEXT.question(play.state) == asked


# --- the position --------------------------------------------------------------------------------


MARKET = """Market
  florin: pavilion 2 NEW
  dirham: empty
  denar: tower 9 ES
  ducat: garden 7 NSW
Open money: florin 2, denar 1
Left: 1 card in the deck, 1 card discarded, 2 tiles in the bag"""
FIRST = """Alhambra 1: 0 points, 7 more if scored now
       0     1E
     +----+
  1N  T11
     +    ++----+
   0   FF    G8 |
     +    ++    +
Longest wall: 2
Reserve: none
Money: 2 cards"""
SECOND = """Alhambra 2: 7 points, 4 more if scored now
       1W    0
     +    ++    +
   0 | S5    FF
     +----++    +
Longest wall: 2
Reserve: tower 10 W
Money: 1 card"""
DIRK = """Dirk: 6 points
  tower 12 open, tower 13 E"""
COUNTS = """Buildings, with points as in the first round
                 1       2    Dirk
pavilions        0       0       0
seraglios        0    1 +2       0
arcades          0       0       0
chambers         0       0       0
gardens       1 +5       0       0
towers           1       0    2 +6"""
HANDS = ": florin 8, denar 2", ": ducat 1"


@pytest.mark.parametrize("memory", ["hands hidden", "perfect"])
def test_the_board_shows_every_alhambra_the_readers_own_first(memory):
    """[2.3, 10.2, 10.6, D8, D16]"""
    play = position(
        *("s.turn: 0", "hand/0: florin 8, denar 2", "hand/1: ducat 1", "dirk: tower 13 E, tower 12 open"),
        *("built/0: tower 11 N at 1N, garden 8 NE at 1E", "built/1: seraglio 5 SW at 1W", "reserve/1: tower 10 W"),
        *("market: pavilion 2 NEW, none, tower 9 ES, garden 7 NSW", "open: florin 2, denar 1", "deck: ducat 9"),
        *("discard: denar 7", "bag: pavilion 8 open, pavilion 6 N"),
        seats=2,
        memory=memory,
    )
    play.array["seat"]["earned"][0, 1, 0] = 5, 2
    play.array["dirk_earned"][0, 0] = 6
    for reader in (0, 1, -1):
        known = [memory == "perfect" or p == reader for p in range(2)]
        rooms = [room + hand * seen for room, hand, seen in zip((FIRST, SECOND), HANDS, known, strict=True)]
        shown = [MARKET, *(rooms[::-1] if reader == 1 else rooms), DIRK, COUNTS]
        assert TEXT.board(play.observe(reader).state, reader) == "\n\n".join(shown)


def test_the_board_names_the_tiles_that_a_seat_is_to_position():
    """[8.1]"""
    play = done(position(*SHOPPING), "buy tower 8 NES", "pay dirham 9")
    rooms = TEXT.board(play.observe(0).state, 0).split("\n\n")
    assert [room.endswith("\nTo place: tower 8 NES") for room in rooms[1:4]] == [True, False, False]
    assert "To place" not in "".join(rooms[2:])


def test_facts_are_those_of_the_seat():
    """[10.2, 10.3]"""
    play, _ = chronicle("first_scoring")
    now = {0: ("2", "+15"), 1: ("1", "+14"), 2: ("2", "+20")}
    for p, (wall, gain) in now.items():
        shown = [("Wall", wall), ("Cards", str(play.state.seat[p].cards)), ("Scored now", gain)]
        assert TEXT.seat_facts(play.state, p) == shown
    due = position(
        "s.turn: 0", "built/1: garden 8 NE at 1E", "open: ducat 9", "deck: denar 1, denar 2, denar 3, scoring 1"
    )
    done(due, "take ducat 9", "end the turn")
    assert dict(TEXT.seat_facts(due.state, 1))["Scored now"] == "+7"  # 5 and 2: the first round is due
    over, _ = chronicle("the_end")
    assert "Scored now" not in dict(TEXT.seat_facts(over.state, 0))


def test_points_come_from_buildings_and_wall_round_by_round():
    """[10.1, 10.8, D10]"""
    play, _ = chronicle("first_scoring")
    assert TEXT.score_breakdown(play.state) == [
        ("First scoring: buildings", (1, 6, 5), "10.2"),
        ("First scoring: wall", (2, 1, 2), "10.6"),
    ]
    assert TEXT.score_breakdown(position().state) == []
    play, _ = chronicle("both_at_once")
    assert [source.name for source in TEXT.score_breakdown(play.state)] == [
        *("First scoring: buildings", "First scoring: wall", "Third scoring: buildings", "Third scoring: wall")
    ]


# --- the log -------------------------------------------------------------------------------------


def test_the_log_reports_money_taken_and_paid():
    """[4.2, 5.2, 5.3]"""
    play = position(*SHOPPING)
    for reader in (0, 1):
        other = play.copy()
        assert told(other, "take denar 1", reader) == ["<0> takes 1 denar."]
        assert told(other, "take denar 2", reader) == ["<0> also takes 2 denars."]
    assert told(play, "buy garden 8 NE", 1) == ["<0> buys [garden 8 NE] for 8 florins."]
    assert told(play.copy(), "pay florin 9", 1) == ["<0> pays 9 florins and wastes 1."]
    assert told(play, "pay florin 5", 1) == ["<0> pays 5 florins."]
    assert told(play, "pay florin 3", 1) == ["<0> pays 3 florins. That is exact, so <0> has another action."]


def test_the_log_reports_redesigned_buildings():
    """[7.1-7.3, 8.1, D4]"""
    _, log = chronicle("redesigning")
    assert [line for lines in log for line in lines] == [
        "<0> builds [chambers 9 W] from the reserve at [1N].",
        "<0> moves [garden 8 NE] from 1E to the reserve board.",
        "<0> exchanges [garden 8 NE] for [arcades 6 NE] at [1E].",
        "<0> exchanges [garden 8 NE] for [arcades 8 N] at [1E].",
    ]
    _, log = chronicle("bought_tiles_wait")
    assert log[3:5] == [["<0> builds [tower 10 W] from the reserve at [1N]."], ["<0> builds [garden 8 NE] at [1E]."]]
    _, log = chronicle("passing")
    assert log[2] == ["<1> passes."]
    assert log[-2] == ["<2> puts [seraglio 5 SW] on the reserve board."]


def test_the_log_reports_reveals():
    """[9.1, 9.2, 9.3]"""
    _, log = chronicle("filling_up")
    new = "New in the market for florins: [tower 9 ES].", "New in the market for denars: [tower 8 NES]."
    assert log[-1] == ["New money: dirham 3.", *new]
    _, log = chronicle("new_deck")
    assert log[1] == ["New money: dirham 4."]
    assert log[3] == ["The paid money is shuffled and becomes the new deck.", "New money: denar 7."]


def test_the_log_reports_every_scoring_round():
    """[10.2, 10.6, 12.3-12.5]"""
    _, log = chronicle("first_scoring")
    assert log[1:] == [
        ["New money: denar 2.", "The first scoring card has come up."],
        [
            "The first scoring round.",
            "<0>: +3 (pavilions 1, wall 2).",
            "<1>: +7 (towers 6, wall 1).",
            "<2>: +7 (gardens 5, wall 2).",
        ],
    ]
    _, log = chronicle("dirk")
    six = "arcades 4 NES", "arcades 5 NW", "arcades 6 SW", "chambers 5 NSW", "chambers 6 ES", "chambers 7 SW"
    assert log[3:] == [
        ["<0> gives [garden 8 NE] to Dirk."],
        [
            "New money: ducat 3.",
            "New in the market for florins: [pavilion 6 N].",
            "The first scoring card has come up.",
        ],
        [
            "The first scoring round.",
            "<0>: +1 (wall 1).",
            "<1>: +0.",
            "Dirk: +11 (gardens 5, towers 6).",
            f"Dirk draws {', '.join(f'[{tile}]' for tile in six)}.",
        ],
        ["<1> takes 8 dirhams."],
        ["New money: ducat 4.", "The second scoring card has come up."],
        [
            "The second scoring round.",
            "<0>: +7 (towers 6, wall 1).",
            "<1>: +0.",
            "Dirk: +46 (arcades 10, chambers 11, gardens 12, towers 13).",
            "Dirk draws [seraglio 3 ESW], [seraglio 4 NE].",
        ],
    ]


SHORT = "The market can't be filled, so the game ends."
TOWER = "<0> has the most dirhams and gets [tower 13 E]."


def test_the_log_reports_who_gets_left_over_tiles():
    """[11.1-11.3, D9, D10]"""
    stays = [
        f"No single player has the most {money}, so no player gets [{tile}]."
        for money, tile in (("denars", "tower 11 open"), ("ducats", "garden 12 S"))
    ]
    _, log = chronicle("the_end")
    assert log[3] == [SHORT, TOWER, *stays]
    _, log = chronicle("both_at_once")
    assert log[4] == ["New money: ducat 3.", "The first scoring card has come up.", SHORT]
    scored = ["The first scoring round.", "<0>: +7 (gardens 5, wall 2).", "<1>: +0.", "<2>: +0."]
    assert log[5] == [*scored, TOWER, *stays]
    assert log[-1][-1] == "The game is over."
    _, log = chronicle("short_bag")
    rest = (
        "<1> has the most money of the right currency and gets [pavilion 8 open].",
        "<2> has the most ducats and gets [garden 12 S].",
    )
    assert log[8] == ["New money: ducat 1.", SHORT, TOWER, *rest]
    _, log = chronicle("limit_and_scoring_card")
    assert log[-1][-1] == "The turn limit is reached, so that was the last round."


# --- the end -------------------------------------------------------------------------------------


def test_the_result_names_buildings_and_missing_scoring_rounds():
    """[10.1, 12.3, D10]"""
    play, _ = chronicle("both_at_once")
    assert TEXT.result_lines(play.state, 0) == [
        "29 points, with 1 building and a wall of 2.",
        "The second scoring round didn't take place.",
    ]
    play, _ = chronicle("the_end")
    assert TEXT.result_lines(play.state, 1)[1] == "The first and second scoring round didn't take place."
    play, _ = chronicle("dirk_cannot_win")
    assert TEXT.result_lines(play.state, 1)[0] == "14 points, with 1 building and a wall of 1."
    assert TEXT.result_lines(play.state, 1)[-1] == "Dirk has 41 points but can't win."
