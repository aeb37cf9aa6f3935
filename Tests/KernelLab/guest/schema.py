# SPDX-License-Identifier: GPL-2.0-or-later
"""The records as the manual describes them: every record of a kind has all of its keys."""

import re

from .checks import Failure, equal

TEXT, NUMBER, BOOLEAN, LIST, OBJECT, ANYTHING = str, int, bool, list, dict, object
HEX = re.compile(r"(?:[0-9a-f]{2})*")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")

DEVICE = {"device": OBJECT}
READ_VALUE = {"value": (TEXT, None), "text": (TEXT, None), "error": (TEXT, None)}
VALUE = {
    **DEVICE,
    "target": TEXT,
    "service": (TEXT, None),
    "characteristic": (TEXT, None),
    "characteristic_name": (TEXT, None),
    "descriptor": (TEXT, None),
    "handle": NUMBER,
    "value": TEXT,
    "length": NUMBER,
    "text": (TEXT, None),
    "decoded": ANYTHING,
}
KINDS: dict[str, dict] = {
    "advertisement": {
        "address": (TEXT, None),
        "address_type": TEXT,
        "address_kind": TEXT,
        "rssi_dbm": (NUMBER, None),
        "tx_power_dbm": (NUMBER, None),
        "connectable": BOOLEAN,
        "scannable": BOOLEAN,
        "scan_response": BOOLEAN,
        "directed": BOOLEAN,
        "legacy": BOOLEAN,
        "primary_phy": TEXT,
        "secondary_phy": (TEXT, None),
        "advertising_sid": (NUMBER, None),
        "name": (TEXT, None),
        "name_raw": (TEXT, None),
        "services": LIST,
        "service_names": LIST,
        "manufacturer": LIST,
        "service_data": LIST,
        "appearance": (NUMBER, None),
        "beacon": (OBJECT, None),
        "flags": LIST,
        "data": TEXT,
        "ad": LIST,
    },
    "service": {
        **DEVICE,
        "uuid": TEXT,
        "name": (TEXT, None),
        "handle": NUMBER,
        "end_handle": NUMBER,
        "primary": BOOLEAN,
    },
    "include": {**DEVICE, "handle": NUMBER, "uuid": TEXT, "service_handle": NUMBER, "end_handle": NUMBER},
    "characteristic": {
        **DEVICE,
        "uuid": TEXT,
        "name": (TEXT, None),
        "handle": NUMBER,
        "value_handle": NUMBER,
        "properties": LIST,
        **READ_VALUE,
    },
    "descriptor": {**DEVICE, "uuid": TEXT, "name": (TEXT, None), "handle": NUMBER, **READ_VALUE},
    "value": VALUE,
    "write": {
        **DEVICE,
        "target": TEXT,
        "handle": NUMBER,
        "length": NUMBER,
        "chunks": NUMBER,
        "procedure": TEXT,
        "verified": (BOOLEAN, None),
    },
    "notification": {**VALUE, "sequence": NUMBER},
    "indication": {**VALUE, "sequence": NUMBER},
    "measurement": {
        **DEVICE,
        "profile": TEXT,
        "characteristic": TEXT,
        "handle": NUMBER,
        "value": TEXT,
        "text": (TEXT, None),
        "decoded": ANYTHING,
        "sequence": NUMBER,
    },
    "link-lost": {**DEVICE, "reason": TEXT},
    "link-restored": {**DEVICE, "gap_ms": NUMBER, "attempts": NUMBER},
    "values-dropped": {**DEVICE, "count": NUMBER, "first_sequence": NUMBER},
    "database-changed": {**DEVICE, "start_handle": NUMBER, "end_handle": NUMBER},
    "error": {"target": TEXT, "message": TEXT, "status": NUMBER, "att_error": (NUMBER, None)},
    "serving": {
        "name": TEXT,
        "advertised_name": (TEXT, None),
        "adapter": TEXT,
        "address": (TEXT, None),
        "advertising": (TEXT, None),
        "services": LIST,
    },
    "connected": {"connection": NUMBER, "central": (OBJECT, None)},
    "disconnected": {
        "connection": NUMBER,
        "central": (OBJECT, None),
        "reason": TEXT,
        "duration_ms": NUMBER,
        "mtu": NUMBER,
        "requests": NUMBER,
    },
    "request": {
        "connection": NUMBER,
        "name": TEXT,
        "handle": (NUMBER, None),
        "attribute": (TEXT, None),
        "request": TEXT,
        "answer": (TEXT, None),
        "att_error": (NUMBER, None),
    },
    "adapter": {
        "name": TEXT,
        "index": NUMBER,
        "address": (TEXT, None),
        "state": TEXT,
        "usable": BOOLEAN,
        "reason": (TEXT, None),
        "powered": BOOLEAN,
        "blocked": (TEXT, None),
        "low_energy": (BOOLEAN, None),
        "basic_rate": (BOOLEAN, None),
        "manager": (TEXT, None),
        "bus": (TEXT, None),
        "manufacturer": (TEXT, None),
        "manufacturer_id": (NUMBER, None),
        "hci_version": (TEXT, None),
        "features": LIST,
    },
}
EVERY = {"type": TEXT, "time": TEXT, "monotonic_ns": NUMBER}


def obeys(record: dict) -> dict:
    """Checks that the record has the manual's keys with their types."""
    kind = record["type"]
    if kind not in KINDS:
        raise Failure(f"the manual knows no record of type {kind!r}")
    expected = {**EVERY, **KINDS[kind]}
    equal(sorted(record), sorted(expected), f"the keys of a record of type {kind!r}")
    for key, wanted in expected.items():
        if wanted is not ANYTHING and not any(fits(record[key], one) for one in as_tuple(wanted)):
            raise Failure(f"{kind}.{key} is {record[key]!r}")
    if not TIME.fullmatch(record["time"]):
        raise Failure(f"{kind}.time is {record['time']!r}")
    for key in ("value", "data", "name_raw"):
        if isinstance(record.get(key), str) and not HEX.fullmatch(record[key]):
            raise Failure(f"{kind}.{key} is not hexadecimal: {record[key]!r}")
    if "device" in record:
        equal(sorted(record["device"]), ["address", "address_type", "name"], "the keys of a device")
    return record


def as_tuple(wanted) -> tuple:
    return wanted if isinstance(wanted, tuple) else (wanted,)


def fits(value, wanted) -> bool:
    if wanted is None:
        return value is None
    if wanted is NUMBER and isinstance(value, bool):
        return False
    return isinstance(value, wanted)


def full_uuid(uuid: str) -> str:
    """A UUID of the program's output, with 128 bits in lower case."""
    text = uuid.lower()
    return f"{int(text, 16):08x}-0000-1000-8000-00805f9b34fb" if text.startswith("0x") else text
