# SPDX-License-Identifier: GPL-2.0-or-later
"""The peripheral role: other people's centrals find, read, write and hear what the program serves."""

import os
import signal
import tempfile

from guest.catalogue import limit
from guest.centrals import Served, bumble_on_the_air, gatttool, gatttool_listens, survey
from guest.checks import contains, equal, true, within
from guest.trace import DISCONNECT

SET_ADVERTISING_ENABLE, SET_EXTENDED_ADVERTISING_ENABLE, REMOVE_ADVERTISING_SET = 0x200A, 0x2039, 0x203C
NOTE, TICKER = (f"b1ec0{n}-5ec7-4c3a-9d0e-51a1b1ec0001" for n in ("101", "107"))
MEASUREMENT = "00002a37-0000-1000-8000-00805f9b34fb"
SILENT = "b1ec0305-5ec7-4c3a-9d0e-51a1b1ec0001"


def _advertising(trace) -> list[bool]:
    """Each on and off of hci0's advertiser, in order."""
    commands = [command for command in trace.now().commands if command.adapter == 0]
    return [command.parameters[0] != 0 for command in commands if command.opcode == SET_ADVERTISING_ENABLE]


def a_served_device_is_heard_with_its_name_and_services(blectl, btvirt):
    served = Served(blectl, "pulse-strap")
    equal(served.address, btvirt.address(0), "the address that it says it has")
    equal(served.record["advertising"], "legacy", "how it is advertised")
    scan = blectl("scan", "--adapter", "hci1", "--json", "--address", served.address, "--duration", "2").exits(0)
    reports = scan.records("advertisement")
    true(reports, "hci1 hears it")
    equal((reports[-1]["name"], reports[0]["connectable"]), ("Pulse HR", True), "what it hears")
    equal(sorted({uuid for report in reports for uuid in report["services"]}), ["0x180D", "0x180F"], "its services")


@limit(90)
def gatttool_discovers_reads_and_writes(blectl, btvirt):
    served = Served(blectl, "workbench", "--count", "4")
    services = gatttool(served.address, "--primary")
    equal(len(services), 5, "the primary services")
    equal(served.next("connected")["central"]["address"], btvirt.address(1), "who the program says has connected")
    served.next("disconnected")
    answer = gatttool(served.address, "--char-read", "--uuid=2a00")
    contains(answer[0], "value: " + b"Workbench".hex(" "), "the device's name")
    served.next("disconnected")
    # Longer than the MTU of 23, which gatttool keeps: in parts, prepared and executed.
    value = bytes(range(100))
    gatttool(served.address, "--char-write-req", "-a", "0x0012", "-n", value.hex())
    requests = []
    while (record := served.live.next_record())["type"] != "disconnected":
        requests.append(record)
    names = [record["name"] for record in requests if record["type"] == "request"]
    contains(names, "Prepare Write Request", "the requests")
    contains(names, "Execute Write Request", "the requests")
    answer = gatttool(served.address, "--char-read", "-a", "0x0012")
    contains(answer[0], value.hex(" "), "the long value as it is read back")
    served.live.finish().exits(0)


@limit(60)
def gatttool_hears_notifications(blectl, btvirt):
    served = Served(blectl, "pulse-strap", "--count", "1")
    said = gatttool_listens(served.address, "--char-write-req", "-a", "0x0011", "-n", "0100", seconds=6)
    values = [line for line in said if "Notification handle = 0x0010" in line]
    true(len(values) >= 3, f"several measurements were heard: {said}")
    served.live.finish().exits(0)


@limit(90)
def bumble_discovers_reads_writes_and_subscribes(blectl, btvirt):
    served = Served(blectl, "workbench", "--count", "1")
    wish = {"mtu": 517, "write": {NOTE: "5a" * 300}, "listen": TICKER, "values": 2, "skip": [SILENT]}
    found = bumble_on_the_air(served.address, wish, btvirt.adapters[1])
    _check_workbench(found)
    served.live.finish().exits(0)


@limit(60)
def bumble_hears_indications(blectl, btvirt):
    served = Served(blectl, "workbench", "--count", "1")
    wish = {"listen": TICKER, "values": 2, "indicate": True, "skip": [SILENT]}
    found = bumble_on_the_air(served.address, wish, btvirt.adapters[1])
    equal(len(found["notified"]), 2, "the indications that it heard, each confirmed")
    served.live.finish().exits(0)


def bumble_finds_the_same_over_a_socket(blectl, no_adapter):
    _over_a_socket(blectl, lambda wish, path: survey("central", wish, f"unix:{path}"))


def home_assistants_client_finds_the_same_over_a_socket(blectl, no_adapter):
    # It has no long writes: what it writes has to fit into one packet.
    _over_a_socket(blectl, lambda wish, path: survey("att_client", wish, path), length=240)


def _over_a_socket(blectl, look, length: int = 300) -> None:
    path = os.path.join(tempfile.mkdtemp(prefix="socket-"), "att")
    served = Served(blectl, "workbench", "--count", "1", radio=("--radio", f"unix:{path}"))
    equal(served.address, None, "a socket's address")
    wish = {"mtu": 517, "write": {NOTE: "5a" * length}, "listen": TICKER, "values": 2, "skip": [SILENT]}
    _check_workbench(look(wish, path), length)
    served.live.finish().exits(0)
    true(not os.path.exists(path), "the socket's file is gone")


