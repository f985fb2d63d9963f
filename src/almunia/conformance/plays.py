"""Checks of plays and their records."""

from random import Random

from ..errors import IllegalAction, UndoRefused
from ..library import replay
from ..play.record import Record
from .case import Case, Failure, check, require


@check
def copies_are_independent(case: Case) -> None:
    """Require that a copy is independent, and that saved bytes load unchanged."""
    for play in case.positions(case.compiled, every=5):
        before = play.to_state()
        copy, saved = play.copy(), case.compiled.from_bytes(play.to_bytes())
        require(saved.to_state() == before and saved.actions == play.actions, "Saved bytes came back changed.")
        if not play.over:
            copy.apply(copy.legal_actions[-1])
            require(play.to_state() == before, "An action on a copy has changed the original.")


@check
def records_come_back(case: Case) -> None:
    """Require that a record comes back unchanged from text and from JSON, and replays to the same state."""
    play = case.final_play(case.compiled, 2)
    record = play.record([f"Player {seat}" for seat in range(case.seats)])
    require(Record.parse(str(record)) == record, "A record came back from its text changed.")
    require(Record.from_json(record.to_json()) == record, "A record came back from JSON changed.")
    require(replay(record).to_state() == play.to_state(), "A record did not replay to the same state.")


@check
def plays_stay_within_their_bounds(case: Case) -> None:
    """Require that points at the end and the number of decisions are within the bounds of META."""
    play, (low, high) = case.final_play(case.compiled, 2), case.compiled.meta.points
    require(all(low <= points <= high for points in play.points), "Points at the end are beyond those in META.")


@check
def undo_respects_barriers(case: Case) -> None:
    """Require that undo restores the position, and refuses to cross a reveal, the end of a turn or a change of seat."""
    play, rng = case.start(case.compiled, 5), Random(5)
    while not play.over:
        before, barrier = play.to_state(), (play.turn, play.turns, play.reveals)
        play.apply(rng.choice(play.legal_actions))
        if (play.turn, play.turns, play.reveals) == barrier:
            require(play.can_undo, f"Undo is refused after {len(play.actions)} actions, though nothing was revealed.")
            play.undo()
            require(play.to_state() == before, "Undo did not restore the position.")
            play.apply(rng.choice(play.legal_actions))
        else:
            require(not play.can_undo, "can_undo allows what undo must refuse.")
            try:
                play.undo()
            except UndoRefused:
                continue
            raise Failure("Undo crossed a reveal, or the end of a turn.")


@check
def counters_never_fall(case: Case) -> None:
    """Require that `turns` and `reveals` never decrease, and that at least one of the two increases."""
    turns = reveals = 0
    for play in case.positions(case.compiled, 6):
        require(play.turns >= turns and play.reveals >= reveals, "turns or reveals has fallen.")
        turns, reveals = play.turns, play.reveals
    require(turns or reveals, "Neither turns nor reveals was ever counted.")


@check
def hidden_info_counts_as_reveal(case: Case) -> None:
    """Require that an action that undo could take back has the same result for the mover in determinizations.

    If the results differed, a player could look at hidden information, and undo the action.
    """
    for seed in range(2):
        play, rng = case.start(case.compiled, seed), Random(seed)
        while not play.over:
            seat, barrier = play.turn, (play.turn, play.turns, play.reveals)
            others = [play.observe(seat).determinize(number) for number in range(3)]
            action = rng.choice(play.legal_actions)
            play.apply(action)
            if (play.turn, play.turns, play.reveals) == barrier:
                for other in others:
                    other.apply(action)
                    same = other.observe(seat).to_state() == play.observe(seat).to_state()
                    require(
                        same, f"Action {len(play.actions)} revealed something to seat {seat}, but counts no reveal."
                    )


@check
def illegal_actions_are_refused(case: Case) -> None:
    """Require that an illegal action raises IllegalAction and changes nothing."""
    for play in case.positions(case.compiled, every=4):
        before, legal = play.to_state(), set(play.legal_actions)
        foreign = next(action for action in range(case.compiled.rules.ACTIONS + 1) if action not in legal)
        for action in (foreign, -1, case.compiled.rules.ACTIONS, "x", None):
            try:
                play.apply(action)  # type: ignore[arg-type]
            except IllegalAction:
                require(play.to_state() == before, "A refused action has changed the state.")
                continue
            raise Failure(f"The illegal action {action!r} was accepted.")
