"""The checks every game must pass, at every seat count.

`almunia check <game>` runs them, and so do the tests, over all games there are. A check is a
function of a `Case`; it raises Failure with a sentence when the game breaks its contract.
"""

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from .core import layout
from .core.contract import NONE, SPECTATOR, Ref
from .core.game import Game, game
from .core.play import Play, tensor_size
from .core.record import Record
from .core.scenario import ScenarioFailed, run
from .errors import AlmuniaError, IllegalAction, UndoRefused

LIMIT = 20_000  # decisions within which a random play must end
SAMPLES = 600  # redeals for the comparison of averages
SIGMAS = 5.5  # how far an average may lie off: beyond this, chance is no excuse


class Failure(AssertionError):
    """A promise of the contract that the game does not keep."""


@dataclass(frozen=True)
class Case:
    """A game at one seat count, in both builds."""

    name: str
    seats: int

    @cached_property
    def fast(self) -> Game:
        """The compiled build."""
        return game(self.name)

    @cached_property
    def plain(self) -> Game:
        """The plain build, which checks every index and sum."""
        return game(self.name, "plain")

    def positions(self, build: Game, seed: int = 1, every: int = 1) -> Iterator[Play]:
        """The same play at each `every`-th of its positions, under random actions, to the end."""
        play, luck = build.new(self.seats, seed), Random(seed)
        for number in range(LIMIT):
            if number % every == 0 or play.over:
                yield play
            if play.over:
                return
            play.apply(luck.choice(play.legal))
        raise Failure(f"A random play (seed {seed}) was not over after {LIMIT} decisions.")

    def played(self, build: Game, seed: int = 1) -> Play:
        """A random play at its end."""
        for play in self.positions(build, seed):
            if play.over:
                return play
        raise Failure("A random play has no end.")

    def readers(self) -> Iterator[int]:
        """Every seat, and a spectator."""
        yield from range(self.seats)
        yield SPECTATOR


CHECKS: dict[str, Callable[[Case], None]] = {}


def check(function: Callable[[Case], None]) -> Callable[[Case], None]:
    """Enter a check into the list, under its name."""
    CHECKS[function.__name__] = function
    return function


def require(condition: bool, sentence: str) -> None:
    """Fail with a sentence unless the condition holds."""
    if not condition:
        raise Failure(sentence)


def cases(name: str) -> list[Case]:
    """A case for every seat count of a game."""
    low, high = game(name).meta.seats
    return [Case(name, seats) for seats in range(low, high + 1)]


def run_checks(
    name: str, seats: int | None = None, report: Callable[[str, int, str], None] | None = None
) -> list[tuple[str, int, str]]:
    """Run every check on a game; returns the failures as (check, seats, sentence).

    `report` is told of each check as it ends, with an empty sentence if it passed.
    """
    failures = []
    for case in cases(name):
        if seats in (None, case.seats):
            for title, function in CHECKS.items():
                sentence = outcome_of(function, case)
                if sentence:
                    failures.append((title, case.seats, sentence))
                if report:
                    report(title, case.seats, sentence)
    return failures


def outcome_of(function: Callable[[Case], None], case: Case) -> str:
    """What a check found to be wrong; empty if nothing."""
    try:
        function(case)
    except (Failure, AlmuniaError) as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 - a game under test may raise anything at all
        return f"{type(error).__name__}: {error}"
    return ""


# --- facts --------------------------------------------------------------------------------------


