"""The pages on everything public, from its docstrings and the comments on its fields."""

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

import almunia
from almunia import bots, client
from almunia.arena import export, match, report, sequential, simulate
from almunia.bots.search.bot import Choice
from almunia.core import (
    codes,
    component_data,
    contract,
    drawing,
    guidance,
    layout,
    lines,
    options,
    remembering,
    scenario,
    schema,
    words,
)
from almunia.core.batch import Batch
from almunia.core.kernels import rng
from almunia.core.kernels.evaluation import Trial
from almunia.core.rewards import Rewards
from almunia.envs import gymnasium, openspiel, pettingzoo
from almunia.errors import AlmuniaError
from tools.docgen.source import Comments, comment_on, parsed, path_of

LIBRARY = """\
# API reference

What `almunia` offers to programs, from its own docstrings: `make reference` makes this page. [The library](library.md)
shows how it is used; [each game's page](games/index.md) has the codes of its actions and the parts of its
observations.

Seats count from 0 here, and from 1 wherever people see them. A play is one session of a game.
"""
CONTRACT = """\
# The contract of a game

What a game provides, and what core offers to those who write one, from their own docstrings: `make reference` makes
this page. [Adding a game](adding.md) lists the steps.
"""
# What is public but for Almunia's own use.
INNER = {
    "Game": {"bots", "family", "naming", "start", "twins"},
    "Observation": {"of_masked", "unpickled"},
    "Play": {"from_bytes", "start", "undoing", "unpickled"},
    "GameEnv": {"check_cycle"},
    "Match": {"drawn", "everybody", "secret", "terms", "lineups"},
}
PLAYING = ("Client", "Mark", "Row", "Table", "Seat", "Position", "Legal", "Course", "Refused", "Stale", "Lost")
PROPERTIES = {"property", "cached_property", "made_once"}
Section = tuple[str, list[Any]]


def library() -> list[Section]:
    """What programs use, in the order in which they need it."""
    names = [getattr(almunia, name) for name in almunia.__all__]
    return [
        ("Games", [almunia.game, almunia.all_games, almunia.Game]),
        ("Plays and observations", [almunia.Play, almunia.Observation, almunia.Outcome]),
        ("Actions", [codes.Codes]),
        ("Records", [almunia.Record, almunia.replay]),
        ("Many plays", [almunia.simulate, simulate.Simulated, export.write, export.columns]),
        ("Batches", [Batch, Rewards]),
        ("Bots", [bots.Bot, bots.make, bots.close, almunia.analyse, Choice]),
        ("Matches", [match.Match, match.run, sequential.Rule, report.figures, report.lines]),
        ("Gymnasium", [gymnasium.GameEnv, gymnasium.GameVectorEnv]),
        ("PettingZoo", [pettingzoo.env, pettingzoo.parallel_env, pettingzoo.GameEnv]),
        ("OpenSpiel", [openspiel.register, openspiel.load, openspiel.SpielGame, openspiel.SpielState]),
        (
            "Programs at a table",
            [getattr(client, name) for name in PLAYING],
        ),
        ("Errors", [thing for thing in names if isinstance(thing, type) and issubclass(thing, AlmuniaError)]),
    ]


def game() -> list[Section]:
    """What those need who write a game, module by module."""
    shown = [contract.Part, contract.Panel]
    return [
        ("Facts: `__init__.py`", [contract.Meta, options.Choice, options.Numbers, contract.Sequel]),
        ("Components: `components.py`", [contract.Components, component_data.read, *functions(schema)]),
        ("Rules: `rules.py`", [contract.Rules, contract.Naming, layout.state, layout.struct, codes.Codes]),
        ("Randomness", functions(rng)),
        ("What a seat may know: `observe.py`", [contract.Observe, contract.Openness, contract.Guessing]),
        ("Words: `text.py`", [contract.Text, contract.Ref, contract.Who, contract.Points, *functions(words, lines)]),
        ("Points by source", [contract.Accounts, contract.Source]),
        ("Leading a player", classes(guidance)),
        ("Challenges", [contract.Dealt, contract.Challenges, contract.Challenge, contract.Campaign]),
        ("Pictures: `view.py`", [contract.View, *shown, *functions(drawing), remembering.remembered]),
        ("Playing well: `bots.py`", [contract.Bots, contract.Foresight, Trial, contract.Outlook, contract.Playing]),
        ("Scenarios: `tests/scenarios`", [scenario]),
    ]


def classes(module: Any) -> list[Any]:
    """The classes of a module, as they stand there."""
    return [thing for thing in vars(module).values() if isinstance(thing, type) and thing.__module__ == module.__name__]


def functions(*modules: Any) -> list[Any]:
    """The public functions of modules, as they stand there."""
    return [
        thing
        for module in modules
        for name, thing in vars(module).items()
        if inspect.isfunction(thing) and thing.__module__ == module.__name__ and not name.startswith("_")
    ]


def pages() -> dict[str, str]:
    """Both pages by file name."""
    return {"api.md": page(LIBRARY, library()), "contract.md": page(CONTRACT, game())}


def page(head: str, sections: list[Section]) -> str:
    """A page of sections."""
    lines = [head]
    for title, things in sections:
        lines += [f"## {title}\n", *(entry(thing) for thing in things)]
    return "\n".join(lines)


