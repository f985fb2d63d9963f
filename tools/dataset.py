"""Write a data set of expert decisions of all games as Parquet, with a card that describes it.

    python -m tools.dataset build/dataset                 100,000 decisions of each game: hours on every core
    python -m tools.dataset build/dataset --games oregon --decisions 1000 --bot search:100

Each game is a trace in a Hive folder (docs/traces.md), which a later run with the same arguments continues. A run with
more decisions extends the data set. The card, README.md, has the metadata that Hugging Face reads. SHA256SUMS has the
hash of each file.
"""

import argparse
from collections.abc import Sequence
from hashlib import file_digest
from math import ceil
from pathlib import Path

import almunia
from almunia.arena.executors import ThreadExecutor
from almunia.arena.trace_writer import prepare_trace
from almunia.arena.traces import DECISIONS, PARQUET_FILES, Traces
from almunia.cli.arguments import core_count, positive_int_arg, progress_bar
from tools.builtin_games import builtin_games

CARD, CHECKSUMS = "README.md", "SHA256SUMS"
DECISIONS_PER_GAME, BOT, SEED = 100_000, "search:2000", 0
FIRST_PLAYS = 10  # from which the number of plays is estimated
LICENSE = "MIT"
COLUMNS = {
    "observation": "float32, what the seat knew, as numbers; `_trace.json` has its parts",
    "legal_actions": "list of int32, the codes of the legal actions, ascending",
    "action": "int32, the chosen action",
    "seat": "int8, the seat that chose, from 0",
    "reward": "float32, the seat's reward until its next decision: by its rank at the end",
    "terminated": "bool, whether the game ends before the seat decides again",
    "truncated": "bool, whether the game is stopped before the seat decides again",
    "episode_id": "int32, the number of the game",
    "timestep": "int32, the number of the decision in its game",
    "return": "float32, the sum of the seat's rewards in the game: 1 for the first, -1 for the last",
    "score": "int32, the seat's points at the end",
    "rank": "int8, the seat's place at the end; 1 is the first",
    "search_value": "float32, the mean utility of the search, from 0 to 1 for a sure win; null without a search",
    "visit_policy": "list of float32, the share of the search's visits of each legal action; null for other bots",
}
CARD_TEXT = """\
---
pretty_name: Expert decisions in modern board games
license: {license}
tags:
- reinforcement-learning
- imitation-learning
- board-games
configs:
{configs}
---

# Expert decisions in modern board games

Decisions of bots of Almunia that play against themselves. No decision depends on what the seat that chose could not
know.

| game | bot | seats | games | decisions | actions | observation | MB |
| --- | --- | --: | --: | --: | --: | --: | --: |
{rows}

## Columns

A row is a decision. The decisions of a seat in a game are one trajectory: keep them together when you split off a test
set.

| column | content |
| --- | --- |
{columns}

## How it was made

With Almunia {version}, for each game:

```sh
{commands}
```

The bots' choices depend on the seeds alone, so the same version makes the same data. `sha256sum --check SHA256SUMS`
checks the files; another version of pyarrow can write the same data as other bytes. Beside the parts, `_trace.json`
has the configuration: the versions of rules, components and bots, and the parts of an observation with their shapes.
The files `_plays.parquet` have the results of the games and their seeds, from which everything hidden follows.

## Licence

{license}. The games and their names belong to their designers and publishers.

## Reading

```python
import pyarrow.dataset

table = pyarrow.dataset.dataset("game={first}", format="parquet").to_table()
```

`almunia.load_trace("game={first}")` has the same decisions as a data set for PyTorch.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Play until each game has enough decisions, and write the card."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [meta.name for meta in builtin_games()]
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", nargs="+", choices=names, default=names)
    parser.add_argument("--decisions", type=positive_int_arg, default=DECISIONS_PER_GAME, help="of each game, at least")
    parser.add_argument("--bot", default=BOT)
    options = parser.parse_args(arguments)
    for name in options.games:
        record(almunia.game(name), options.folder / f"game={name}", options.bot, options.decisions)
    write_card(options.folder)
    write_checksums(options.folder)


def record(game: almunia.Game, folder: Path, bot: str, decisions: int) -> None:
    """Record whole plays for two seats until there are enough decisions, and go on with a trace that is there."""
    prepare_trace(game, 2, [bot])
    executor, plays, found = ThreadExecutor(core_count()), 0, 0
    while found < decisions:
        plays = ceil(plays * decisions / found) if found else FIRST_PLAYS
        with progress_bar(game.meta.title, plays) as progress:
            result = almunia.record_trace(game, folder, plays, 2, bot, SEED, executor, "parquet", progress)
        found = int(result["decisions"].sum())


def write_card(folder: Path) -> None:
    """Write the card from the traces in the folder."""
    found = {path.name.partition("=")[2]: almunia.load_trace(path) for path in sorted(folder.glob("game=*"))}
    configs = [f"- config_name: {name}\n  data_files: {data_files(name)}" for name in found]
    text = CARD_TEXT.format(
        license=LICENSE.lower(),
        configs="\n".join(configs),
        rows="\n".join(row(name, trace, folder) for name, trace in found.items()),
        columns="\n".join(f"| `{name}` | {text} |" for name, text in COLUMNS.items()),
        version=almunia.__version__,
        commands="\n".join(command(name, trace) for name, trace in found.items()),
        first=next(iter(found)),
    )
    (folder / CARD).write_text(text, "utf-8")


def data_files(name: str) -> str:
    return f"game={name}/*/{PARQUET_FILES[DECISIONS]}"


def row(name: str, trace: Traces, folder: Path) -> str:
    game, bots = almunia.game(name), trace.config.bots
    sizes = (len(bots), count_plays(trace), len(trace), game.rules.ACTIONS, game.tensor_size)
    megabytes = sum(path.stat().st_size for path in files(folder / f"game={name}")) / 1e6
    return f"| {game.meta.title} | `{bots[0]}` | {' | '.join(f'{size:,}' for size in sizes)} | {megabytes:,.1f} |"


def files(folder: Path) -> list[Path]:
    """Return all files in a folder and its folders, by name."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def write_checksums(folder: Path) -> None:
    """Write the SHA-256 hash of each file of the traces and of the card, as `sha256sum` does."""
    lines = []
    for path in [folder / CARD, *(path for trace in sorted(folder.glob("game=*")) for path in files(trace))]:
        with path.open("rb") as file:
            lines.append(f"{file_digest(file, 'sha256').hexdigest()}  {path.relative_to(folder).as_posix()}\n")
    (folder / CHECKSUMS).write_text("".join(lines), "utf-8")


def count_plays(trace: Traces) -> int:
    return int(trace[-1]["episode_id"]) + 1


def command(name: str, trace: Traces) -> str:
    """Return the command that makes a trace again."""
    config = trace.config
    bots = f"--seats {len(config.bots)} --bot {config.bots[0]} --seed {config.seed}"
    return f"almunia simulate {name} --games {count_plays(trace)} {bots} --trace game={name} --trace-form {config.form}"


if __name__ == "__main__":
    main()
