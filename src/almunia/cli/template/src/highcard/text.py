"""High Card as text: actions, the question, the position, and the log."""

from almunia.core.contract import Line, Points, Ref, Who
from almunia.engine.checked import CheckedRecord as State

from . import components as box
from .rules import NO_CARD, NONE, in_deck


def say(s: State, action: int) -> str:
    """Return an action as a record writes it: `play 12`."""
    return f"play {action}"


def offer(s: State, action: int) -> Line:
    """Return an action's label: `Card 12`."""
    return [f"Card {action}"]


def parts(s: State, action: int) -> dict[str, str]:
    """Return the card that an action names."""
    return {"card": str(action)}


def effect(s: State, action: int) -> Line:
    """Return a note if the card would be the highest so far."""
    return ["the highest so far"] if action > max(shown(s), default=NO_CARD) else []


def ask(s: State) -> str:
    """Return the question to the seat to move."""
    return "Play a card." if shown(s) else "Lead a card."


def shown(s: State) -> list[int]:
    """Return the cards played in this round."""
    return [s.seat[p].shown for p in range(s.seats) if s.seat[p].shown != NO_CARD]


def hand(s: State, seat: int) -> list[int]:
    """Return the known cards of a hand."""
    return [number for number in range(1, box.CARDS + 1) if seat != NONE and s.where[number] == seat]


def board(s: State, seat: int) -> str:
    """Return a line for each player, the reader's own hand, and the deck."""
    lines = []
    for p in range(s.seats):
        played = f"has played {s.seat[p].shown}" if s.seat[p].shown != NO_CARD else "has not played"
        lines.append(f"Seat {p + 1}: {rounds(s.seat[p].won)} won, {s.seat[p].cards} in hand, {played}.")
    if own := hand(s, seat):
        lines.append(f"Your hand: {' '.join(map(str, own))}")
    lines.append(f"Deck: {in_deck(s)} left.")
    return "\n".join(lines)


def rounds(count: int) -> str:
    """Return `1 round`, `2 rounds`."""
    return "1 round" if count == 1 else f"{count} rounds"


def facts(s: State, seat: int) -> list[tuple[str, str]]:
    """Return rounds won and cards in hand."""
    return [("Rounds won", str(s.seat[seat].won)), ("In hand", str(s.seat[seat].cards))]


def tell(before: State, action: int, after: State) -> list[Line]:
    """Return the log of an action: the card, the winner of the round, and the end."""
    lines: list[Line] = [[Who(before.turn), " plays ", Ref(str(action), f"card-{action}"), "."]]
    for p in range(after.seats):
        if won := after.seat[p].won - before.seat[p].won:
            lines.append([Who(p), " wins the round: ", Points(won), "."])
    if after.over:
        lines.append([ending(after)])
    return lines


def ending(s: State) -> str:
    """Return why the play is over."""
    return "All cards are played."


def verdict(s: State, seat: int) -> list[str]:
    """Explain a seat's result."""
    return [f"{rounds(s.seat[seat].won)} won{', the last one among them' if s.last == seat else ''}."]
