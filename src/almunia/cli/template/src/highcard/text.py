"""High Card as text: actions, the question, the position, and the log."""

from almunia.core.contract import ElementRef, Points, RichLine, SeatName
from almunia.core.english import pluralize
from almunia.engine.checked import CheckedRecord as State

from . import components as box
from .rules import NO_CARD, NONE, in_deck


def action_to_string(s: State, action: int) -> str:
    """Return an action as a record writes it: `play 12`."""
    return f"play {action}"


def button_label(s: State, action: int) -> RichLine:
    """Return an action's label: `Card 12`."""
    return [f"Card {action}"]


def parts(s: State, action: int) -> dict[str, str]:
    """Return the parts of an action: the number of its card."""
    return {"card": str(action)}


def effect_text(s: State, action: int) -> RichLine:
    """Return a note if the card would be the highest so far, else an empty line."""
    return ["the highest so far"] if action > max(shown(s), default=NO_CARD) else []


def question(s: State) -> str:
    return "Play a card." if shown(s) else "Lead a card."


def shown(s: State) -> list[int]:
    return [s.seat[p].shown for p in range(s.seats) if s.seat[p].shown != NO_CARD]


def hand(s: State, seat: int) -> list[int]:
    """Return the cards of a seat's hand that the state shows, ascending; none for a spectator."""
    return [number for number in range(1, box.CARDS + 1) if seat != NONE and s.where[number] == seat]


def board(s: State, seat: int) -> str:
    """Return a line for each player, the reader's own hand, and the deck."""
    lines = []
    for p in range(s.seats):
        played = f"has played {s.seat[p].shown}" if s.seat[p].shown != NO_CARD else "has not played"
        lines.append(f"Seat {p + 1}: {pluralize(s.seat[p].won, 'round')} won, {s.seat[p].cards} in hand, {played}.")
    if own := hand(s, seat):
        lines.append(f"Your hand: {' '.join(map(str, own))}")
    lines.append(f"Deck: {in_deck(s)} left.")
    return "\n".join(lines)


def seat_facts(s: State, seat: int) -> list[tuple[str, str]]:
    return [("Rounds won", str(s.seat[seat].won)), ("In hand", str(s.seat[seat].cards))]


def log_lines(before: State, action: int, after: State) -> list[RichLine]:
    """Return the log lines of an action: the card, the winner of the round, and the end."""
    lines: list[RichLine] = [[SeatName(before.turn), " plays ", ElementRef(str(action), f"card-{action}"), "."]]
    for p in range(after.seats):
        if won := after.seat[p].won - before.seat[p].won:
            lines.append([SeatName(p), " wins the round: ", Points(won), "."])
    if after.over:
        lines.append([end_reason(after)])
    return lines


def end_reason(s: State) -> str:
    return "All cards are played."


def result_lines(s: State, seat: int) -> list[str]:
    return [f"{pluralize(s.seat[seat].won, 'round')} won{', the last one among them' if s.last == seat else ''}."]
