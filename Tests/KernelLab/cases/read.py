# SPDX-License-Identifier: GPL-2.0-or-later
"""Reading, with as few requests as possible."""

from guest.catalogue import in_one_world
from guest.checks import contains, equal, true
from guest.peers import CALIBRATION_VALUE, HANGS_UP, LONG, PROTECTED, REFUSED, SILENT
from guest.schema import obeys
from guest.trace import SET_EXTENDED_SCAN_PARAMETERS


def _value(blectl, *arguments) -> dict:
    return obeys(blectl("read", "--json", *arguments).exits(0).record("value"))


def the_battery_level_by_name_and_address(blectl, strap):
    value = _value(blectl, "battery-level", "-d", strap)
    equal((value["value"], value["length"], value["decoded"]), ("57", 1, {"battery_level_percent": 87}), "the value")
    contains(value["text"], "87", "the value in words")
    equal((value["characteristic"], value["characteristic_name"]), ("0x2A19", "Battery Level"), "the characteristic")
    equal((value["device"]["address"], value["device"]["address_type"]), (strap.address, "random"), "the device")
    equal(value["handle"], 25, "the handle")


def one_request_is_all_it_takes(blectl, strap, trace):
    _value(blectl, "battery-level", "-d", strap, "--address-type", "random")
    seen = trace.now()
    equal([pdu.name for pdu in seen.requests], ["Read By Type Request"], "the requests in the trace")
    equal(seen.requests[0].data.hex(), "080100ffff192a", "the request")
    equal([pdu for pdu in seen.pdus if pdu.sent and pdu not in seen.requests], [], "anything else that was sent")
    equal(len(strap.journal("read")), 1, "reads in the peer's journal")


@in_one_world
def the_kernel_is_asked_once(blectl, strap, trace):
    """On one socket about all adapters, on one who manages them, and on one of the adapter for what happens to the attempt."""
    _value(blectl, "battery-level", "-d", strap, "--address-type", "random")
    equal(trace.now().opened_by("blectl"), 3, "the HCI sockets")


def no_scan_of_our_own_when_the_address_type_is_given(blectl, strap, trace):
    _value(blectl, "battery-level", "-d", strap, "--address-type", "random")
    _only_the_kernel_looked_for_the_device(trace)


def no_scan_of_our_own_for_a_device_that_was_seen_before(blectl, strap, trace):
    _value(blectl, "battery-level", "-d", strap)
    strap.hang_up()
    trace.restart()
    _value(blectl, "battery-level", "-d", strap)
    _only_the_kernel_looked_for_the_device(trace)
    equal(len(trace.now().requests), 1, "requests in the trace")


def _only_the_kernel_looked_for_the_device(trace):
    """The kernel finds a device by scanning with its accept list. A scan of the program would accept all devices."""
    for command in trace.now().commands:
        if command.opcode == SET_EXTENDED_SCAN_PARAMETERS:
            equal(command.parameters[1] & 1, 1, "the filter policy of a scan")


def without_a_device_by_the_service_that_it_advertises(blectl, strap):
    value = _value(blectl, "battery-level", "--service", "heart-rate")
    equal((value["value"], value["device"]["address"]), ("57", strap.address), "the value and where it is from")


def without_a_device_where_only_one_is_on_the_air(blectl, air, strap):
    air.only(strap)
    value = _value(blectl, "battery-level")
    equal((value["value"], value["device"]["address"]), ("57", strap.address), "the value and where it is from")


def a_target_of_a_service_that_is_advertised_finds_its_device(blectl, strap):
    value = _value(blectl, "body-sensor-location")
    equal((value["value"], value["device"]["address"]), ("01", strap.address), "the value and where it is from")
    contains(value["text"].lower(), "chest", "the location in words")


def a_device_by_its_exact_name(blectl, strap):
    equal(_value(blectl, "battery-level", "-d", "Bumble HR")["value"], "57", "the value")


def a_device_from_the_environment(blectl, strap):
    run = blectl("read", "battery-level", "--json", BLECTL_DEVICE=strap.address).exits(0)
    equal(run.record("value")["value"], "57", "the value")


def a_device_on_a_public_address(blectl, echo):
    value = _value(blectl, "device-name", "-d", echo)
    equal(value["text"], "Bumble Echo", "the device's name")
    equal(value["device"]["address_type"], "public", "the type of the address, from the advertisement")


def a_target_by_each_way_of_naming_it(blectl, strap):
    ways = (
        "0x2A19",
        "2a19",
        "00002a19-0000-1000-8000-00805f9b34fb",
        "battery/battery-level",
        "0x180F/0x2A19",
        "handle:0x0019",
    )
    records = blectl("read", "--json", "-d", strap, *ways).exits(0).records("value")
    equal([record["target"] for record in records], list(ways), "the targets")
    equal({record["value"] for record in records}, {"57"}, "the values")


def a_descriptor_behind_its_characteristic(blectl, strap):
    value = _value(blectl, "-d", strap, f"{LONG}/0x2901")
    equal(bytes.fromhex(value["value"]), b"a long value", "the user description")
    equal((value["characteristic"], value["descriptor"]), (LONG, "0x2901"), "what was read")


