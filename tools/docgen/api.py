"""The pages on the public API, from its docstrings and the comments on its fields."""

import ast
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any, NamedTuple

import almunia
from almunia import analysis, bots, client, scenario
from almunia.arena import export, match, report, simulate, sprt, traces
from almunia.batch.batch import Batch
from almunia.batch.rewards import Rewards
from almunia.batch.states import RowState
from almunia.bots.search.bot import ActionAnalysis
from almunia.core import (
    codes,
    component_data,
    contract,
    corrections,
    english as words,
    memoize,
    optional,
    options,
    rich_text as lines,
    svg,
)
from almunia.core.kernels.evaluation import EvalScratch
from almunia.engine import state_dtype
from almunia.engine.kernels import rng
from almunia.envs import gymnasium, openspiel, pettingzoo
from almunia.errors import AlmuniaError
from tools.docgen.source import Comments, comment_on, parse, path_of

RULES = [
    corrections.rule,
    corrections.between,
    corrections.rows,
    corrections.repeats,
]  # of component data

LIBRARY_HEAD = """\
# API reference

The public API of `almunia`. `make reference` generates this page from the docstrings. [The library](library.md) shows
how to use it. [Each game's page](games/index.md) has the codes of its actions and the parts of its observations.

Seats count from 0 here, and from 1 wherever people see them. A play is one session of a game.
"""
CONTRACT_HEAD = """\
# The contract of a game

The interface that a game implements, and the helpers of core for authors of games. `make reference` generates this
page from the docstrings. [Contributing](contributing.md#adding-a-game) lists the steps.
"""
# Public names that are for internal use.
INTERNAL = {
    "almunia.core.loaded.LoadedGame": {"bots", "make_backend", "backend"},
    "almunia.library.Game": {"start"},
    "almunia.play.play.Observation": {"unpickled"},
    "almunia.play.play.Play": {"from_bytes", "start"},
    "almunia.envs.pettingzoo.GameEnv": {"check_cycle"},
    "almunia.arena.match.Match": {"all_bots", "hides_seed", "config", "lineups", "tasks"},
}
CLIENT_NAMES = (
    "Client",
    "TableChange",
    "TableSummary",
    "Table",
    "Seat",
    "Position",
    "Legal",
    "ActionSequence",
    "Refused",
    "Stale",
    "Lost",
)
MODULES: tuple[tuple[str, type | None, type | None], ...] = (
    ("components", contract.Components, None),
    ("rules", contract.Rules, optional.OptionalRules),
    ("observe", contract.Observe, optional.OptionalObserve),
    ("text", contract.Text, optional.OptionalText),
    ("view", contract.View, optional.OptionalView),
    ("bots", None, optional.OptionalBots),
)
PROPERTY_DECORATORS = {"property", "cached_property", "locked_cached_property"}
Section = tuple[str, list[Any]]


class Constants(NamedTuple):
    """Names that a module assigns, to be shown with their values and comments."""

    module: Any
    names: tuple[str, ...]


def library_sections() -> list[Section]:
    """Return what programs use, in the order in which they need it."""
    names = [getattr(almunia, name) for name in almunia.__all__]
    return [
        ("Games", [almunia.game, almunia.all_games, almunia.Game]),
        ("Plays and observations", [almunia.Play, almunia.Observation, almunia.Outcome]),
        ("Actions", [codes.Codes]),
        ("Records", [almunia.Record, almunia.replay]),
        ("Many plays", [almunia.simulate, simulate.Simulated, export.write, export.columns]),
        ("Batches", [Batch, RowState, almunia.BatchBot, Rewards]),
        ("Bots", [bots.Bot, bots.make, bots.NamedBot, almunia.analyse, ActionAnalysis]),
        ("Analysis", [almunia.analyse_play, almunia.PlayAnalysis, analysis.SeatAnalysis, analysis.Decision]),
        ("Evaluators", [almunia.Evaluator, almunia.PlayEvaluator, almunia.KernelEvaluator]),
        ("Traces", [almunia.record_trace, almunia.load_trace, traces.Traces]),
        ("Matches", [almunia.Agent, match.Match, match.run, sprt.SprtRule, report.summarize, report.format_summary]),
        ("Gymnasium", [gymnasium.GameEnv, gymnasium.GameVectorEnv]),
        ("PettingZoo", [pettingzoo.env, pettingzoo.parallel_env, pettingzoo.GameEnv]),
        (
            "OpenSpiel",
            [openspiel.register, openspiel.load, openspiel.SpielGame, openspiel.SpielState, openspiel.SpielEvaluator],
        ),
        (
            "Programs at a table",
            [getattr(client, name) for name in CLIENT_NAMES],
        ),
        ("Errors", [thing for thing in names if isinstance(thing, type) and issubclass(thing, AlmuniaError)]),
    ]


