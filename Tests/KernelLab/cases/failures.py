# SPDX-License-Identifier: GPL-2.0-or-later
"""Failures, their exit statuses and their messages."""

import os
import shutil
import signal

from guest.catalogue import in_one_world
from guest.checks import contains, equal, lacks, true, within
from guest.peers import ABSENT, BURST, TICKS

ESTABLISHMENT_FAILED = 0x3E
MEMORY_EXCEEDED, CONNECTION_LIMIT, COMMAND_DISALLOWED, LIMITED_RESOURCES = 0x07, 0x09, 0x0C, 0x0D


def a_device_that_nobody_hears(blectl, air):
    run = blectl("read", "battery-level", "-d", ABSENT, "--timeout", "2").exits(68).is_quiet().says(ABSENT)
    true(run.seconds < 12, f"it gives up in time, not after {run.seconds:.1f} s")


def a_name_that_nobody_has(blectl, air):
    blectl("read", "battery-level", "-d", "Nobody", "--timeout", "2").exits(68).is_quiet().says("Nobody")


def a_device_that_does_not_take_the_call(blectl, air, trace):
    """With the address type given there is no scan, so nothing shows that the device is absent."""
    arguments = ("--address-type", "random", "--connect-timeout", "1", "--retries", "0")
    run = blectl("read", "battery-level", "-d", ABSENT, *arguments).exits(124).is_quiet().says(ABSENT)
    lacks(run.stderr, "Function not implemented", "the message")
    true(run.seconds < 8, f"it gives up in time, not after {run.seconds:.1f} s")
    within(5, "the kernel no longer looks for it", lambda: trace.now().scanning is False)


def an_attempt_that_takes_too_long_is_tried_again_if_retries_are_given(blectl, air, trace):
    arguments = ("--address-type", "random", "--connect-timeout", "1", "--retries", "2")
    run = blectl("read", "battery-level", "-d", ABSENT, *arguments).exits(124).is_quiet()
    run.says("attempt 1 of 3", "attempt 2 of 3", "(3 attempts)")
    true(3 <= run.seconds < 12, f"three attempts of a second, not {run.seconds:.1f} s")
    within(5, "the kernel no longer looks for it", lambda: trace.now().scanning is False)


def a_wrong_address_type_is_told_with_a_hint(blectl, strap):
    arguments = ("--address-type", "public", "--connect-timeout", "1", "--retries", "0")
    run = blectl("read", "battery-level", "-d", strap, *arguments).exits(124).is_quiet()
    run.says("hint", "--address-type")
    true(run.seconds < 8, f"it gives up in time, not after {run.seconds:.1f} s")


def a_beacon_takes_no_connection(blectl, ibeacon):
    run = blectl("read", "battery-level", "-d", ibeacon, "--timeout", "5").exits(76).is_quiet()
    run.says("it advertises, but accepts no connection")


def a_name_in_another_case_is_that_of_the_device(blectl, strap):
    run = blectl("read", "battery-level", "-d", "bumble hr").exits(0)
    contains(run.stdout, "87", "the value")


def a_name_that_is_nearly_heard_is_told_with_the_one_that_is(blectl, strap):
    run = blectl("read", "battery-level", "-d", "Bumble HT", "--timeout", "3").exits(68).is_quiet()
    run.says("did you mean 'Bumble HR'?", "hint: -d 'Bumble HR'")


def a_link_that_fails_to_be_established_is_tried_again(blectl, air, strap):
    air.fail_connections(("lost", ESTABLISHMENT_FAILED), ("lost", ESTABLISHMENT_FAILED))
    run = blectl("read", "battery-level", "-d", strap, "--address-type", "random", "-v").exits(0)
    contains(run.stdout, "87", "the value")
    equal(air.controller()["connection_attempts"], 3, "attempts that the controller saw")
    run.says("attempt")


def _a_controller_without_room_is_waited_for(blectl, air, strap, status: int) -> None:
    """It refuses more often than there are retries, which are kept for what is the device's."""
    air.fail_connections(*[("refused", status)] * 3)
    run = blectl("read", "battery-level", "-d", strap, "--address-type", "random", "--retries", "0").exits(0)
    contains(run.stdout, "87", "the value")
    equal(run.stderr.count("no room"), 1, "how often the wait is told")
    equal(air.controller()["connection_attempts"], 4, "attempts that the controller saw")


