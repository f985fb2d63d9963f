"""Differences and contrasts of colours, also for people with colour-vision deficiencies.

Sources: G. Sharma, W. Wu, E. N. Dalal, The CIEDE2000 color-difference formula (2005); G. M. Machado, M. M. Oliveira, L.
A. F. Fernandes, A physiologically-based model for simulation of color vision deficiency (2009), at full severity; WCAG
2.2 for contrast.
"""

from math import atan2, cos, degrees, exp, hypot, radians, sin, sqrt

Colour = tuple[float, float, float]  # sRGB, from 0 to 1

EYES: dict[str, tuple[Colour, Colour, Colour]] = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(colour: Colour) -> Colour:
    """Return the linear RGB values of a colour, from 0 to 1."""
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in colour)
    return red, green, blue


def seen_by(colour: Colour, eyes: str) -> Colour:
    """Return the linear RGB values of a colour as a person with this kind of vision sees it.

    `usual` changes nothing.
    """
    light = linear(colour)
    if eyes == "usual":
        return light
    red, green, blue = (sum(share * value for share, value in zip(row, light, strict=True)) for row in EYES[eyes])
    return min(max(red, 0), 1), min(max(green, 0), 1), min(max(blue, 0), 1)


def lab(light: Colour) -> Colour:
    """Convert linear RGB values to CIELAB, under D65."""
    red, green, blue = light
    xyz = (
        (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047,
        0.2126729 * red + 0.7151522 * green + 0.0721750 * blue,
        (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883,
    )
    x, y, z = (value ** (1 / 3) if value > 216 / 24389 else (24389 / 27 * value + 16) / 116 for value in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def difference(one: Colour, other: Colour, eyes: str = "usual") -> float:
    """Return the CIEDE2000 difference of two colours for a kind of vision.

    Side by side, a difference of 2 is just visible.
    """
    return ciede2000(lab(seen_by(one, eyes)), lab(seen_by(other, eyes)))


def ciede2000(one: Colour, other: Colour) -> float:
    """Return the CIEDE2000 difference of two colours in CIELAB."""
    lightness, a, b = zip(one, other, strict=True)
    mean_chroma = sum(map(hypot, a, b)) / 2
    stretch = 1.5 - 0.5 * sqrt(mean_chroma**7 / (mean_chroma**7 + 25**7))
    a = tuple(value * stretch for value in a)
    chroma = tuple(map(hypot, a, b))
    hue = tuple(degrees(atan2(y, x)) % 360 for x, y in zip(a, b, strict=True))
    apart = (hue[1] - hue[0] + 180) % 360 - 180 if chroma[0] * chroma[1] else 0.0
    middle = (hue[0] + apart / 2) % 360 if chroma[0] * chroma[1] else sum(hue)
    mean_lightness, mean_chroma = sum(lightness) / 2, sum(chroma) / 2
    hues = ((-0.17, 1, -30), (0.24, 2, 0), (0.32, 3, 6), (-0.20, 4, -63))
    weight = 1 + sum(share * cos(radians(times * middle + shift)) for share, times, shift in hues)
    by_lightness = 1 + 0.015 * (mean_lightness - 50) ** 2 / sqrt(20 + (mean_lightness - 50) ** 2)
    by_chroma, by_hue = 1 + 0.045 * mean_chroma, 1 + 0.015 * mean_chroma * weight
    turn = 30 * exp(-(((middle - 275) / 25) ** 2))
    rotation = -2 * sqrt(mean_chroma**7 / (mean_chroma**7 + 25**7)) * sin(radians(2 * turn))
    dl = (lightness[1] - lightness[0]) / by_lightness
    dc = (chroma[1] - chroma[0]) / by_chroma
    dh = 2 * sqrt(chroma[0] * chroma[1]) * sin(radians(apart / 2)) / by_hue
    return sqrt(max(0.0, dl**2 + dc**2 + dh**2 + rotation * dc * dh))


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    low, high = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in map(linear, (one, other)))
    return (high + 0.05) / (low + 0.05)
