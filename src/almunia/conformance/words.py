"""Words: every action has its own, and every position can be read."""

import re
from itertools import chain
from random import Random
from typing import Any

from ..core.contract import NONE, ElementRef, Points, RuleRef, SeatName
from ..core.rich_text import spoken
from ..engine import state_dtype
from ..engine.checked import reading
from ..play.play import normalized
from .case import Case, Failure, check, require
from .pictures import ids


@check
def words_name_actions(case: Case) -> None:
    """Actions have words of their own that parse back, and parts that tell them apart, in the order of PARTS."""
    order = [part.name for part in case.plain.view.PARTS]
    small = all(re.fullmatch("[a-z][a-z_-]*", name) for name in order)
    require(small, f"Parts are not named in small letters: {order}.")
    for play in case.positions(case.plain, every=2):
        spoken = [normalized(play.action_to_string(action)) for action in play.legal_actions]
        require(len(set(spoken)) == len(spoken), f"Two actions share their words among {spoken}.")
        parts = [play.game.text.parts(play.state, action) for action in play.legal_actions]
        require(len({tuple(part.items()) for part in parts}) == len(parts), "Two actions share all their parts.")
        for part in parts:
            require(list(part) == sorted(part, key=order.index), f"These parts are not in the order of PARTS: {part}.")
        for action, words in list(zip(play.legal_actions, spoken, strict=True))[::7]:
            require(play.string_to_action(words.upper()) == action, f"{words!r} does not parse back to {action}.")


@check
def words_need_no_secrets(case: Case) -> None:
    """Whoever may see an action being chosen can say it in the same words as the mover."""
    for play in case.positions(case.plain, 3, every=3):
        for seat in case.readers():
            seen = play.observe(seat)
            if not play.over and play.game.may_see(seen.state, seat):
                for action in play.legal_actions[:9]:
                    same = seen.game.text.action_to_string(seen.state, action) == play.action_to_string(action)
                    require(same, f"Seat {seat} may see action {action}, but reads other words for it.")


def is_line(thing: object) -> bool:
    """Is this a list of words and of what stands out in them?"""
    return isinstance(thing, list | tuple) and all(
        isinstance(part, str | ElementRef | SeatName | Points | RuleRef) for part in thing
    )


@check
def text_can_be_read(case: Case) -> None:
    """Questions, boards, facts and effects are words, for every reader."""
    for play in case.positions(case.plain, every=3):
        text = play.game.text
        for seat in case.readers():
            seen = play.observe(seat)
            require(text.board(seen.state, seat).strip(), "The board is empty.")
            require(text.seat_facts(seen.state, max(seat, 0)), "A seat has no facts.")
            if not play.over:
                require(text.question(seen.state).endswith((".", "?")), "The question is no sentence.")
            for action in seen.legal_actions[:5]:
                effect, offered = text.effect_text(seen.state, action), text.button_label(seen.state, action)
                require(is_line(effect), f"The effect {effect!r} is no line: a list of words, seats and points.")
                require(is_line(offered), f"The offer {offered!r} is no line: a list of words, seats and points.")
                words = spoken(offered)
                require(words[:1].isupper(), f"{words!r} does not begin with a capital.")
    ended = case.played(case.plain)
    require(all(text.result_lines(ended.state, seat) for seat in range(case.seats)), "A seat has no verdict.")


@check
def sources_add_up(case: Case) -> None:
    """Where points come from accounts for the whole score, for every reader and at any time."""
    text: Any = case.plain.text
    if not hasattr(text, "score_breakdown"):
        return  # the score has one source
    for play in chain(case.positions(case.plain, every=4), (case.played(case.plain),)):
        for reader in case.readers():
            seen = play.observe(reader)
            found = text.score_breakdown(seen.state)
            names = [source.name for source in found]
            require(len(set(names)) == len(names), f"Sources share a name: {names}.")
            total = [sum(source.points[seat] for source in found) for seat in range(case.seats)]
            scored = [int(row[0]) for row in seen.score_table()]
            require(total == scored, f"The sources add up to {total}, and the scores are {scored}.")


@check
def words_and_pictures_write_nothing(case: Case) -> None:
    """They read a state that several threads may read at a time, so not even what they undo again is written."""
    text, view = case.plain.text, case.plain.view
    for play in case.positions(case.plain, 4, every=5):
        locked = state_dtype.copied(play.array)
        locked.flags.writeable = False
        s, seat = reading(locked), play.turn
        try:
            text.question(s)
            text.board(s, seat)
            text.seat_facts(s, seat)
            view.panels(s, seat, play.legal_actions)
            for action in play.legal_actions[:20]:
                text.button_label(s, action)
                text.parts(s, action)
                text.effect_text(s, action)
                view.preview(s, seat, action)
        except ValueError as error:
            if "read-only" not in str(error):
                raise
            raise Failure(f"Words or pictures write into the state that they read: {error}.") from error


@check
def log_lines_name_what_is_there(case: Case) -> None:
    """Every name in a log line lights up an element of the reader's picture."""
    play, rng = case.start(case.plain, 8), Random(8)
    while not play.over:
        action, before = rng.choice(play.legal_actions), play.copy()
        play.apply(action)
        if len(play.actions) % case.pace and not play.over:
            continue
        for seat in case.readers():
            old, new = before.observe(seat), play.observe(seat)
            known = action if play.game.may_see(old.state, seat) else NONE
            lines = play.game.text.log_lines(old.state, known, new.state)
            names = {piece.target for line in lines for piece in line if isinstance(piece, ElementRef)}
            if names:
                missing = names - set(ids(new))
                require(not missing, f"Log lines name {sorted(missing)}, which the picture for {seat} lacks.")