def entry(thing: Any) -> str:
    """What is said of one function, class or module."""
    if inspect.ismodule(thing):
        return prose(inspect.getdoc(thing) or "") + "\n"
    node, comments = definition(thing)
    if isinstance(node, ast.FunctionDef):
        return described(node, f"### {path_to(thing)}")
    parts = [f"### {path_to(thing)}\n", prose(ast.get_docstring(node) or ""), ""]
    found = [*members(thing)]
    rows = [*fields(node, comments), *(attribute(part) for part in found if is_property(part))]
    if rows:
        parts += ["| attribute | type | meaning |", "| --- | --- | --- |"]
        parts += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows] + [""]
    return "\n".join([*parts, *(described(part, f"#### {part.name}") for part in found if not is_property(part))])


def path_to(thing: Any) -> str:
    """Where programs import it from."""
    name: str = thing.__name__
    package = thing.__module__.rpartition(".")[0]
    if getattr(sys.modules.get(package), name, None) is thing:  # the package of a module offers it
        return f"{package}.{name}"
    return f"almunia.{name}" if getattr(almunia, name, None) is thing else f"{thing.__module__}.{name}"


def definition(thing: Any) -> tuple[ast.FunctionDef | ast.ClassDef, Comments]:
    """Where a function or class is written, and the comments of its module."""
    tree, comments = parsed(path_of(thing))
    (node,) = (node for node in tree.body if getattr(node, "name", "") == thing.__name__)
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    return node, comments


def fields(node: ast.ClassDef, comments: Comments) -> Iterator[tuple[str, str, str]]:
    """The public fields of a class: name, type, and what is said of it."""
    for line in node.body:
        match line:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=usual) if not name.startswith("_"):
                said = comment_on(line, comments)
                assert said, f"{node.name}.{name} has no comment"
                default = f" = {ast.unparse(usual)}" if usual and not isinstance(usual, ast.Call) else ""
                yield f"`{name}`", f"`{typed(kind)}{default}`", said


def attribute(node: ast.FunctionDef) -> tuple[str, str, str]:
    """A property as a row of the same table."""
    words = " ".join((ast.get_docstring(node) or "").split())
    assert words, f"{node.name} has no docstring"
    return f"`{node.name}`", f"`{typed(node.returns)}`", words


def members(thing: type) -> Iterator[ast.FunctionDef]:
    """The public methods and properties of a class, those of its bases of ours first."""
    if issubclass(thing, AlmuniaError):
        return
    for base in thing.__bases__:
        if base.__module__.startswith("almunia."):
            yield from members(base)
    node, _ = definition(thing)
    inner = INNER.get(thing.__name__, set())
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and not part.name.startswith("_") and part.name not in inner:
            yield part


def is_property(node: ast.FunctionDef) -> bool:
    """Is it asked for without being called?"""
    return bool({ast.unparse(decorator) for decorator in node.decorator_list} & PROPERTIES)


def described(node: ast.FunctionDef, heading: str) -> str:
    """How a function is called, and what its docstring says."""
    words = prose(ast.get_docstring(node) or "")
    assert words, f"{node.name} has no docstring"
    return f"{heading}\n\n```text\n{signature(node)}\n```\n\n{words}\n"


def signature(node: ast.FunctionDef) -> str:
    """How a function is called, over several lines where one is too short."""
    given = node.args
    bare = [*given.posonlyargs, *given.args]
    first = 1 if bare and bare[0].arg in ("self", "cls") else 0
    defaults = [None] * (len(bare) - len(given.defaults)) + list(given.defaults)
    words = [argument(one, default) for one, default in zip(bare[first:], defaults[first:], strict=True)]
    words += [f"*{argument(given.vararg)}"] if given.vararg else []
    words += [argument(one, default) for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    words += [f"**{argument(given.kwarg)}"] if given.kwarg else []
    back = f" -> {typed(node.returns)}" if node.returns else ""
    line = f"{node.name}({', '.join(words)}){back}"
    return line if len(line) <= 100 else "\n".join([f"{node.name}(", *(f"    {word}," for word in words), f"){back}"])


def argument(given: ast.arg, default: ast.expr | None = None) -> str:
    """An argument with its type and default."""
    kind = f": {typed(given.annotation)}" if given.annotation else ""
    return f"{given.arg}{kind}" + (f" = {ast.unparse(default)}" if default else "")


def typed(kind: ast.expr | None) -> str:
    """A type as it is written, without the quotes that delay it."""
    return re.sub(r"['\"]", "", ast.unparse(kind)) if kind else ""


def prose(docstring: str) -> str:
    """A docstring in Markdown: its sections as lists, its samples as code."""
    lines: list[str] = []
    for block in docstring.split("\n\n"):
        head, _, rest = block.partition("\n")
        if head in ("Args:", "Returns:", "Raises:", "Yields:"):
            lines.append(f"**{'Arguments' if head == 'Args:' else head[:-1]}**\n\n{listed(rest)}")
        elif block.startswith(">>>"):
            lines.append(f"```pycon\n{block}\n```")
        elif block.startswith("    "):
            lines.append(f"```text\n{re.sub('(?m)^    ', '', block)}\n```")
        else:
            lines.append(block)
    return re.sub(r"\n```\n\n```text\n", "\n\n", "\n\n".join(lines))


def listed(rest: str) -> str:
    """The entries of a section as a list."""
    text = re.sub(r"\n {8,}", " ", "\n" + rest)
    return "\n".join("- " + re.sub(r"^(\w+): ", r"`\1`: ", line.strip()) for line in text.strip().split("\n"))
