# SPDX-License-Identifier: GPL-2.0-or-later
"""The third life of a device: on the air it gives the same records as in memory; and the fourth, without the kernel.
`Tests/ThreeLives` has the device and the commands, and `Tests/CLITests/ThreeLivesTests.swift` the other two lives."""

import re
import shlex
import signal
from pathlib import Path

from guest.catalogue import in_one_world, limit
from guest.checks import Failure, equal
from guest.lender import Lender
from guest.served import Served

FOLDER = Path(__file__).resolve().parents[2] / "ThreeLives"
DEVICE = str(FOLDER / "rig.json")
KEEPER, BONDING = str(FOLDER / "bonding.json"), str(FOLDER / "bonding.blectl")
# What belongs to the moment and to the radio.
LEFT_OUT = {"time", "monotonic_ns", "rssi_dbm", "address", "address_kind", "address_type", "adapter", "socket"}
STEP_LEFT_OUT = {"duration_ms", "packets"}
ATTEMPT = re.compile(r"attempt \d of \d: cannot (?:connect|keep the link) to .*; trying again in ")
ADDRESS = re.compile(r"(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}")


def _commands() -> list[list[str]]:
    lines = (FOLDER / "commands.txt").read_text().splitlines()
    return [shlex.split(line) for line in lines if not line.startswith("#")]


def _comparable(value):
    match value:
        case dict():
            return {key: _comparable(inner) for key, inner in value.items() if key not in LEFT_OUT}
        case list():
            return [_comparable(inner) for inner in value]
        case str():
            return ADDRESS.sub("(address)", value)
        case _:
            return value


def _outcome(run) -> tuple[int, list]:
    return run.status, [_comparable(record) for record in run.records()]


def _are_as_in_memory(blectl, served, here, between=lambda: None) -> None:
    """Runs the twenty commands in memory and with the program `here`, while the device is served on the air."""
    differences = []
    for command in _commands():
        in_memory = _outcome(blectl(f"--simulate={DEVICE}", "--simulate-time", "virtual", *command, "--json"))
        on_the_air = _outcome(here(*command, "--json"))
        between()
        if on_the_air != in_memory:
            differences.append(f"{shlex.join(command)}\n    in memory  {in_memory}\n    on the air {on_the_air}")
    served.live.signal(signal.SIGTERM)
    served.live.finish().is_ended_by(signal.SIGTERM)
    if differences:
        raise Failure("\n".join(differences))
    equal(len(_commands()), 20, "the number of commands")


@limit(180)
def twenty_commands_have_the_same_records_on_the_air_as_in_memory(blectl, btvirt):
    served = Served(blectl, DEVICE)
    _are_as_in_memory(blectl, served, blectl.on("hci1"), btvirt.end_links)


@limit(180)
def twenty_commands_have_the_same_records_without_the_kernel(blectl, btvirt_server):
    ours = blectl.on(btvirt_server.place)
    _are_as_in_memory(blectl, Served(ours, DEVICE, adapter=None), ours)


@limit(180)
@in_one_world
def twenty_commands_have_the_same_records_on_a_lent_controller(blectl, btvirt_server, machine):
    served = Served(blectl.on(btvirt_server.place), DEVICE, adapter=None)
    with machine.log("lender") as errors:
        lender = Lender(machine.program, btvirt_server.place, errors)
        _are_as_in_memory(blectl, served, blectl.on(f"unix:{lender.path}"))
        lender.stop()


def _script(run) -> list:
    """The records of a script. A step takes longer on the air, more packets, and perhaps another attempt to connect,
    because a device whose link has just ended may not advertise again yet."""
    kept = [{key: record[key] for key in record if key not in STEP_LEFT_OUT} for record in run.records()]
    records = _comparable(kept)
    for record in records:
        if "messages" in record:
            record["messages"] = [text for text in record["messages"] if not ATTEMPT.match(text)]
    return records


@limit(120)
def fifteen_commands_about_a_bond_have_the_same_records_on_the_air_as_in_memory(blectl, btvirt, pairing):
    in_memory = blectl(f"--simulate={KEEPER}", "--simulate-time", "virtual", "run", BONDING, "--json").exits(0)
    # The adapter in memory was prepared for pairings before, which here switches it off and on and is told once.
    blectl("-i", "hci1", "serve", KEEPER, "--io", "none", "--duration", "1").exits(0)
    served = Served(blectl, KEEPER, "--io", "none")
    on_the_air = blectl("-i", "hci1", "run", BONDING, "--json", patience=60).exits(0)
    served.live.signal(signal.SIGTERM)
    served.live.finish().is_ended_by(signal.SIGTERM)
    expected, found = _script(in_memory), _script(on_the_air)
    different = [f"in memory  {one}\n    on the air {other}" for one, other in zip(expected, found) if one != other]
    equal(different, [], "the records that differ")
    equal(len(found), len(expected), "the number of records")
    steps = [record["step"] for record in found if record["type"] == "script-step"]
    commands = [step for step in steps if not step.startswith(("disconnect", "check"))]
    equal(len(commands), 15, "the number of commands")