def a_controller_at_its_limit_is_waited_for(blectl, air, strap):
    _a_controller_without_room_is_waited_for(blectl, air, strap, CONNECTION_LIMIT)


def a_controller_without_resources_is_waited_for(blectl, air, strap):
    _a_controller_without_room_is_waited_for(blectl, air, strap, LIMITED_RESOURCES)


def a_controller_without_memory_is_waited_for(blectl, air, strap):
    _a_controller_without_room_is_waited_for(blectl, air, strap, MEMORY_EXCEEDED)


def nobody_waits_for_a_controller_without_room_with_no_wait(blectl, air, strap):
    air.fail_connections(("refused", CONNECTION_LIMIT))
    run = blectl("read", "battery-level", "-d", strap, "--address-type", "random", "--no-wait").exits(75).is_quiet()
    run.says("no room", "hint")
    equal(air.controller()["connection_attempts"], 1, "attempts that the controller saw")


def a_refusal_of_the_controller_is_named(blectl, air, strap):
    air.fail_connections(("refused", COMMAND_DISALLOWED))
    run = blectl("read", "battery-level", "-d", strap, "--address-type", "random", "--no-wait").exits(75).is_quiet()
    run.says("command disallowed")
    lacks(run.stderr, "did not answer", "the message")


def retries_come_to_an_end(blectl, air, strap):
    air.fail_connections(*[("lost", ESTABLISHMENT_FAILED)] * 5)
    arguments = ("--address-type", "random", "--retries", "1")
    run = blectl("read", "battery-level", "-d", strap, *arguments).exits(75).is_quiet().says("2", "attempt")
    equal(air.controller()["connection_attempts"], 2, "attempts that the controller saw")
    lacks(run.stderr, "Function not implemented", "the message")


def no_retry_when_none_is_wanted(blectl, air, strap):
    air.fail_connections(("lost", ESTABLISHMENT_FAILED))
    blectl("read", "battery-level", "-d", strap, "--address-type", "random", "--retries", "0").exits(75)
    equal(air.controller()["connection_attempts"], 1, "attempts that the controller saw")


def a_device_that_goes_out_of_range(blectl, strap):
    live = blectl.start("notify", TICKS, "-d", strap, "--json")
    live.next_record()
    strap.vanish()
    run = live.finish(patience=10).exits(75)
    true(run.stderr, "there is a message")
    lacks(run.stderr, "Function not implemented", "the message")


def a_device_that_ends_the_link(blectl, strap):
    live = blectl.start("notify", TICKS, "-d", strap, "--json")
    live.next_record()
    strap.hang_up()
    live.finish(patience=10).exits(75).says(strap.address)


def a_device_that_ends_the_link_after_some_values(blectl, awkward):
    blectl("notify", BURST, "-d", awkward, "--count", "100").exits(75)


def the_adapter_is_switched_off_in_the_middle(blectl, strap, adapter):
    live = blectl.start("notify", TICKS, "-d", strap, "--json")
    live.next_record()
    adapter.down()
    run = live.finish(patience=10).exits(69, 75)
    true(run.stderr, "there is a message")


def the_adapter_is_pulled_out_in_the_middle(blectl, strap, dongle):
    live = blectl.start("notify", TICKS, "-d", strap, "--json")
    live.next_record()
    dongle.pull_out()
    live.finish(patience=10).exits(69).says("unplugged")


def the_adapter_is_pulled_out_in_mid_scan(blectl, air, dongle):
    live = blectl.start("scan", "--json", "--duplicates")
    live.next_record()
    dongle.pull_out()
    live.finish(patience=10).exits(69).says("unplugged")


def the_adapter_is_pulled_out_while_it_connects(blectl, air, dongle):
    arguments = ("--address-type", "random", "--connect-timeout", "20", "--retries", "0")
    live = blectl.start("read", "battery-level", "-d", ABSENT, *arguments)
    within(5, "the controller looks for it", lambda: air.controller()["scanning"])
    dongle.pull_out()
    run = live.finish(patience=10).exits(69).is_quiet().says("unplugged")
    true(run.seconds < 10, f"it ends at once, not after {run.seconds:.1f} s")


def the_adapter_is_switched_off_in_mid_scan(blectl, air, adapter):
    live = blectl.start("scan", "--json", "--duplicates")
    live.next_record()
    adapter.down()
    run = live.finish(patience=10).exits(69, 74, 75)
    true(run.stderr, "there is a message")


