# SPDX-License-Identifier: GPL-2.0-or-later
"""Which adapters there are, and why one cannot be used."""

from guest.checks import contains, equal, true
from guest.schema import obeys


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
    equal(run.records(), [], "records")
    run.says("no ", "adapter")


def two_adapters_are_listed_and_either_can_be_chosen(blectl, btvirt):
    records = blectl("adapters", "--json").exits(0).records("adapter")
    equal([record["name"] for record in records], ["hci0", "hci1"], "the names")
    equal([record["address"] for record in records], [btvirt.address(0), btvirt.address(1)], "the addresses")
    blectl("scan", "--duration", "300ms", "--adapter", "hci1").exits(0)


def an_adapter_that_does_not_exist(blectl, air):
    blectl("scan", "--duration", "1", "--adapter", "hci7").exits(69).says("hci7").is_quiet()