def contract_sections() -> list[Section]:
    """Return what the author of a game needs, module by module."""
    return [
        ("Files, states, actions and builds", [contract]),
        ("Constants and types", [Constants(contract, ("NONE", "SPECTATOR", "TENSOR_BOUND", "RichLine"))]),
        ("Facts: `__init__.py`", [contract.Meta, options.Choice, options.Numbers, contract.Sequel]),
        ("Components: `components.py`", [contract.Components, component_data.read, *classes(corrections), *RULES]),
        ("Rules: `rules.py`", [contract.Rules, optional.OptionalRules]),
        ("States and actions", [state_dtype.state_dtype, state_dtype.record_dtype, codes.Codes]),
        ("Randomness", functions(rng)),
        ("What a seat may know: `observe.py`", [contract.Observe, optional.OptionalObserve]),
        ("Text: `text.py`", [contract.Text, optional.OptionalText]),
        (
            "Lines",
            [contract.ElementRef, contract.SeatName, contract.Points, contract.RuleRef, *functions(words, lines)],
        ),
        (
            "Values of the optional functions of `text.py`",
            [
                *(optional.Source, optional.ActionSequence, optional.Explanation, optional.Scoring, optional.Column),
                *(optional.Challenge, optional.Campaign),
            ],
        ),
        ("Pictures: `view.py`", [contract.View, optional.OptionalView]),
        (
            "Panels and icons",
            [
                contract.Part,
                contract.Panel,
                contract.Overlay,
                contract.Role,
                optional.Icon,
                *functions(svg),
                memoize.memoize,
            ],
        ),
        ("Playing well: `bots.py`", [optional.OptionalBots, EvalScratch]),
        ("Scenarios: `tests/scenarios`", [scenario]),
    ]


def classes(module: Any) -> list[Any]:
    """Return the classes of a module, in order of definition."""
    return [thing for thing in vars(module).values() if isinstance(thing, type) and thing.__module__ == module.__name__]


def functions(*modules: Any) -> list[Any]:
    """Return the public functions of modules, in order of definition."""
    return [
        thing
        for module in modules
        for name, thing in vars(module).items()
        if inspect.isfunction(thing) and thing.__module__ == module.__name__ and not name.startswith("_")
    ]


def pages() -> dict[str, str]:
    """Return both pages by file name."""
    return {
        "api.md": render_page(LIBRARY_HEAD, library_sections()),
        "contract.md": render_page(CONTRACT_HEAD + "\n".join(overview()), contract_sections()),
    }


def overview() -> Iterator[str]:
    """Yield the table of what a game's modules must have and what they may have."""
    yield "\n| module | must have | may have |\n| --- | --- | --- |"
    for module, must, may in MODULES:
        cells = (", ".join(f"`{name}`" for name in optional.members(one)) if one else "-" for one in (must, may))
        yield f"| `{module}.py` | {' | '.join(cells)} |"
    yield "\nThe library has a default for everything that a module may have.\n"


def render_page(head: str, sections: list[Section]) -> str:
    """Return a page of sections."""
    lines = [head]
    for title, things in sections:
        lines += [f"## {title}\n", *(render_entry(thing) for thing in things)]
    return "\n".join(lines)


def render_entry(thing: Any) -> str:
    """Return the documentation of a function, class or module."""
    if isinstance(thing, Constants):
        return "\n".join([*table(("name", "value", "meaning"), constant_rows(thing)), ""])
    if inspect.ismodule(thing):
        return render_docstring(inspect.getdoc(thing) or "") + "\n"
    node, comments = definition(thing)
    if isinstance(node, ast.FunctionDef):
        path = import_path(thing)
        return render_function(node, f"### {path}", path.rpartition(".")[2])
    parts = [f"### {import_path(thing)}\n", render_docstring(ast.get_docstring(node) or ""), ""]
    parts_of_class = [*members(thing)]
    if issubclass(thing, Enum):
        rows = [*value_rows(node.body, comments)]
        parts += [*table(("member", "value", "meaning"), rows), ""]
    elif rows := [*field_rows(node, comments), *map(attribute_row, filter(is_property, parts_of_class))]:
        parts += [*table(("attribute", "type", "meaning"), rows), ""]
    return "\n".join(
        [*parts, *(render_function(part, f"#### {part.name}") for part in parts_of_class if not is_property(part))]
    )


def import_path(thing: Any) -> str:
    """Return the path from which programs import it."""
    if top_level := [name for name in almunia.__all__ if getattr(almunia, name) is thing]:
        return f"almunia.{top_level[0]}"
    name: str = thing.__name__
    package = thing.__module__.rpartition(".")[0]
    if getattr(sys.modules.get(package), name, None) is thing:  # its package exports it
        return f"{package}.{name}"
    return f"{thing.__module__}.{name}"


