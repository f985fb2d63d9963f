"""Record, the written log of a play, as text for people and as JSON."""

import json
import re
from dataclasses import asdict, dataclass, field, fields as dataclass_fields
from html import unescape
from typing import Any, Self, TypeVar
from unicodedata import normalize

from ..errors import RecordError

VERSION = 2  # version 1 counted seats from 0
TITLE = "Almunia record"
NUMBER = re.compile(r"[0-9]{1,19}")
POINTS = re.compile(r"-?[0-9]{1,9}")
HEADING = re.compile(rf"{TITLE} (\S.*)")
SECONDS = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,17})?")
ACTION = re.compile(rf"([0-9]{{1,9}})\.\s*\((?:seat\s+)?([0-9]{{1,9}})(?:,\s*({SECONDS.pattern})\s*s)?\)\s*(.+)")
OTHER_TYPE: dict[type, str] = {str: "no text", list: "no list", bool: "neither yes nor no"}  # for error messages

# Mail programs, forums, wikis and editors change texts.
INVISIBLE = "\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"  # invisible characters
OPENING = re.compile(  # markup of quotations and of preformatted text
    rf"^(?:[\s>|{INVISIBLE}]|&(?:gt|nbsp|#160);|(?:`{{3,}}|~{{3,}})(?:\w+$)?"
    r"|\[/?[a-z]\w*(?:=[^\]]*)?\]|</?[a-z][^>]*>|\{\w+(?::\w+)?\}|\{{3}|\}{3}$)+",
    re.IGNORECASE,
)
CLOSING = re.compile(r"(?:\[/\w+\]|</\w+>|\{\w+\}|```|~~~)$")
MAX_CLOSING_MARKS = 20  # at the end of a text; each takes a search through the last line
NORMALIZED_LENGTH = 1000  # characters that are normalized at once: the time grows with the square of combining marks
SIGNATURE = "--"  # in mails a space follows, which is lost in quotations
INVISIBLE_PATTERN = re.compile(f"[{INVISIBLE}]")
KEYBOARD = str.maketrans(  # typographic characters to those of a keyboard
    dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u2039\u203a\u00b4`"), "'")
    | dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb"), '"')
    | dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
)

T = TypeVar("T")


@dataclass(frozen=True)
class Record:
    """The data to replay a play: its seed, its options and every action in words.

    `str(record)` is the text, and `Record.parse(text)` reads the text. `to_json` and `from_json` do the same for JSON.
    Both forms count seats from 1, but this class counts them from 0. A record holds the seed, and so every secret of
    the play.
    """

    game: str  # the name for `almunia.game`
    rules: int  # the version of the game's rules
    components: str  # the hash of its component tables
    seats: int  # number of seats
    seed: int  # of the play
    options: dict[str, str]  # by name; an option that is missing has its default
    actions: tuple[tuple[int, str], ...]  # (seat, words)
    players: tuple[str, ...] = ()  # names by seat, if known
    result: tuple[int, ...] = field(default=())  # points by seat, once the play is over
    seed_known: bool = False  # whether a player chose the seed, and so could know the deal
    hints: tuple[int, ...] = ()  # numbers, from 1, of the actions before which a player got a hint
    seconds: tuple[float, ...] = ()  # thinking time of each action, since the one before or the start; empty if unknown

    # --- text ---------------------------------------------------------------------------

    def __str__(self) -> str:
        lines = [f"{TITLE} {VERSION}", f"game: {self.game}", f"rules: {self.rules}", f"components: {self.components}"]
        lines += [f"seats: {self.seats}", f"seed: {self.seed}"]
        lines += ["seed known: yes"] if self.seed_known else []
        lines += [f"option {name}: {value}" for name, value in self.options.items()]
        lines += [f"player {seat}: {name}" for seat, name in enumerate(self.players, 1)]
        lines += [f"result: {' '.join(map(str, self.result))}"] if self.result else []
        lines += [f"hints: {' '.join(map(str, self.hints))}"] if self.hints else []
        times = [f", {seconds} s" for seconds in self.seconds] or [""] * len(self.actions)
        actions = enumerate(zip(self.actions, times, strict=True), 1)
        lines += ["", *(f"{number}. (seat {seat + 1}{time}) {words}" for number, ((seat, words), time) in actions)]
        return "\n".join(lines) + "\n"

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the record in a text. Undo typical changes that mail programs, forums, wikis and editors make.

        Skip lines before the first line of the record.

        Raises:
            RecordError: the text is no record, or a line is wrong or missing.
        """
        lines = list(enumerate(unquoted_lines(text), 1))
        shown = [(number, line) for number, line in lines if line]
        if not shown:
            raise RecordError("It is empty.")
        first, version = next(
            ((number, found[1]) for number, line in shown if (found := HEADING.fullmatch(fold_blanks(line)))), (0, "")
        )
        if not first:
            number, line = shown[0]
            raise RecordError(f"This is no record: line {number} is {line[:60]!r}, not '{TITLE} {VERSION}'.")
        if version != str(VERSION):
            raise RecordError(
                f"Line {first} says {f'{TITLE} {version}'[:60]!r}; this Almunia reads version {VERSION} only."
            )
        fields: dict[str, Any] = {"options": {}, "players": [], "actions": [], "names": set()}
        for number, line in lines[first:]:
            if line:
                _read_line(fields, number, line)
        return cls._from_fields(fields)

    # --- JSON ---------------------------------------------------------------------------

    def to_json(self) -> str:
        """Return the record as a JSON object."""
        fields = asdict(self) | {"actions": [(seat + 1, words) for seat, words in self.actions]}
        return json.dumps({"format": TITLE, "version": VERSION, **fields}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the record in a JSON text. If the text is invalid, undo typical changes that mail programs make.

        Raise RecordError if the text is not a record even then.
        """
        try:
            fields = _load_json(text)
        except (ValueError, RecursionError) as error:
            raise RecordError(f"This is not JSON: {error}.") from None
        head = (fields.pop("format", None), fields.pop("version", None)) if isinstance(fields, dict) else None
        if head != (TITLE, VERSION):
            raise RecordError(f"This JSON is not a record with format {TITLE!r} and version {VERSION}.")
        if unknown := fields.keys() - {entry.name for entry in dataclass_fields(cls)}:
            raise RecordError(f"Records do not say: {', '.join(sorted(unknown))}.")
        return cls._from_fields(fields)

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the record in a text of either form. Raise RecordError if the text is not a record."""
        is_json = next(filter(None, unquoted_lines(text)), "").startswith(("{", "["))
        return cls.from_json(text) if is_json else cls.parse(text)

    @classmethod
    def _from_fields(cls, fields: dict[str, Any]) -> Self:
        missing = [name for name in ("game", "rules", "components", "seats", "seed", "actions") if name not in fields]
        if missing:
            raise RecordError(f"The record does not say: {', '.join(missing)}.")
        try:
            actions, seconds = as_type(fields["actions"], list), as_type(fields.get("seconds", []), list)
            if seconds and len(seconds) != len(actions):
                raise ValueError(f"{len(seconds)} times for {len(actions)} actions; give one for each, or none")
            return cls(
                game=as_type(fields["game"], str),
                rules=as_int(fields["rules"]),
                components=as_type(fields["components"], str),
                seats=as_int(fields["seats"]),
                seed=as_int(fields["seed"]),
                options={name: as_type(value, str) for name, value in fields.get("options", {}).items()},
                actions=tuple(
                    (as_seat(seat), as_type(words, str)) for seat, words in (as_type(pair, list) for pair in actions)
                ),
                players=tuple(as_type(name, str) for name in as_type(fields.get("players", []), list)),
                result=tuple(as_int(points, POINTS) for points in as_type(fields.get("result", []), list)),
                seed_known=as_type(fields.get("seed_known", False), bool),
                hints=tuple(as_int(number) for number in as_type(fields.get("hints", []), list)),
                seconds=tuple(as_seconds(value) for value in seconds),
            )
        except (ValueError, TypeError, AttributeError, OverflowError) as error:
            raise RecordError(f"The record has a value of the wrong kind: {error}.") from None


def as_type(value: Any, kind: type[T]) -> T:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is {OTHER_TYPE[kind]}")
    return value


def as_int(value: Any, digits: re.Pattern[str] = NUMBER) -> int:
    """Return an integer or a string of digits as an int. Raise TypeError unless the value's text matches `digits`."""
    if type(value) not in (int, str) or not digits.fullmatch(str(value)):
        raise TypeError(f"{value!r} is {'no number of points' if digits is POINTS else 'no whole number from 0 on'}")
    return int(value)


def as_seconds(value: Any) -> float:
    """Return a number of seconds, or a string of it, as a float. Raise TypeError unless it is at least 0."""
    if type(value) not in (int, float, str) or not SECONDS.fullmatch(str(value)):
        raise TypeError(f"{value!r} is no number of seconds")
    return float(value)


def as_seat(value: Any) -> int:
    """Return the seat, from 0, for a seat of a record, from 1. Raise ValueError for 0, and the errors of `as_int`."""
    if as_int(value) == 0:
        raise ValueError("seats count from 1, so there is no seat 0")
    return as_int(value) - 1


def unquoted_lines(text: str) -> list[str]:
    """Return the lines of a text without outer spaces and without markup of quotations and preformatted text.

    Lines with no other content become empty, so that line numbers do not change. The signature of a mail and the lines
    after the signature are left out.
    """
    lines = [OPENING.sub("", line).strip() for line in text.splitlines()]
    if SIGNATURE in lines:
        lines = lines[: lines.index(SIGNATURE)]
    last = max((number for number, line in enumerate(lines) if line), default=0)
    for _ in range(MAX_CLOSING_MARKS if lines else 0):
        lines[last] = CLOSING.sub("", lines[last]).rstrip()
    return lines


def line_of_action(text: str, number: int) -> int | None:
    """Return the number, from 1, of the line of a record's text that holds an action; None in JSON."""
    for line_number, line in enumerate(unquoted_lines(text), 1):
        if (found := match_action(line)) and int(found[1]) == number:
            return line_number
    return None


def match_action(line: str) -> re.Match[str] | None:
    return ACTION.fullmatch(line) or ACTION.fullmatch(as_typed(line))


def as_typed(words: str) -> str:
    """Return a text with ASCII quotes, hyphens and spaces, in Unicode's form NFKC.

    Decode HTML entities and remove invisible characters.
    """
    if words.isascii() and "&" not in words and "`" not in words:
        return words
    typed = INVISIBLE_PATTERN.sub("", unescape(words)).translate(KEYBOARD)
    parts = (typed[start : start + NORMALIZED_LENGTH] for start in range(0, len(typed), NORMALIZED_LENGTH))
    return "".join(normalize("NFKC", part) for part in parts)


def fold_blanks(line: str) -> str:
    """Return a line with ASCII quotes and hyphens, and single spaces between words."""
    return " ".join(as_typed(line).split())


def _load_json(text: str) -> Any:
    """Return the data of a JSON text. If the text is invalid, undo changes of mail programs and editors, and retry."""
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(as_typed("\n".join(unquoted_lines(text))))


def _read_line(fields: dict[str, Any], number: int, line: str) -> None:
    """Read one line of a record's text into `fields`. Raise RecordError if the line is wrong.

    Typographic characters stay in names of players, and in words of actions unless the line cannot be read otherwise.
    """
    if action := match_action(line):
        count, seat, seconds, words = action.groups()
        if int(count) != len(fields["actions"]) + 1:
            raise RecordError(f"Line {number} is action {count}, but action {len(fields['actions']) + 1} is due.")
        fields["actions"].append([int(seat), words])
        if seconds is not None:
            fields.setdefault("seconds", []).append(seconds)
        return
    name, colon, value = (part.strip() for part in line.partition(":"))
    name = fold_blanks(name)
    value = " ".join(value.split()) if name.startswith("player ") else fold_blanks(value)
    if not colon:
        raise RecordError(f"Line {number} is neither 'name: value' nor '1. (seat 1) words': {line[:60]!r}.")
    if name in fields["names"]:
        raise RecordError(f"Line {number} says {name!r} a second time.")
    fields["names"].add(name)
    if name.startswith("option "):
        fields["options"][name.removeprefix("option ")] = value
    elif name == f"player {len(fields['players']) + 1}":
        fields["players"].append(value)
    elif name in ("result", "hints"):
        fields[name] = value.split()
    elif name == "seed known" and value in ("yes", "no"):
        fields["seed_known"] = value == "yes"
    elif name in ("game", "components") or (name in ("rules", "seats", "seed") and NUMBER.fullmatch(value)):
        fields[name] = value
    elif name in ("rules", "seats", "seed"):
        raise RecordError(f"Line {number} has {value[:60]!r} for {name}, which is no whole number from 0 on.")
    else:
        raise RecordError(f"Line {number} is nothing that records say: {line[:60]!r}.")
