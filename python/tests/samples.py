"""Integers to test with: the edges that carries and signs go wrong at, and random ones."""

import random

EDGES = sorted(
    {
        sign * (base + step)
        for base in [0, 3, 10] + [2**k for k in (8, 32, 53, 61, 63, 64, 65, 128, 256, 1024)]
        for step in (-1, 0, 1)
        for sign in (-1, 1)
    }
)


def integer(rng, bits=700):
    """A random integer of at most so many bits: uniform, an edge, or one with long runs."""
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(EDGES)
    size = rng.randrange(1, bits)
    value = rng.getrandbits(size)
    if kind == 1:
        value = (1 << size) - (1 << rng.randrange(size)) + rng.choice((-1, 0, 1))
    return value if rng.random() < 0.5 else -value


def answer(function, *arguments):
    """What a call gives: its result, or the type of what it raises."""
    try:
        return function(*arguments)
    except Exception as error:
        return type(error)


def seeded(name):
    return random.Random(name)
