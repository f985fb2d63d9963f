"""The questions of Alpujarras, each with the paragraph of the rules behind it."""

from ....core.english import join_words, pluralize
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules.state import AWARD, BOUGHT, SPACE, Phase
from .words import item_words, land_name, owed_words, space_name

MARKS = {  # the paragraph behind each question but ACT; see `space_mark`
    Phase.GO: "3.3",
    Phase.PICK: "4.2",
    Phase.TO: "4.6",
    Phase.CALL: "7.5",
    Phase.BUY: "6.5",
    Phase.GIVE: "6.6",
    Phase.TAKE: "6.6",
    Phase.CROP: "5.3",
    Phase.OVERFLOW: "6.3",
    Phase.AWARD: "8.9",
    Phase.MARKET: "8.1",
    Phase.ZARA_ROLL: "11.4",
    Phase.ZARA_MARKET: "11.7",
    Phase.ZARA_HARVEST: "11.8",
}
ITEM_MARKS = ("4.1", "4.6", "5.1", "6.1", "4.7", "7.1", "8.1", "9.1")  # by item owed


def question(s: State) -> str:
    """Return the question put to the seat to move."""
    match s.phase:
        case Phase.GO:
            return "Your mule is furthest back. Choose where it goes."
        case Phase.ACT:
            return space_question(s)
        case Phase.OVERFLOW:
            gain = pluralize(s.noria_overflow, "noria")
            return f"You can take {gain}, and you have {s.seat[s.turn].norias}. Spend some first?"
        case Phase.AWARD:
            return f"Award: you may {join_words(owed_words(list(s.owed[AWARD].todo)))}."
        case Phase.MARKET:
            return f"You may still deliver for {'a card' if s.token_taken else 'a village'}."
        case Phase.ZARA_ROLL | Phase.ZARA_MARKET | Phase.ZARA_HARVEST:
            return zara_question(s)
    return detail_question(s)


def rule_of_question(s: State) -> str:
    """Return the mark of the paragraph behind the question."""
    return MARKS[Phase(s.phase)] if s.phase != Phase.ACT else space_mark(list(s.owed[SPACE].todo))


def space_mark(owes: list[int]) -> str:
    """Return the mark of the only action left on a space, of the order of several, or of the end of the turn."""
    left = [item for item, count in enumerate(owes) if count]
    if not left:
        return "3.9"
    return ITEM_MARKS[left[0]] if len(left) == 1 else "3.6"


def detail_question(s: State) -> str:
    match s.phase:
        case Phase.PICK:
            return f"Take a fruit from the {land_name(s.joined_land)}."
        case Phase.TO:
            return f"Your farmer leaves the {land_name(s.moving_from)}. Choose where it goes."
        case Phase.CALL:
            return "You have no farmer in your supply. Choose which farmer goes to the goal card."
        case Phase.BUY:
            return f"You have paid to {purchase_words(s)}. Choose the farmland."
        case Phase.GIVE:
            return "Choose the fruit that you return."
        case Phase.TAKE:
            return "Choose the fruit that you take instead."
    return f"Choose the crop for the new field in the {land_name(box.LEADS_TO[s.watered_space])}."


def space_question(s: State) -> str:
    """Return the question about the actions that the space still offers, or about the end of the turn [3.6, 3.9]."""
    left = left_here(s)
    if left:
        return f"On {space_name(s, s.mule[s.turn])} you may {join_words(left)}."
    return "There is nothing left to do here. End your turn. You can't undo this."


def left_here(s: State) -> list[str]:
    owed = s.owed[SPACE]
    return owed_words(list(owed.todo), owed.shield)


def purchase_words(s: State) -> str:
    """Return the action that was bought, in words: `add a farmer` or `move a farmer`."""
    adds = s.owed[BOUGHT].todo[box.ADD] and s.seat[s.turn].farmers
    return item_words(box.ADD if adds else box.MOVE, 1)


def zara_question(s: State) -> str:
    """Return the announcement of Zara's step [D53]."""
    if s.phase == Phase.ZARA_ROLL:
        return "Zara's mule is furthest back. Roll her die."
    if s.phase == Phase.ZARA_MARKET:
        return "Zara is in a market. She takes the token that the back of the top card shows."
    return "Zara is in a harvest. She flips the top card."
