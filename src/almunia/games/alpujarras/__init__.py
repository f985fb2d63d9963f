"""Alpujarras, by Steve Finn: mules on a track, water for the terraces, fruit for five villages."""

from ...core.contract import Meta

META = Meta(
    name="alpujarras",
    title="Alpujarras",
    designers=("Steve Finn",),
    year=2023,
    seats=(2, 4),
    points=(0, 500),  # far beyond any score seen
    decisions=5_000,
    about="Lead your mule along the track, farm and water the hillsides, and deliver fruit to the villages.",
    minutes=45,
    weight=3,
    data=(
        "Reconstruction 1. The rules are complete, but many icons and numbers (track, channels, card backs, rewards) "
        "are reconstructed and marked. If you own the box, you can correct them in a file."
    ),
    has_hidden_information=False,
)
