"""A page for each game: its questions, its action codes, and the parts of an observation."""

import re
import sys
from enum import EnumMeta
from math import prod
from types import ModuleType
from typing import Any

import numpy as np

import almunia
from almunia.bots.levels import LEVELS, spec_for_level
from almunia.core.contract import Meta
from almunia.library import Game
from tools.builtin_games import builtin_games
from tools.docgen import facts
from tools.docgen.source import defines, remark, remarks

OWNER = "the seat itself"
PAGE = """\
# {title} for programs

*{about}* By {designers}, {year}; {seats} seats.

![A position in a game of {title}](../{name}.svg)

`make reference` generates this page from the game; [the library](../library.md) explains how to use it. Marks such
as [3.1] refer to paragraphs of the game's rules, and marks such as [D5] to our decisions where the rules are silent.
Both are in `src/almunia/games/{name}/RULES.md`, which the site shows too.
{data}
{facts}

The numbers of decisions and of legal actions come from {plays} random games each with the fewest and the most seats,
with seeds from 0. In the library:

```python
>>> import almunia
>>> game = almunia.game("{name}", "plain")
>>> game.rules.ACTIONS, game.tensor_size, game.rules.STATE.itemsize
({actions}, {numbers}, {bytes})

```

As an environment of [PettingZoo](../pettingzoo.md), in turns ([Gymnasium](../environments.md) has one seat, with bots
in the others, and [OpenSpiel](../openspiel.md) has the game tree):

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

## Questions

`play.phase` is a member of `rules.Phase`: the question to the seat to move, which answers with an action.

{phases}

## Actions

`play.legal_actions` lists codes from 0 to {last}. `game.rules.CODES.decode(code)` decodes one, `encode` encodes one,
and `play.action_to_string(code)` returns it in words.

{codes}
{names}
## Legal actions

`observation.action_mask()` marks the legal actions of the seat to move, bool of shape ({actions},). Gymnasium has them
as `info["action_mask"]`, PettingZoo as `observation["action_mask"]`, both int8; batches as `masks`, bits or lists. An
illegal action raises `IllegalAction` and changes nothing. With `illegal="penalty"` it ends the game, and with
`illegal="random"` it is replaced by a random legal action.

## Observation

`observation.parts()` returns these arrays by name, and `observation.tensor()` returns all {numbers} numbers in this
order, as float32. If the meaning says `/ 10`, the number has been divided by ten, so that it is about 1 at most.
Numbers in a meaning are indexes along the axis that they fill. One-hot means 1 at one index and 0 at all others. Seats
are in order from the reader's own. Empty seats have zeros.

{tensor}

## Rewards

{rewards}. `reward` selects another [convention](../environments.md#rewards). All rewards depend only on what a seat
may know.

## Scores

`play.score_table()` and `almunia.simulate` return a row for each seat with these columns. Higher is better, and each
column breaks the ties of the column before: {scores}.

A play ends in one of these ways (`play.outcome`, and `ending` of a simulation):

{endings}

## Versions

The rules have version {version}, which is part of the names of the environments and of every record. A record or trace
of another version is refused. The version changes whenever an old record might replay differently; see the
[changelog](../changes.md).

## Levels

The levels for human players in this game, as [specs of bots](../bots.md).

{levels}

## State

The fields of a state, and who may see them. `play.state` has all fields, and `observation.state` has the hidden ones
blanked.
{partly}
{state}
"""


NAMES = """
The names of numbered components are in `{package}.components`, together with NumPy tables of their properties. All are
generated from `src/almunia/games/{name}/components/components.toml`:

{table}
"""
CONSTANTS = "\nConstants on this page: {list}.\n"
LIST = """\
# Reference by game

Each page has the facts on a game as an environment, its questions, its actions by code, the parts of an observation,
its rewards and scores, and the fields of its state.

"""


