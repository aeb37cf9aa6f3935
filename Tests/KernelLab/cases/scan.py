# SPDX-License-Identifier: GPL-2.0-or-later
"""The reports of a scan, their display, and the state afterwards."""

import re
import signal
import struct
import subprocess
import time
from pathlib import Path

from guest.catalogue import limit, needs_kernel
from guest.checks import contains, equal, lacks, one_of, true, within
from guest.peers import FINE, REFUSED, UART_SERVICE
from guest.schema import obeys
from guest.trace import SET_EXTENDED_SCAN_ENABLE, SET_EXTENDED_SCAN_PARAMETERS

# The awkward device's name: see peers/awkward.py.
HOSTILE = b"\x1b[2J\x1b]0;x\x07\xe2\x80\xae\xffevil\n\xc2\x9b"
MOMENT = ("--duration", "1.2s")


def _heard(blectl, *arguments) -> list[dict]:
    return [obeys(record) for record in blectl("scan", "--json", *MOMENT, *arguments).exits(0).records("advertisement")]


def _first(records: list[dict], peer, **facts) -> dict:
    """The first report of a peer with these facts."""
    found = [record for record in records if record["address"] == peer.address]
    true(found, f"{peer.name} was heard")
    found = [record for record in found if all(record[key] == value for key, value in facts.items())]
    true(found, f"there is a report of {peer.name} with {facts}")
    return found[0]


def a_strap_is_found_with_its_name_its_services_and_its_random_address(blectl, strap):
    report = _first(_heard(blectl), strap, scan_response=False)
    equal(report["name"], "Bumble HR", "the name")
    equal(report["name_raw"], b"Bumble HR".hex(), "the bytes of the name")
    equal(report["services"], ["0x180D"], "the services")
    equal(report["service_names"], ["Heart Rate"], "the names of the services")
    equal((report["address_type"], report["address_kind"]), ("random", "random-static"), "type and kind of address")
    equal((report["connectable"], report["scannable"], report["legacy"]), (True, True, True), "the kind of report")
    equal(report["data"], "020106" + "03020d18" + "0a09" + b"Bumble HR".hex(), "the raw bytes")
    equal([structure["type"] for structure in report["ad"]], [0x01, 0x02, 0x09], "the structures")
    equal(report["rssi_dbm"], -50, "the signal strength")


def a_scan_response_is_a_report_of_its_own(blectl, strap):
    report = _first(_heard(blectl, "--active"), strap, scan_response=True)
    equal(report["appearance"], 833, "the appearance, a heart rate belt")
    equal(report["name"], "Bumble HR", "the name, from the advertisement before")


def an_active_scan_is_one_to_the_controller(blectl, trace):
    blectl("scan", "--active", "--duration", "300ms").exits(0)
    parameters = [
        command.parameters for command in trace.now().commands if command.opcode == SET_EXTENDED_SCAN_PARAMETERS
    ]
    true(parameters and parameters[0][3] == 1, "the scan on the first PHY is an active one")


def a_passive_scan_asks_nobody_anything(blectl, strap, trace):
    reports = _heard(blectl, "--passive")
    _first(reports, strap)
    equal([report for report in reports if report["scan_response"]], [], "scan responses")
    for command in trace.now().commands:
        if command.opcode == SET_EXTENDED_SCAN_PARAMETERS:
            equal(command.parameters[3], 0, "the scan type that the controller was given")


def a_scan_listens_a_part_of_the_time(blectl, trace):
    blectl("scan", *MOMENT, "--scan-interval", "300ms", "--scan-window", "30ms").exits(0)
    times = set()
    for command in trace.now().commands:
        if command.opcode == SET_EXTENDED_SCAN_PARAMETERS:
            # Each PHY has the type, and then the interval and the window in units of 0.625 ms.
            times.update(struct.unpack_from("<HH", command.parameters, start) for start in (4, 9))
    equal(times, {(480, 48)}, "the intervals and windows of both PHYs")


