# SPDX-License-Identifier: GPL-2.0-or-later
"""The cases that run once more in another world: behind another adapter, or with the program as the host of a controller."""

import dataclasses
from typing import Iterator

from . import cannot
from .catalogue import Case
from .checks import Failure
from .fixtures import PEERS, needs_of, world_of

# The areas whose cases also run behind an unmanaged dual-mode adapter, with Low Energy off.
DUAL_MODE_AREAS = (
    "inspect", "read", "write", "notify", "watch", "reconnect", "failures", "signals", "sharing", "serve", "session",
    "shell", "security", "pairing", "privacy", "l2cap", "link", "ssh",
)  # fmt: skip
DUAL_MODE = {"air": "dual_air", "btvirt": "dual_btvirt"}
# The areas whose cases also run with the program as host of the controller, without a kernel's Bluetooth.
OWN_HOST_AREAS = (
    "scan", "inspect", "read", "write", "notify", "watch", "uart", "link", "rule_breakers", "l2cap", "bench", "reconnect",
    "session", "shell", "failures", "script", "signals", "state", "security", "pairing", "being_paired", "their_servers",
)  # fmt: skip
# The areas whose cases also run on a controller that another program lends.
LENT_AREAS = ("scan", "read", "notify", "pairing", "being_paired", "l2cap", "session", "parallel", "sharing")
# The areas whose cases also run on a controller on USB.
USB_AREAS = ("scan", "read", "notify", "pairing", "l2cap")
# The areas whose cases also run on each kind of controller that the program can be the host of.
EVERYWHERE_AREAS = (
    "scan", "inspect", "read", "write", "notify", "watch", "uart", "link", "eatt", "rule_breakers", "l2cap", "security",
    "pairing", "being_paired", "their_clients", "their_servers", "served_bearers",
)  # fmt: skip
EVERYWHERE = {
    "at_a_port": "port",
    "at_a_serial_port": "serial",
    "on_rootcanal": "rootcanal_air",
    "on_btvirt": "btvirt_air",
    "on_a_user_channel": "user_air",
}
# Those of them that run there without being named, so that each kind is tried each time.
SAMPLE = (
    "Bumble's client with our own host: the values", "Bumble's server on the air: the database",
    "Bumble's server on the air: a long write", "our_own_host_raises_a_link_once", "just works of bluetooth 4",
    "both show the same digits with secure connections", "gatttool on the air: the values",
    "btgatt-server on the air: the database",
)  # fmt: skip
# What a case may ask for there: it looks at no monitor, and drives no adapter of the kernel.
OWN_HOST_NEEDS = {"blectl", "air", "machine", "case", "place", "pairing", "associations"}


def with_twins(cases: list[Case]) -> list[Case]:
    """The cases, those that connect a second time for the other world, and those that can without a kernel's Bluetooth."""
    free = [case for case in cases if not case.is_in_one_world]
    all_cases = [*cases, *behind_dual_mode(free), *with_own_host(free), *on_other_emulators(free)]
    if unknown := set(SAMPLE) - {case.name for case in cases} | cannot.unknown(all_cases):
        raise Failure(f"no case has the name {sorted(unknown)}")
    return all_cases


def behind_dual_mode(cases: list[Case]) -> Iterator[Case]:
    for case in cases:
        if case.area in DUAL_MODE_AREAS and world_of(case) in DUAL_MODE:
            yield twin(case, "dual_mode", DUAL_MODE[world_of(case)])


def with_own_host(cases: list[Case]) -> Iterator[Case]:
    without_kernel = [
        case for case in cases if not case.needs_kernel and world_of(case) == "air" and needs_of(case) - PEERS <= OWN_HOST_NEEDS
    ]
    hosts = ((OWN_HOST_AREAS, "own_host", "line"), (LENT_AREAS, "lent", "lent"), (USB_AREAS, "on_usb", "usb"))
    for areas, suffix, world in hosts:
        yield from (twin(case, suffix, world) for case in without_kernel if case.area in areas)
    everywhere = [*without_kernel, *(case for case in cases if world_of(case) == "line")]
    for suffix, world in EVERYWHERE.items():
        yield from (by_name(twin(case, suffix, world), case) for case in everywhere if case.area in EVERYWHERE_AREAS)
    # Other people's programs on the kernel's second adapter.
    for case in cases:
        if case.area in ("their_clients", "their_servers", "their_agents") and world_of(case) == "btvirt":
            yield by_name(twin(case, "on_a_user_channel", "user_btvirt"), case)


def on_other_emulators(cases: list[Case]) -> Iterator[Case]:
    return (twin(case, "rootcanal", "rootcanal") for case in cases if world_of(case) == "btvirt_server")


def by_name(twin: Case, case: Case) -> Case:
    return dataclasses.replace(twin, is_by_name=case.name not in SAMPLE)


def twin(case: Case, suffix: str, world: str) -> Case:
    return dataclasses.replace(case, name=f"{case.name}_{suffix}", world=world)
