# SPDX-License-Identifier: GPL-2.0-or-later
"""An adapter of another machine, which `blectl` there lends through ssh: OpenSSH's client, and a server by others."""

import signal

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


def one_device_is_read_in_turn_from_here_and_there(elsewhere, blectl, lent):
    runs = [program.start("read", "battery-level", "-d", lent.peers["Bumble HR"], "--json") for program in (elsewhere, blectl) * 3]
    for run in runs:
        equal(run.finish(30).exits(0).record("value")["value"], "57", "the value")


def where_nobody_can_be_reached_there_is_no_controller(elsewhere, far, lent):
    elsewhere.on("ssh:nowhere.invalid")("scan", "--duration", "1").exits(69).says("nowhere.invalid")
    elsewhere.on("ssh:-oProxyCommand=false")("scan").exits(64)
    # There, the shell finds no program.
    (far.folder / "there" / "blectl").unlink()
    elsewhere("scan", "--duration", "1").exits(69).says("far has no blectl")
