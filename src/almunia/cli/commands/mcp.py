"""Serve games as tools for a language model, by the Model Context Protocol.

MCP clients start this command themselves and use its standard input and output. The command needs the extra `mcp`. By
default the model plays against bots. With --site the model plays at tables of a site with people, with the token in
ALMUNIA_TOKEN. Then the command needs the extra `client` as well.
"""

import argparse
import os
from contextlib import closing

from ...errors import SetupError, needs_extra
from .. import Exit

EXAMPLES = ("almunia mcp", "almunia mcp --site https://play.example.org")
TOKEN_VARIABLE = "ALMUNIA_TOKEN"  # noqa: S105 - the name of a variable, not a token


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--site", metavar="ADDRESS", help="the site where the model plays (default: none)")


def run(args: argparse.Namespace) -> int:
    with needs_extra("This needs", "mcp"):
        from ..mcp_server import Tools, make_server
    if args.site:
        return play_at_site(args.site)
    with closing(Tools()) as tools:
        make_server(tools.tools).run()
    return Exit.OK


def play_at_site(site: str) -> int:
    """Serve the tables of a site, and return the exit code.

    Raise SetupError if the token or the address is missing or invalid.
    """
    from ...client import Client
    from ..mcp_server import make_server
    from ..mcp_tables import INSTRUCTIONS, TableTools

    token = os.environ.get(TOKEN_VARIABLE, "")
    if not token:
        raise SetupError(
            f"Playing at {site} needs a token in the variable {TOKEN_VARIABLE}. Make one at {site}/api-tokens."
        )
    with closing(TableTools(Client(site, token, retry_seconds=30))) as tools:
        make_server(tools.tools, INSTRUCTIONS).run()
    return Exit.OK