def a_characteristic_of_a_secondary_service(blectl, strap):
    equal(_value(blectl, "-d", strap, CALIBRATION_VALUE)["value"], "01020304", "the value")


def a_value_that_is_longer_than_a_packet_is_read_to_its_end(blectl, strap):
    value = _value(blectl, "-d", strap, LONG)
    equal((value["value"], value["length"]), (bytes(range(64)).hex(), 64), "the value")


def a_value_of_512_bytes(blectl, strap):
    long = bytes(number * 7 % 256 for number in range(512))
    strap.set("long", long)
    value = _value(blectl, "-d", strap, LONG)
    equal(value["value"], long.hex(), "the value")


def a_value_that_fills_a_packet_exactly(blectl, strap):
    """22 bytes fill a Read Response, and 19 a Read By Type Response. A full packet does not show whether more follows.
    """
    for length in (18, 19, 20, 21, 22, 23, 44):
        strap.set("long", bytes(range(length)))
        equal(_value(blectl, "-d", strap, LONG)["value"], bytes(range(length)).hex(), f"a value of {length} bytes")


def an_empty_value(blectl, strap):
    strap.set("long", b"")
    value = _value(blectl, "-d", strap, LONG)
    equal((value["value"], value["length"]), ("", 0), "the value")


def several_targets_on_one_connection(blectl, strap, trace):
    targets = ("manufacturer-name-string", "model-number-string", "battery-level")
    records = blectl("read", "--json", "-d", strap, *targets).exits(0).records("value")
    equal([record["target"] for record in records], list(targets), "the targets")
    equal([record["text"] for record in records][:2], ["Bumble Works", "Model 1"], "the texts")
    equal(trace.now().connected, [strap.address], "the links in the trace")


def one_target_that_is_missing_does_not_fail_the_others(blectl, strap):
    run = blectl("read", "--json", "-d", strap, "battery-level", "0x2ABC", "model-number-string").exits(68)
    equal([record["type"] for record in run.records()], ["value", "error", "value"], "the records")
    error = obeys(run.record("error"))
    equal((error["target"], error["status"]), ("0x2ABC", 68), "the error")
    equal((error["device"]["address"], error["retryable"]), (strap.address, False), "the device and the prospects")
    run.says("0x2ABC")


def the_bytes_in_the_form_that_was_asked_for(blectl, strap):
    for form, said in (("u8", "87"), ("hex", "57"), ("utf8", "W")):
        run = blectl("read", "battery-level", "-d", strap, "--as", form).exits(0)
        contains(run.stdout, said, f"the value as {form}")


def raw_bytes_with_nothing_added(blectl, strap):
    run = blectl("read", LONG, "-d", strap, "--as", "raw").exits(0)
    equal(run.out, bytes(range(64)), "standard output")


def as_text_the_value_is_decoded(blectl, strap):
    run = blectl("read", "battery-level", "-d", strap).exits(0)
    contains(run.stdout, "87", "the line")
    contains(run.stdout, "%", "the line")


def an_error_of_the_device_is_named(blectl, awkward):
    run = blectl("read", PROTECTED, "-d", awkward).exits(76).is_quiet()
    run.says("insufficient authentication", "0x05", "hint")


def an_application_error_of_the_device_is_named(blectl, awkward):
    run = blectl("read", REFUSED, "-d", awkward, "--json").exits(76).says("0x80")
    error = obeys(run.record("error"))
    equal((error["att_error"], error["characteristic"], error["status"]), (0x80, REFUSED, 76), "the error")


def a_device_that_is_not_there_is_a_record_as_well(blectl, strap):
    run = blectl("read", "battery-level", "-d", "Nobody", "--timeout", "1", "--json")
    error = obeys(run.record("error"))
    equal((error["status"], error["device"], error["hint"] is None), (run.status, None, False), "the error")


def a_line_for_each_value_by_a_template(blectl, strap):
    run = blectl("read", "battery-level", "0x2ABC", "-d", strap, "--format", r"{device.address}\t{text}").exits(68)
    equal(run.lines, [f"{strap.address}\t87 %"], "the lines")


def a_device_that_never_answers(blectl, awkward):
    run = blectl("read", SILENT, "-d", awkward, "--timeout", "1.5").exits(124).is_quiet()
    true(1.4 < run.seconds < 8, f"it ends soon after its time, not after {run.seconds:.1f} s")


def a_device_that_hangs_up_in_the_middle(blectl, awkward):
    run = blectl("read", HANGS_UP, "-d", awkward, "--retries", "0").exits(75).is_quiet()
    true(run.seconds < 8, "it ends at once")


@in_one_world
def privileges_are_not_needed_when_the_address_type_is_known(blectl, strap):
    run = blectl.as_nobody()("read", "battery-level", "-d", strap, "--address-type", "random", "--json").exits(0)
    equal(run.record("value")["value"], "57", "the value")


def every_packet_is_shown_when_asked_for(blectl, strap):
    run = blectl("read", "battery-level", "-d", strap, "--address-type", "random", "-v").exits(0)
    run.says("read by type")
    contains(run.stdout, "87", "the result, on standard output")
