# SPDX-License-Identifier: GPL-2.0-or-later
"""Scans and connections with several adapters at once: hci0 is the device, hci1 and hci2 are the machine's."""

import os
import re

from guest.checks import equal, one_of, true, within
from guest.schema import obeys
from guest.served import Served

NAMED = b"\x02\x01\x06\x09\x09Emulated\x03\x03\x0f\x18"
LATER = b"\x02\x01\x06\x06\x09Later"
BOTH = ("-i", "hci1,hci2")
CHOICE = re.compile(r"using (hci\d): ")


def _chosen(run) -> str:
    """The adapter that `-v` tells."""
    found = CHOICE.search(run.stderr)
    true(found, f"the choice is told: {run.stderr}")
    return found[1]


def each_adapter_reports_what_it_hears(blectl, three_adapters, trace):
    three_adapters.advertise(0, NAMED)
    for choice in (BOTH, ("-i", "all")):
        run = blectl("scan", *choice, "--json", "--duration", "1.5").exits(0)
        records = [obeys(record) for record in run.records("advertisement")]
        found = {record["adapter"] for record in records if record["address"] == three_adapters.address(0)}
        equal(found, {"hci1", "hci2"}, "the adapters that have heard it")
    alone = blectl("scan", "-i", "hci1", "--json", "--duration", "1").exits(0).records("advertisement")
    equal({record["adapter"] for record in alone}, {None}, "one adapter is not named")
    true(trace.now().scanning is False, "the scanners are off")


def an_address_stands_for_the_name_of_an_adapter(blectl, three_adapters):
    three_adapters.advertise(0, NAMED)
    first, second = three_adapters.address(1), three_adapters.address(2)
    run = blectl("scan", "-i", f"hci1,{second},{first}", "--json", "--duration", "1.5").exits(0)
    found = {record["adapter"] for record in run.records("advertisement") if record["name"] == "Emulated"}
    equal(found, {"hci1", "hci2"}, "the adapters that have heard it, each once")
    records = blectl("adapters", "-i", second, "--json").exits(0).records("adapter")
    equal([record["name"] for record in records], ["hci2"], "the adapter with the address")
    blectl("scan", "-i", "00:AA:01:99:99:99", "--duration", "1").exits(69).says("there is no adapter")


def a_line_names_the_adapter(blectl, three_adapters):
    three_adapters.advertise(0, NAMED)
    run = blectl("scan", *BOTH, "--duration", "1.5").exits(0)
    lines = [line for line in run.stdout.splitlines() if line.startswith(three_adapters.address(0))]
    equal(len(lines), 1, "one line for the device")
    true(re.search(r"  hci[12]  Emulated", lines[0]), lines[0])


def an_adapter_that_is_switched_off_does_not_end_the_scan(blectl, three_adapters):
    three_adapters.advertise(0, NAMED)
    live = blectl.start("scan", *BOTH, "--json", "--duplicates", "--duration", "6")
    within(5, "the scan runs", lambda: live.collected["out"])
    three_adapters.adapters[1].down()
    try:
        # The emulator reports an advertiser once, unless it begins anew.
        three_adapters.command(0, 0x000A, b"\x00")
        three_adapters.advertise(0, LATER)
        run = live.finish(patience=12).exits(0).says("going on without hci1")
        heard = [record["adapter"] for record in run.records("advertisement") if record["name"] == "Later"]
        equal(set(heard), {"hci2"}, "the adapters that go on")
    finally:
        three_adapters.adapters[1].up()


def if_all_fail_the_first_error_is_told(blectl, three_adapters):
    for adapter in three_adapters.adapters[1:]:
        adapter.down()
    try:
        blectl("scan", *BOTH, "--duration", "1").exits(69).says("hci1").is_quiet()
        blectl("scan", "-i", "hci1,hci0", "--duration", "500ms").exits(0).says("going on without hci1")
    finally:
        for adapter in three_adapters.adapters[1:]:
            adapter.up()


def a_device_is_connected_to_by_one_of_them(blectl, three_adapters):
    served = Served(blectl, "pulse-strap")
    run = blectl("read", "battery-level", *BOTH, "-d", served.address, "-v", "--json", patience=40).exits(0)
    one_of(_chosen(run), ("hci1", "hci2"), "the adapter that was chosen")
    equal(len(run.records("value")), 1, "the values")
    three_adapters.end_links()


def one_that_is_off_is_left_out_of_the_choice(blectl, three_adapters):
    served = Served(blectl, "pulse-strap")
    three_adapters.adapters[1].down()
    try:
        run = blectl("read", "battery-level", *BOTH, "-d", served.address, "--json", patience=40).exits(0)
        run.says("going on without hci1")
        equal(len(run.records("value")), 1, "the values")
    finally:
        three_adapters.adapters[1].up()
    three_adapters.end_links()


def an_adapter_with_a_link_is_left_to_others(blectl, three_adapters):
    """Without a scan the adapter with the fewest links is taken: hci2 while hci1 has one."""
    served = Served(blectl, "pulse-strap")
    place = ("-d", served.address, "--address-type", "public")
    first = blectl.start("notify", "heart-rate-measurement", "-i", "hci1", *place, "--json")
    within(20, "hci1 has a link", three_adapters.adapters[1].links)
    other = "C0:00:00:00:00:01"
    attempt = ("--address-type", "random", "--connect-timeout", "2", "--retries", "0")
    run = blectl("read", "battery-level", *BOTH, "-d", other, *attempt, "-v", patience=30).exits(124, 75)
    equal(_chosen(run), "hci2", "the adapter with fewer links")
    first.kill()
    three_adapters.end_links()


def a_channel_of_a_shell_is_opened_on_the_adapter_of_the_session(blectl, three_adapters):
    served = Served(blectl, "pulse-strap")
    folder = f"{blectl.directory}/run"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    held = blectl.with_environment(XDG_RUNTIME_DIR=folder)
    held("session", "start", "-d", served.address, "-i", "hci2", "--json", patience=40).exits(0)
    try:
        # The device has no such channel, which only the adapter with the link can find out: it does not advertise.
        lines = f"read battery-level -d {served.address}\nbench l2cap --psm 128 --count 1\n"
        held("shell", *BOTH, stdin=lines.encode(), patience=40).exits(68).says("SPSM not supported")
        equal(three_adapters.adapters[1].links(), [], "links of the other adapter")
    finally:
        held("session", "stop", "--all", "--timeout", "60", patience=70).exits(0)
    three_adapters.end_links()