def pages() -> dict[str, str]:
    """Return the page of each built-in game, and their list, by file name."""
    games = builtin_games()
    links = [f"- [{meta.title}]({meta.name}.md): {meta.seats[0]} to {meta.seats[1]} seats." for meta in games]
    return {f"games/{meta.name}.md": render_page(meta) for meta in games} | {
        "games/index.md": LIST + "\n".join(links) + "\n"
    }


def render_page(meta: Meta) -> str:
    """Return the page of a game."""
    game = almunia.game(meta.name, "plain")
    phases, codes = defining_module(game, "Phase"), defining_module(game, "CODES")
    text = PAGE.format(
        **{name: getattr(meta, name) for name in ("title", "name", "about", "year")},
        designers=" and ".join(meta.designers),
        seats=f"{meta.seats[0]} to {meta.seats[1]}",
        data=f"\n{meta.data}\n" if meta.data else "",
        actions=game.rules.ACTIONS,
        last=game.rules.ACTIONS - 1,
        facts=table(("fact", meta.title), facts.fact_rows(game)),
        plays=facts.SAMPLE_PLAYS,
        rewards=f"By default, {facts.describe_rewards(game)}",
        version=meta.rules_version,
        numbers=game.tensor_size,
        bytes=game.rules.STATE.itemsize,
        options=options(meta),
        phases=members(phases, "Phase", "the question"),
        codes=actions(game, remarks(codes, "CODES")),
        names=names(game),
        tensor=tensor(game),
        partly=partial_visibility(game),
        scores=", ".join(f"*{name}*" for name in game.rules.SCORES),
        endings=members(phases, "EndReason", "what ended it"),
        levels=table(("level", "bot"), [(f"`{level}`", f"`{spec_for_level(level, game)}`") for level in LEVELS]),
        state=state(game, phases),
    )
    return text + constants(game, text)


def defining_module(game: Game, name: str) -> ModuleType:
    """Return the module of a game's rules that defines a name."""
    (module,) = (module for module in rule_modules(game) if defines(module, name))
    return module


def rule_modules(game: Game) -> list[ModuleType]:
    """Return the modules of a game's rules."""
    assert game.rules.ACTIONS  # this access loads the modules
    package = f"{game.package}.rules"
    return [module for name, module in sys.modules.items() if (name + ".").startswith(package + ".")]


