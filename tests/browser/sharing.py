"""Acting for people who share one screen, without looking at it."""

import re
from collections.abc import Callable

from playwright.sync_api import Page

from ..serving import told


def act_for_all(
    page: Page, table: str, address: str, choose: Callable[[list[int]], int] = lambda legal: legal[0]
) -> bool:
    """Do one act for whoever is to move, or uncover the screen for them; False once the play is over."""
    text = page.request.get(table).text()
    if "finale" in text:
        return False
    seat, seen, actions = told(text)
    curtain = re.search(r'/look".*?name="seat" value="(\d)"', text, re.DOTALL)
    where, form = ("look", {"seat": curtain[1]}) if curtain else ("act", {"action": str(choose(actions))})
    form = {"seat": str(seat), "seen": str(seen), **form}
    page.request.post(f"{table}/{where}", form=form, headers={"Origin": address})
    return True
