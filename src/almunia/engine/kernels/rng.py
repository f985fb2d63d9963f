"""Random numbers from a generator in the state, so that a seed and the actions reproduce a play.

The generator is xoshiro128++ (Blackman and Vigna, 2019), seeded by the mixing steps of splitmix64 (Steele, Lea and
Flood, 2014) cut down to 32 bits. The four 32-bit words are kept in 64-bit integers, so that Python, Numba and CUDA
agree on every bit.
"""

MASK32 = 0xFFFFFFFF


def seed_rng(rng, seed):
    """Seed the generator `rng` (four words) with an integer from 0 to 2**63 - 1."""
    low, high = seed & MASK32, (seed >> 32) & MASK32
    for i in range(4):
        low = (low + 0x9E3779B9) & MASK32
        rng[i] = _mix32(low ^ _mix32(high + i))


def _mix32(word):
    word &= MASK32
    word = ((word ^ (word >> 16)) * 0x21F0AAAD) & MASK32
    word = ((word ^ (word >> 15)) * 0x735A2D97) & MASK32
    return word ^ (word >> 15)


def _rotl(word, bits):
    return ((word << bits) & MASK32) | (word >> (32 - bits))


def next_u32(rng):
    """Return the next 32 random bits, as an integer from 0 to 2**32 - 1."""
    first, second, third, fourth = rng[0], rng[1], rng[2], rng[3]
    result = (_rotl((first + fourth) & MASK32, 7) + first) & MASK32
    third ^= first
    fourth ^= second
    rng[0] = first ^ fourth
    rng[1] = second ^ third
    rng[2] = third ^ ((second << 9) & MASK32)
    rng[3] = _rotl(fourth, 11)
    return result


def next_u63(rng):
    """Return the next 63 random bits, as an integer from 0 to 2**63 - 1."""
    return (next_u32(rng) << 31) ^ next_u32(rng)


def randbelow(rng, n):
    """Return a random integer from 0 to n - 1, for n from 1 to 2**31."""
    return (next_u32(rng) * n) >> 32


def shuffle(rng, cards, start, stop):
    """Shuffle the entries start .. stop - 1 of `cards`."""
    for i in range(stop - 1, start, -1):
        j = start + randbelow(rng, i + 1 - start)
        cards[i], cards[j] = cards[j], cards[i]


def clear_rng(rng):
    """Zero the generator, so that an observation does not reveal the random numbers to come."""
    for i in range(4):
        rng[i] = 0


def reseed_rng(rng, source):
    """Seed the generator `rng` with the next random bits of another generator."""
    seed_rng(rng, (next_u32(source) << 31) ^ next_u32(source))
