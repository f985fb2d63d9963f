"""Checks of texts."""

import re
from collections.abc import Iterable

from ..core.contract import NONE, ElementRef, Points, RuleRef, SeatName
from ..core.memoize import clear_caches
from ..core.rich_text import plain_text
from ..engine import state_dtype
from ..engine.checked import checked_record
from ..play.play import fold_case
from .case import Case, Failure, check, require
from .pictures import ids
from .scoring import observed_actions


@check
def words_name_actions(case: Case) -> None:
    """Require that legal actions have unique words, which parse back, and unique parts with names in lower case.

    In a game with pictures, parts are in the order of PARTS.
    """
    order = [part.name for part in case.plain.view.PARTS]
    require_lower_case(order)
    for play in case.positions(case.plain, every=2):
        all_words = [fold_case(play.action_to_string(action)) for action in play.legal_actions]
        require(len(set(all_words)) == len(all_words), f"Two actions share their words among {all_words}.")
        parts = [play.game.text.parts(play.state, action) for action in play.legal_actions]
        require(len({tuple(part.items()) for part in parts}) == len(parts), "Two actions share all their parts.")
        for part in parts:
            require_lower_case(part)
            in_order = not case.plain.has_pictures or list(part) == sorted(part, key=order.index)
            require(in_order, f"These parts are not in the order of PARTS: {part}.")
        for action, words in list(zip(play.legal_actions, all_words, strict=True))[::7]:
            require(play.string_to_action(words.upper()) == action, f"{words!r} does not parse back to {action}.")


def require_lower_case(names: Iterable[str]) -> None:
    is_lower_case = all(re.fullmatch("[a-z][a-z_-]*", name) for name in names)
    require(is_lower_case, f"Names of parts are not in lower case: {[*names]}.")


@check
def words_agree(case: Case) -> None:
    """Require that the words of an action are the same for the mover and for each observer who may see the action."""
    for play, seen in case.observations(case.plain, 3, every=3):
        if not play.over and play.game.may_see(seen.state, seen.seat):
            for action in play.legal_actions[:9]:
                same = seen.game.text.action_to_string(seen.state, action) == play.action_to_string(action)
                require(same, f"Seat {seen.seat} may see action {action}, but reads other words for it.")


def is_line(thing: object) -> bool:
    """Return whether an object is a line: a list or tuple of strings, names, points and references."""
    return isinstance(thing, list | tuple) and all(
        isinstance(part, str | ElementRef | SeatName | Points | RuleRef) for part in thing
    )


@check
def text_can_be_read(case: Case) -> None:
    """Require boards, facts and results that are not empty, and questions, effects and labels of the right form."""
    text = case.plain.text
    for play, seen in case.observations(case.plain, 1, every=3):
        require(text.board(seen.state, seen.seat).strip(), "The board is empty.")
        require(text.seat_facts(seen.state, max(seen.seat, 0)), "A seat has no facts.")
        if not play.over:
            require(text.question(seen.state).endswith((".", "?")), "The question is no sentence.")
        for action in seen.legal_actions[:5]:
            effect, label = text.effect_text(seen.state, action), text.button_label(seen.state, action)
            require(is_line(effect), f"The effect {effect!r} is no line: a list of words, seats and points.")
            require(is_line(label), f"The button label {label!r} is no line: a list of words, seats and points.")
            words = plain_text(label)
            require(words[:1].isupper(), f"{words!r} does not begin with a capital letter.")
    ended = case.final_play(case.plain)
    require(all(text.result_lines(ended.state, seat) for seat in range(case.seats)), "A seat has no result lines.")


@check
def words_and_pictures_write_nothing(case: Case) -> None:
    """Require that texts and pictures do not write into the state, which other threads may read at the same time."""
    text, view = case.plain.text, case.plain.view
    for play in case.positions(case.plain, 4, every=5):
        locked = state_dtype.copy_states(play.array)
        locked.flags.writeable = False
        s, seat = checked_record(locked), play.turn
        clear_caches()  # a cached result would write nothing
        try:
            text.question(s)
            text.board(s, seat)
            text.seat_facts(s, seat)
            for panel in view.panels(s, seat):
                str(panel.picture)
            view.choices(s, seat, play.legal_actions)
            for action in play.legal_actions[:20]:
                text.button_label(s, action)
                text.parts(s, action)
                text.effect_text(s, action)
                view.preview(s, seat, action)
        except ValueError as error:
            if "read-only" not in str(error):
                raise
            raise Failure(f"Texts or pictures write into the state: {error}.") from error


@check
def log_lines_have_targets(case: Case) -> None:
    """Require that the observer's picture has the element of every reference in a log line."""
    case.require_pictures()
    for before, action, after in observed_actions(case, 8, lambda _, play: case.is_sampled(play)):
        visible_action = action if case.plain.may_see(before.state, before.seat) else NONE
        lines = case.plain.text.log_lines(before.state, visible_action, after.state)
        names = {piece.target for line in lines for piece in line if isinstance(piece, ElementRef)}
        missing = names - set(ids(after)) if names else ()
        require(not missing, f"Log lines name {sorted(missing)}, which the picture for {after.seat} lacks.")