@check
def facts_are_complete(case: Case) -> None:
    """META, the rules in words and the component data are there."""
    meta = case.plain.meta
    require(meta.name == case.name, f"META.name is {meta.name!r}, but the game is found as {case.name!r}.")
    require(1 <= meta.seats[0] <= meta.seats[1], f"META.seats is {meta.seats}.")
    require("**1.1**" in case.plain.file("RULES.md").read_text("utf-8"), "RULES.md has no paragraph **1.1**.")
    require(case.plain.file("view.css").is_file(), "view.css is missing.")
    tomllib.loads(case.plain.file("components.toml").read_text("utf-8"))
    names = set(case.plain.rules.STATE.names or ())
    header = set(layout.HEADER)
    require(header <= names, f"STATE lacks fields of the header: {sorted(header - names)}.")
    for option in meta.options:
        require(option.name in names, f"The option {option.name!r} has no field in STATE.")
        require(option.read(option.default) == option.default, f"The option {option.name!r} refuses its default.")


@check
def scenarios_hold(case: Case) -> None:
    """The scenarios in the game's folder come out."""
    folder = case.plain.file("tests/scenarios")
    if case.seats == case.plain.meta.seats[0] and folder.is_dir():
        for path in sorted(Path(str(folder)).glob("*.txt")):
            for build in ("plain", "compiled"):
                try:
                    run(path, build)
                except ScenarioFailed as error:
                    raise Failure(str(error)) from None


@check
def records_replay(case: Case) -> None:
    """The recorded plays in the game's folder still come out as they did."""
    folder = case.plain.file("tests/records")
    if folder.is_dir():
        for path in sorted(Path(str(folder)).glob("*.txt")):
            record = Record.parse(path.read_text("utf-8"))
            if record.seats == case.seats:
                record.replay()


# --- rules --------------------------------------------------------------------------------------


@check
def legal_actions_ascend(case: Case) -> None:
    """Legal actions ascend, are in range, and are there until the play is over."""
    for seed in range(3):
        for play in case.positions(case.fast, seed):
            legal = np.array(play.legal)
            require(bool((np.diff(legal) > 0).all()), f"Legal actions do not ascend: {legal.tolist()}.")
            inside = not len(legal) or (legal[0] >= 0 and legal[-1] < case.fast.rules.ACTIONS)
            require(bool(inside), f"A legal action is outside 0 .. {case.fast.rules.ACTIONS - 1}: {legal.tolist()}.")
            require(play.over == (len(legal) == 0), f"{len(legal)} actions are legal, but over is {play.over}.")
            require(0 <= play.turn < case.seats, f"The turn is at seat {play.turn}.")


@check
def plays_end(case: Case) -> None:
    """Random plays end within a bound, with ranks, scores and a reason."""
    for seed in range(200):
        states = layout.blank(case.fast.rules.STATE)
        out, rng = np.zeros(case.fast.rules.ACTIONS, np.int32), np.full(4, seed + 1, np.int64)
        decisions = case.fast.loops.random_play(states, case.seats, seed, rng, out, LIMIT)
        require(decisions < LIMIT, f"A random play (seed {seed}) was not over after {LIMIT} decisions.")
    outcome = case.played(case.plain).outcome
    require(outcome is not None and len(outcome.ranks) == case.seats, f"The outcome is {outcome}.")
    require(bool(outcome and 1 in outcome.ranks and outcome.reason), f"The outcome is {outcome}.")


@check
def builds_agree(case: Case) -> None:
    """The plain and the compiled build give the same bytes, action by action."""
    for plain, fast in zip(case.positions(case.plain), case.positions(case.fast), strict=True):
        require(plain.to_state() == fast.to_state(), f"The builds differ after {len(plain.actions)} actions.")
        require(plain.legal == fast.legal, f"Legal actions differ after {len(plain.actions)} actions.")
        require(bool((plain.standing() == fast.standing()).all()), "The scores differ between the builds.")
        for seat in case.readers():
            seen, other = plain.observe(seat), fast.observe(seat)
            require(seen.to_state() == other.to_state(), f"The builds mask differently for seat {seat}.")
            require(seen.tensor().tobytes() == other.tensor().tobytes(), "The tensors differ between the builds.")
            if not plain.over:
                guesses = (seen.redeal(5).to_state(), other.redeal(5).to_state())
                require(guesses[0] == guesses[1], f"The builds redeal differently for seat {seat}.")