def table(head: tuple[str, ...], rows: list[tuple[Any, ...]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def options(meta: Meta) -> str:
    """Return the table of a game's options."""
    rows = []
    for option in meta.options:
        choices = getattr(option, "choices", None)
        values = ", ".join(f"`{value}`" for value in choices) if choices else f"{option.count} numbers, or none"
        rows.append((f"`{option.name}`", values, option.help or option.label))
    return table(("option", "values, the default first", "meaning"), rows) if rows else "There are none."


def members(module: ModuleType, name: str, what: str) -> str:
    """Return the members of an enumeration with their comments, as a table."""
    comments = remarks(module, name)
    rows = [(member.value, f"`{member.name}`", comments[member.name]) for member in getattr(module, name)]
    return table(("number", "name", what), rows)


def actions(game: Game, comments: dict[str, str]) -> str:
    """Return the kinds of actions with their codes, as a table."""
    codes, rows = game.rules.CODES, []
    for kind, first in zip(codes.names, codes.first, strict=True):
        names = codes.kinds[kind]
        last = first + prod(names.values()) - 1
        named = ", ".join(f"`{name}` 0 to {size - 1}" for name, size in names.items())
        rows.append((f"{first} to {last}" if last > first else first, f"`{kind}`", named, comments[kind]))
    return table(("codes", "kind", "parts of the action", "remark"), rows)


def names(game: Game) -> str:
    """Return the meaning of numbers: the enumerations and the lists of words of a game's components."""
    rows: dict[str, tuple[str, str]] = {}  # by words: a list may repeat an enumeration's
    for name, value in vars(sys.modules[f"{game.package}.components"]).items():
        if name[0] != "_" and name != "TABLES" and (words := member_words(value)):
            words_text = ", ".join(f"{number} {word}" for number, word in enumerate(words))
            rows.setdefault(words_text.lower().replace("_", " "), (f"`{name}`", words_text))
    listed = table(("name", "numbers"), list(rows.values()))
    return NAMES.format(package=game.package, name=game.meta.name, table=listed) if rows else ""


def constants(game: Game, text: str) -> str:
    """Return the values of the constants that a page mentions."""
    values = {}
    for module in (
        sys.modules["almunia.core.contract"],
        *rule_modules(game),
        sys.modules[f"{game.package}.components"],
    ):
        values |= {name: value for name, value in vars(module).items() if type(value) is int}
    for name in (*game.rules.CODES.names, *game.rules.Phase.__members__):  # these have their own tables
        values.pop(name, None)
    prose = re.sub(r"`[^`]*`", "", text)  # code spans are explained in place
    definitions = [
        f"`{name}` is {values[name]}" for name in sorted(set(re.findall(r"\b[A-Z][A-Z_]+\b", prose)) & values.keys())
    ]
    return CONSTANTS.format(list=", ".join(definitions)) if definitions else ""


def member_words(value: Any) -> list[str]:
    """Return the words of an enumeration or of a list of words, or [] for anything else."""
    if isinstance(value, EnumMeta):
        return [member.name for member in value]
    if isinstance(value, (list, tuple)) and all(isinstance(word, str) for word in value):
        return list(value)
    return []


def partial_visibility(game: Game) -> str:
    """Return the comment on fields that some seats may see, or may see at times."""
    _, separator, text = remark(sys.modules[f"{game.package}.observe"], "VISIBILITY").partition("Partly: ")
    return f"Partly: {text}\n" if separator else ""


def tensor(game: Game) -> str:
    """Return the parts of an observation as a table."""
    comments = remarks(sys.modules[f"{game.package}.observe"], "TENSOR_SHAPES")
    rows = [(f"`{name}`", shape_of(shape), comments[name]) for name, shape in game.observe.TENSOR_SHAPES.items()]
    return table(("part", "shape", "meaning"), rows)


def state(game: Game, module: ModuleType) -> str:
    """Return the fields of a state as a table; a dot precedes the fields of a seat."""
    header = remarks(sys.modules["almunia.engine.state_dtype"], "HEADER")
    visibility = {field: group for group, fields in game.observe.VISIBILITY.items() for field in fields.split()}
    records = {name for name, (kind, _) in game.rules.STATE.fields.items() if kind.base.fields}
    comments = header | remarks(module, "STATE", bare=records)  # their fields are commented on one by one
    rows = [
        (f"`{name}`", kind, OWNER if visibility[name] == "owner" else visibility[name], meaning)
        for name, kind, meaning in fields(game.rules.STATE, "", comments, module)
    ]
    return table(("field", "type", "who sees it", "meaning"), rows)


def fields(dtype: np.dtype, prefix: str, comments: dict[str, str], module: ModuleType) -> list[tuple[str, str, str]]:
    """Return name, type and comment of each field of a record, and of the records within."""
    rows = []
    for name, (kind, _) in (dtype.fields or {}).items():
        if name.startswith("gap_"):
            continue
        if kind.base.fields:
            record_name = next(other for other, thing in vars(module).items() if thing == kind.base)
            rows += fields(kind.base, f"{prefix}{name}.", remarks(module, record_name), module)
        else:
            size = f"[{', '.join(map(str, kind.shape))}]" if kind.shape else ""
            rows.append((prefix + name, f"{kind.base.name}{size}", comments[name]))
    return rows


def shape_of(shape: tuple[int, ...]) -> str:
    """Return a shape as text: `3 x 5`."""
    return " x ".join(map(str, shape))
