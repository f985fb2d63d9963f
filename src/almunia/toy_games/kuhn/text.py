"""Kuhn poker as text: actions, the question, the position, and the log."""

from almunia.core.contract import Points, RichLine, SeatName
from almunia.core.english import pluralize
from almunia.engine.checked import CheckedRecord as State

from . import components as box
from .rules import BET, CODES, UNKNOWN, EndReason, Phase, winner


def action_to_string(s: State, action: int) -> str:
    """Return an action as a record writes it: `pass` or `bet`."""
    return CODES.names[action].lower()


def button_label(s: State, action: int) -> RichLine:
    return [action_to_string(s, action).capitalize()]


def parts(s: State, action: int) -> dict[str, str]:
    """Return the only part of an action: its word."""
    return {"choice": action_to_string(s, action)}


def effect_text(s: State, action: int) -> RichLine:
    """Return an empty line, because the label says enough."""
    return []


def question(s: State) -> str:
    return "Give up by a pass, or call by a bet?" if s.phase == Phase.ANSWER else "Pass, or bet a chip?"


def card_name(card: int) -> str:
    """Return the name of a card that the state shows, or `hidden card`."""
    return "hidden card" if card == UNKNOWN else str(box.NAMES[card - 1])


def board(s: State, seat: int) -> str:
    """Return a line for each player."""
    return "\n".join(
        f"Seat {p + 1}: {card_name(s.seat[p].card)}, {pluralize(s.seat[p].stake, 'chip')} in the pot."
        for p in range(s.seats)
    )


def seat_facts(s: State, seat: int) -> list[tuple[str, str]]:
    return [("In the pot", pluralize(s.seat[seat].stake, "chip"))]


def log_lines(before: State, action: int, after: State) -> list[RichLine]:
    """Return the log lines of an action, and of the end [4.1, 4.2]."""
    lines: list[RichLine] = [[SeatName(before.turn), " bets." if action == BET else " passes."]]
    if after.over == EndReason.SHOWDOWN:
        for p in range(after.seats):
            lines.append([SeatName(p), f" shows the {card_name(after.seat[p].card)}."])
    if after.over:
        best = winner(after)
        lines.append([SeatName(best), " wins the pot: ", Points(after.seat[1 - best].stake), "."])
    return lines


def end_reason(s: State) -> str:
    return "A player gave up." if s.over == EndReason.FOLD else "The higher card wins."


def result_lines(s: State, seat: int) -> list[str]:
    """Return the result in chips, for either player [4.3]."""
    chips = pluralize(s.seat[1 - winner(s)].stake, "chip")
    return [f"{chips} won." if winner(s) == seat else f"{chips} lost."]
