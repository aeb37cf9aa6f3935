# SPDX-License-Identifier: GPL-2.0-or-later
"""Enhanced ATT bearers, and the MTU as it is asked for, on our own host: against Bumble's server."""

import signal
import tempfile
from pathlib import Path

from guest.catalogue import in_one_world, limit
from guest.checks import equal, true
from guest.peers import SLOW, TICKER, WIDE_LONG
from guest.schema import obeys


def _wide(line):
    wide = line.peers["wide"]
    wide.unmute()
    return wide


def _values(run) -> list[str]:
    return [obeys(record)["value"] for record in run.exits(0).records("value")]


def requests_wait_on_several_bearers_at_once(blectl, line):
    wide = _wide(line)
    run = blectl("read", *SLOW, "-d", wide, "--link-bearers", "5", "-v", "--json")
    equal(_values(run), ["00", "01", "02", "03", "04"], "the values, in the order of the targets")
    equal(line.tell("wide", "most_at_once"), 5, "requests at the same time")
    run.says("enhanced bearers: asked for 5; 5 of MTU 517")


def without_the_option_there_is_one_bearer(blectl, line):
    wide = _wide(line)
    equal(len(_values(blectl("read", *SLOW, "-d", wide, "--json"))), 5, "values")
    equal((line.tell("wide", "most_at_once"), line.tell("wide", "bearers")), (1, 0), "requests at the same time, and bearers")


def a_link_tells_its_bearers_and_they_end_with_it(blectl, line):
    wide = _wide(line)
    link = obeys(blectl("link", "-d", wide, "--link-bearers", "3", "--json").exits(0).record("link"))
    equal((link["bearers"], link["bearers_lack"], link["mtu"]), ([517] * 3, None, 517), "bearers and MTU")
    true(link["encrypted"], "the link is encrypted for them")
    equal(line.controller()["links"], [], "the links of the controller")


def a_device_without_them_is_read_and_the_reason_is_told(blectl, line):
    strap = line.peers["Bumble HR"]
    run = blectl("read", "battery-level", "-d", strap, "--link-bearers", "3", "-v", "--json")
    equal(_values(run), ["57"], "the value")
    run.says("asked for 3; none, because the device does not offer them")
    link = obeys(blectl("link", "-d", strap, "--link-bearers", "3", "--json").exits(0).record("link"))
    equal((link["bearers"], link["bearers_lack"], link["encrypted"]), ([], "not-offered", False), "what it has")


def long_values_pass_over_a_bearer_both_ways(blectl, line):
    wide = _wide(line)
    value = bytes(range(255, -1, -1)).hex()
    written = blectl("write", WIDE_LONG, value, "-d", wide, "--link-bearers", "1", "--json").exits(0).record("write")
    equal(written["procedure"], "write-request", "how it was written, without an exchange of the MTU")
    equal(_values(blectl("read", WIDE_LONG, "-d", wide, "--link-bearers", "2", "--json")), [value], "what is read")


@limit(60)
def bearers_whose_sizes_are_not_allowed_are_closed_and_the_link_is_used(blectl, line):
    wide = _wide(line)
    blectl("pair", "-d", wide).exits(0)
    asked = ("-d", wide, "--link-bearers", "3", "--json")
    for mtu, mps in ((63, 64), (64, 63), (23, 23), (0, 64), (517, 0), (517, 65534), (65535, 65535)):
        line.tell("wide", "offer_sizes", mtu=mtu, mps=mps)
        link = obeys(blectl("link", *asked).exits(0).record("link"))
        equal((link["bearers"], link["bearers_lack"]), ([], "unusable"), f"the bearers with MTU {mtu} and MPS {mps}")
        equal(_values(blectl("read", SLOW[1], *asked, "-v")), ["01"], "the value")
    # The least, an odd one, frames that are longer than units, and the most.
    for mtu, mps in ((64, 64), (65, 65533), (65535, 65533)):
        line.tell("wide", "offer_sizes", mtu=mtu, mps=mps)
        run = blectl("read", *SLOW, WIDE_LONG, *asked, "-v")
        equal(_values(run), ["00", "01", "02", "03", "04", bytes(range(200)).hex()], "the values")
        run.says(f"asked for 3; 3 of MTU {min(mtu, 517)}")


