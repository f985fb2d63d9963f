"""Names and helpers of Oregon's text and pictures."""

from ....core.contract import NONE
from ....core.english import NUMBERS
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import Building, Deck, Sort, Terrain
from ..rules.phases import chosen_row
from ..rules.state import EndReason

LETTERS = "abcdefghijklmnopqrstuvwxyz"
BUILDINGS = tuple(name.lower() for name in box.NAMES)
CARDS = (*box.SYMBOLS, *BUILDINGS, "joker")
DECKS = tuple(deck.name.lower() for deck in Deck)
SORTS = tuple(sort.name.lower() for sort in Sort)
TERRAINS = ("a plain space", "a mountain", "the railway", "water")
SHORT = tuple(name[:2] for name in box.NAMES)  # abbreviations of the buildings on the board in text
GROUNDS = ".^=~"

# The rule on each building's points.
PAID = {
    Building.POST_OFFICE: "8.3",
    Building.HARBOR: "8.3",
    Building.CHURCH: "8.4",
    Building.COAL_MINE: "8.5",
    Building.GOLD_MINE: "8.5",
    Building.WAREHOUSE: "8.6",
    Building.TRAIN_STATION: "8.7",
}


def knows_hand(s: State, seat: int) -> bool:
    """Return whether the state contains the cards of this hand, and not only their number."""
    me = s.seat[seat]
    return sum(me.hand) == sum(me.cards)


def held(s: State, seat: int) -> list[tuple[int, bool]]:
    """Return the cards of a hand in display order, each with a flag for a chosen card."""
    waiting = [kind for kind in s.chosen if kind != NONE] if seat == s.turn else []
    found = []
    for kind in range(box.KINDS):
        for i in range(s.seat[seat].hand[kind]):
            found.append((kind, i < waiting.count(kind)))
    return found


def a_piece(s: State) -> str:
    """Return the piece that the chosen cards place, such as `a farmer` or `a church`."""
    what = box.PLACED[chosen_row(s)]
    return "a farmer" if what == box.FARMER else f"a {BUILDINGS[what]}"


def ground_of(building: int) -> Terrain:
    """Return the terrain that a building needs [6.3]."""
    return Terrain[box.DATA["building"][building]["terrain"].upper()]


def spot(cell: int) -> str:
    """Return the name of a space: a letter for the column and a number for the row [D24]."""
    return f"{LETTERS[cell % box.COLUMNS]}{cell // box.COLUMNS + 1}"


def values(s: State, seat: int, sort: int) -> list[int]:
    """Return the values of a seat's tiles of a sort, as far as the reader may see them, ascending."""
    faces = s.seat[seat].faces
    return [int(box.WORTH[sort, face]) for face in range(box.FACES) for _ in range(faces[sort, face])]


def kinds_of(deck: int) -> range:
    return range(box.BEGIN[deck], box.BEGIN[deck + 1])


def why(s: State) -> str:
    if s.final == EndReason.FARMERS:
        return f"A player has placed all {box.FARMERS} farmers."
    return f"{NUMBERS[list(s.stock).count(0)].capitalize()} building stacks are empty."


def earned(before: State, after: State, seat: int) -> int:
    return int(after.seat[seat].score - before.seat[seat].score)
