# SPDX-License-Identifier: GPL-2.0-or-later
"""The list of adapters, and the reasons why one cannot be used."""

import threading

from guest.checks import contains, equal, true, within
from guest.schema import obeys
from guest.stack import Adapter


def the_adapter_is_listed_with_its_address_and_features(blectl, air):
    record = obeys(blectl("adapters", "--json").exits(0).record("adapter"))
    equal((record["name"], record["index"]), ("hci0", 0), "name and index")
    equal(record["address"], "00:AA:01:00:00:00", "the address")
    equal((record["state"], record["usable"], record["reason"]), ("up", True, None), "its state")
    true(
        any("extended" in feature.lower() for feature in record["features"]),
        "extended advertising is among the features",
    )


def the_adapter_is_listed_as_text(blectl, air):
    run = blectl("adapters").exits(0)
    contains(run.stdout, "hci0", "the listing")
    contains(run.stdout, "00:AA:01:00:00:00", "the listing")


def an_adapter_that_is_down_says_so(blectl, air, adapter):
    adapter.down()
    record = obeys(blectl("adapters", "--json").exits(0).record("adapter"))
    equal((record["state"], record["usable"]), ("down", False), "its state")
    true(record["reason"], "there is a reason")


def an_adapter_that_is_blocked_says_so(blectl, air, adapter):
    adapter.block(True)
    record = obeys(blectl("adapters", "--json").exits(0).record("adapter"))
    equal(record["usable"], False, "usable")
    contains((record["reason"] or "").lower(), "rfkill", "the reason")


def a_user_without_privileges_may_look(blectl, air):
    record = blectl.as_nobody()("adapters", "--json").exits(0).record("adapter")
    equal(record["name"], "hci0", "the name")


def no_adapter_is_an_empty_list_with_an_explanation(blectl, no_adapter):
    run = blectl("adapters", "--json").exits(69)
    equal([(record["type"], record["status"]) for record in run.records()], [("error", 69)], "records")
    run.says("no ", "adapter")


def two_adapters_are_listed_and_either_can_be_chosen(blectl, btvirt):
    records = blectl("adapters", "--json").exits(0).records("adapter")
    equal([record["name"] for record in records], ["hci0", "hci1"], "the names")
    equal([record["address"] for record in records], [btvirt.address(0), btvirt.address(1)], "the addresses")
    blectl("scan", "--duration", "300ms", "--adapter", "hci1").exits(0)


def an_adapter_that_does_not_exist(blectl, air):
    blectl("scan", "--duration", "1", "--adapter", "hci7").exits(69).says("hci7").is_quiet()


def a_scan_waits_for_an_adapter_that_is_plugged_in(blectl, air, dongle, strap):
    dongle.pull_out()
    live = blectl.start("scan", "--json", "--address", strap, "--count", "1", "--wait-adapter", "15")
    within(10, "it waits", lambda: b"waiting for an adapter" in live.collected["err"])
    dongle.plug_in(0)
    run = live.finish().exits(0).says("waiting for an adapter: there is no Bluetooth adapter")
    equal(run.records("advertisement")[0]["address"], strap.address, "who was heard")


def a_connection_waits_for_an_adapter_that_is_powered(blectl, adapter, strap):
    adapter.down()
    live = blectl.start("read", "battery-level", "-d", strap, "--address-type", "random", "--wait-adapter", "15")
    within(10, "it waits", lambda: b"waiting for an adapter" in live.collected["err"])
    adapter.up()
    live.finish().exits(0).says("waiting for an adapter: the adapter hci0 is down")


def without_being_told_to_wait_an_error_comes_soon(blectl, adapter, strap):
    adapter.down()
    run = blectl("read", "battery-level", "-d", strap, "--address-type", "random").exits(69)
    run.says("the adapter hci0 is down", "hint: sudo blectl adapter power on")
    true(run.seconds < 2, f"it took {run.seconds:.1f} s")


def one_that_was_just_plugged_in_is_waited_for(blectl, air, dongle, strap):
    """The kernel keeps it on for two seconds, for a manager to power it."""
    dongle.pull_out()
    air.tell(None, "plug_in", index=0, address=None)
    dongle.adapter = Adapter()
    dongle.adapter.wait_until_there()
    live = blectl.start("scan", "--json", "--address", strap, "--count", "1")
    timer = threading.Timer(0.5, dongle.adapter.up)
    timer.start()
    live.finish().exits(0)
    timer.join()


def one_that_nobody_powers_is_given_up(blectl, air, dongle):
    dongle.pull_out()
    air.tell(None, "plug_in", index=0, address=None)
    dongle.adapter = Adapter()
    dongle.adapter.wait_until_there()
    run = blectl("scan", "--duration", "1").exits(69).says("hint: sudo blectl adapter power on")
    true(run.seconds < 6, f"it took {run.seconds:.1f} s")
