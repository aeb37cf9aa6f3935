# SPDX-License-Identifier: GPL-2.0-or-later
"""What a controller by others cannot do, with the reason. Such a case is run nevertheless: it has to fail as it is said here.
When it passes, the controller can do it after all, and the entry has to go."""

import fnmatch
from dataclasses import dataclass

from .catalogue import Case
from .fixtures import world_of


@dataclass(frozen=True)
class Entry:
    world: str
    # Of titles, as globs.
    cases: tuple[str, ...]
    # What the report of the failure contains.
    shows: str
    reason: str


CANNOT = (
    Entry(
        "btvirt_air",
        ("being paired: a central that stops *", "being paired: a central whose person *"),
        "the peer tablet could not perform: TimeoutError()",
        "it gives the link of a second central the handle of the first, and its data to that",
    ),
    Entry(
        "btvirt_air",
        ("link: a new link is shown *", "link: each property is set *", "link: a subrate *", "link: the signal is streamed *"),
        "unknown HCI command (0x01)",
        "it has no commands for the signal strength, the power, the PHY and the subrate factor of a link",
    ),
    Entry(
        "rootcanal_air",
        ("link: a new link is shown *",),
        "(-20, False, 0)",
        "it says a power of its own, -20 dBm",
    ),
    Entry(
        "rootcanal_air",
        ("link: its channels *",),
        "the controller does not know it",
        "it lists LE Read Channel Map, and ends at it, so that it is not asked",
    ),
    Entry(
        "btvirt_air",
        ("link: its channels *",),
        "the controller does not know it",
        "it does not list LE Read Channel Map",
    ),
    Entry(
        "rootcanal_air",
        ("link: each property is set *",),
        "unsupported remote feature (0x1A)",
        "its features do not have longer packets",
    ),
    Entry(
        "rootcanal_air",
        ("link: a subrate *",),
        "unknown HCI command (0x01)",
        "it has no command for the subrate factor",
    ),
    Entry(
        "rootcanal_air",
        ("scan: a strap is found *", "scan: an eddystone *", "scan: an extended *"),
        "strength",
        "it says a signal strength of its own, which changes",
    ),
    Entry(
        "btvirt_air",
        ("scan: a strap is found *",),
        "the signal strength",
        "it says no signal strength",
    ),
    Entry(
        "btvirt_air",
        ("scan: an extended *", "scan: a line for each *", "scan: filter by signal *"),
        "the controller has no extended advertising",
        "it has no extended advertising",
    ),
    Entry(
        "btvirt_air",
        ("scan: duplicates *", "scan: a summary *"),
        "not 1 times",
        "it reports an advertiser once",
    ),
    *(
        Entry(
            world,
            ("scan: only the le 1m *", "scan: both phys *"),
            "not within 5 s: the scan runs",
            "nobody can see whether it scans, and on what",
        )
        for world in ("btvirt_air", "rootcanal_air")
    ),
    *(
        Entry(
            world,
            ("link: a peer that *", "link: a controller that rejects *", "link: a command whose link is refused *"),
            "could not set_link",
            "nobody can tell the controller of the other side to refuse, or to be silent",
        )
        for world in ("btvirt_air", "rootcanal_air")
    ),
)


def entry_of(case: Case) -> Entry | None:
    entries = [entry for entry in CANNOT if entry.world == world_of(case)]
    return next((entry for entry in entries if any(fnmatch.fnmatch(case.title, one) for one in entry.cases)), None)


def unknown(cases: list[Case]) -> set[str]:
    """What is named here, and is no case."""
    titles = {world: [case.title for case in cases if world_of(case) == world] for world in {entry.world for entry in CANNOT}}
    return {one for entry in CANNOT for one in entry.cases if not fnmatch.filter(titles[entry.world], one)}


def table() -> str:
    """The entries as text."""
    lines = ["what controllers by others cannot do"]
    for entry in CANNOT:
        lines += [f"  {entry.world}: {entry.reason}", *(f"    {case}" for case in entry.cases)]
    return "\n".join(lines)
