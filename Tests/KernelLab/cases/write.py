# SPDX-License-Identifier: GPL-2.0-or-later
"""Writing: short, long, with and without response, and values that are refused before an octet is sent."""

from guest.checks import contains, equal, one_of, true
from guest.peers import COMMAND, LONG, SHORT, SILENT, STUBBORN, TICKS, TWIN, UART_RECEIVE
from guest.schema import obeys

WRITES = ("Write Request", "Write Command", "Prepare Write Request", "Execute Write Request")
LETTER = bytes(number * 5 % 256 for number in range(512))


def _written(blectl, *arguments, **options) -> dict:
    return obeys(blectl("write", "--json", *arguments, **options).exits(0).record("write"))


def _arrived(peer, key: str) -> list[str]:
    return [entry["value"] for entry in peer.journal("write") if entry["key"] == key]


def a_short_value_with_a_response(blectl, strap, trace):
    record = _written(blectl, SHORT, "0x0102", "-d", strap)
    equal((record["procedure"], record["length"], record["verified"]), ("write-request", 2, None), "the record")
    equal(_arrived(strap, "short"), ["0102"], "what arrived")
    equal([pdu.value.hex() for pdu in trace.now().sent(*WRITES)], ["0102"], "the writes in the trace")


def a_value_of_512_bytes_and_back(blectl, strap):
    record = _written(blectl, LONG, "0x" + LETTER.hex(), "-d", strap, "--verify")
    one_of(record["procedure"], ["long-write", "write-request"], "the procedure")
    equal((record["length"], record["verified"]), (512, True), "the record")
    equal(_arrived(strap, "long"), [LETTER.hex()], "what arrived, in one piece")
    read = blectl("read", LONG, "-d", strap, "--json").exits(0).record("value")
    equal(read["value"], LETTER.hex(), "what is read back")


def a_file_of_512_bytes(blectl, strap):
    path = f"{blectl.directory}/letter"
    with open(path, "wb") as file:
        file.write(LETTER)
    _written(blectl, LONG, f"@{path}", "-d", strap)
    equal(_arrived(strap, "long"), [LETTER.hex()], "what arrived")


def the_bytes_of_standard_input(blectl, strap):
    _written(blectl, LONG, "-", "-d", strap, stdin=b"from a pipe\n")
    equal(_arrived(strap, "long"), [b"from a pipe\n".hex()], "what arrived")


def text_and_typed_numbers(blectl, strap):
    for value, octets in (
        ("text:häh", "68c3a468"),
        ("u16:500", "f401"),
        ("s8:-5", "fb"),
        ("f32be:1.5", "3fc00000"),
        ("u8:1,2,3", "010203"),
    ):
        _written(blectl, LONG, value, "-d", strap)
        equal(_arrived(strap, "long")[-1], octets, f"what arrived for {value}")


def without_a_response(blectl, strap, trace):
    record = _written(blectl, COMMAND, "0xcafe", "-d", strap, "--no-response")
    equal(record["procedure"], "write-command", "the procedure")
    strap.waits_for("write")
    equal(_arrived(strap, "command"), ["cafe"], "what arrived")
    equal([pdu.name for pdu in trace.now().sent(*WRITES)], ["Write Command"], "the writes in the trace")


def to_a_public_address_without_a_response(blectl, echo):
    _written(blectl, UART_RECEIVE, "text:hello", "-d", echo, "--no-response")
    echo.waits_for("write")
    equal(_arrived(echo, "uart"), [b"hello".hex()], "what arrived")


def a_value_that_the_device_does_not_keep_fails_the_verification(blectl, strap):
    run = blectl("write", STUBBORN, "text:yes", "-d", strap, "--verify", "--json").exits(1)
    equal(run.record("write")["verified"], False, "verified")


def what_cannot_be_read_back_is_refused_before_it_is_written(blectl, strap, trace):
    run = blectl("write", "heart-rate-control-point", "01", "-d", strap, "--verify").exits(76).is_quiet()
    run.says("--verify", "leave out --verify")
    equal(trace.now().sent(*WRITES), [], "the writes in the trace")
    equal(_arrived(strap, "control-point"), [], "what arrived")


def a_write_that_landed_is_told_as_written_where_it_cannot_be_read_back(blectl, strap):
    handle = _written(blectl, "heart-rate-control-point", "01", "-d", strap)["handle"]
    run = blectl("write", f"handle:{handle}", "01", "-d", strap, "--verify", "--json").exits(76)
    equal(obeys(run.record("write"))["verified"], None, "verified")
    run.says("was written, but not verified")
    equal(_arrived(strap, "control-point"), ["01", "01"], "what arrived")


