"""Pictures of the games, and the record of a full game, made by the command line."""

import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from almunia.cli import main
from almunia.play.record import Record
from tools.builtin_games import builtin_games

GAMES = Path(__file__).parents[2] / "src" / "almunia" / "games"
RECORDS = {  # a record of the game's tests, and the ply to draw; default: the first record, at two thirds
    "alhambra": ("three_seats.txt", 330),
    "alpujarras": ("three_seats.txt", 60),
    "oregon": ("three_greedy.txt", 90),
}


def generate(folder: Path) -> dict[str, str]:
    """Return the files by name. `folder` must be empty; they are made there."""
    record = folder / "orchard.txt"
    run("play", "orchard", "--build", "plain", "--seed", "90", "--bot", "1=greedy", "--save", str(record))
    records = {meta.name: record_to_draw(meta.name) for meta in builtin_games()} | {"orchard": (record, 7)}
    files = {"orchard.txt": record.read_text("utf-8")}
    for game, (path, ply) in records.items():
        picture = folder / f"{game}.svg"
        run("show", str(path), "--build", "plain", "--ply", str(ply), "--out", str(picture))
        files[picture.name] = picture.read_text("utf-8")
    return files


def record_to_draw(game: str) -> tuple[Path, int]:
    """Return a record of a game, and the ply to draw."""
    folder = GAMES / game / "tests" / "records"
    if game in RECORDS:
        name, ply = RECORDS[game]
        return folder / name, ply
    first = min(folder.glob("*.txt"))
    return first, 2 * len(Record.parse(first.read_text("utf-8")).actions) // 3


def run(*words: str) -> None:
    """Run a command without its output. Exit if it fails."""
    with redirect_stdout(StringIO()):
        code = main(words)
    if code:
        sys.exit(code)
