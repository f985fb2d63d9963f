"""A page for each game: what it asks, what its action codes mean, what an observation holds."""

import sys
from math import prod
from types import ModuleType
from typing import Any

import numpy as np

import almunia
from almunia.core.contract import Meta
from almunia.core.game import Game
from tools.reference.source import defines, remarks

WHO = {"nobody": "nobody", "owner": "the seat itself", "partly": "partly", "everybody": "everybody"}
PAGE = """\
# {title} for programs

*{about}* By {designers}, {year}; {seats} seats.

![A position in a game of {title}](../{name}.svg)

This page is made from the game itself by `make reference`. What the library does with it is told in
[the library](../library.md); marks such as [3.1] name paragraphs of the game's `RULES.md`.
{data}
```python
>>> import almunia
>>> game = almunia.game("{name}", "plain")
>>> game.rules.ACTIONS, game.tensor_size, game.rules.STATE.itemsize
({actions}, {numbers}, {bytes})

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

## Observation

`observation.parts()` has these arrays by name, and `observation.tensor()` all of their {numbers} numbers in this order,
as float32. Where the meaning says `/ 10`, the number has been divided by ten, so that it is about 1 at most.

{tensor}

## Scores

`play.score_table()` and `almunia.simulate` give a row for each seat, in these columns; larger is better, and each
column breaks the ties of the one before: {scores}.

A play ends in one of these ways (`play.outcome`, and `ending` of a simulation):

{endings}

## State

The fields of a state, and who may see them. `play.state` reads them, `observation.state` with what is hidden blanked.

{state}
"""


def pages() -> dict[str, str]:
    """The page of each game that comes with Almunia, by file name."""
    return {f"games/{meta.name}.md": page(meta) for meta in almunia.all_games() if ours(meta)}


def ours(meta: Meta) -> bool:
    """Does this game come with Almunia, or is it a plug-in that is installed here?"""
    return almunia.game(meta.name, "plain").package.startswith("almunia.games.")


def page(meta: Meta) -> str:
    """The page of one game."""
    game = almunia.game(meta.name, "plain")
    phases, codes = defining(game, "Phase"), defining(game, "CODES")
    return PAGE.format(
        **{name: getattr(meta, name) for name in ("title", "name", "about", "year")},
        designers=" and ".join(meta.designers),
        seats=f"{meta.seats[0]} to {meta.seats[1]}",
        data=f"\n{meta.data}\n" if meta.data else "",
        actions=game.rules.ACTIONS,
        last=game.rules.ACTIONS - 1,
        numbers=game.tensor_size,
        bytes=game.rules.STATE.itemsize,
        options=options(meta),
        phases=members(phases, "Phase", "the question"),
        codes=actions(game, remarks(codes, "CODES")),
        tensor=tensor(game),
        scores=", ".join(f"*{name}*" for name in game.rules.SCORES),
        endings=members(phases, "Over", "what ended it"),
        state=state(game, phases),
    )


def defining(game: Game, name: str) -> ModuleType:
    """The module of a game's rules in which a name stands."""
    assert game.rules.ACTIONS  # from here on the modules are loaded
    package = f"{game.package}.rules"
    modules = [module for place, module in sys.modules.items() if (place + ".").startswith(package + ".")]
    (found,) = (module for module in modules if defines(module, name))
    return found


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


def tensor(game: Game) -> str:
    """The parts of an observation."""
    said = remarks(sys.modules[f"{game.package}.observe"], "TENSOR")
    rows = [(f"`{name}`", shape_of(shape), said[name]) for name, shape in game.observe.TENSOR.items()]
    return table(("part", "shape", "meaning"), rows)


def state(game: Game, module: ModuleType) -> str:
    """The fields of a state, those of a seat behind a dot."""
    header = remarks(sys.modules["almunia.core.layout"], "HEADER")
    who = {field: group for group, fields in game.observe.KNOWN.items() for field in fields.split()}
    said, rows = {**remarks(module, "STATE")}, []
    for name, kind, meaning in [*fields(game.rules.STATE, "", {**header, **said}, module)]:
        rows.append((f"`{name}`", kind, WHO[who[name]], meaning))
    return table(("field", "type", "who sees it", "meaning"), rows)


def fields(dtype: np.dtype, prefix: str, said: dict[str, str], module: ModuleType) -> list[tuple[str, str, str]]:
    """Each number or array of a record, and of the records within."""
    found = []
    for name, (kind, _) in (dtype.fields or {}).items():
        if name.startswith("gap_"):
            continue
        if kind.base.fields:
            inner = next(other for other, thing in vars(module).items() if thing is kind.base or thing == kind.base)
            found += fields(kind.base, f"{prefix}{name}.", remarks(module, inner), module)
        else:
            size = f"[{', '.join(map(str, kind.shape))}]" if kind.shape else ""
            found.append((prefix + name, f"{kind.base.name}{size}", said[name]))
    return found


def shape_of(shape: tuple[int, ...]) -> str:
    """A shape as people write it."""
    return " x ".join(map(str, shape))
