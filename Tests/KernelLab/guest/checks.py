# SPDX-License-Identifier: GPL-2.0-or-later
"""The checks of the cases."""

import time


class Failure(Exception):
    """A check has failed."""


def true(condition, sentence: str) -> None:
    """Fails unless the condition holds. `sentence` states the expectation."""
    if not condition:
        raise Failure(f"not so: {sentence}")


def equal(actual, expected, what: str) -> None:
    if actual != expected:
        raise Failure(f"{what}\n  expected {expected!r}\n  but saw  {actual!r}")


def one_of(actual, expected, what: str) -> None:
    if actual not in expected:
        raise Failure(f"{what}\n  expected one of {expected!r}\n  but saw {actual!r}")


def contains(whole, part, what: str) -> None:
    if part not in whole:
        raise Failure(f"{what}\n  expected {part!r}\n  in {whole!r}")


def lacks(whole, part, what: str) -> None:
    if part in whole:
        raise Failure(f"{what}\n  did not expect {part!r}\n  in {whole!r}")


def within(seconds: float, sentence: str, probe):
    """Waits until `probe()` is true, and returns its result. Every wait of the lab uses this."""
    deadline = time.monotonic() + seconds
    while True:
        if answer := probe():
            return answer
        if time.monotonic() > deadline:
            raise Failure(f"not within {seconds:g} s: {sentence}")
        time.sleep(0.02)
