"""Exact arithmetic at GPU speed, under gmpy2's names."""

from bezout._native import mpz

__all__ = ["mpz"]
