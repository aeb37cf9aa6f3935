# SPDX-License-Identifier: GPL-2.0-or-later
"""An unmanaged dual-mode adapter, for which the kernel keeps Low Energy off until a program switches it on.

The cases of reading, writing, notifying, serving and so on run behind such an adapter as well. These cases test the way
there."""

from guest.checks import contains, equal, lacks, true
from guest.management import LOW_ENERGY, settings
from guest.schema import obeys
from guest.stack import command


def _is_on() -> bool:
    return settings() & LOW_ENERGY != 0


def a_read_switches_low_energy_on_and_says_so(blectl, dual_strap):
    run = blectl("read", "battery-level", "-d", dual_strap, "--address-type", "random", "--json").exits(0)
    equal(run.record("value")["value"], "57", "the value")
    run.says("Low Energy was off on hci0")
    true(_is_on(), "Low Energy is on")
    again = blectl("read", "battery-level", "-d", dual_strap, "--address-type", "random").exits(0)
    lacks(again.stderr, "Low Energy", "what the second read says")


def gatttool_cannot_before_and_can_afterwards(blectl, dual_strap):
    tool = ("gatttool", "-b", str(dual_strap), "-t", "random", "--char-read", "-u", "0x2a19")
    lacks(command(*tool, check=False), "value", "what gatttool says")
    blectl("adapter", "le", "on").exits(0)
    contains(command(*tool), "value: 57", "what gatttool says")


def notifications_without_the_capability(blectl, dual_strap):
    _needs_the_command(blectl, dual_strap, "notify", "heart-rate-measurement", "--count", "2")


def a_read_without_the_capability(blectl, dual_strap):
    _needs_the_command(blectl, dual_strap, "read", "battery-level")


def _needs_the_command(blectl, strap, *words):
    """Without the capability, the message names the one command that helps, and that command helps."""
    nobody = blectl.as_nobody()
    line = (*words, "-d", strap, "--address-type", "random")
    run = nobody(*line).exits(77).is_quiet()
    run.says("Low Energy is off on hci0", "CAP_NET_ADMIN", "hint: sudo blectl adapter le on")
    true(not _is_on(), "Low Energy is still off")
    blectl("adapter", "le", "on").exits(0)
    nobody(*line).exits(0)


def to_serve_without_the_capability(blectl, dual_strap):
    nobody = blectl.as_nobody("net_raw")
    nobody("serve", "pulse-strap", "--duration", "1").exits(77).says("hint: sudo blectl adapter le on")
    blectl("adapter", "le", "on").exits(0)
    nobody("serve", "pulse-strap", "--duration", "1").exits(0)


def to_serve_with_it(blectl, dual_strap):
    blectl("serve", "pulse-strap", "--duration", "1").exits(0).says("Low Energy was off on hci0")
    true(_is_on(), "Low Energy is on")


def a_user_with_the_capability_needs_no_root(blectl, dual_strap):
    user = blectl.as_nobody("net_raw", "net_admin")
    user("read", "battery-level", "-d", dual_strap).exits(0).says("Low Energy was off on hci0")


def to_scan_needs_no_low_energy_and_switches_nothing(blectl, dual_strap):
    reports = blectl("scan", "--json", "--duration", "1").exits(0).records("advertisement")
    contains({report["address"] for report in reports}, dual_strap.address, "who was heard")
    true(not _is_on(), "Low Energy is still off")


def several_that_start_together_all_read(blectl, dual_strap, dual_air):
    echo = dual_air.peers["echo"]
    live = [
        blectl.start("read", "device-name", "-d", peer, "--address-type", kind)
        for peer, kind in ((dual_strap, "random"), (echo, "public"))
    ]
    for each in live:
        each.finish().exits(0)


def the_adapters_are_listed_with_it(blectl, dual_strap):
    record = obeys(blectl("adapters", "--json").exits(0).record("adapter"))
    equal((record["low_energy"], record["basic_rate"], record["usable"]), (False, True, True), "what it is set to")
    contains(record["reason"], "sudo blectl adapter le on", "the reason")
    equal(record["manager"], None, "its manager")
    record = obeys(blectl("adapter", "le", "on", "--json").exits(0).record("adapter"))
    equal((record["low_energy"], record["reason"]), (True, None), "what it is set to")
    record = obeys(blectl("adapter", "le", "off", "--json").exits(0).record("adapter"))
    equal(record["low_energy"], False, "what it is set to")


def power_off_and_on_and_reset(blectl, dual_strap):
    record = obeys(blectl("adapter", "power", "off", "--json").exits(0).record("adapter"))
    equal((record["state"], record["powered"]), ("down", False), "its state")
    blectl("read", "battery-level", "-d", dual_strap).exits(69).says("hint: sudo blectl adapter power on")
    record = obeys(blectl("adapter", "power", "on", "--json").exits(0).record("adapter"))
    equal((record["state"], record["powered"]), ("up", True), "its state")
    blectl("read", "battery-level", "-d", dual_strap).exits(0)
    blectl("adapter", "reset").exits(0)
    blectl("read", "battery-level", "-d", dual_strap).exits(0)
    blectl.as_nobody()("adapter", "power", "off").exits(77).says("hint: sudo blectl adapter power off")


def a_read_beside_bluetoothd_finds_it_on(blectl, dual_air, dual_bluetoothd):
    run = blectl("read", "battery-level", "-d", dual_air.peers["Bumble HR"], "--json").exits(0)
    lacks(run.stderr, "Low Energy", "what is said")
    record = blectl("adapters", "--json").exits(0).record("adapter")
    equal((record["manager"], record["low_energy"]), ("bluetoothd", True), "its manager")
