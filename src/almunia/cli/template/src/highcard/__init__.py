"""High Card: the highest card wins the round, and the winner has to lead."""

from almunia.core.contract import Meta
from almunia.core.options import Choice

META = Meta(
    name="highcard",
    title="High Card",
    designers=("Anonymous",),
    year=2026,
    seats=(2, 3),
    about="Play one card each; the highest wins the round, and its player leads the next.",
    stage="draft",
    options=(Choice("hand", "Cards in hand", ("3", "4", "5"), "How many cards each player holds."),),
)
