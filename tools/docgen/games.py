"""A page for each game: what it asks, what its action codes mean, what an observation holds."""

import re
import sys
from enum import EnumMeta
from math import prod
from types import ModuleType
from typing import Any

import numpy as np

import almunia
from almunia.bots.levels import LEVELS, meaning
from almunia.core.contract import Meta
from almunia.core.game import Game
from tools.builtin_games import ours
from tools.docgen import facts
from tools.docgen.source import defines, remark, remarks

OWNER = "the seat itself"
PAGE = """\
# {title} for programs

*{about}* By {designers}, {year}; {seats} seats.

![A position in a game of {title}](../{name}.svg)

This page is generated from the game by `make reference`; [the library](../library.md) says how to use it. Marks such
as [3.1] name paragraphs of the game's rules, and those such as [D5] decisions of ours where the rules are silent: both
are in `src/almunia/games/{name}/RULES.md`, which the site shows too.
{data}
{facts}

Decisions, and how many actions are legal at one, are those of {plays} random games each with the fewest and the most
seats, of the seeds from 0 on. In the library:

```python
>>> import almunia
>>> game = almunia.game("{name}", "plain")
>>> game.rules.ACTIONS, game.tensor_size, game.rules.STATE.itemsize
({actions}, {numbers}, {bytes})

```

As an environment, here in turns ([PettingZoo](../pettingzoo.md)); [Gymnasium](../environments.md) has one seat, with
bots in the others, and [OpenSpiel](../openspiel.md) the tree of the game:

```python
>>> from almunia.envs import pettingzoo
>>> env = pettingzoo.env("{name}", build="plain")
>>> env.reset(seed=7)
>>> seen, reward, terminated, truncated, info = env.last()
>>> seen["observation"].shape, seen["action_mask"].shape
(({numbers},), ({actions},))

```

## Options

{options}

## What is asked

`play.phase` is one of `rules.Phase`. The seat to move answers with an action.

{phases}

## Actions

`play.legal` lists codes from 0 to {last}. `game.rules.CODES.decode(code)` takes one apart, `encode` puts one together,
and `play.say(code)` has it in words.

{codes}
{names}
## Legal actions

`observation.action_mask()` marks the legal actions of the seat to move, bool of shape ({actions},). Gymnasium has them
as `info["action_mask"]`, PettingZoo as `observation["action_mask"]`, both int8; batches as `masks`, bits or lists. An
action that is not legal raises `IllegalAction` and changes nothing; with `illegal="penalty"` it ends the game, and with
`illegal="random"` a random legal one is done instead.

## Observation

`observation.parts()` has these arrays by name, and `observation.tensor()` all of their {numbers} numbers in this order,
as float32. Where the meaning says `/ 10`, the number has been divided by ten, so that it is about 1 at most. Numbers in
a meaning count along the axis that they fill. One-hot is a 1 at one place and 0 at all others. Seats follow one another
from the reader's own, and where nobody sits there are zeros.

{tensor}

## Rewards

{rewards}. `reward` chooses another [convention](../environments.md#rewards). All are computed from what a seat may
know.

## Scores

`play.score_table()` and `almunia.simulate` give a row for each seat, in these columns; larger is better, and each
column breaks the ties of the one before: {scores}.

A play ends in one of these ways (`play.outcome`, and `ending` of a simulation):

{endings}

## Versions

The rules have version {version}, which is in the names of the environments and in every record: a record or trace of
another version is refused. A new version comes whenever an old record might replay differently; the
[changelog](../changes.md) tells of it.

## Levels

What the levels for people are in this game, as [bots by their specs](../bots.md).

{levels}

## State

The fields of a state, and who may see them. `play.state` reads them, `observation.state` with what is hidden blanked.
{partly}
{state}
"""


