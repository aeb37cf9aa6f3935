# SPDX-License-Identifier: GPL-2.0-or-later
"""The tree of a device, compared with the lists of other clients."""

import re

from guest.catalogue import limit, needs_kernel
from guest.checks import contains, equal, lacks, true
from guest.peers import CALIBRATION, FINE, HOSTILE, LONG, PROTECTED, REFUSED, WORKBENCH
from guest.schema import full_uuid, obeys
from guest.stack import tree_by_bumble, tree_by_gatttool

BITS = {
    "broadcast": 0x01,
    "read": 0x02,
    "write-without-response": 0x04,
    "write": 0x08,
    "notify": 0x10,
    "indicate": 0x20,
    "authenticated-signed-writes": 0x40,
    "extended-properties": 0x80,
}


def _inspected(blectl, *arguments) -> list[dict]:
    return [obeys(record) for record in blectl("inspect", "--json", *arguments).exits(0).records()]


def _attributes(records: list[dict]) -> set[tuple[int, str]]:
    """Every attribute of the tree, as handle and type."""
    found = set()
    for record in records:
        match record["type"]:
            case "service":
                found.add((record["handle"], full_uuid("0x2800" if record["primary"] else "0x2801")))
            case "include":
                found.add((record["handle"], full_uuid("0x2802")))
            case "characteristic":
                found.add((record["declaration_handle"], full_uuid("0x2803")))
                found.add((record["handle"], full_uuid(record["uuid"])))
            case "descriptor":
                found.add((record["handle"], full_uuid(record["uuid"])))
    return found


@needs_kernel
def the_tree_equals_what_gatttool_lists(blectl, strap):
    records = _inspected(blectl, strap)
    strap.hang_up()  # gatttool takes no PDU of the length that was agreed on this link
    tree = tree_by_gatttool(strap)
    services = {
        (record["handle"], record["end_handle"], full_uuid(record["uuid"]))
        for record in records
        if record["type"] == "service" and record["primary"]
    }
    equal(services, tree["services"], "primary services")
    characteristics = {
        (
            record["declaration_handle"],
            sum(BITS[bit] for bit in record["properties"]),
            record["handle"],
            full_uuid(record["uuid"]),
        )
        for record in records
        if record["type"] == "characteristic"
    }
    equal(characteristics, tree["characteristics"], "characteristics")
    equal(_attributes(records), tree["attributes"], "all attributes")


@limit(45)
def the_tree_equals_what_bumble_dumps(blectl, strap, adapter):
    records = _inspected(blectl, strap)
    strap.hang_up()
    dump = tree_by_bumble(strap, adapter)
    dumped = {
        (int(match[1], 16), full_uuid("0x" + match[2] if match[2] else match[3]))
        for line in dump
        if (
            match := re.match(
                r"Attribute\(handle=(0x[0-9A-F]{4}), type=(?:UUID-16:([0-9A-F]{4})|([0-9A-F-]{36}))", line
            )
        )
    }
    true(len(dumped) > 40, "Bumble dumped the attributes")
    equal(_attributes(records), dumped, "all attributes")


def the_tree_comes_in_its_own_order_with_names(blectl, strap):
    records = _inspected(blectl, "-d", strap)
    handles = [record["handle"] for record in records]
    equal(handles, sorted(handles), "the order of the records")
    names = [record["name"] for record in records if record["type"] in ("service", "characteristic", "descriptor")]
    for name in ("Battery", "Battery Level", "Heart Rate Measurement", "Client Characteristic Configuration"):
        true(any(name in (known or "") for known in names), f"“{name}” is among the names")
    equal({record["device"]["address"] for record in records}, {strap.address}, "the device")


def a_secondary_service_and_the_include_that_leads_to_it(blectl, strap):
    records = _inspected(blectl, strap)
    include = [record for record in records if record["type"] == "include"]
    equal([record["uuid"] for record in include], [CALIBRATION], "the included service, whose UUID has to be asked for")
    secondary = [record for record in records if record["type"] == "service" and not record["primary"]]
    equal([record["uuid"] for record in secondary], [CALIBRATION], "secondary services")
    equal(
        (include[0]["included_handle"], include[0]["included_end_handle"]),
        (secondary[0]["handle"], secondary[0]["end_handle"]),
        "where the include leads",
    )


def values_are_read_where_they_can_be(blectl, strap):
    records = _inspected(blectl, strap, "--values")
    by_uuid = {record["uuid"]: record for record in records if record["type"] == "characteristic"}
    equal(by_uuid["0x2A19"]["value"], "57", "the battery level")
    contains(by_uuid["0x2A19"]["text"], "87", "the battery level in words")
    equal(by_uuid["0x2A29"]["text"], "Bumble Works", "the manufacturer's name")
    equal(by_uuid[LONG]["value"], bytes(range(64)).hex(), "a value that is longer than a packet")
    equal(
        (by_uuid["0x2A37"]["value"], by_uuid["0x2A37"]["error"]), (None, None), "what cannot be read and was not tried"
    )
    descriptions = [
        record["text"] for record in records if record["type"] == "descriptor" and record["uuid"] == "0x2901"
    ]
    equal(descriptions, ["a long value"], "user descriptions")


def no_value_is_read_unless_asked_for(blectl, strap):
    records = _inspected(blectl, strap)
    equal({record["value"] for record in records if "value" in record}, {None}, "values")
    equal(strap.journal("read"), [], "reads in the peer's journal")


@needs_kernel
def a_value_that_is_refused_does_not_keep_the_others_from_being_read(blectl, awkward):
    """Without the silent and the disconnecting attributes, because the awkward device then answers these with errors. The
    protected one needs a pairing that proves more than the program can do without a person, which it tries."""
    run = blectl("read", "-d", awkward, "--json", PROTECTED, FINE, REFUSED).exits(76)
    equal([record["type"] for record in run.records()], ["paired", "error", "value", "error"], "the records")
    equal(run.records("value")[0]["value"], b"fine".hex(), "the value")


def the_tree_as_text(blectl, strap):
    run = blectl("inspect", strap, "--values").exits(0)
    for fragment in ("Battery Level", "87", "Bumble Works", "notify", WORKBENCH):
        contains(run.stdout, fragment, "the tree")


def hostile_values_are_escaped_in_text(blectl, awkward):
    run = blectl("read", HOSTILE, f"{HOSTILE}/0x2901", "-d", awkward).exits(0)
    contains(run.out, b"evil", "what is legible of the description")
    _no_terminal_obeys(run.out)


def a_value_that_is_not_of_the_form_asked_for_is_bad_data(blectl, awkward):
    run = blectl("read", HOSTILE, "--as", "utf8", "-d", awkward).exits(65).is_quiet().says(HOSTILE, "utf8")
    _no_terminal_obeys(run.err)


def _no_terminal_obeys(output: bytes) -> None:
    for forbidden in (b"\x1b", b"\xe2\x80\xae", b"\xc2\x9b", b"\xff", b"\x07"):
        lacks(output, forbidden, "the output")


def a_device_is_found_by_a_pattern_for_its_name(blectl, strap):
    records = _inspected(blectl, "--name", "Bumble H*")
    equal({record["device"]["name"] for record in records}, {"Bumble HR"}, "the device")
