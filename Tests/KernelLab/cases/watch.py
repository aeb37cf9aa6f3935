# SPDX-License-Identifier: GPL-2.0-or-later
"""Decoded measurements. The lab decodes them itself, by the profile's specification."""

from guest.checks import contains, equal, true
from guest.schema import obeys


def _decoded(value: bytes) -> dict:
    """Heart Rate Measurement. Spec: HRS 1.0, 3.1.1.1"""
    flags, rest = value[0], value[1:]
    size = 2 if flags & 0x01 else 1
    rate, rest = int.from_bytes(rest[:size], "little"), rest[size:]
    energy = None
    if flags & 0x08:
        energy, rest = int.from_bytes(rest[:2], "little"), rest[2:]
    intervals = []
    if flags & 0x10:
        while rest:
            intervals.append(int.from_bytes(rest[:2], "little") * 1000 / 1024)
            rest = rest[2:]
    contact = bool(flags & 0x02) if flags & 0x04 else None
    return {"heart_rate_bpm": rate, "contact": contact, "energy_expended_kj": energy, "rr_intervals_ms": intervals}


def _agrees(record: dict) -> None:
    ours, theirs = _decoded(bytes.fromhex(record["value"])), record["decoded"]
    for key in ("heart_rate_bpm", "contact", "energy_expended_kj"):
        equal(theirs.get(key), ours[key], f"{key} of {record['value']}")
    intervals = theirs.get("rr_intervals_ms") or []
    equal(len(intervals), len(ours["rr_intervals_ms"]), f"RR intervals of {record['value']}")
    for mine, other in zip(ours["rr_intervals_ms"], intervals):
        true(abs(mine - other) < 1, f"an RR interval of {mine} ms is not shown as {other}")


def heart_rate_finds_the_strap_by_itself(blectl, strap, trace):
    records = blectl("watch", "heart-rate", "--count", "5", "--json").exits(0).records("measurement")
    equal([obeys(record)["sequence"] for record in records], [1, 2, 3, 4, 5], "the sequence")
    equal({record["device"]["address"] for record in records}, {strap.address}, "the device")
    for record in records:
        _agrees(record)
    switches = [pdu.value.hex() for pdu in trace.now().sent("Write Request")]
    equal(switches, ["0100", "0000"], "the switches in the trace")


def heart_rate_in_every_shape_the_profile_allows(blectl, strap):
    records = blectl("watch", "heart-rate", "-d", strap, "--count", "8", "--json").exits(0).records("measurement")
    equal({bytes.fromhex(record["value"])[0] for record in records}, {0x1E, 0x16, 0x04, 0x01}, "the shapes seen")
    for record in records:
        _agrees(record)


def heart_rate_as_text_with_its_unit(blectl, strap):
    run = blectl("watch", "heart-rate", "--count", "2").exits(0)
    equal(len(run.lines), 2, "lines")
    for line in run.lines:
        contains(line, "bpm", "a line")


def battery(blectl, strap):
    records = blectl("watch", "battery", "-d", strap, "--count", "2", "--json").exits(0).records("measurement")
    equal([obeys(record)["value"] for record in records], ["57", "57"], "the values")
    contains(records[0]["text"], "87", "the value in words")


def a_duration_ends_it(blectl, strap):
    run = blectl("watch", "heart-rate", "--duration", "1s").exits(0)
    true(4 <= len(run.lines) <= 12, f"about ten measurements come in a second, not {len(run.lines)}")


def no_strap_on_the_air(blectl, strap):
    strap.mute()
    run = blectl("watch", "heart-rate", "--count", "1", "--timeout", "2").exits(68).is_quiet()
    true(run.seconds < 10, "it does not look for ever")


def heart_rate_of_a_service_that_others_have_written(blectl, trainer):
    trainer.unmute()
    run = blectl("watch", "heart-rate", "-d", trainer, "--count", "3", "--json").exits(0)
    for record in run.records("measurement"):
        _agrees(record)
        # 0.875 s and 1 s.
        equal(record["decoded"]["rr_intervals_ms"], [875, 1000], "the RR intervals")
    blectl("profile", "heart-rate", "reset-energy", "-d", trainer).exits(0)
    equal(len(trainer.journal("reset-energy")), 1, "resets that the strap has seen")


def device_information_of_a_service_that_others_have_written(blectl, trainer):
    trainer.unmute()
    run = blectl("watch", "device-info", "-d", trainer).exits(0)
    equal([line.split() for line in run.lines], [["manufacturer", "Bumble", "Works"], ["model", "Trainer", "1"]], "the table")
    contains(run.stderr, "the device has no serial-number", "what is missing")


def the_environment_is_sent_and_read(blectl, trainer):
    trainer.unmute()
    run = blectl("watch", "environment", "-d", trainer, "--count", "6", "--period", "0.2", "--json").exits(0)
    values = {}
    for record in run.records("measurement"):
        values[obeys(record)["characteristic"]] = record["decoded"]
    # −525 / 100 °C, 4712 / 100 %, 1013250 / 10 Pa
    equal(values["0x2A6E"], {"temperature_c": -5.25}, "the temperature, which is sent")
    equal(values["0x2A6F"], {"humidity_percent": 47.12}, "the humidity, which is read")
    equal(list(values["0x2A6D"].values()), [101325], "the pressure, which is read")


def a_sensor_tag_is_found_by_its_name_switched_on_calibrated_and_switched_off(blectl, tag):
    tag.unmute()
    run = blectl("watch", "sensortag", "--count", "9", "--period", "0.5", "--json").exits(0)
    texts = {obeys(record)["characteristic"]: record["text"] for record in run.records("measurement")}
    equal(texts["f000aa11-0451-4000-b000-000000000000"], "x 0.25 g, y -0.25 g, z 1 g", "the acceleration")
    weather = "temperature 23.59 °C, pressure 1010.62 hPa"
    equal(texts["f000aa41-0451-4000-b000-000000000000"], weather, "the weather, by the calibration")
    equal(texts["0xFFE1"], "left", "the keys")
    writes = {}
    for entry in tag.journal("write"):
        writes.setdefault(entry["key"], []).append(entry["value"])
    equal(writes["accelerometer"], ["01", "00"], "the accelerometer is on, and off in the end")
    equal(writes["period"], ["32"], "the period is 500 ms")
    equal(writes["barometer"], ["02", "01", "00"], "the barometer is calibrated, on, and off in the end")
