"""Calling machine code without asking at each call which types the arguments have.

Numba finds that out anew whenever a function is called from Python, and for tuples of arrays it takes longer than most
decisions of a game do. Where the arguments are the same arrays at every call, it need be found out but once.
"""

from collections.abc import Callable
from typing import Any


def direct(function: Any, *arguments: Any) -> Callable[..., Any]:
    """The machine code of a function for arguments of these types, compiled or loaded now; a plain function as it is.

    It must never be called with others: nothing checks their types any more.
    """
    if not hasattr(function, "py_func"):
        return function
    from numba import typeof

    code: Callable[..., Any] = function.compile(tuple(map(typeof, arguments)))
    return code