def several_attributes_that_fit_are_listed_and_none_is_written(blectl, strap, trace):
    run = blectl("write", TWIN, "01", "-d", strap).exits(68).is_quiet()
    run.says("several attributes", "name the attribute: ")
    equal(trace.now().sent(*WRITES), [], "the writes in the trace")


def one_request_finds_that_there_is_no_other_attribute(blectl, strap, trace):
    _written(blectl, SHORT, "0x0102", "-d", strap)
    kinds = [pdu.name for pdu in trace.now().requests]
    equal(kinds[-2:], ["Read By Type Request", "Write Request"], "the last requests")


def a_value_that_the_device_finds_too_long(blectl, strap):
    run = blectl("write", SHORT, "0x0102030405", "-d", strap, "--json").exits(76)
    run.says("invalid attribute value length", "0x0d")
    equal(run.records("write"), [], "records of a write")


def a_value_too_long_for_any_device_is_refused_before_a_byte_is_sent(blectl, strap, trace):
    blectl("write", LONG, "-", "-d", strap, stdin=bytes(513)).exits(65).says("512")
    equal(trace.now().sent(*WRITES), [], "writes in the trace")


def a_file_goes_without_response_in_packets(blectl, strap, trace):
    image = bytes(number * 7 % 251 for number in range(20_000))
    path = f"{blectl.directory}/image"
    with open(path, "wb") as file:
        file.write(image)
    record = _written(blectl, COMMAND, f"@{path}", "-d", strap, "--no-response")
    pieces = _arrived(strap, "command")
    equal("".join(pieces), image.hex(), "what arrived, in order")
    equal((record["length"], record["chunks"]), (len(image), len(pieces)), "the record")
    true(all(len(piece) == len(pieces[0]) for piece in pieces[:-1]), "pieces of one size")
    equal({pdu.name for pdu in trace.now().sent(*WRITES)}, {"Write Command"}, "the writes in the trace")


def a_serial_port_gets_acknowledged_pieces(blectl, echo, trace):
    text = bytes(number % 256 for number in range(1_000))
    record = _written(blectl, UART_RECEIVE, "-", "-d", echo, "--chunk", "20", stdin=text)
    equal(_arrived(echo, "uart"), [text[at : at + 20].hex() for at in range(0, 1_000, 20)], "what arrived")
    equal((record["procedure"], record["chunks"]), ("write-request", 50), "the record")
    equal({pdu.name for pdu in trace.now().sent(*WRITES)}, {"Write Request"}, "the writes in the trace")


def a_value_that_is_none_is_refused_before_anything_is_sent(blectl, strap, trace):
    for value in ("u8:300", "0xZZ", "u16:x", "s8:-129"):
        blectl("write", SHORT, value, "-d", strap).exits(64, 65).is_quiet()
    equal(trace.now().connected, [], "links in the trace")


def an_input_file_that_is_not_there(blectl, strap, trace):
    blectl("write", SHORT, "@/nowhere/at/all", "-d", strap).exits(66).says("/nowhere/at/all")
    equal(trace.now().connected, [], "links in the trace")


def the_control_point_accepts_what_the_profile_allows(blectl, strap):
    _written(blectl, "heart-rate-control-point", "u8:1", "--service", "heart-rate")
    equal(_arrived(strap, "control-point"), ["01"], "what arrived")


def the_control_point_refuses_the_rest_with_an_application_error(blectl, strap):
    blectl("write", "heart-rate-control-point", "u8:2", "-d", strap).exits(76).says("0x80")


def a_characteristic_that_cannot_be_written(blectl, strap):
    run = blectl("write", "battery-level", "0x01", "-d", strap).exits(68, 76)
    true(run.stderr, "there is a message")


def a_device_that_never_acknowledges(blectl, awkward):
    blectl("write", SILENT, "0x01", "-d", awkward, "--timeout", "1.5").exits(124)


def several_devices_are_listed_and_none_is_written_to(blectl, strap, echo):
    run = blectl("write", SHORT, "0x01", "--name", "Bumble*").is_quiet()
    true(run.status not in (0, 124), f"it is an error, not status {run.status}")
    run.says(strap.address, echo.address)
    equal(strap.journal("connected") + echo.journal("connected"), [], "links")


def a_descriptor(blectl, strap):
    record = _written(blectl, f"{TICKS}/0x2902", "0x0000", "-d", strap)
    equal(record["procedure"], "write-request", "the procedure")
    contains(
        [(entry["notify"], entry["indicate"]) for entry in strap.journal("subscription")],
        (False, False),
        "subscriptions",
    )
