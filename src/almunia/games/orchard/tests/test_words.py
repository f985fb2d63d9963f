"""What Orchard says of a position, word by word: actions, the board, the log and the end. Marks as in RULES.md."""

import almunia
from almunia.core.contract import NONE, Points, Ref, Who
from almunia.core.lines import spoken
from almunia.core.scenario import put
from almunia.games.orchard.tests import scenes

PLAIN = almunia.game("orchard", "plain")
TEXT = PLAIN.text
MINUS = "\N{MINUS SIGN}"

# All apple dice lie out, and card 18 would free the one that shows 6 and could use it on either of its apples.
SCARCE = (
    "card 17 at 10,10",
    "card 4 at 11,10",
    "card 16 at 10,16",
    *(f"die apple 1 at {cell}" for cell in ("0,0", "1,0", "11,16", "11,17")),
    "die apple 6 at 11,10",
)


def position(*changes, seats=1, deal="2 18 1 3 5 6 7 8 9", **options):
    """A play with some changes made by hand."""
    play = PLAIN.new(seats=seats, seed=1, deal=deal, **options)
    reader = PLAIN.plain_twin(scenes)
    for change in changes:
        put(play.state, reader, change)
    play.refresh()
    return play


def effect(play, words):
    """What is said of the action that has these words."""
    return spoken(TEXT.effect(play.state, play.hear(words)))


def told(play, words, reader=0):
    """Do this, and return the log lines that a reader gets."""
    before, action = play.observe(reader), play.hear(words)
    known = action if PLAIN.may_see(before.state, reader) else NONE
    play.apply(action)
    return ["".join(map(heard, line)) for line in TEXT.tell(before.state, known, play.observe(reader).state)]


def heard(piece):
    """A piece of a log line as plain words."""
    match piece:
        case Who():
            return f"<{piece.seat}>"
        case Points():
            return f"{piece.value:+d}"
        case Ref():
            return f"[{piece.words}]"
    return piece


# --- actions -------------------------------------------------------------------------------------


def test_turns_are_named_as_the_card_is_turned():
    """[3.1, D7]: 90 degrees are a quarter turn clockwise, 270 one back."""
    play = position()
    turns = {90: "a quarter turn", 180: "a half turn", 270: "a quarter turn back"}
    said = {degrees: play.hear(f"place 18 at 2,0 turned {degrees}") for degrees in turns}
    assert spoken(TEXT.offer(play.state, play.hear("place 18 at 2,0"))) == "Card 18, from 2,0"
    for degrees, action in said.items():
        assert spoken(TEXT.offer(play.state, action)) == f"Card 18, {turns[degrees]}, from 2,0"
        assert TEXT.parts(play.state, action) == {"card": "18", "turned": str(degrees), "place": "2,0"}


def test_an_effect_tells_what_matches_and_what_rots():
    """[4.1, 4.3, 5.2, 6.4, D3]"""
    play = position(*SCARCE)
    effects = {said: effect(play, said) for said in ("place 18 at 10,10", "place 1 at 2,0")}
    assert effects["place 18 at 10,10"] == f"four trees match, two trees rot: {MINUS}9"
    assert effects["place 1 at 2,0"] == f"two trees rot: {MINUS}6"
    play = position("die apple 3 at 0,0", deal="2 4 1 3 5 6 7 8 9")
    assert effect(play, "place 4 at -2,0") == "two trees match: +4"
    assert effect(play, "place 4 at 2,1 turned 180") == f"one tree rots: {MINUS}3"
    assert effect(play, "place 1 at 2,1 turned 180") == "one tree matches: +1"


def test_the_question_about_a_last_die_names_its_fruit_and_both_trees():
    """[D2]"""
    play = position(*SCARCE)
    assert TEXT.ask(play.state) == "Place a card."
    play.apply(play.hear("place 18 at 10,10"))
    assert TEXT.ask(play.state) == "One apple die is left for two trees: choose the tree that gets it."
    assert [play.say(action) for action in play.legal] == ["last apple die at 10,10", "last apple die at 10,11"]
    assert [spoken(TEXT.offer(play.state, action)) for action in play.legal] == [
        "The tree at 10,10",
        "The tree at 10,11",
    ]
    assert [TEXT.parts(play.state, action)["tree"] for action in play.legal] == ["10,10", "10,11"]
    assert [TEXT.effect(play.state, action) for action in play.legal] == [[], []]


