"""Damaged records and saved plays: they are refused with a sentence, or the damage does no harm."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from almunia import RecordError, catalog, replay
from almunia.cli import Exit, main
from almunia.cli.arguments import read_record
from almunia.library import game
from almunia.play.play import Play, fold_case

from .conftest import Round

COPIES = 40  # of each record
ACTIONS = 12  # of the recorded play
NUMBERS = (b"0", b"-1", b"99", b"9" * 18, b"9" * 19, b"9" * 5000, b"1e9", b"1.5", b"null", b"\xd9\xa3", b"")
SENTENCE = re.compile(r"almunia: [^\n]*[.!?]\n")
Damage = Callable[[bytes, Random], bytes]


def flipped(data: bytes, rng: Random) -> bytes:
    """Change one bit."""
    place = rng.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :]


def cut(data: bytes, rng: Random) -> bytes:
    """Remove the end."""
    return data[: rng.randrange(len(data))]


def gap(data: bytes, rng: Random) -> bytes:
    """Remove a part."""
    start, stop = sorted(rng.choices(range(len(data)), k=2))
    return data[:start] + data[stop:]


def swapped(data: bytes, rng: Random) -> bytes:
    """Swap two lines, or two parts between commas."""
    mark = rng.choice((b"\n", b","))
    pieces = data.split(mark)
    one, other = rng.choices(range(len(pieces)), k=2)
    pieces[one], pieces[other] = pieces[other], pieces[one]
    return mark.join(pieces)


def doubled(data: bytes, rng: Random) -> bytes:
    """Repeat a line at the end."""
    lines = data.split(b"\n")
    return b"\n".join([*lines, rng.choice(lines)])


def miscounted(data: bytes, rng: Random) -> bytes:
    """Replace a number."""
    found = rng.choice([*re.finditer(rb"\d+", data)] or [re.search(rb"", data)])
    return data[: found.start()] + rng.choice(NUMBERS) + data[found.end() :]


def strewn(data: bytes, rng: Random) -> bytes:
    """Insert odd bytes."""
    place = rng.randrange(len(data))
    return (
        data[:place] + rng.choice((b"\0", b"\xff", "é".encode(), b"{", b'"', b": ", b"\r", b"[" * 3000)) + data[place:]
    )


WAYS: tuple[Damage, ...] = (flipped, cut, gap, swapped, doubled, miscounted, strewn)


def begun(name: str, rng: Random) -> Play:
    """Return a play after some actions. A play of Orchard is over by then, and has a result."""
    play = game(name, "plain").new(seed=rng.randrange(10**6))
    while len(play.actions) < ACTIONS and not play.over:
        play.apply(rng.choice(play.legal_actions))
    return play


@pytest.mark.slow
@pytest.mark.exhaustive
def test_damaged_records_are_refused_in_a_sentence(rounds: Iterator[Round], capsys: pytest.CaptureFixture[str]) -> None:
    codes: Counter[int] = Counter()
    for rng, folder in rounds:
        for name in catalog.game_packages():
            record = begun(name, rng).record(["Ana", "Bea"])
            for text in (str(record), record.to_json()):
                for _ in range(COPIES):
                    path = folder / "damaged.txt"
                    path.write_bytes(rng.choice(WAYS)(text.encode(), rng))
                    code = main([rng.choice(("replay", "show")), str(path), "--build", "plain"])
                    codes[code] += 1
                    errors = capsys.readouterr().err
                    if code == Exit.OK:
                        assert is_sound(path), path.read_bytes()
                    else:
                        assert code == Exit.BAD_INPUT
                        assert SENTENCE.fullmatch(errors), errors
    assert min(codes[Exit.OK], codes[Exit.BAD_INPUT]) > 0


def is_sound(path: Path) -> bool:
    """Whether a record agrees with its replay."""
    record = read_record(path)
    again = replay(record, build="plain").record(record.players)
    spoken = [[(seat, fold_case(words)) for seat, words in told.actions] for told in (record, again)]
    return spoken[0] == spoken[1] and record.result in ((), again.result)


@pytest.mark.slow
@pytest.mark.exhaustive
def test_damaged_saved_plays_are_refused(rounds: Iterator[Round]) -> None:
    for rng, _ in rounds:
        for name in catalog.game_packages():
            play = begun(name, rng)
            whole = play.to_bytes()
            for _ in range(COPIES * 10):
                data = rng.choice(WAYS)(whole, rng)
                if data == whole:
                    assert play.game.from_bytes(data).to_state() == play.to_state()
                else:
                    with pytest.raises(RecordError, match=r"\.$"):
                        play.game.from_bytes(data)
