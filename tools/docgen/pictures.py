"""Pictures of the games, and the record of a whole game, as the command line makes them."""

import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from almunia.cli import main
from almunia.core.record import Record
from tools.builtin_games import ours

GAMES = Path(__file__).parents[2] / "src" / "almunia" / "games"
SHOWN = {  # a record among the tests of a game, and the action after which it is drawn; if not said, the first, late
    "alhambra": ("three_seats.txt", 330),
    "alpujarras": ("three_seats.txt", 60),
    "oregon": ("three_greedy.txt", 90),
}


def made(folder: Path) -> dict[str, str]:
    """The files by name; `folder` is an empty one to make them in."""
    record = folder / "orchard.txt"
    run("play", "orchard", "--build", "plain", "--seed", "90", "--bot", "1=greedy", "--save", str(record))
    records = {meta.name: shown(meta.name) for meta in ours()} | {"orchard": (record, 7)}
    found = {"orchard.txt": record.read_text("utf-8")}
    for game, (path, ply) in records.items():
        picture = folder / f"{game}.svg"
        run("show", str(path), "--build", "plain", "--ply", str(ply), "--out", str(picture))
        found[picture.name] = picture.read_text("utf-8")
    return found


def shown(game: str) -> tuple[Path, int]:
    """A record of a game, and the action after which it is drawn."""
    folder = GAMES / game / "tests" / "records"
    if game in SHOWN:
        name, ply = SHOWN[game]
        return folder / name, ply
    first = min(folder.glob("*.txt"))
    return first, 2 * len(Record.parse(first.read_text("utf-8")).actions) // 3


def run(*words: str) -> None:
    """Run one command without its output."""
    with redirect_stdout(StringIO()):
        code = main(words)
    if code:
        sys.exit(code)
