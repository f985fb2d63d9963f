"""Functions that play at tables without pages."""

from collections.abc import Callable, Sequence
from random import Random

from playwright.sync_api import Page

from almunia.server.tables.moves import apply_action
from almunia.server.tables.service import TableService

from .settling import settle_at

GAME = 2000  # actions, more than any game has


def play_on(
    tables: TableService, table: str, acts: int, choose: Callable[[Sequence[int]], int] = lambda legal: legal[0]
) -> None:
    """Play this number of actions in the seats to move, or fewer if the game ends before."""
    name = table.rpartition("/")[2]
    for _ in range(acts):
        now = tables.get(name)
        if now.table.finished:
            return
        seat = now.play.turn
        tables.move(name, seat, choose(now.play.legal_actions), now.history(seat).version)


def play_for_others(tables: TableService, table: str) -> None:
    """Play until the first seat is to move, or the game is over."""
    name = table.rpartition("/")[2]
    for _ in range(GAME):
        now = tables.get(name)
        if now.table.finished or not now.play.turn:
            return
        play_on(tables, table, 1)
    raise AssertionError(f"the first seat has not moved in {GAME} acts of others")


def seen_by(tables: TableService, table: str, seat: int = 0) -> int:
    """Return the version of a table for a seat."""
    return tables.get(table.rpartition("/")[2]).history(seat).version


def let_others_act(page: Page, tables: TableService, table: str, acts: int = 1) -> None:
    """Play in the seats to move, and wait until the page of the first seat has settled."""
    play_on(tables, table, acts)
    settle_at(page, seen_by(tables, table))


def await_turn(page: Page, tables: TableService, table: str) -> None:
    """Play until the first seat is to move, and wait until its page has settled."""
    play_for_others(tables, table)
    settle_at(page, seen_by(tables, table))


def play_out(tables: TableService, table: str) -> None:
    """Play a table to its end at random, and save all moves in one write."""
    now = tables.get(table.rpartition("/")[2])
    play, rng, entries = now.play.copy(), Random(1), []
    while not play.over:
        entries.append(apply_action(play, rng.choice(play.legal_actions), follows=False))
    tables.commit(now, tuple(entries), play)


def uncover(page: Page, tables: TableService, address: str, table: str) -> None:
    """Reveal the seat to move on a shared screen, before its page is opened. Does nothing when the game is over."""
    now = tables.get(table.rpartition("/")[2])
    if now.table.finished:
        return
    form = {"seat": str(now.play.turn)}
    answer = page.request.post(f"{table}/reveal", form=form, headers={"Origin": address}, max_redirects=0)
    assert answer.status == 303, answer.text()
