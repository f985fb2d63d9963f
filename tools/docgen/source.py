"""Comments of the source on names: the fields of a state, the members of an enumeration, and so on."""

import ast
import inspect
import tokenize
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple


class Comment(NamedTuple):
    """A comment, trailing on a line of code or alone on its line."""

    is_trailing: bool
    words: str


Comments = dict[int, Comment]  # by line


def remarks(module: Any, name: str, bare: Collection[str] = ()) -> dict[str, str]:
    """Return the comment on each member of `name`, which is defined at the top of a module.

    `name` is a class, a dictionary, or a call with keyword arguments. A comment is at the end of a member's last line,
    at the end of its first line, or on the lines above it. Raise LookupError if a member has none, unless it is in
    `bare`.
    """
    tree, comments = parse(path_of(module))
    (node,) = (node for node in tree.body if assigns(node, name))
    comments_by_member = {member: comment_on(node, comments) for member, node in members(node)}
    if missing := [member for member, words in comments_by_member.items() if not words and member not in bare]:
        raise LookupError(f"In {module.__name__}, {name} has no comment on {', '.join(missing)}.")
    return comments_by_member


def remark(module: Any, name: str) -> str:
    """Return the comment above `name` itself."""
    tree, comments = parse(path_of(module))
    (node,) = (node for node in tree.body if assigns(node, name))
    return comment_above(node, comments)


def path_of(thing: Any) -> Path:
    """Return the file that defines a module, class or function."""
    return Path(inspect.getsourcefile(thing) or "")


@cache
def parse(path: Path) -> tuple[ast.Module, Comments]:
    """Return the syntax tree of a module, and its comments by line."""
    with path.open("rb") as file:
        tokens = [token for token in tokenize.tokenize(file.readline) if token.type == tokenize.COMMENT]
    comment_tokens = ((token.start, token.line, token.string) for token in tokens)
    comments = {
        row: Comment(bool(line[:column].strip()), words[1:].strip()) for (row, column), line, words in comment_tokens
    }
    return ast.parse(path.read_text("utf-8")), comments


def defines(module: Any, name: str) -> bool:
    """Return whether a module assigns `name`."""
    return any(assigns(node, name) for node in parse(path_of(module))[0].body)


def assigns(node: ast.stmt, name: str) -> bool:
    """Return whether a statement assigns `name`."""
    match node:
        case ast.ClassDef(name=target):
            return target == name
        case ast.Assign(targets=[ast.Name(id=target)]) | ast.AnnAssign(target=ast.Name(id=target)):
            return target == name
    return False


def members(node: ast.stmt) -> Iterator[tuple[str, ast.expr | ast.stmt]]:
    """Yield the members of a class, a dictionary or a call, by name."""
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
    """Return the comment on a member, or ""."""
    for line in (node.end_lineno or node.lineno, node.lineno):
        if line in comments:
            return comments[line].words
    return comment_above(node, comments)


def comment_above(node: ast.expr | ast.stmt, comments: Comments) -> str:
    """Return the comment on the lines above a statement, or ""."""
    words, line = [], node.lineno - 1
    while line in comments and not comments[line].is_trailing:
        words.insert(0, comments[line].words)
        line -= 1
    return " ".join(words)