def no_such_service(blectl, strap):
    blectl("read", "0x1999/0x2A19", "-d", strap).exits(68).is_quiet().says("0x1999")


def no_such_characteristic(blectl, strap):
    blectl("read", "temperature", "-d", strap).exits(68).is_quiet().says("temperature")


def no_such_handle(blectl, strap):
    blectl("read", "handle:0x0fff", "-d", strap).exits(68, 76).is_quiet().says("0x0fff")


def no_such_descriptor(blectl, strap):
    blectl("read", "battery-level/0x2901", "-d", strap).exits(68).is_quiet().says("0x2901")


def the_adapter_is_down(blectl, air, adapter):
    adapter.down()
    blectl("scan", "--duration", "1").exits(69).is_quiet().says("hci0", "down")
    blectl("read", "battery-level", "-d", ABSENT, "--address-type", "random").exits(69).is_quiet()


def the_adapter_is_blocked(blectl, air, adapter):
    adapter.block(True)
    blectl("scan", "--duration", "1").exits(69).is_quiet().says("rfkill")


def there_is_no_adapter(blectl, no_adapter):
    blectl("scan", "--duration", "1").exits(69).is_quiet().says("adapter", "--simulate")
    blectl("watch", "heart-rate").exits(69).is_quiet()
    blectl("read", "battery-level", "-d", ABSENT, "--address-type", "random").exits(69).is_quiet()


@in_one_world
def a_user_without_the_capability(blectl, air):
    run = blectl.as_nobody()("scan", "--duration", "1").exits(77).is_quiet()
    run.says("cap_net_raw", "setcap")


@in_one_world
def a_user_with_the_capabilities_may_scan(blectl, strap):
    capable = blectl.as_nobody("net_raw", "net_admin")
    run = capable("scan", "--duration", "1.2s", "--json").exits(0)
    contains({record["address"] for record in run.records()}, strap.address, "who was heard")


@in_one_world
def a_program_with_file_capabilities_may_scan(blectl, strap):
    """With the capabilities that `make setcap` grants."""
    program = f"{blectl.directory}/blectl"
    shutil.copy(blectl.program, program)
    os.chmod(program, 0o755)
    os.setxattr(program, "security.capability", _effective(12, 13))
    ordinary = blectl.as_nobody()
    ordinary.prefix = [part for part in ordinary.prefix if not part.startswith("--inh-caps")]
    ordinary.program = program
    run = ordinary("scan", "--duration", "1.2s", "--json").exits(0)
    contains({record["address"] for record in run.records()}, strap.address, "who was heard")


def _effective(*capabilities: int) -> bytes:
    """The capabilities of a file, version 2, permitted, inheritable and effective: `cap_…+eip`."""
    bits = sum(1 << capability for capability in capabilities).to_bytes(4, "little")
    return b"\x01\x00\x00\x02" + bits + bits + bytes(8)


def a_full_disk(blectl, air):
    shell = ["bash", "-c", 'exec "$@" > /dev/full', "bash"]
    blectl.prefix = shell
    blectl("scan", "--json", "--duration", "2").exits(74)


def a_deadline_for_the_whole_command(blectl, air, trace):
    arguments = ("--address-type", "random", "--deadline", "1.5")
    run = blectl("read", "battery-level", "-d", ABSENT, *arguments).exits(124).is_quiet()
    true(run.seconds < 6, f"it ends in time, not after {run.seconds:.1f} s")
    within(5, "the kernel no longer looks for it", lambda: trace.now().scanning is False)


def what_a_killed_predecessor_left_running_is_taken_over_and_switched_off(blectl, strap, trace):
    """The leftover scan looks like another program's. The mark of the killed process tells the two apart."""
    live = blectl.start("scan", "--json", "--duplicates")
    live.next_record()
    live.signal(signal.SIGKILL)
    live.finish()
    true(trace.now().scanning, "the dead left the controller scanning")
    run = blectl("scan", "--json", "--duration", "1.2s").exits(0)
    contains({record["address"] for record in run.records()}, strap.address, "who was heard")
    true("along" not in run.stderr, f"it does not listen along: {run.stderr}")
    within(5, "scanning is off", lambda: trace.now().scanning is False)
    value = blectl("read", "battery-level", "-d", strap, "--json").exits(0).record("value")
    equal(value["value"], "57", "the value")

