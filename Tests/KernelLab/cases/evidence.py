# SPDX-License-Identifier: GPL-2.0-or-later
"""What is kept of a run: captures, held to the packet monitor and to Wireshark."""

import re
import signal
import tempfile
from collections import Counter
from pathlib import Path

from guest import wireshark
from guest.catalogue import limit
from guest.checks import contains, equal, true
from guest.served import Served
from guest.trace import EVENT, Trace, records, written

# Wireshark starts for many seconds on a machine that is busy.
WITH_WIRESHARK = 240

NAMED = b"\x02\x01\x06\x09\x09Emulated\x03\x03\x0f\x18"


def _file() -> Path:
    return Path(tempfile.mkdtemp(prefix="capture-")) / "run.btsnoop"


def _packets(blectl, path: Path, *arguments) -> list[dict]:
    return blectl("trace", path, "--json", *arguments).exits(0).records("packet")


def _ends(data: bytes, count: int = 5_000) -> bytes:
    """The monitor's file with its first and its last records only: the cases before this one have made it long."""
    whole, _ = records(data, first=True)
    return written(whole if len(whole) <= 2 * count else whole[:count] + whole[-count:])


def _names(packets: list[dict]) -> list[str]:
    return [f"{'>' if packet['direction'] == 'sent' else '<'} {packet['name']}" for packet in packets]


def _monitored(trace) -> list[str]:
    return [f"{'>' if pdu.sent else '<'} {pdu.name}" for pdu in trace.now().pdus]


def _well_formed(blectl, path: Path) -> list[dict]:
    """The packets of a capture, in all of which the program and Wireshark agree, and none of which is malformed."""
    packets = _packets(blectl, path)
    true(len(packets) > 1, "there are packets")
    equal([packet["text"] for packet in packets if packet["malformed"]], [], "what is malformed")
    frames = wireshark.frames(path)
    equal([str(frame) for frame in frames if frame.is_malformed], [], "what Wireshark finds malformed")
    comparison = wireshark.compare(packets, frames)
    equal((comparison.differences, comparison.set_aside), ([], {}), "where Wireshark says something else")
    return packets


def _attributes(packets: list[dict]) -> list[dict]:
    return [packet for packet in packets if packet["kind"] == "att"]


def _count(packets: list[dict]) -> Counter:
    """The number of packets of each adapter, which has no name in a capture of one."""
    return Counter(packet["adapter"] or "" for packet in packets)


@limit(WITH_WIRESHARK)
def a_capture_has_the_pdus_of_the_monitor(blectl, strap, trace):
    path = _file()
    blectl("inspect", strap, "--values", "--capture", path).exits(0)
    packets = _well_formed(blectl, path)
    attributes = _attributes(packets)
    true(len(attributes) > 10, "there are ATT PDUs")
    equal(_names(attributes), _monitored(trace), "the ATT PDUs")
    equal({packet["address"] for packet in attributes}, {strap.address}, "the device of the ATT PDUs")
    names = [packet["name"] for packet in packets]
    true(any("Connection Complete" in (name or "") for name in names), "the link begins in the capture")
    equal(names[-1], "Disconnection Complete", "the last packet")


@limit(WITH_WIRESHARK)
def a_scan_is_captured_with_its_commands(blectl, strap, trace):
    path = _file()
    blectl("scan", "--device", strap, "--count", "1", "--capture", path).exits(0)
    names = _names(_well_formed(blectl, path))
    equal(len([name for name in names if "Scan Enable" in name and name[0] == ">"]), 2, "switches of the scan")
    true(any("Advertising Report" in name for name in names), "there are reports")


@limit(WITH_WIRESHARK)
def the_packets_of_pcapng_have_the_numbers_of_wireshark(blectl, strap):
    path = _file().with_name("run.pcapng")
    blectl("read", "battery-level", "-d", strap, "--capture", path).exits(0)
    _well_formed(blectl, path)


def _reports(packets: list[dict]) -> list[dict]:
    return [packet for packet in packets if packet["name"] == "LE Advertising Report"]


def _monitored_reports(trace) -> Counter:
    """The events with legacy reports that the monitor has seen from each adapter."""
    found = [record for record in trace.now().records if record.kind == EVENT and record.data[0::2][:2] == b"\x3e\x02"]
    return Counter(f"hci{record.adapter}" for record in found)


@limit(WITH_WIRESHARK)
def a_scan_with_several_adapters_has_the_frames_of_each(blectl, three_adapters, trace):
    three_adapters.advertise(0, NAMED)
    for choice, adapters in (("hci1,hci2", {"hci1", "hci2"}), ("all", {"hci0", "hci1", "hci2"})):
        path = _file()
        trace.restart()
        blectl("scan", "-i", choice, "--duration", "1.5", "--capture", path).exits(0)
        packets = _well_formed(blectl, path)
        equal({packet["adapter"] for packet in packets}, adapters, f"the adapters of {choice}")
        switches = [packet for packet in packets if "Set Scan Enable" in (packet["name"] or "")]
        sent = [packet for packet in switches if packet["direction"] == "sent"]
        equal(_count(sent), Counter({adapter: 2 for adapter in adapters}), "switches of the scan")
        reports = _count(_reports(packets))
        equal(reports, _monitored_reports(trace), "the reports of each adapter")
        true(reports["hci1"] and reports["hci2"], "two adapters have heard the third")