def an_ibeacon_is_decoded(blectl, ibeacon):
    report = _first(_heard(blectl), ibeacon)
    equal(report["beacon"]["kind"], "ibeacon", "the kind of beacon")
    equal((report["connectable"], report["scannable"]), (False, False), "what it accepts")
    equal([company["company_id"] for company in report["manufacturer"]], [0x004C], "the company")
    contains(report["manufacturer"][0]["company_name"], "Apple", "the company's name")
    contains(str(report["beacon"]).lower().replace("-", ""), "b1ec71ab000140008000000000001ab0", "the beacon's UUID")
    contains(str(report["beacon"]), "100", "the beacon's major number")


def an_eddystone_beacon_of_unknown_strength_is_decoded(blectl, eddystone):
    report = _first(_heard(blectl), eddystone)
    contains(report["beacon"]["kind"], "eddystone", "the kind of beacon")
    contains(str(report["beacon"]), "https://example.com", "the link")
    equal(report["address_kind"], "resolvable", "the kind of address")
    equal([data["uuid"] for data in report["service_data"]], ["0xFEAA"], "the service data")
    equal(report["rssi_dbm"], None, "the signal strength, which the controller does not know")


def an_extended_advertisement_in_fragments_is_put_together(blectl, broadcaster):
    report = _first(_heard(blectl), broadcaster)
    equal(report["legacy"], False, "legacy")
    equal(report["name"], "a name that no legacy advertisement has room for", "the name, from the last fragment")
    equal(len(report["manufacturer"]), 3, "manufacturer data")
    contains(report["secondary_phy"], "2", "the secondary PHY")
    equal((report["advertising_sid"], report["tx_power_dbm"], report["rssi_dbm"]), (3, 8, -40), "set, power, strength")


def a_public_address_and_a_service_of_128_bits(blectl, echo):
    report = _first(_heard(blectl), echo, scan_response=False)
    equal((report["address_type"], report["address_kind"]), ("public", "public"), "type and kind of address")
    equal(report["services"], [UART_SERVICE], "the services")


def a_hostile_name_is_valid_json_with_the_raw_bytes_beside(blectl, awkward):
    report = _first(_heard(blectl), awkward)
    equal(report["name_raw"], HOSTILE.hex(), "the bytes of the name")
    contains(report["name"], "evil", "the name")


def a_hostile_name_is_escaped_on_a_terminal(blectl, awkward):
    screen = blectl.on_terminal("scan", "--address", awkward, *MOMENT).exits(0).out
    contains(screen, b"evil", "what is legible of the name")
    for forbidden in (b"\x1b]0;", b"\xe2\x80\xae", b"\xc2\x9b", b"\xff", b"\x07", b"evil\r\n\xc2", b"evil\n"):
        lacks(screen, forbidden, "the terminal's input")


def a_hostile_name_is_escaped_wherever_it_is_told(blectl, awkward):
    """The name is known from a scan. It is escaped in the tree, in a value's record, and in an error."""
    for arguments, status in ((("inspect", awkward), 0), (("read", REFUSED, "-d", awkward, "-v"), 76)):
        run = blectl.on_terminal(*arguments).exits(status)
        contains(run.out + run.err, b"evil", "what is legible of the name")
        for forbidden in (b"\x1b]0;", b"\x1b[2J", b"\xe2\x80\xae", b"\xc2\x9b", b"\xff", b"\x07", b"evil\r", b"evil\n"):
            lacks(run.out + run.err, forbidden, f"what {arguments[0]} says")
    record = blectl("read", FINE, "-d", awkward, "--json").exits(0).record("value")
    contains(record["device"]["name"], "evil", "the name in a record")


def a_hostile_name_breaks_no_line_of_a_pipe(blectl, awkward):
    run = blectl("scan", "--address", awkward, *MOMENT).exits(0)
    equal(len(run.lines), 1, "lines for one device")
    for forbidden in (b"\x1b", b"\xe2\x80\xae", b"\xc2\x9b", b"\xff", b"\x07"):
        lacks(run.out, forbidden, "the line")


def a_line_for_each_device_and_a_closing_count(blectl, air):
    peers = [air.peers[name] for name in ("Bumble HR", "echo", "ibeacon", "eddystone", "broadcaster", "awkward")]
    run = blectl("scan", *MOMENT).exits(0).says("report")
    for peer in peers:
        equal(len([line for line in run.lines if peer.address in line]), 1, f"lines for {peer.name}")
    contains(run.stdout, "Bumble HR", "names")
    lacks(run.out, b"\x1b", "colours in a pipe")