# --- the position --------------------------------------------------------------------------------


def test_facts_are_those_of_the_seat():
    play = position("die apple 6 at 0,0 for seat 1", "rotten at 0,1 for seat 1", seats=2)
    for change in ("die pear 10 at 2,0 for seat 1", "die pear 10 at 2,1 for seat 1"):
        put(play.state, PLAIN.plain_twin(scenes), change)
    assert dict(TEXT.facts(play.state, 0)) == {
        "Apple dice left": "5",
        "Pear dice left": "5",
        "Plum dice left": "5",
        "Rotten fruit left": "2",
    }
    other = {"Apple dice left": "4", "Pear dice left": "3", "Rotten fruit left": "1"}
    assert dict(TEXT.facts(play.state, 1)) == dict(TEXT.facts(play.state, 0)) | other
    play.state.seat[1].stuck = 1
    assert dict(TEXT.facts(play.state, 1))["Stuck"] == "yes"  # [D5]
    assert dict(TEXT.facts(position().state, 0))["Title"] == "Pal-tree"


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


def test_the_log_tells_what_was_laid_and_what_came_of_each_die():
    """[3.4, 4.1, 5.2, D2, D3]"""
    play = position(*SCARCE)
    assert told(play, "place 18 at 10,10") == ["Card 18 covers two trees for the last apple die."]
    laid = "[Card 18] on six trees: -9 (apple 6 lost, apple 1, pear 1, plum 1, rotten fruit, rotten fruit)."
    assert told(play.copy(), "last apple die at 10,11")[0].startswith("[Card 18] on six trees: -9 (apple ")
    assert sorted(told(play, "last apple die at 10,11")[0]) == sorted(laid)
    play = position("die apple 3 at 0,0", "die pear 1 at 2,0", deal="2 4 1 3 5 6 7 8 9")
    lines = told(play, "place 4 at -2,0")
    assert lines == ["[Card 4] on two trees: +4 (apple 3 to 6, plum 1).", "Card 3 is drawn."]


def test_the_log_gives_no_choice_away():
    """[7.2, D8]"""
    play = position(seats=2, deal="2 4 1 3 5 6 7 8 9")
    other = play.copy()
    assert told(play, "place 4 at 1,0") == ["<0> chooses a card."]
    assert told(other, "place 4 at 1,0", reader=1) == ["<0> has chosen."]
    lines = [told(play.copy(), "place 1 at -2,0 turned 180", reader) for reader in (0, 1, -1)]
    assert [line[0] for line in lines] == ["<1> has chosen.", "<1> chooses a card.", "<1> has chosen."]
    assert {tuple(line[1:]) for line in lines} == {
        (
            "<0>: [Card 4] on four trees: +4 (apple 1, pear 1, pear 1, plum 1).",
            "<1>: [Card 1] on two trees: +2 (apple 1, plum 1).",
            "Card 3 is drawn.",
        )
    }


# --- the end -------------------------------------------------------------------------------------


def test_the_sources_add_up_the_dice_of_every_seat():
    """[6.3, 6.4]"""
    play = position("die apple 3 at 0,0 for seat 1", "die apple 10 at 1,0 for seat 1", seats=2)
    for change in ("rotten at 2,0 for seat 1", "rotten at 2,1 for seat 1", "die plum 1 at 0,1"):
        put(play.state, PLAIN.plain_twin(scenes), change)
    assert {source.name: source.points for source in TEXT.sources(play.state)} == {
        "Apple dice": (0, 13),
        "Pear dice": (0, 0),
        "Plum dice": (1, 0),
        "Rotten fruit": (0, -6),
    }
    assert [TEXT.verdict(play.state, p) for p in range(2)] == [["1 point: Pal-tree."], ["7 points: Pal-tree."]]
