"""Record: the written log of a play, as text that people can read and as JSON."""

import json
import re
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from ..errors import RecordError
from .pasted import folded, unwrapped

VERSION = 2  # the first one counted seats from 0
TITLE = "Almunia record"
NUMBER = re.compile(r"[0-9]{1,19}")
POINTS = re.compile(r"-?[0-9]{1,9}")
HEADING = re.compile(rf"{TITLE} (\S.*)")
ACTION = re.compile(r"([0-9]{1,9})\.\s*\((?:seat\s+)?([0-9]{1,9})\)\s*(.+)")


@dataclass(frozen=True)
class Record:
    """All it takes to play a play again: its seed, its options and every action in words.

    `str(record)` is the text and `Record.parse(text)` reads it back; `to_json` and `from_json`
    do the same for programs. Both count seats from 1, as people do, and this class from 0, as Python does.
    A record holds the seed, and with it every secret of the play.
    """

    game: str  # its name, as `almunia.game` takes it
    rules: int  # the version of the game's rules
    components: str  # the hash of its component tables
    seats: int  # how many played
    seed: int  # that deals the same again
    options: dict[str, str]  # all of them, by name
    actions: tuple[tuple[int, str], ...]  # (seat, words)
    players: tuple[str, ...] = ()  # names by seat, if they are known
    result: tuple[int, ...] = field(default=())  # points by seat, once the play is over
    seed_known: bool = False  # was the seed chosen by somebody, who so could know the deal?
    hints: tuple[int, ...] = ()  # the numbers, from 1, of the actions before which a player was given a hint

    # --- text ---------------------------------------------------------------------------

    def __str__(self) -> str:
        lines = [f"{TITLE} {VERSION}", f"game: {self.game}", f"rules: {self.rules}", f"components: {self.components}"]
        lines += [f"seats: {self.seats}", f"seed: {self.seed}"]
        lines += ["seed known: yes"] if self.seed_known else []
        lines += [f"option {name}: {value}" for name, value in self.options.items()]
        lines += [f"player {seat}: {name}" for seat, name in enumerate(self.players, 1)]
        lines += [f"result: {' '.join(map(str, self.result))}"] if self.result else []
        lines += [f"hints: {' '.join(map(str, self.hints))}"] if self.hints else []
        lines += ["", *(f"{i}. (seat {seat + 1}) {words}" for i, (seat, words) in enumerate(self.actions, 1))]
        return "\n".join(lines) + "\n"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the record in a text, as it was written or as it came by mail, a forum, a wiki or an editor.

        Whatever stands before its first line is skipped.

        Raises:
            RecordError: a line that is wrong, and why.
        """
        lines = list(enumerate(unwrapped(text), 1))
        shown = [(number, line) for number, line in lines if line]
        if not shown:
            raise RecordError("It is empty.")
        first, version = next(
            ((number, found[1]) for number, line in shown if (found := HEADING.fullmatch(blanks_folded(line)))), (0, "")
        )
        if not first:
            number, line = shown[0]
            raise RecordError(f"This is no record: line {number} is {line[:60]!r}, not '{TITLE} {VERSION}'.")
        if version != str(VERSION):
            raise RecordError(
                f"Line {first} says {f'{TITLE} {version}'[:60]!r}; this Almunia reads version {VERSION} only."
            )
        facts: dict[str, Any] = {"options": {}, "players": [], "actions": [], "names": set()}
        for number, line in lines[first:]:
            if line:
                _read_line(facts, number, line)
        return cls._from_facts(facts)

    # --- JSON ---------------------------------------------------------------------------

    def to_json(self) -> str:
        """The record as a JSON object."""
        facts = asdict(self) | {"actions": [(seat + 1, words) for seat, words in self.actions]}
        return json.dumps({"format": TITLE, "version": VERSION, **facts}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the record in a JSON text, as it was written or as it came; RecordError says what is wrong with it."""
        try:
            facts = _loaded(text)
        except (ValueError, RecursionError) as error:
            raise RecordError(f"This is not JSON: {error}.") from None
        if not isinstance(facts, dict) or (facts.pop("format", None), facts.pop("version", None)) != (TITLE, VERSION):
            raise RecordError(f"This JSON is not a record with format {TITLE!r} and version {VERSION}.")
        return cls._from_facts(facts)

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the record in a text of either form; RecordError says what is wrong with it."""
        is_json = next(filter(None, unwrapped(text)), "").startswith(("{", "["))
        return cls.from_json(text) if is_json else cls.parse(text)

    @classmethod
    def _from_facts(cls, facts: dict[str, Any]) -> Self:
        missing = [name for name in ("game", "rules", "components", "seats", "seed", "actions") if name not in facts]
        if missing:
            raise RecordError(f"The record does not say: {', '.join(missing)}.")
        try:
            return cls(
                game=worded(facts["game"]),
                rules=counted(facts["rules"]),
                components=worded(facts["components"]),
                seats=counted(facts["seats"]),
                seed=counted(facts["seed"]),
                options={worded(name): worded(value) for name, value in facts.get("options", {}).items()},
                actions=tuple((seat_in(seat), worded(words)) for seat, words in facts["actions"]),
                players=tuple(worded(name) for name in facts.get("players", ())),
                result=tuple(pointed(points) for points in facts.get("result", ())),
                seed_known=yes(facts.get("seed_known", False)),
                hints=tuple(counted(number) for number in facts.get("hints", ())),
            )
        except (ValueError, TypeError, AttributeError, OverflowError) as error:
            raise RecordError(f"The record has a value of the wrong kind: {error}.") from None


def worded(value: Any) -> str:
    """A text, as it must be in a record."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def pointed(value: Any) -> int:
    """Points: a whole number, or one written in figures."""
    if isinstance(value, str) and POINTS.fullmatch(value):
        return int(value)
    if type(value) is not int:
        raise TypeError(f"{value!r} is no number of points")
    return value