@check
def same_seed_same_play(case: Case) -> None:
    """A seed settles everything; another seed changes something."""
    first, again = case.fast.new(case.seats, 3), case.fast.new(case.seats, 3)
    require(first.to_state() == again.to_state(), "The same seed gave another start.")
    require(first.to_state() != case.fast.new(case.seats, 4).to_state(), "Another seed gave the same start.")


@check
def scores_may_be_asked(case: Case) -> None:
    """Asking for scores, words or views changes nothing."""
    for play in case.positions(case.fast, every=3):
        before = play.to_state()
        play.standing()
        for seat in case.readers():
            play.observe(seat).tensor()
        require(play.to_state() == before, "Reading a play has changed it.")


# --- plays --------------------------------------------------------------------------------------


@check
def copies_are_independent(case: Case) -> None:
    """A copy goes its own way, and saved bytes come back as they were."""
    for play in case.positions(case.fast, every=5):
        before = play.to_state()
        twin, saved = play.copy(), case.fast.from_bytes(play.to_bytes())
        require(saved.to_state() == before and saved.actions == play.actions, "Saved bytes came back changed.")
        if not play.over:
            twin.apply(twin.legal[-1])
            require(play.to_state() == before, "An action on a copy has changed the original.")


@check
def records_come_back(case: Case) -> None:
    """A record in text and in JSON replays to the same state."""
    play = case.played(case.fast, 2)
    record = play.record([f"Player {seat}" for seat in range(case.seats)])
    require(Record.parse(str(record)) == record, "A record came back from its text changed.")
    require(Record.from_json(record.to_json()) == record, "A record came back from JSON changed.")
    require(record.replay().to_state() == play.to_state(), "A record did not replay to the same state.")


@check
def undo_keeps_its_discipline(case: Case) -> None:
    """Undo restores the last position exactly, and refuses across a reveal or a change of seat."""
    play, luck = case.fast.new(case.seats, 5), Random(5)
    while not play.over:
        before, turn, reveals = play.to_state(), play.turn, play.reveals
        play.apply(luck.choice(play.legal))
        allowed = play.reveals == reveals and (play.over or play.turn == turn)
        require(play.can_undo == allowed, f"can_undo is {play.can_undo} after {len(play.actions)} actions.")
        if allowed:
            play.undo()
            require(play.to_state() == before, "Undo did not restore the position.")
            play.apply(luck.choice(play.legal))
        else:
            try:
                play.undo()
            except UndoRefused:
                continue
            raise Failure("Undo went across new information or another seat's turn.")


@check
def illegal_actions_are_refused(case: Case) -> None:
    """An action that is not legal raises IllegalAction and changes nothing."""
    for play in case.positions(case.fast, every=4):
        before, legal = play.to_state(), set(play.legal)
        foreign = next(action for action in range(case.fast.rules.ACTIONS + 1) if action not in legal)
        for action in (foreign, -1, case.fast.rules.ACTIONS, "x", None):
            try:
                play.apply(action)  # type: ignore[arg-type]
            except IllegalAction:
                require(play.to_state() == before, "A refused action has changed the state.")
                continue
            raise Failure(f"The illegal action {action!r} was accepted.")


# --- words --------------------------------------------------------------------------------------


@check
def words_name_actions(case: Case) -> None:
    """Actions have words of their own that parse back, and parts that tell them apart."""
    for play in case.positions(case.plain, every=2):
        spoken = [play.say(action) for action in play.legal]
        require(len(set(spoken)) == len(spoken), f"Two actions share their words among {spoken}.")
        parts = [tuple(play.game.text.parts(play.state, action).items()) for action in play.legal]
        require(len(set(parts)) == len(parts), "Two actions share all their parts.")
        known = {part.name for part in play.game.view.PARTS}
        require(all(name in known for group in parts for name, _ in group), f"A part is not in PARTS: {parts}.")
        for action, words in list(zip(play.legal, spoken, strict=True))[:5]:
            require(play.hear(words.upper()) == action, f"{words!r} does not parse back to {action}.")