@limit(WITH_WIRESHARK)
def a_read_with_several_adapters_has_the_frames_of_each(blectl, three_adapters, trace):
    """Both search for the device, and one of them connects."""
    served, path = Served(blectl, "pulse-strap"), _file()
    trace.restart()
    run = blectl(
        "read", "battery-level", "-i", "hci1,hci2", "-d", served.address, "-v", "--capture", path, patience=40
    ).exits(0)  # fmt: skip
    packets = _well_formed(blectl, path)
    equal({packet["adapter"] for packet in packets}, {"hci1", "hci2"}, "the adapters of the capture")
    equal(set(_count(_reports(packets))), {"hci1", "hci2"}, "those that have heard the device")
    attributes = _attributes(packets)
    [chosen] = {packet["adapter"] for packet in attributes}
    run.says(f"using {chosen}: ")
    equal({packet["address"] for packet in attributes}, {served.address}, "the device of the ATT PDUs")
    mine = [record for record in trace.now().records if f"hci{record.adapter}" == chosen]
    monitored = [f"{'>' if pdu.sent else '<'} {pdu.name}" for pdu in Trace(mine).pdus]
    equal(_names(attributes), monitored, "the ATT PDUs")
    three_adapters.end_links()


@limit(WITH_WIRESHARK)
def a_served_device_is_captured_too(blectl, sockets, trace):
    """Over a packet socket there is no controller; the link is announced nevertheless."""
    path, socket = _file(), Path(tempfile.mkdtemp(prefix="socket-")) / "s"
    served = blectl.start("--radio", f"unix:{socket}", "serve", "Pulse HR", "--json", "--capture", path, "--count", "1")
    served.next_record()
    other = path.with_name("other.btsnoop")
    blectl("--radio", f"unix:{socket}", "read", "battery-level", "--capture", other).exits(0)
    served.finish().exits(0)
    mine, theirs = _well_formed(blectl, path), _well_formed(blectl, other)
    turned = [name.translate(str.maketrans("<>", "><")) for name in _names(mine) if "Connection" not in name]
    ours = [name for name in _names(theirs) if "Connection" not in name]
    equal([name for name in turned if "Disc" not in name], [name for name in ours if "Disc" not in name], "both sides")


def the_monitors_own_file_is_read(blectl, strap, trace):
    blectl("read", "battery-level", "-d", strap, "--address-type", "random").exits(0)
    seen = _monitored(trace)
    true(len(seen) == 2, "a request and a response")
    copy = _file()
    copy.write_bytes(_ends(trace.monitor.path.read_bytes()))
    packets = _packets(blectl, copy)
    whole, _ = records(copy.read_bytes(), first=True)
    equal(len(packets), len(whole), "the number of records")
    mine = [packet for packet in packets if packet["kind"] == "att" and packet["address"] == strap.address]
    equal(_names(mine)[-2:], seen, "the last ATT PDUs with the device")
    equal(mine[-1]["answer_to"], mine[-2]["number"], "the response has found its request")


@limit(WITH_WIRESHARK)
def the_file_is_whole_after_ctrl_c(blectl, strap, trace):
    path = _file()
    watch = blectl.start("watch", "heart-rate", "-d", strap, "--capture", path)
    watch.line()
    watch.signal(signal.SIGINT)
    watch.finish().is_ended_by(signal.SIGINT)
    attributes = _attributes(_well_formed(blectl, path))
    equal(_names(attributes), _monitored(trace), "the ATT PDUs")
    contains(attributes[-1]["name"], "Write Response", "the end of the subscription")


def a_file_that_cannot_be_created_ends_the_command_before_it_sends(blectl, strap, trace):
    blectl("read", "battery-level", "-d", strap, "--capture", "/nowhere/run.btsnoop").exits(73).says("cannot create")
    equal(_monitored(trace), [], "the ATT PDUs")
    equal(trace.now().scan_switches, [], "switches of a scan")


@limit(60)
def a_run_has_the_same_diagram_on_the_air_as_in_memory(blectl, btvirt):
    device = Path(__file__).resolve().parents[2] / "ThreeLives" / "rig.json"

    def diagram(*options) -> list[str]:
        path = _file().with_name("run.txt")
        blectl(*options, "inspect", "-d", "Test Rig", "--values", "--no-cache", "--diagram", path)
        text = re.sub(r"(?:[0-9A-F]{2}:){5}[0-9A-F]{2}", "(address)", path.read_text())
        return re.sub(r" *-?\d+\.\d{6}", "(time)", text).splitlines()

    served = Served(blectl, str(device))
    on_the_air = diagram("-i", "hci1")
    btvirt.end_links()
    served.live.signal(signal.SIGTERM)
    served.live.finish().is_ended_by(signal.SIGTERM)
    in_memory = diagram(f"--simulate={device}", "--simulate-time", "virtual")
    true(len(in_memory) > 20, "there are arrows")
    equal(on_the_air, in_memory, "the diagram")