def values_come_while_bearers_close(blectl, line):
    wide = _wide(line)
    blectl("pair", "-d", wide).exits(0)
    live = blectl.start("notify", TICKER, "-d", wide, "--link-bearers", "3", "--json")
    equal(obeys(live.next_record())["value"], "07", "the first value")
    equal(line.tell("wide", "bearers"), 3, "bearers")
    line.tell("wide", "close_bearer")
    for _ in range(3):
        equal(obeys(live.next_record())["value"], "07", "the next value")
    live.signal(signal.SIGTERM)
    live.finish(5)


def the_commands_of_a_session_share_its_bearers(blectl, line):
    wide = _wide(line)
    with tempfile.TemporaryDirectory(prefix="session-") as folder:
        held = blectl.with_environment(XDG_RUNTIME_DIR=folder)
        held("session", "start", "-d", wide, "--link-bearers", "3").exits(0)
        try:
            runs = [held.start("read", uuid, "-d", wide, "--json") for uuid in SLOW[:4]]
            equal([_values(run.finish(10)) for run in runs], [["00"], ["01"], ["02"], ["03"]], "the value of each")
            true(line.tell("wide", "most_at_once") > 1, "requests at the same time")
            held("read", SLOW[4], "-d", wide, "--link-bearers", "2").exits(69).says("enhanced bearers")
        finally:
            held("session", "stop", "--all").exits(0)


def a_program_opens_them_over_a_controller_that_is_lent(blectl, lent):
    requests_wait_on_several_bearers_at_once(blectl, lent)
    path = Path(tempfile.mkdtemp(prefix="capture-"), "run.btsnoop")
    run = blectl("read", *SLOW, "-d", _wide(lent), "--link-bearers", "2", "--capture", path, "--json")
    equal(len(_values(run)), 5, "values")
    shown = blectl("trace", path).exits(0).stdout
    equal((shown.count("Credit Based Connection Re"), shown.count("channel 0x0041 Read By Type Re")), (2, 4), "captured packets")


def values_come_over_a_controller_that_is_lent_while_bearers_close(blectl, lent):
    values_come_while_bearers_close(blectl, lent)


def the_mtu_is_exactly_what_is_asked_for(blectl, line):
    strap = line.peers["Bumble HR"]
    for size in (23, 100, 517):
        link = obeys(blectl("link", "-d", strap, "--link-mtu", str(size), "--json").exits(0).record("link"))
        equal(link["mtu"], size, "the MTU")
    blectl("read", "battery-level", "-d", strap, "--link-mtu", "300", "-v").exits(0).says("MTU: asked for 300; now 300")


def no_exchange_of_the_mtu_is_made(blectl, line):
    strap = line.peers["Bumble HR"]
    run = blectl("link", "-d", strap, "--link-mtu", "none", "-v", "--json").exits(0)
    equal(obeys(run.record("link"))["mtu"], 23, "the MTU")
    true("Exchange MTU" not in run.stderr, "no exchange is on the air")


@in_one_world
def the_kernel_has_no_enhanced_bearers_but_the_mtu_that_is_asked_for(blectl, strap):
    blectl("read", "battery-level", "-d", strap, "--link-bearers", "2").exits(69).says("enhanced bearers")
    link = obeys(blectl("link", "-d", strap, "--link-mtu", "100", "--json").exits(0).record("link"))
    equal(link["mtu"], 100, "the MTU")


@in_one_world
@limit(90)
def bluetoothd_serves_over_several_bearers(blectl, btvirt, adapter, wide_neighbour):
    wide_neighbour.begin("NoInputNoOutput", True, channels=3)
    wide_neighbour.advertise()
    ours = blectl.on("user:hci0")
    device = ("-d", wide_neighbour.address, "--address-type", "public", "--link-bearers", "2", "-v", "--json")
    link = obeys(ours("link", *device).exits(0).record("link"))
    equal(len(link["bearers"]), 2, "bearers")
    run = ours("read", "device-name", "0x2B3A", "0x2B2A", *device)
    equal(len(_values(run)), 3, "values")
    run.says("asked for 2; 2 of MTU")
