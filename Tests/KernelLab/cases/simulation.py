# SPDX-License-Identifier: GPL-2.0-or-later
"""What works on air works in simulation: the same commands give the same records."""

import re

from guest.catalogue import limit
from guest.checks import equal, true
from guest.schema import obeys
from guest.trace import ATT

VIRTUAL = ("--simulate", "--simulate-time", "virtual")


def _shape(value):
    """The structure of a value: keys and types. Lists and nullable values are left to `_alike`."""
    match value:
        case dict():
            return {key: _shape(inner) for key, inner in value.items()}
        case list():
            return [_shape(inner) for inner in value]
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case None:
            return None
        case _:
            return "string"


def _alike(real, simulated, where: str) -> None:
    """Expects the same keys and types. Null and the empty list match everything."""
    if real is None or simulated is None:
        return
    if isinstance(real, dict) and isinstance(simulated, dict):
        equal(sorted(simulated), sorted(real), f"the keys of {where} in simulation")
        for key in real:
            _alike(real[key], simulated[key], f"{where}.{key}")
    elif isinstance(real, list) and isinstance(simulated, list):
        for mine in real[:1]:
            for other in simulated[:1]:
                _alike(mine, other, f"{where}[]")
    else:
        equal(simulated, real, f"the type of {where} in simulation")


def _exemplar(records: list[dict]) -> dict:
    """The structure of a kind of record: for each key, of the first value that is not empty."""
    shapes = [_shape(record) for record in records]
    found = {key: next((shape[key] for shape in shapes if shape[key]), None) for key in shapes[0]}
    # The content of these depends on the value and the beacon, not on the radio.
    return {key: shape for key, shape in found.items() if key not in ("decoded", "beacon", "beacons")}


def _same_records(blectl, *arguments, besides: tuple[str, ...] = ()) -> None:
    """`besides` runs in simulation only, for kinds of records that the device on the air does not cause there."""
    real = blectl(*arguments, "--json").exits(0).records()
    other = blectl(*arguments, "--json", *VIRTUAL).exits(0).records()
    if besides:
        other += blectl(*besides, "--json", *VIRTUAL).exits(0).records()
    true(real and other, "both have records")
    for record in real + other:
        obeys(record)
    kinds = {record["type"] for record in real}
    equal({record["type"] for record in other}, kinds, "the kinds of record in simulation")
    for kind in kinds:
        mine, theirs = ([record for record in records if record["type"] == kind] for records in (real, other))
        _alike(_exemplar(mine), _exemplar(theirs), kind)


def scan(blectl, air):
    _same_records(blectl, "scan", "--duration", "1.5")


def inspect(blectl, strap):
    """On the air the strap includes a service; in simulation the workbench does."""
    arguments = ("inspect", "--values", "--service", "heart-rate")
    _same_records(blectl, *arguments, besides=("inspect", "-d", "Workbench"))


def read(blectl, strap):
    _same_records(blectl, "read", "battery-level", "model-number-string", "--service", "heart-rate")


def notify(blectl, strap):
    _same_records(blectl, "notify", "heart-rate-measurement", "--count", "8")


def watch_decodes_into_the_same_keys(blectl, strap):
    arguments = ("watch", "heart-rate", "--count", "8", "--json")
    real = blectl(*arguments).exits(0).records("measurement")
    other = blectl(*arguments, *VIRTUAL).exits(0).records("measurement")
    _alike(_shape(real[0]), _shape(other[0]), "measurement")
    for record in real + other:
        obeys(record)


PACKET = re.compile(r"\S+Z \s*\d+\.\d{6} ([<>]) (hci|att \S+) (.*)")


def _packets(run) -> list[tuple[str, str, str]]:
    """The packets that -vv shows: direction, channel, and what is neither address nor value.

    Reports and notifications come when the device likes."""
    found = []
    for match in filter(None, map(PACKET.fullmatch, run.stderr.splitlines())):
        direction, channel, text = match.groups()
        if channel == "hci":
            # Of a command all parameters, of an event only its subject, because controllers report different details.
            what = text.split(", ")[0] if direction == "<" else text
            if "Advertising Report" not in what:
                found.append((direction, "hci", what))
        else:
            what = max((name for name in ATT.values() if text.startswith(name)), key=len, default=text)
            if what != "Handle Value Notification":
                found.append((direction, "att", what))
    return found


def the_packets_are_the_same_but_for_addresses_and_values(blectl, strap):
    for arguments in (
        ("read", "battery-level", "--service", "heart-rate"),
        # Without the cache, because virtual time has none.
        ("watch", "heart-rate", "--count", "3", "--no-cache"),
    ):
        real, other = blectl(*arguments, "-vv").exits(0), blectl(*arguments, "-vv", *VIRTUAL).exits(0)
        strap.hang_up()
        equal(_packets(other), _packets(real), f"the packets of {arguments[0]} in simulation")
        true({channel for _, channel, _ in _packets(real)} == {"hci", "att"}, "there are packets of both channels")


@limit(150)
def an_hour_of_heart_beats_in_a_moment(blectl):
    """A minute at most, also on a machine that does much else."""
    arguments = ("watch", "heart-rate", "--count", "3600", "--json", *VIRTUAL)
    first = blectl(*arguments, patience=60).exits(0)
    second = blectl(*arguments, patience=60).exits(0)
    equal(len(first.records("measurement")), 3600, "measurements")
    true(first.out == second.out, "two runs are the same, byte for byte")


def simulation_needs_no_adapter(blectl, no_adapter):
    run = blectl("read", "battery-level", "--service", "heart-rate", "--json", *VIRTUAL).exits(0)
    equal(run.record("value")["characteristic"], "0x2A19", "what was read")
