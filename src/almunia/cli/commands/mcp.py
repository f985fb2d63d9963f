"""Serve games as tools for a language model, by the Model Context Protocol.

Programs start this command themselves and speak to it through standard input and output. It needs the extra `mcp`.
Without a site the model plays against bots; with one it sits at tables there, beside people, by the token in
ALMUNIA_TOKEN, and the extra `client` is needed, too.
"""

import argparse
import os
from contextlib import closing

from ...errors import SetupError
from .. import Exit
from ..options import need

EXAMPLES = ("almunia mcp", "almunia mcp --site https://play.example.org")
TOKEN = "ALMUNIA_TOKEN"  # noqa: S105 - where it stands


def arguments(parser: argparse.ArgumentParser) -> None:
    """The site, if there is one."""
    parser.add_argument("--site", metavar="ADDRESS", help="the site at whose tables the model plays (default: none)")


def run(args: argparse.Namespace) -> int:
    """Answer until the other side is gone."""
    need("mcp", "mcp")
    return play_at(args.site) if args.site else play_here()


def play_here() -> int:
    """Play against bots in this process."""
    from ..mcp_server import Tools, server

    with closing(Tools()) as tools:
        server(tools).run()
    return Exit.OK


def play_at(site: str) -> int:
    """Play at the tables of a site; SetupError without a token or for what is no address."""
    token = os.environ.get(TOKEN, "")
    if not token:
        raise SetupError(f"To play at {site} takes a token, in the variable {TOKEN}. Make one on its page /programs.")
    if not site.startswith(("http://", "https://")):
        raise SetupError(f"The address of a site begins with https:// or http://, not {site!r}.")
    need("httpx2", "client")
    from ...client import Client
    from ..mcp_server import server
    from ..mcp_tables import INSTRUCTIONS, TableTools

    with closing(TableTools(Client(site, token, patience=30))) as tools:
        server(tools, INSTRUCTIONS).run()
    return Exit.OK