def a_table_on_a_terminal(blectl, strap):
    screen = blectl.on_terminal("scan", *MOMENT, "--sort", "rssi").exits(0).out
    contains(screen, strap.address.encode(), "addresses")
    contains(screen, b"Bumble HR", "names")


def a_narrow_terminal_is_not_overrun(blectl, strap):
    """The live screen. The table that remains is whole, for a pipe or a wider terminal."""
    out = blectl.on_terminal("scan", *MOMENT, "--color", "never", columns=40).exits(0).stdout
    screen, left = out.split("\x1b[?1049l")
    contains(screen, strap.address[:5], "the screen")
    contains(left, strap.address, "what remains")
    lines = re.split(r"\x1b\[\d+;1H", screen)
    longest = max(len(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line)) for line in lines)
    true(longest <= 40, f"no line is longer than the 40 columns of the terminal; the longest has {longest}")


def filter_by_a_pattern_for_the_name(blectl, strap):
    reports = _heard(blectl, "--name", "Bumble H*")
    equal({report["address"] for report in reports}, {strap.address}, "who is shown")


def filter_by_a_service_by_its_name(blectl, strap):
    reports = _heard(blectl, "--service", "heart-rate")
    equal({report["address"] for report in reports}, {strap.address}, "who is shown")


def filter_by_signal_strength(blectl, strap, broadcaster):
    reports = _heard(blectl, "--rssi", "-55")
    equal({report["address"] for report in reports}, {strap.address, broadcaster.address}, "who is shown")


def filter_by_manufacturer(blectl, ibeacon):
    reports = _heard(blectl, "--manufacturer", "0x004C")
    equal({report["address"] for report in reports}, {ibeacon.address}, "who is shown")
    reports = _heard(blectl, "--manufacturer", "apple")
    equal({report["address"] for report in reports}, {ibeacon.address}, "who is shown, by a part of the name")


def filter_by_what_can_be_connected_to(blectl, strap, echo, awkward):
    reports = _heard(blectl, "--connectable")
    equal({report["address"] for report in reports}, {strap.address, echo.address, awkward.address}, "who is shown")


def a_count_of_reports_ends_the_scan(blectl, trace):
    run = blectl("scan", "--json", "--count", "7").exits(0)
    equal(len(run.records("advertisement")), 7, "records")
    true(trace.now().scanning is False, "the scanner is off")


def a_count_of_devices_ends_the_scan(blectl, strap, echo):
    equal(len(blectl("scan", "--count", "2").exits(0).lines), 2, "lines")


def duplicates_are_shown_on_request(blectl, strap):
    reports = _heard(blectl, "--duplicates", "--passive", "--address", strap)
    true(len(reports) >= 5, f"a device that advertises every 60 ms is heard often in 1.2 s, not {len(reports)} times")
    moments = [report["monotonic_ns"] for report in reports]
    equal(moments, sorted(moments), "the order of the reports in time")


def a_summary_tells_each_device_once(blectl, strap):
    run = blectl("scan", "--json", "--summary", "--duration", "1.2", "--passive", "--address", strap).exits(0)
    device = run.record("device")
    equal((device["address"], device["connectable"]), (strap.address, True), "the device")
    true(device["count"] >= 5, f"a device that advertises every 60 ms is heard often, not {device['count']} times")
    true(40 <= device["interval_ms"] <= 240, f"the interval is about 60 ms, not {device['interval_ms']} ms")
    true(
        device["rssi_min_dbm"] <= device["rssi_mean_dbm"] <= device["rssi_max_dbm"], "the mean is between the extremes"
    )


def a_device_that_comes_later_is_waited_for(blectl, strap, visitor):
    live = blectl.start("scan", "--json", "--address", strap, "--address", visitor)
    equal(obeys(live.next_record())["name"], "Bumble HR", "who is there")
    visitor.unmute()
    within(5, "the visitor is heard", lambda: b'"Visitor"' in live.collected["out"])
    live.signal(signal.SIGINT)
    live.finish(3).is_ended_by(signal.SIGINT)


def nobody_there_is_not_an_error_of_a_scan_that_was_to_end(blectl):
    blectl("scan", "--duration", "300ms", "--name", "nobody").exits(0).is_quiet().says("report")


