"""Serve games as tools for a language model, by the Model Context Protocol.

Programs start this command themselves and speak to it through standard input and output. It needs the extra `mcp`.
"""

import argparse
from contextlib import closing

from .. import Exit
from ..shared import need

EXAMPLES = ("almunia mcp",)


def arguments(parser: argparse.ArgumentParser) -> None:
    """None."""


def run(args: argparse.Namespace) -> int:
    """Answer until the other side is gone."""
    need("mcp", "mcp")
    from ..mcp_server import Tools, server

    with closing(Tools()) as tools:
        server(tools).run()
    return Exit.OK