def definition(thing: Any) -> tuple[ast.FunctionDef | ast.ClassDef, Comments]:
    """Return the definition of a function or class, and the comments of its module."""
    tree, comments = parse(path_of(thing))
    (node,) = (node for node in tree.body if getattr(node, "name", "") == thing.__name__)
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    return node, comments


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of a table of three columns."""
    yield f"| {' | '.join(head)} |"
    yield "| --- | --- | --- |"
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def constant_rows(constants: Constants) -> list[tuple[str, str, str]]:
    """Return the name, value and comment of constants."""
    tree, comments = parse(path_of(constants.module))
    rows = [row for row in value_rows(tree.body, comments) if row[0].strip("`") in constants.names]
    assert len(rows) == len(constants.names), f"{constants.module.__name__} lacks some of {constants.names}"
    return rows


def value_rows(lines: list[ast.stmt], comments: Comments) -> Iterator[tuple[str, str, str]]:
    """Yield what the lines of a module or class assign: name, value, and comment."""
    for line in lines:
        match line:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield f"`{name}`", f"`{ast.unparse(value)}`", comment_on(line, comments)


def field_rows(node: ast.ClassDef, comments: Comments) -> Iterator[tuple[str, str, str]]:
    """Yield the public fields of a class: name, type, and comment."""
    for line in node.body:
        match line:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=kind, value=default) if not name.startswith("_"):
                comment = comment_on(line, comments)
                assert comment, f"{node.name}.{name} has no comment"
                suffix = f" = {ast.unparse(default)}" if default and not isinstance(default, ast.Call) else ""
                yield f"`{name}`", f"`{type_text(kind)}{suffix}`", comment


def attribute_row(node: ast.FunctionDef) -> tuple[str, str, str]:
    """Return a property as a row of the same table."""
    summary = " ".join((ast.get_docstring(node) or "").split())
    assert summary, f"{node.name} has no docstring"
    return f"`{node.name}`", f"`{type_text(node.returns)}`", summary


def members(thing: type) -> Iterator[ast.FunctionDef]:
    """Yield the public methods and properties of a class, inherited ones first."""
    if issubclass(thing, AlmuniaError):
        return
    for base in thing.__bases__:
        if base.__module__.startswith("almunia."):
            yield from members(base)
    node, _ = definition(thing)
    internal = INTERNAL.get(f"{thing.__module__}.{thing.__name__}", set())
    parts = [part for part in node.body if isinstance(part, ast.FunctionDef)]
    missing = internal - {part.name for part in parts}
    assert not missing, f"{thing.__name__} lacks {missing}"
    yield from (part for part in parts if not part.name.startswith("_") and part.name not in internal)


def is_property(node: ast.FunctionDef) -> bool:
    """Return whether a method is a property."""
    return bool({ast.unparse(decorator) for decorator in node.decorator_list} & PROPERTY_DECORATORS)


def render_function(node: ast.FunctionDef, heading: str, name: str = "") -> str:
    """Return the signature and the docstring of a function, under another name if programs import it so."""
    text = render_docstring(ast.get_docstring(node) or "")
    assert text, f"{node.name} has no docstring"
    return f"{heading}\n\n```text\n{render_signature(node, name or node.name)}\n```\n\n{text}\n"


def render_signature(node: ast.FunctionDef, name: str) -> str:
    """Return the signature of a function, over several lines if it is long."""
    arguments = node.args
    bare = [*arguments.posonlyargs, *arguments.args]
    first = 1 if bare and bare[0].arg in ("self", "cls") else 0
    defaults = [None] * (len(bare) - len(arguments.defaults)) + list(arguments.defaults)
    parts = [render_argument(one, default) for one, default in zip(bare[first:], defaults[first:], strict=True)]
    parts += [f"*{render_argument(arguments.vararg)}"] if arguments.vararg else []
    parts += [
        render_argument(one, default) for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]
    parts += [f"**{render_argument(arguments.kwarg)}"] if arguments.kwarg else []
    returns = f" -> {type_text(node.returns)}" if node.returns else ""
    line = f"{name}({', '.join(parts)}){returns}"
    return line if len(line) <= 100 else "\n".join([f"{name}(", *(f"    {word}," for word in parts), f"){returns}"])


def render_argument(argument: ast.arg, default: ast.expr | None = None) -> str:
    """Return an argument with its type and default."""
    kind = f": {type_text(argument.annotation)}" if argument.annotation else ""
    return f"{argument.arg}{kind}" + (f" = {ast.unparse(default)}" if default else "")


def type_text(kind: ast.expr | None) -> str:
    """Return a type annotation as text, without quotes."""
    return re.sub(r"['\"]", "", ast.unparse(kind)) if kind else ""


def render_docstring(docstring: str) -> str:
    """Return a docstring in Markdown, with sections as lists and samples as code."""
    lines: list[str] = []
    for block in docstring.split("\n\n"):
        head, _, rest = block.partition("\n")
        if head in ("Args:", "Returns:", "Raises:", "Yields:"):
            lines.append(f"**{'Arguments' if head == 'Args:' else head[:-1]}**\n\n{render_list(rest)}")
        elif block.startswith(">>>"):
            lines.append(f"```pycon\n{block}\n```")
        elif block.startswith("    "):
            lines.append(f"```text\n{re.sub('(?m)^    ', '', block)}\n```")
        else:
            lines.append(block)
    return re.sub(r"\n```\n\n```text\n", "\n\n", "\n\n".join(lines))


def render_list(rest: str) -> str:
    """Return the entries of a section as a list."""
    text = re.sub(r"\n {8,}", " ", "\n" + rest)
    return "\n".join("- " + re.sub(r"^(\w+): ", r"`\1`: ", line.strip()) for line in text.strip().split("\n"))
