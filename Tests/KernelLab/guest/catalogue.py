# SPDX-License-Identifier: GPL-2.0-or-later
"""The cases: every function of a file in `cases` whose name does not start with an underscore, in the file's order.

A case's name is its sentence, its parameters name its resources (see `fixtures.py`), `@limit` gives it more time.
A file may also contain a `TABLE` of generated cases: pairs of a sentence and a function.
"""

import fnmatch
import importlib
import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from .checks import Failure

AREAS = (
    "lab",
    "library",
    "scan",
    "adapters",
    "doctor",
    "dual_mode",
    "inspect",
    "read",
    "write",
    "notify",
    "watch",
    "uart",
    "rule_breakers",
    "l2cap",
    "bench",
    "reconnect",
    "session",
    "link",
    "eatt",
    "long_range",
    "shell",
    "failures",
    "security",
    "pairing",
    "being_paired",
    "their_agents",
    "privacy",
    "signals",
    "coexistence",
    "sharing",
    "state",
    "parallel",
    "simulation",
    "firmware",
    "btvirt",
    "several_adapters",
    "serve",
    "advertise",
    "device_files",
    "sensor_tag",
    "faults",
    "clone",
    "three_lives",
    "script",
    "outsider",
    "torrent",
    "evidence",
    "traces",
    "their_clients",
    "their_servers",
    "own_host",
    "served_bearers",
    "usb",
    "ssh",
    "costs",
)
# These run only when a pattern names them.
MEASURED = ("costs",)
USUAL_LIMIT = 30


@dataclass(frozen=True)
class Case:
    area: str
    name: str
    run: Callable
    needs: tuple[str, ...]
    limit: float
    world: str = ""  # the world, if the parameters do not determine it
    is_in_one_world: bool = False
    needs_kernel: bool = False
    is_by_name: bool = False  # whether it runs only when a pattern names it

    @property
    def title(self) -> str:
        return f"{self.area.replace('_', ' ')}: {self.name.replace('_', ' ')}"


def limit(seconds: float):
    """Marks a case that takes longer than others."""

    def mark(function):
        function.limit = seconds
        return function

    return mark


def in_one_world(function):
    """Marks a case that depends on its adapter, so that it runs behind one kind only."""
    function.is_in_one_world = True
    return function


def needs_kernel(function):
    """Marks a case that uses the kernel's Bluetooth besides the program: another client, keys, or its driver."""
    function.needs_kernel = True
    return function


def cases() -> list[Case]:
    files = {path.stem for path in (Path(__file__).parents[1] / "cases").glob("[!_]*.py")}
    if files != set(AREAS):  # otherwise a file that is not listed would never run
        raise Failure(f"these are either files of cases or in the list of areas, not both: {sorted(files ^ set(AREAS))}")
    found = []
    for area in AREAS:
        module = importlib.import_module(f"cases.{area}")
        named = [
            (name, function)
            for name, function in vars(module).items()
            if inspect.isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
        ]
        for name, function in [*named, *getattr(module, "TABLE", ())]:
            needs = tuple(inspect.signature(function).parameters)
            limit, alone = getattr(function, "limit", USUAL_LIMIT), hasattr(function, "is_in_one_world")
            kernel = hasattr(function, "needs_kernel")
            found.append(Case(area, name, function, needs, limit, is_in_one_world=alone, needs_kernel=kernel))
    return found


def matches(case: Case, patterns: list[str]) -> bool:
    """Whether the title contains a pattern, or matches it as a glob, or is what follows an equals sign."""
    if not patterns:
        return case.area not in MEASURED and not case.is_by_name
    return any(
        pattern in case.title or fnmatch.fnmatch(case.title, pattern) or pattern == f"={case.title}"
        for pattern in patterns
    )
