"""Kuhn poker: three cards, two players, one bet."""

from almunia.core.contract import Meta

META = Meta(
    name="kuhn",
    title="Kuhn Poker",
    designers=("Harold W. Kuhn",),
    year=1950,
    seats=(2, 2),
    about="The smallest poker: one card each of three, and one bet, which the other player calls or not.",
    points=(-2, 2),
    decisions=3,
)