NAMES = """
What has a number is named in `{package}.components`, where NumPy tables also tell what each
of them shows; all are made from `src/almunia/games/{name}/components/components.toml`:

{table}
"""
CONSTANTS = "\nConstants that are named here: {list}.\n"
LIST = """\
# Reference by game

Each page has the facts on a game as an environment, the questions that it asks, its actions by code, the parts of an
observation, its rewards and scores, and the fields of its state.

"""


def pages() -> dict[str, str]:
    """The page of each game that comes with Almunia, and a list of them, by file name."""
    games = ours()
    links = [f"- [{meta.title}]({meta.name}.md): {meta.seats[0]} to {meta.seats[1]} seats." for meta in games]
    return {f"games/{meta.name}.md": page(meta) for meta in games} | {"games/index.md": LIST + "\n".join(links) + "\n"}


def page(meta: Meta) -> str:
    """The page of one game."""
    game = almunia.game(meta.name, "plain")
    phases, codes = defining(game, "Phase"), defining(game, "CODES")
    text = PAGE.format(
        **{name: getattr(meta, name) for name in ("title", "name", "about", "year")},
        designers=" and ".join(meta.designers),
        seats=f"{meta.seats[0]} to {meta.seats[1]}",
        data=f"\n{meta.data}\n" if meta.data else "",
        actions=game.rules.ACTIONS,
        last=game.rules.ACTIONS - 1,
        facts=table(("fact", meta.title), facts.rows(game)),
        plays=facts.PLAYS,
        rewards=f"If nothing is said, {facts.rewards(game)}",
        version=meta.rules_version,
        numbers=game.tensor_size,
        bytes=game.rules.STATE.itemsize,
        options=options(meta),
        phases=members(phases, "Phase", "the question"),
        codes=actions(game, remarks(codes, "CODES")),
        names=names(game),
        tensor=tensor(game),
        partly=partly(game),
        scores=", ".join(f"*{name}*" for name in game.rules.SCORES),
        endings=members(phases, "EndReason", "what ended it"),
        levels=table(("level", "bot"), [(f"`{level}`", f"`{meaning(level, game)}`") for level in LEVELS]),
        state=state(game, phases),
    )
    return text + constants(game, text)


def defining(game: Game, name: str) -> ModuleType:
    """The module of a game's rules in which a name stands."""
    (found,) = (module for module in rules_of(game) if defines(module, name))
    return found


def rules_of(game: Game) -> list[ModuleType]:
    """The modules of a game's rules."""
    assert game.rules.ACTIONS  # from here on they are loaded
    package = f"{game.package}.rules"
    return [module for place, module in sys.modules.items() if (place + ".").startswith(package + ".")]


