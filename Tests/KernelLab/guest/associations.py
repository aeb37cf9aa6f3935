# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of pairings: how the two sides can prove who they are, in which role, with legacy pairing and with Secure
Connections, once for each other stack. A cell is what the program has reported about a pairing with that stack, and a cell
without a pairing is a failure."""

import json
from collections import Counter
from pathlib import Path

FILE = "associations.jsonl"
SHOWN, ENTERED = "passkey shown here", "passkey entered here"
MODELS = ("just works", SHOWN, ENTERED, "numeric comparison", "out of band")
KINDS = {False: "legacy", True: "secure connections"}
ROLES = ("central", "peripheral")
BUMBLE, BLUETOOTHD = "Bumble", "bluetoothd"
STACKS = (BUMBLE, BLUETOOTHD)
# What nobody can measure, with the reason.
IMPOSSIBLE = {
    ("central", "numeric comparison", False): "legacy pairing has no comparison",
    ("peripheral", "numeric comparison", False): "legacy pairing has no comparison",
    ("central", "out of band", False): "Linux has out-of-band data for Secure Connections only",
    ("peripheral", "out of band", False): "Linux has out-of-band data for Secure Connections only",
}
NOT_BY_BLUETOOTHD = "the agents of bluetoothd take no out-of-band data for Low Energy"


def impossible(stack: str, role: str, model: str, is_secure: bool) -> str | None:
    """Why a cell cannot be measured; `None` if it can."""
    if reason := IMPOSSIBLE.get((role, model, is_secure)):
        return reason
    return NOT_BY_BLUETOOTHD if stack == BLUETOOTHD and model == "out of band" else None


ALL = [
    (stack, role, model, kind)
    for stack in STACKS
    for role in ROLES
    for model in MODELS
    for kind in KINDS
    if not impossible(stack, role, model, kind)
]


class Associations:
    """Takes down the pairings of cases, for the end of the run."""

    def __init__(self, directory: Path, title: str, controller: str | None):
        self.path = directory / FILE
        self.title = title
        # That of the program's own host; `None` for the kernel's.
        self.controller = controller

    def add(self, role: str, run, stack: str = BUMBLE) -> None:
        """Takes down the pairing that a run has reported."""
        paired = run.record("paired")
        model = paired["method"]
        if model == "passkey entry":
            model = SHOWN if any(step["step"] == "show-passkey" for step in run.records("pairing")) else ENTERED
        stack += f", own host ({self.controller})" if self.controller else ""
        entry = {"cell": [stack, role, model, paired["secure_connections"]], "level": paired["level"], "case": self.title}
        with self.path.open("a") as file:
            file.write(json.dumps(entry) + "\n")


def read(directory: Path) -> list[dict]:
    path = directory / FILE
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def missing(entries: list[dict], wanted) -> list[str]:
    """The cells that were to be measured and were not."""
    measured = {tuple(entry["cell"]) for entry in entries}
    return [
        f"no pairing with {cell[0]} as {cell[1]} by {cell[2]}, {KINDS[cell[3]]}" for cell in wanted if cell not in measured
    ]


def table(entries: list[dict]) -> str:
    """The levels that the pairings have reached, and their number, for each stack that was paired with. Of those by our own
    host, only how many cells are measured."""
    stacks = [stack for stack in STACKS if any(entry["cell"][0] == stack for entry in entries)]
    parts = [table_of(stack, entries) for stack in stacks]
    measured = Counter(stack for stack, *_ in {tuple(entry["cell"]) for entry in entries} if stack not in STACKS)
    whole = Counter(stack for stack, *_ in ALL)
    counts = [(stack, count, whole[stack.split(",")[0]]) for stack, count in sorted(measured.items())]
    parts += ["\n".join(f"pairings with {stack}: {count} of {all_cells} cells" for stack, count, all_cells in counts)]
    return "\n\n".join(part for part in parts if part)


def table_of(stack: str, entries: list[dict]) -> str:
    """The table of one stack."""
    columns = [(role, kind) for role in ROLES for kind in KINDS]
    lines = [f"pairings with {stack}: the level that they reached, and their number"]
    lines.append(" " * 24 + "".join(f"{f'{role}, {KINDS[kind]}':32}" for role, kind in columns))
    reasons: list[str] = []
    for model in MODELS:
        cells = []
        for role, kind in columns:
            levels = [entry["level"] for entry in entries if entry["cell"] == [stack, role, model, kind]]
            if reason := impossible(stack, role, model, kind):
                reasons += [reason] if reason not in reasons else []
                cells.append(f"({'abcd'[reasons.index(reason)]})")
            else:
                cells.append(", ".join(f"{level} {levels.count(level)}" for level in sorted(set(levels))) or "MISSING")
        lines.append(f"  {model:22}" + "".join(f"{cell:32}" for cell in cells))
    lines += [f"  ({'abcd'[number]}) {reason}" for number, reason in enumerate(reasons)]
    return "\n".join(line.rstrip() for line in lines)
