"""Oregon, by Henrik and Åse Berg: farmers and buildings where rows and columns cross."""

from ...core.contract import Meta

META = Meta(
    name="oregon",
    title="Oregon",
    designers=("Henrik Berg", "Åse Berg"),
    year=2007,
    seats=(2, 4),
    about="Two cards name a row and a column: settle farmers there, and buildings that pay them.",
    data=(
        "The counts of all components are certain. The colours of the map are a reconstruction that keeps to all that "
        "is documented, for nobody has published the printed ones space by space; the order of the symbols down the "
        "left edge is a guess. Whoever owns the box can bring a corrected file."
    ),
)