def only_the_le_1m_phy_when_asked(blectl, strap, air):
    live = blectl.start("scan", "--json", "--phy", "1m", *MOMENT)
    within(5, "the scan runs", lambda: air.controller()["scanning"])
    equal(air.controller()["phys"], [1], "the PHYs that are listened on")
    _first(live.finish().exits(0).records("advertisement"), strap)


def both_phys_when_the_controller_has_them(blectl, air):
    live = blectl.start("scan", "--json", *MOMENT)
    within(5, "the scan runs", lambda: air.controller()["scanning"])
    equal(air.controller()["phys"], [1, 3], "the PHYs that are listened on: 1M and Coded")
    live.finish().exits(0)


def the_scanner_is_off_before_its_parameters_change_and_after_the_end(blectl, trace):
    blectl("scan", "--duration", "300ms").exits(0)
    seen = trace.now()
    relevant = (SET_EXTENDED_SCAN_PARAMETERS, SET_EXTENDED_SCAN_ENABLE)
    story = [command.opcode for command in seen.commands if command.opcode in relevant]
    true(SET_EXTENDED_SCAN_PARAMETERS in story, "extended commands are used where the controller has them")
    one_of(seen.scan_switches[-1], [False], "the last switch of the scanner")
    true(seen.scanning is False, "the scanner is off")


def a_controller_that_takes_legacy_commands_and_reports_extended_is_understood(blectl, old_air, trace):
    strap = old_air.peers["Bumble HR"]
    report = _first(_heard(blectl), strap)
    equal(report["name"], "Bumble HR", "the name")
    seen = trace.now()
    lacks([command.opcode for command in seen.commands], SET_EXTENDED_SCAN_ENABLE, "commands that the controller lacks")
    true(seen.scanning is False, "the scanner is off")


def a_read_through_a_controller_without_extended_commands(blectl, old_air):
    strap = old_air.peers["Bumble HR"]
    value = blectl("read", "battery-level", "-d", strap, "--json").exits(0).record("value")
    equal(value["value"], "57", "the value")


CROWD = 100_000


def _crowd_passes(blectl, air, *options: str) -> tuple[set[bytes], str]:
    """The output for a crowd, by the addresses, and the final text of standard error."""
    air.only()
    # A file, because a reader would take the only processor from the crowd and from the program.
    output = Path(blectl.directory, "crowd")
    with output.open("wb") as sink:
        process = subprocess.Popen(
            [blectl.program, "scan", *options],
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.PIPE,
            env=blectl.surroundings({}),
        )
    try:
        within(10, "it scans", lambda: air.controller()["scanning"])
        air.pour(CROWD)
        within(150, "the crowd has passed", lambda: air.crowd()["ended"])
        # The records in the queues are written to the end, however long that takes.
        within(60, "the last one is printed", lambda: _is_idle(process.pid))
        status = Path(f"/proc/{process.pid}/status").read_text()
        peak = int(re.search(r"VmHWM:\s+(\d+)", status)[1])
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    crowd = air.crowd()
    print(f"{crowd['sent'] / crowd['seconds']:.0f} reports a second, {peak / 1024:.1f} MB at most", flush=True)
    true(peak < 64 * 1024, f"the memory stays below 64 MB, and is {peak} kB")
    addresses = set(re.findall(rb"C0:DE:[0-9A-F:]{11}", output.read_bytes()))
    output.unlink()
    return addresses, process.stderr.read().decode()


def _is_idle(pid: int) -> bool:
    """Whether the process uses no processor time for a while."""
    before = _processor_time(pid)
    time.sleep(1)
    return _processor_time(pid) - before < 5


def _processor_time(pid: int) -> int:
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))


def _all_of_the_crowd(blectl, air, *options: str) -> None:
    addresses, said = _crowd_passes(blectl, air, *options)
    contains(said, ", 0 dropped", f"what it says of {len(addresses)} that it printed")
    equal(len(addresses), CROWD, "advertisers that are printed")


@needs_kernel
@limit(240)
def a_crowd_of_a_hundred_thousand_is_printed_to_the_last(blectl, air):
    _all_of_the_crowd(blectl, air)


@needs_kernel
@limit(240)
def a_crowd_of_a_hundred_thousand_is_a_record_each(blectl, air):
    _all_of_the_crowd(blectl, air, "--json")
