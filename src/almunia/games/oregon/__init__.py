"""Oregon, a game by Henrik and Åse Berg."""

from ...core.contract import Meta

META = Meta(
    name="oregon",
    title="Oregon",
    designers=("Henrik Berg", "Åse Berg"),
    year=2007,
    seats=(2, 4),
    points=(0, 1_000),  # 14 farmers, each next to eight buildings that pay at most 8, and a few groups
    decisions=5_000,
    about="Play cards for a row and a column. Place farmers there, and buildings that pay them.",
    minutes=30,
    weight=2,
    data=(
        "The counts of all components are certain. The terrain of each space is a reconstruction. It fits everything "
        "documented, but the printed map has never been published space by space. The order of the symbols on the left "
        "edge is a guess. If you own the box, you can correct it in a file."
    ),
)