def _check_workbench(found: dict, length: int = 300) -> None:
    # The bench takes packets of 247 octets, whatever it is offered.
    equal(found["mtu"], 247, "the MTU")
    equal(len(found["services"]), 5, "the primary services")
    equal(found["values"][NOTE], "5a" * length, "the value that was written")
    equal(len(found["notified"]), 2, "the notifications")
    equal(len(found["first"][NOTE]), 2 * 512, "a long value, read to its end")


def two_centrals_at_once_by_extended_commands(blectl, air, phone, tablet, trace):
    served = Served(blectl, "workbench", "--count", "2")
    equal(served.record["advertising"], "extended", "how it is advertised")
    phone.connect(served.address)
    tablet.connect(served.address)
    equal({served.next("connected")["connection"] for _ in range(2)}, {1, 2}, "the connections")
    _check_workbench(tablet.survey({"mtu": 517, "write": {NOTE: "5a" * 300}, "listen": TICKER, "values": 2, "skip": [SILENT]}))
    found = phone.survey({"listen": TICKER, "values": 2, "skip": [SILENT]})
    equal(found["values"][NOTE], "5a" * 300, "what the other one wrote, read in parts of 22 octets")
    phone.hang_up()
    tablet.hang_up()
    ended = [served.next("disconnected") for _ in range(2)]
    equal({record["mtu"] for record in ended}, {23, 247}, "the MTUs")
    served.live.finish().exits(0)
    switches = [command for command in trace.now().commands if command.opcode == SET_EXTENDED_ADVERTISING_ENABLE]
    equal([command.parameters[0] for command in switches][-1], 0, "the last switch of the advertiser")


def ctrl_c_on_a_present_day_controller(blectl, air, phone, trace):
    served = Served(blectl, "pulse-strap")
    phone.connect(served.address)
    served.next("connected")
    served.live.process.send_signal(signal.SIGINT)
    served.live.finish().is_ended_by(signal.SIGINT)
    equal(phone.waits_for("disconnected")[0]["reason"], 0x13, "what the central is told")
    opcodes = [command.opcode for command in trace.now().commands]
    contains(opcodes, REMOVE_ADVERTISING_SET, "the commands")


def our_own_client_watches_it(blectl, btvirt):
    served = Served(blectl, "pulse-strap", "--count", "1")
    run = blectl(
        "watch", "heart-rate", "-i", "hci1", "-d", served.address, "--address-type", "public", "--count", "2", "--json"
    ).exits(0)
    equal(len(run.records("measurement")), 2, "the measurements")
    served.live.finish().exits(0)


def it_is_advertised_again_after_each_connection(blectl, btvirt, trace):
    served = Served(blectl, "pulse-strap", "--count", "3")
    for _ in range(3):
        gatttool(served.address, "--char-read", "--uuid=2a19")
        served.next("disconnected")
    served.live.finish().exits(0)
    switches = _advertising(trace)
    true(switches.count(True) >= 3, "it was switched on again")
    equal(switches[-1], False, "the last switch")


def _ended_by(number: signal.Signals):
    def case(blectl, btvirt, trace):
        served = Served(blectl, "pulse-strap")
        client = blectl.start(
            "notify", "0x2A37", "-i", "hci1", "-d", served.address, "--address-type", "public", "--count", "100"
        )
        served.next("connected")
        client.line()
        served.live.process.send_signal(number)
        served.live.finish().is_ended_by(number)
        client.finish().exits(75)
        equal(_advertising(trace)[-1], False, "the last switch of the advertiser")
        commands = [command for command in trace.now().commands if command.adapter == 0]
        contains([command.opcode for command in commands], DISCONNECT, "the commands")

    return case


ctrl_c_ends_the_link_and_the_advertising = _ended_by(signal.SIGINT)
sigterm_does_the_same = _ended_by(signal.SIGTERM)


def the_server_that_came_last_gets_the_central_and_the_other_is_told(blectl, btvirt):
    """The kernel hands the attributes of a link to one socket."""
    first = Served(blectl, "pulse-strap")
    second = Served(blectl, "workbench")
    client = blectl.start(
        "notify", TICKER, "-i", "hci1", "-d", first.address, "--address-type", "public", "--count", "100"
    )
    second.next("connected")
    client.line()
    within(
        8,
        "the first says who has the attributes",
        lambda: b"another program of this machine serves attributes to it" in first.live.collected["err"],
    )
    client.kill()


@limit(60)
def beside_bluetoothd(blectl, air, bluetoothd, phone):
    served = Served(blectl, "pulse-strap", "--count", "1")
    phone.connect(served.address)
    served.next("connected")
    found = phone.survey({"listen": MEASUREMENT, "values": 2})
    equal(len(found["services"]), 5, "the services are the device's, not bluetoothd's")
    phone.hang_up()
    served.live.finish().exits(0)


def without_the_capability_it_says_so(blectl, btvirt):
    run = blectl.as_nobody()("serve", "pulse-strap", "--adapter", "hci0").exits(77)
    run.says("CAP_NET_RAW", "setcap")
