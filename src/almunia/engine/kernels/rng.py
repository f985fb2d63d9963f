"""Random numbers, drawn from four words kept in the state, so that a record replays itself.

The generator is xoshiro128++ (Blackman and Vigna, 2019), seeded by the mixing steps of
splitmix64 (Steele, Lea and Flood, 2014) cut down to 32 bits. The 32-bit words live in 64-bit
whole numbers, so plain Python, Numba and CUDA agree on every bit.
"""

WORD = 0xFFFFFFFF


def shake(rng, seed):
    """Start the generator `rng` (four words) from a seed of 0 .. 2**63 - 1."""
    low, high = seed & WORD, (seed >> 32) & WORD
    for i in range(4):
        low = (low + 0x9E3779B9) & WORD
        rng[i] = mixed(low ^ mixed(high + i))


def mixed(word):
    """Spread the bits of a 32-bit word."""
    word &= WORD
    word = ((word ^ (word >> 16)) * 0x21F0AAAD) & WORD
    word = ((word ^ (word >> 15)) * 0x735A2D97) & WORD
    return word ^ (word >> 15)


def turned(word, bits):
    """A 32-bit word rotated to the left."""
    return ((word << bits) & WORD) | (word >> (32 - bits))


def draw(rng):
    """The next 32 random bits."""
    first, second, third, fourth = rng[0], rng[1], rng[2], rng[3]
    result = (turned((first + fourth) & WORD, 7) + first) & WORD
    third ^= first
    fourth ^= second
    rng[0] = first ^ fourth
    rng[1] = second ^ third
    rng[2] = third ^ ((second << 9) & WORD)
    rng[3] = turned(fourth, 11)
    return result


def below(rng, n):
    """A whole number drawn evenly from 0 .. n - 1."""
    return (draw(rng) * n) >> 32


def shuffle(rng, cards, start, stop):
    """Put the entries start .. stop - 1 of `cards` in random order."""
    for i in range(stop - 1, start, -1):
        j = start + below(rng, i + 1 - start)
        cards[i], cards[j] = cards[j], cards[i]


def forget(rng):
    """Blank the generator: nobody knows the random numbers to come."""
    for i in range(4):
        rng[i] = 0


def renew(rng, source):
    """Start a generator afresh with random numbers from another one."""
    shake(rng, (draw(source) << 31) ^ draw(source))