@check
def text_can_be_read(case: Case) -> None:
    """Questions, boards, facts, effects and log lines are words, for every reader."""
    for play in case.positions(case.plain, every=3):
        text = play.game.text
        for seat in case.readers():
            seen = play.observe(seat)
            require(bool(text.board(seen.state, seat).strip()), "The board is empty.")
            require(bool(text.facts(seen.state, max(seat, 0))), "A seat has no facts.")
            if not play.over:
                require(text.ask(seen.state).endswith((".", "?")), "The question is no sentence.")
                require(all(isinstance(text.effect(play.state, action), str) for action in play.legal[:5]), "effect")
    ended = case.played(case.plain)
    require(all(text.verdict(ended.state, seat) for seat in range(case.seats)), "A seat has no verdict.")


@check
def log_lines_name_what_is_there(case: Case) -> None:
    """Every name in a log line lights up an element of the reader's picture."""
    play, luck = case.plain.new(case.seats, 8), Random(8)
    while not play.over:
        action, before = luck.choice(play.legal), play.copy()
        play.apply(action)
        for seat in case.readers():
            old, new = before.observe(seat), play.observe(seat)
            known = action if play.game.observe.may_see(old.state, seat) else NONE
            lines = play.game.text.tell(old.state, known, new.state)
            names = {piece.target for line in lines for piece in line if isinstance(piece, Ref)}
            if names:
                missing = names - set(ids(new))
                require(not missing, f"Log lines name {sorted(missing)}, which the picture for {seat} lacks.")


# --- what a seat may know -------------------------------------------------------------------------


@check
def nothing_leaks(case: Case) -> None:
    """What a seat sees is the same in the true state and in any other it could be in.

    The states compared come from `redeal`, so this also says that a redeal is honest: its
    observer cannot tell it from the truth.
    """
    for play in case.positions(case.fast, every=3):
        for seat in case.readers():
            seen = play.observe(seat)
            for seed in range(3 if not play.over else 0):
                other = seen.redeal(seed)
                view = other.observe(seat)
                require(view.to_state() == seen.to_state(), f"Seat {seat} can tell a redeal from the truth.")
                if seat == play.turn:
                    require(other.legal == play.legal == seen.legal, f"Legal actions of seat {seat} leak.")
                    require(
                        [other.say(action) for action in other.legal[:9]]
                        == [play.say(action) for action in play.legal[:9]],
                        f"The words for actions leak to seat {seat}.",
                    )


@check
def the_rng_is_hidden(case: Case) -> None:
    """Nobody sees the luck to come, and a redeal has luck of its own."""
    play = case.fast.new(case.seats, 9)
    for seat in case.readers():
        seen = play.observe(seat)
        require(not bool(seen.array["rng"].any()), f"Seat {seat} sees the random numbers to come.")
        require(bool(seen.redeal(1).array["rng"].any()), "A redealt state has no luck of its own.")


@check
def redeals_vary(case: Case) -> None:
    """Different luck gives different guesses, as long as anything is hidden."""
    play = case.fast.new(case.seats, 9)
    if play.game.meta.hides:
        for seat in case.readers():
            seen = play.observe(seat)
            guesses = {hidden_bytes(seen.redeal(seed)) for seed in range(20)}
            require(len(guesses) > 1, f"All redeals for seat {seat} are the same.")


def hidden_bytes(play: Play) -> bytes:
    """The state without its luck."""
    array = play.array.copy()
    array["rng"] = 0
    return array.tobytes()