def table(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    """A table in Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def options(meta: Meta) -> str:
    """What may be chosen before a game."""
    rows = []
    for option in meta.options:
        choices = getattr(option, "choices", None)
        values = ", ".join(f"`{value}`" for value in choices) if choices else f"{option.count} numbers, or none"
        rows.append((f"`{option.name}`", values, option.help or option.label))
    return table(("option", "values, the default first", "meaning"), rows) if rows else "There are none."


def members(module: ModuleType, name: str, what: str) -> str:
    """The members of an enumeration, with what is said of them."""
    said = remarks(module, name)
    rows = [(member.value, f"`{member.name}`", said[member.name]) for member in getattr(module, name)]
    return table(("number", "name", what), rows)


def actions(game: Game, said: dict[str, str]) -> str:
    """The kinds of actions, with their codes."""
    codes, rows = game.rules.CODES, []
    for kind, first in zip(codes.names, codes.first, strict=True):
        names = codes.kinds[kind]
        last = first + prod(names.values()) - 1
        named = ", ".join(f"`{name}` 0 to {size - 1}" for name, size in names.items())
        rows.append((f"{first} to {last}" if last > first else first, f"`{kind}`", named, said[kind]))
    return table(("codes", "kind", "what it names", "remark"), rows)


def names(game: Game) -> str:
    """What the numbers of things mean: the enumerations and the lists of words among a game's components."""
    rows: dict[str, tuple[str, str]] = {}  # an enumeration's words may be listed again, for people
    for name, thing in vars(sys.modules[f"{game.package}.components"]).items():
        if name[0] != "_" and name != "TABLES" and (words := words_of(thing)):
            said = ", ".join(f"{number} {word}" for number, word in enumerate(words))
            rows.setdefault(said.lower().replace("_", " "), (f"`{name}`", said))
    listed = table(("name", "numbers"), list(rows.values()))
    return NAMES.format(package=game.package, name=game.meta.name, table=listed) if rows else ""


def constants(game: Game, text: str) -> str:
    """The values of the constants that a page speaks of."""
    found = {}
    for module in (sys.modules["almunia.core.contract"], *rules_of(game), sys.modules[f"{game.package}.components"]):
        found |= {name: thing for name, thing in vars(module).items() if type(thing) is int}
    for name in (*game.rules.CODES.names, *game.rules.Phase.__members__):  # these have tables
        found.pop(name, None)
    bare = re.sub(r"`[^`]*`", "", text)  # what stands in code marks is explained where it stands
    listed = [
        f"`{name}` is {found[name]}" for name in sorted(set(re.findall(r"\b[A-Z][A-Z_]+\b", bare)) & found.keys())
    ]
    return CONSTANTS.format(list=", ".join(listed)) if listed else ""


def words_of(thing: Any) -> list[str]:
    """The words of an enumeration or of a list of words, and none of anything else."""
    if isinstance(thing, EnumMeta):
        return [member.name for member in thing]
    if isinstance(thing, (list, tuple)) and all(isinstance(word, str) for word in thing):
        return list(thing)
    return []


def partly(game: Game) -> str:
    """What a game says of the fields that some seats may see, or may see at times."""
    _, found, said = remark(sys.modules[f"{game.package}.observe"], "KNOWN").partition("Partly: ")
    return f"Partly: {said}\n" if found else ""


def tensor(game: Game) -> str:
    """The parts of an observation."""
    said = remarks(sys.modules[f"{game.package}.observe"], "TENSOR")
    rows = [(f"`{name}`", shape_of(shape), said[name]) for name, shape in game.observe.TENSOR.items()]
    return table(("part", "shape", "meaning"), rows)


def state(game: Game, module: ModuleType) -> str:
    """The fields of a state, those of a seat behind a dot."""
    header = remarks(sys.modules["almunia.core.layout"], "HEADER")
    who = {field: group for group, fields in game.observe.KNOWN.items() for field in fields.split()}
    records = {name for name, (kind, _) in game.rules.STATE.fields.items() if kind.base.fields}
    said = header | remarks(module, "STATE", bare=records)  # their fields have comments of their own
    rows = [
        (f"`{name}`", kind, OWNER if who[name] == "owner" else who[name], meaning)
        for name, kind, meaning in fields(game.rules.STATE, "", said, module)
    ]
    return table(("field", "type", "who sees it", "meaning"), rows)


def fields(dtype: np.dtype, prefix: str, said: dict[str, str], module: ModuleType) -> list[tuple[str, str, str]]:
    """Each number or array of a record, and of the records within."""
    found = []
    for name, (kind, _) in (dtype.fields or {}).items():
        if name.startswith("gap_"):
            continue
        if kind.base.fields:
            inner = next(other for other, thing in vars(module).items() if thing == kind.base)
            found += fields(kind.base, f"{prefix}{name}.", remarks(module, inner), module)
        else:
            size = f"[{', '.join(map(str, kind.shape))}]" if kind.shape else ""
            found.append((prefix + name, f"{kind.base.name}{size}", said[name]))
    return found


def shape_of(shape: tuple[int, ...]) -> str:
    """A shape as people write it."""
    return " x ".join(map(str, shape))
