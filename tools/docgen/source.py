"""What comments in the source say of names: the fields of a state, the members of an enumeration, and so on."""

import ast
import inspect
import tokenize
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple


class Comment(NamedTuple):
    """A comment, behind something else on its line or alone there."""

    behind: bool
    words: str


Comments = dict[int, Comment]  # by line


def remarks(module: Any, name: str, bare: Collection[str] = ()) -> dict[str, str]:
    """The comment on each member of `name`, which stands at the top of a module; LookupError for one without.

    It is a class, a dictionary, or a call with named arguments. A comment stands at the end of a member's last line,
    at the end of its first, or in lines of its own above. Those in `bare` need none.
    """
    tree, comments = parsed(path_of(module))
    (found,) = (node for node in tree.body if gives(node, name))
    said = {member: comment_on(node, comments) for member, node in members(found)}
    if silent := [member for member, words in said.items() if not words and member not in bare]:
        raise LookupError(f"In {module.__name__}, {name} has no comment on {', '.join(silent)}.")
    return said


def remark(module: Any, name: str) -> str:
    """The comment above `name` itself."""
    tree, comments = parsed(path_of(module))
    (found,) = (node for node in tree.body if gives(node, name))
    return above(found, comments)


def path_of(thing: Any) -> Path:
    """The file in which a module, class or function stands."""
    return Path(inspect.getsourcefile(thing) or "")


@cache
def parsed(path: Path) -> tuple[ast.Module, Comments]:
    """A module as a tree, and its comments."""
    with path.open("rb") as file:
        tokens = [token for token in tokenize.tokenize(file.readline) if token.type == tokenize.COMMENT]
    found = ((token.start, token.line, token.string) for token in tokens)
    comments = {row: Comment(bool(line[:column].strip()), words[1:].strip()) for (row, column), line, words in found}
    return ast.parse(path.read_text("utf-8")), comments


def defines(module: Any, name: str) -> bool:
    """Does `name` get its value in this module?"""
    return any(gives(node, name) for node in parsed(path_of(module))[0].body)


def gives(node: ast.stmt, name: str) -> bool:
    """Does this statement give `name` its value?"""
    match node:
        case ast.ClassDef(name=found):
            return found == name
        case ast.Assign(targets=[ast.Name(id=found)]) | ast.AnnAssign(target=ast.Name(id=found)):
            return found == name
    return False


def members(node: ast.stmt) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    """The members of a class, a dictionary or a call, by name."""
    match node:
        case ast.ClassDef(body=body):
            for line in body:
                match line:
                    case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                        yield name, line
        case ast.Assign(value=ast.Dict(keys, values)) | ast.AnnAssign(value=ast.Dict(keys, values)):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant):
                    yield str(key.value), value
        case ast.Assign(value=ast.Call(keywords=keywords)):
            yield from ((word.arg, word.value) for word in keywords if word.arg)


def comment_on(node: ast.expr | ast.stmt, comments: Comments) -> str:
    """What is said of a member, or nothing."""
    for line in (node.end_lineno or node.lineno, node.lineno):
        if line in comments:
            return comments[line].words
    return above(node, comments)


def above(node: ast.expr | ast.stmt, comments: Comments) -> str:
    """The comment in lines of its own above a statement, or nothing."""
    words, line = [], node.lineno - 1
    while line in comments and not comments[line].behind:
        words.insert(0, comments[line].words)
        line -= 1
    return " ".join(words)
