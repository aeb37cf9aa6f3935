# SPDX-License-Identifier: GPL-2.0-or-later
"""An adapter of another machine, which `blectl` there lends through ssh: OpenSSH's client, and a server by others."""

import signal

from cases import eatt, served_bearers
from guest.checks import equal, true, within
from guest.peers import TICKS
from guest.schema import obeys


def a_device_near_another_machine_is_scanned_read_and_heard(elsewhere, lent):
    strap = lent.peers["Bumble HR"]
    equal(elsewhere("adapters", "--json").exits(0).record("adapter")["name"], elsewhere.adapter, "the adapter")
    elsewhere("scan", "--address", strap.address, "--count", "1", "--json").exits(0).record("advertisement")
    equal(elsewhere("read", "battery-level", "-d", strap, "--json").exits(0).record("value")["value"], "57", "the value")
    equal(len(elsewhere("notify", TICKS, "-d", strap, "--count", "50", "--json").exits(0).records("notification")), 50, "values")
    true(elsewhere("inspect", "-d", strap, "--json").exits(0).records("service"), "its services")
    lent.wait_for_no_link()


def an_adapter_there_is_the_kernels_as_well(elsewhere, air):
    strap = air.peers["Bumble HR"]
    there = elsewhere.on("ssh:far/hci0")
    equal(there("adapters", "--json").exits(0).record("adapter")["name"], "ssh:far/hci0", "the adapter")
    equal(there("read", "battery-level", "-d", strap, "--json").exits(0).record("value")["value"], "57", "the value")
    there.on("ssh:far/hci7")("scan", "--duration", "1").exits(69)


def a_killed_ssh_ends_the_command_and_its_link(elsewhere, far, lent):
    live = elsewhere.start("notify", TICKS, "-d", lent.peers["Bumble HR"], "--json")
    equal(obeys(live.next_record())["type"], "notification", "the first record")
    far.kill_client(signal.SIGKILL)
    run = live.finish(5).exits(75)
    true(run.stderr, "it says why")
    within(2, "the controller has no link", lambda: not lent.controller()["links"])


def an_interrupted_command_leaves_nothing_there(elsewhere, lent):
    for command in (("scan", "--duplicates", "--json"), ("notify", TICKS, "-d", lent.peers["Bumble HR"], "--json")):
        live = elsewhere.start(*command)
        obeys(live.next_record())
        live.signal(signal.SIGINT)
        live.finish(5).is_ended_by(signal.SIGINT)
        within(2, "the controller has no link", lambda: not lent.controller()["links"])
        within(2, "the controller does not scan", lambda: not lent.controller()["scanning"])


def adapters_there_and_here_are_one_machine(elsewhere, far, lent):
    strap = lent.peers["Bumble HR"]
    there, here = elsewhere.adapter, f"unix:{lent.lent}"
    both = elsewhere.on(f"{here},{there}")
    equal([record["name"] for record in both("adapters", "--json").exits(0).records("adapter")], [here, there], "the adapters")
    equal(both("read", "battery-level", "-d", strap, "--json").exits(0).record("value")["value"], "57", "the value")
    live = both.start("scan", "--duplicates", "--json")
    within(5, "both hear something", lambda: all(place.encode() in live.collected["out"] for place in (here, there)))
    far.kill_client(signal.SIGKILL)
    within(5, "it is told", lambda: f"going on without {there}".encode() in live.collected["err"])
    live.signal(signal.SIGTERM)
    live.finish(5).is_ended_by(signal.SIGTERM)


def a_killed_ssh_leaves_no_scan_of_the_kernels_adapter(elsewhere, far, air, trace):
    live = elsewhere.on("ssh:far/hci0").start("scan", "--duplicates", "--json")
    equal(obeys(live.next_record())["type"], "advertisement", "the first record")
    far.kill_client(signal.SIGKILL)
    live.finish(5).exits(75)
    within(2, "the controller does not scan", lambda: not air.controller()["scanning"])


def a_device_that_another_program_is_connected_to_is_known(elsewhere, blectl, lent):
    strap = lent.peers["Bumble HR"]
    live = blectl.start("notify", TICKS, "-d", strap, "--json")
    equal(obeys(live.next_record())["type"], "notification", "the first record")
    known = elsewhere("devices", "--json").exits(0).records("known-device")
    equal([device["adapter"] for device in known], [elsewhere.adapter], "the links")
    choice = elsewhere("read", "battery-level", "-d", strap, "-v", "--no-wait", "--json").exits(75)
    true("looking for" not in choice.stderr, "it is not looked for")
    live.signal(signal.SIGTERM)
    live.finish(5)
    lent.wait_for_no_link()


def one_device_is_read_in_turn_from_here_and_there(elsewhere, blectl, lent):
    runs = [program.start("read", "battery-level", "-d", lent.peers["Bumble HR"], "--json") for program in (elsewhere, blectl) * 3]
    for run in runs:
        equal(run.finish(30).exits(0).record("value")["value"], "57", "the value")


def enhanced_bearers_are_opened_there(elsewhere, lent):
    eatt.requests_wait_on_several_bearers_at_once(elsewhere, lent)


def a_device_that_is_served_there_has_enhanced_bearers(elsewhere, lent):
    served_bearers.several_bearers_are_used_at_once(elsewhere, lent)


def where_nobody_can_be_reached_there_is_no_controller(elsewhere, far, lent):
    elsewhere.on("ssh:nowhere.invalid")("scan", "--duration", "1").exits(69).says("nowhere.invalid")
    elsewhere.on("ssh:-oProxyCommand=false")("scan").exits(64)
    # There, the shell finds no program.
    (far.folder / "there" / "blectl").unlink()
    elsewhere("scan", "--duration", "1").exits(69).says("far has no blectl")