def yes(value: Any) -> bool:
    """Yes or no."""
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither yes nor no")
    return value


def seat_in(value: Any) -> int:
    """A seat, which records count from 1."""
    if counted(value) == 0:
        raise ValueError("seats count from 1, so there is no seat 0")
    return counted(value) - 1


def counted(value: Any) -> int:
    """A whole number from 0 on, or one written in figures."""
    if isinstance(value, str) and NUMBER.fullmatch(value):
        return int(value)
    if type(value) is not int or value < 0:
        raise TypeError(f"{value!r} is no whole number from 0 on")
    return value


def blanks_folded(line: str) -> str:
    """Return a line with the characters of a keyboard, and one blank between two words."""
    return " ".join(folded(line).split())


def _loaded(text: str) -> Any:
    """Return what a JSON text says; the text as it came is tried first, for in it nothing needs to be guessed."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(folded("\n".join(unwrapped(text))))


def _read_line(facts: dict[str, Any], number: int, line: str) -> None:
    """Take one line of a record's text into `facts`.

    Words of actions are kept as they stand, for whoever hears them folds them; names of players are anybody's.
    """
    if action := ACTION.fullmatch(line) or ACTION.fullmatch(folded(line)):
        count, seat, words = action.groups()
        if int(count) != len(facts["actions"]) + 1:
            raise RecordError(f"Line {number} is action {count}, but action {len(facts['actions']) + 1} is due.")
        facts["actions"].append((int(seat), words))
        return
    name, colon, value = (part.strip() for part in line.partition(":"))
    name = blanks_folded(name)
    value = " ".join(value.split()) if name.startswith("player ") else blanks_folded(value)
    if not colon:
        raise RecordError(f"Line {number} is neither 'name: value' nor '1. (seat 1) words': {line[:60]!r}.")
    if name in facts["names"]:
        raise RecordError(f"Line {number} says {name!r} a second time.")
    facts["names"].add(name)
    if name.startswith("option "):
        facts["options"][name.removeprefix("option ")] = value
    elif name == f"player {len(facts['players']) + 1}":
        facts["players"].append(value)
    elif name in ("result", "hints"):
        facts[name] = value.split()
    elif name == "seed known" and value in ("yes", "no"):
        facts["seed_known"] = value == "yes"
    elif name in ("game", "components") or (name in ("rules", "seats", "seed") and NUMBER.fullmatch(value)):
        facts[name] = value
    elif name in ("rules", "seats", "seed"):
        raise RecordError(f"Line {number} has {value[:60]!r} for {name}, which is no whole number from 0 on.")
    else:
        raise RecordError(f"Line {number} is nothing that records say: {line[:60]!r}.")
