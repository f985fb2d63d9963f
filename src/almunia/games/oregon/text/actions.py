"""The actions and questions of Oregon in words."""

from ....core.contract import RichLine, SeatName
from ....core.english import pluralize
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import BUILT, LANDS, Building
from ..rules.phases import another_may_help, can_play, chosen_row, holds, opens
from ..rules.state import CARD, CODES, EXTRA, SPACE, Phase
from .log import gains
from .prospects import after_placing, best_with, in_words
from .words import BUILDINGS, CARDS, DECKS, TERRAINS, a_piece, ground_of, knows_hand, spot


def action_to_string(s: State, action: int) -> str:
    """Return an action as text, such as `play wagon` or `place at g5`."""
    kind, which = CODES.split(action)
    match kind:
        case "CARD":
            return f"{'discard' if stuck(s) else 'play'} {CARDS[which]}"
        case "SPACE":
            return f"place at {spot(which)}"
        case "EXTRA":
            return "use the extra turn"
        case "DRAW":
            return f"draw a {DECKS[which]} card"
        case "SWAP":
            return f"exchange {BUILDINGS[which]}"
    return "end the turn"


def button_label(s: State, action: int) -> RichLine:
    """Return the label of an action, such as `Wagon` or `Space g5`."""
    kind, which = CODES.split(action)
    match kind:
        case "CARD":
            return [f"Discard {CARDS[which]}" if stuck(s) else CARDS[which].capitalize()]
        case "SPACE":
            return [f"Space {spot(which)}"]
        case "SWAP":
            return [f"Exchange the {BUILDINGS[which]} card"]
    return [action_to_string(s, action).capitalize()]


def parts(s: State, action: int) -> dict[str, str]:
    """Return the only part of an action, by its name."""
    kind, which = CODES.split(action)
    match kind:
        case "CARD":
            return {"card": CARDS[which]}
        case "SPACE":
            return {"space": spot(which)}
        case "EXTRA":
            return {"extra": "use"}
        case "DRAW":
            return {"deck": DECKS[which]}
        case "SWAP":
            return {"exchange": BUILDINGS[which]}
    return {"end": "turn"}


def effect_text(s: State, action: int) -> RichLine:
    """Return a line on the effect of an action, or an empty line."""
    match s.phase:
        case Phase.FIRST | Phase.SECOND if not stuck(s):
            return card_effect(s, action - CARD)
        case Phase.SPACE:
            return space_effect(s, action - SPACE)
    return ["play two more cards from your hand before you draw"] if action == EXTRA else []


def card_effect(s: State, kind: int) -> RichLine:
    partner, prospect = best_with(s, kind)
    return in_words(prospect) if s.phase == Phase.SECOND else [f"with the {CARDS[partner]}: ", *in_words(prospect)]


def space_effect(s: State, cell: int) -> RichLine:
    after = after_placing(s, cell)
    line = [*(gains(s, after, s.turn) or ["nothing yet"])]
    for p in range(s.seats):
        if p != s.turn and (more := gains(s, after, p)):
            line += ["; ", SeatName(p), " gets ", *more]
    piece = after.space[cell]
    if piece >= BUILT and not after.stock[piece - BUILT]:
        line.append(f"; the last {BUILDINGS[piece - BUILT]} tile")
    if after.final and not s.final:
        line.append("; the game ends after this round")
    return line


def stuck(s: State) -> bool:
    """Return whether the seat to move is choosing cards, can play no two cards, and must discard two cards [D7].

    The answer is False for a hidden hand, and if no card is to be chosen.
    """
    if s.phase == Phase.SECOND:
        one = s.chosen[0]
        return not any(holds(s, s.turn, kind, one) and opens(s, one, kind) for kind in range(box.KINDS + 1))
    return s.phase == Phase.FIRST and knows_hand(s, s.turn) and not can_play(s)


def question(s: State) -> str:
    match s.phase:
        case Phase.START:
            return ask_start(s)
        case Phase.FIRST:
            if stuck(s):
                return "You can't play any two of your cards. Choose the first one to discard."
            return f"{'Your extra turn: play' if s.again else 'Play'} two cards. Choose the first one."
        case Phase.SECOND:
            one = CARDS[s.chosen[0]]
            return f"Choose the card to {'discard' if stuck(s) else 'play'} with the {one}."
        case Phase.SPACE:
            return f"Place {a_piece(s)}. Choose a space."
    return ask_draw(s)


def ask_start(s: State) -> str:
    building = s.seat[s.turn].start
    water = " beside water" if box.DATA["building"][building]["must_touch_water"] else ""
    return f"Place your start tile, a {BUILDINGS[building]}, on {TERRAINS[ground_of(building)]}{water}."


def ask_draw(s: State) -> str:
    extra, missing = may_go_on(s), missing_cards(s)
    if s.final:
        return f"You don't draw in your last turn. {'Use your extra turn, or end' if extra else 'End'} your turn."
    if not missing:
        return f"Your hand is full. End your turn{', or exchange a useless card' if useless(s) else ''}."
    cards, stays = pluralize(missing, "card"), " You can't undo this." if must_draw(s) else ""
    if useless(s):
        return f"{'Use your extra turn, draw' if extra else 'Draw'} {cards}, or exchange a useless one.{stays}"
    which = f"From which deck{' first' if missing > 1 else ''}?"
    return f"Use your extra turn, or draw {cards}. {which}" if extra else f"Draw {cards}. {which}{stays}"


def may_go_on(s: State) -> bool:
    """Return whether the seat to move can use its extra turn now, as far as the reader knows."""
    return s.phase == Phase.EXTRA and knows_hand(s, s.turn) and can_play(s)


def missing_cards(s: State) -> int:
    return box.HAND - int(sum(s.seat[s.turn].cards))


def must_draw(s: State) -> bool:
    """Return whether the seat to move must draw, as far as the reader knows."""
    draws = s.phase in (Phase.EXTRA, Phase.DRAW) and not s.final and missing_cards(s) > 0
    return draws and knows_hand(s, s.turn) and not may_go_on(s)


def rule_of_question(s: State) -> str:
    match s.phase:
        case Phase.START:
            return "3.1"
        case Phase.FIRST | Phase.SECOND:
            return "D7" if stuck(s) else "11.1" if s.again else "4.2"
        case Phase.SPACE:
            return "5.2" if box.PLACED[chosen_row(s)] == box.FARMER else "6.2"
        case Phase.EXTRA if may_go_on(s):
            return "11.1"
    return "D18" if s.final else "12.1"


def useless(s: State) -> list[Building]:
    """Return the building cards that the seat to move may exchange, as far as the reader knows.

    The list is empty if no useful card can be drawn.
    """
    hand = s.seat[s.turn].hand
    held = [building for building in Building if hand[LANDS + building] and not s.stock[building]]
    return held if another_may_help(s) else []
