"""Alhambra, a game by Dirk Henn."""

from ...core.contract import Meta
from ...core.options import Choice

META = Meta(
    name="alhambra",
    title="Alhambra",
    designers=("Dirk Henn",),
    year=2003,
    seats=(2, 6),
    points=(0, 600),  # all majorities of three scorings make 195, and three walls 330 at most
    decisions=30_000,  # 100 turns of each seat, each of less than 50 decisions
    about="Pay builders in their own currency, and build the best palace and the longest wall around it.",
    minutes=40,
    weight=2,
    options=(
        Choice(
            "memory",
            "Memory",
            ("hands hidden", "perfect"),
            "Hands hidden: you don't see other hands. Perfect: all players remember every card, so hands are open.",
            words=("Hands are hidden", "Perfect: hands are open"),
        ),
    ),
)