@check
def redeals_are_fair(case: Case) -> None:
    """At the start of a play, redeals follow the distribution of true deals: every byte averages the same.

    A guess that never varies, favours some cards, or copies the truth into the wrong place
    shows up as an average that differs by more than chance allows.
    """
    truths, guesses = [], []
    for seed in range(SAMPLES):
        play = case.fast.new(case.seats, seed)
        truths.append(np.frombuffer(hidden_bytes(play), np.uint8).astype(float))
        guesses.append(np.frombuffer(hidden_bytes(play.observe(0).redeal(seed + 10**6)), np.uint8).astype(float))
    true, guessed = np.array(truths), np.array(guesses)
    error = np.sqrt((true.var(axis=0) + guessed.var(axis=0)) / SAMPLES)
    off = np.abs(true.mean(axis=0) - guessed.mean(axis=0)) > SIGMAS * error + 1e-9
    require(
        not bool(off.any()), f"Redealt states differ on average from true ones in bytes {np.flatnonzero(off).tolist()}."
    )


@check
def redeals_can_be_played(case: Case) -> None:
    """A redealt state plays on to its end in the checked build."""
    for play in case.positions(case.plain, 4, every=7):
        if not play.over:
            other, luck = play.observe(play.turn).redeal(1), Random(1)
            while not other.over:
                other.apply(luck.choice(other.legal))


# --- numbers and pictures ---------------------------------------------------------------------------


@check
def tensors_have_their_size(case: Case) -> None:
    """Observations are finite numbers, and change as the play goes on."""
    seen = set()
    for play in case.positions(case.fast, every=2):
        numbers = play.observe(play.turn).tensor()
        require(numbers.shape == (tensor_size(case.fast),), f"A tensor has the shape {numbers.shape}.")
        require(bool(np.isfinite(numbers).all()), "A tensor holds a number that is not finite.")
        seen.add(numbers.tobytes())
    require(len(seen) > 1, "Every observation of a play is the same.")


@check
def pictures_offer_the_legal_actions(case: Case) -> None:
    """Panels are well-formed, with ids of their own, and offer exactly the legal actions."""
    from .core.picture import panels, standalone

    for play in case.positions(case.plain, 6, every=4):
        for seat in case.readers():
            seen = play.observe(seat)
            trees = [xml(panel.svg) for panel in panels(seen, seen.legal)]
            offered = [int(e.attrib["data-action"]) for tree in trees for e in tree.iter() if "data-action" in e.attrib]
            require(sorted(offered) == list(seen.legal), f"The pictures offer {offered}, but legal are {seen.legal}.")
            names = [e.attrib["id"] for tree in trees for e in tree.iter() if "id" in e.attrib]
            require(len(set(names)) == len(names), f"Ids are used twice: {sorted(names)}.")
            require(not offered_in(standalone(seen)), "A picture to look at offers actions.")


@check
def ghosts_can_be_drawn(case: Case) -> None:
    """What an action would do can be drawn, for every action."""
    from .core.picture import ghost

    for play in case.positions(case.plain, 6, every=9):
        seen = play.observe(play.turn)
        for action in seen.legal[:20]:
            xml(ghost(seen, action))


def xml(picture: str) -> ET.Element:
    """A picture as a tree of elements; an error if it is not well-formed."""
    return ET.fromstring(picture)  # noqa: S314


def ids(observation: Any) -> Iterator[str]:
    """The ids in all panels of a position."""
    from .core.picture import panels

    for panel in panels(observation, observation.legal):
        for element in xml(panel.svg).iter():
            if "id" in element.attrib:
                yield element.attrib["id"]


def offered_in(picture: str) -> list[str]:
    """The actions that a picture offers."""
    return [e.attrib["data-action"] for e in xml(picture).iter() if "data-action" in e.attrib]


# --- graphics processors ------------------------------------------------------------------------------


@check
def compiles_for_gpus(case: Case) -> None:
    """The rules and a whole random play compile to PTX, where numba-cuda is installed."""
    from .core.gpu import available, ptx

    if case.seats == case.plain.meta.seats[0] and available():
        for name in ("setup", "legal", "apply", "random_play"):
            require(".entry" in ptx(case.fast, name), f"{name} did not compile to PTX.")
