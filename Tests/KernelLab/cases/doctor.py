# SPDX-License-Identifier: GPL-2.0-or-later
"""Why Bluetooth does not work, and what to type: each trouble is made, found, and mended by the line that is printed."""

import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path

from guest.channels import USER, hci_channel
from guest.checks import contains, equal, lacks, true, within
from guest.management import LOW_ENERGY, settings
from guest.stack import command

ENOUGH = 4


def _checks(run) -> dict[str, dict]:
    return {record["check"]: record for record in run.records("doctor-check")}


def _type(blectl, line: str) -> None:
    """Types a line into a shell. There is no sudo in the machine, and no need of it."""
    words = Path(blectl.directory, "bin")
    if not words.exists():
        words.mkdir(mode=0o755)
        (words / "sudo").write_text('#!/bin/sh\nexec "$@"\n')
        (words / "sudo").chmod(0o755)
    if not (words / "blectl").exists():
        (words / "blectl").symlink_to(Path(blectl.program).resolve())
    surroundings = blectl.surroundings({"PATH": f"{words}:{os.environ['PATH']}"})
    command("env", *(f"{name}={value}" for name, value in surroundings.items()), "sh", "-c", line)


def _finds(run, check: str, state: str, *fragments: str) -> str:
    """The line to type that the finding has."""
    found = _checks(run)[check]
    equal(found["state"], state, f"the state of {check}")
    for fragment in fragments:
        contains(found["text"], fragment, f"what {check} says")
    if state == "failure":
        run.says(found["text"], f"hint: {found['hint']}")
    return found["command"] or ""


def _works(blectl, strap) -> None:
    """A scan and a connection work, as it says."""
    verdict = blectl("doctor", "--json").exits(0).record("doctor-verdict")
    equal((verdict["scan"], verdict["connection"], verdict["failures"]), (True, True, 0), "the verdict")
    reports = blectl("scan", "--json", "--duration", "1").exits(0).records("advertisement")
    contains({report["address"] for report in reports}, strap.address, "who was heard")
    blectl("read", "battery-level", "-d", strap, "--address-type", "random").exits(0)


def _mend(blectl, strap) -> list[str]:
    """Types what is printed until all is well. Returns the checks that had failed."""
    mended = []
    for _ in range(ENOUGH):
        run = blectl("doctor", "--json").exits(0, 69, 75, 77)
        if run.status == 0:
            break
        failed = next(check for check in run.records("doctor-check") if check["state"] == "failure")
        mended.append(failed["check"])
        _type(blectl, failed["command"])
    _works(blectl, strap)
    return mended


def a_machine_on_which_all_is_well(blectl, strap):
    run = blectl("doctor").exits(0)
    equal(run.lines[-1], "a scan and a connection would work", "the last line")
    states = {name: check["state"] for name, check in _checks(blectl("doctor", "--json").exits(0)).items()}
    equal({name for name, state in states.items() if state != "ok"}, set(), "what is not well")
    _works(blectl, strap)


def one_of_an_older_controller(blectl, old_air):
    """It has no extended commands: that is no trouble."""
    run = blectl("doctor", "--json").exits(0)
    _finds(run, "commands", "ok", "legacy commands; the controller has no others")


def _old_scan() -> bool:
    """Scans with BlueZ's old tool, which has legacy commands only. Returns whether the controller has accepted them."""
    said = command("sh", "-c", "timeout --signal=INT 1 hcitool -i hci0 lescan | head -n 1")
    return said.startswith("LE Scan ...")


def _heard(blectl) -> set[str]:
    reports = blectl("scan", "--json", "--duration", "1").exits(0).records("advertisement")
    return {report["address"] for report in reports}


def commands_of_both_kinds(blectl, strap, broadcaster, adapter):
    """The kernel uses the extended commands, so the controller refuses those of an old tool. Some programs on raw
    sockets reset the controller first: then it refuses those of the kernel."""
    true(not _old_scan(), "the controller accepts legacy commands after those of the kernel")
    _finds(blectl("doctor", "--json").exits(0), "commands", "ok", "extended commands")
    command("hcitool", "-i", "hci0", "cmd", "0x03", "0x0003")
    try:
        true(_old_scan(), "the controller accepts legacy commands after a reset")
        run = blectl("doctor", "--json").exits(124)
        line = _finds(run, "commands", "failure", "a program has used legacy commands", "connections time out")
        equal(line, "sudo blectl adapter reset", "what to type")
        verdict = run.record("doctor-verdict")
        equal((verdict["scan"], verdict["connection"]), (True, False), "the verdict")
        attempt = ("--connect-timeout", "3", "--retries", "0")
        refused = blectl("read", "battery-level", "-d", strap, "--address-type", "random", *attempt).exits(124)
        refused.says("the controller refused to connect: command disallowed (0x0C)", f"hint: {line}")
        heard = _heard(blectl)
        contains(heard, strap.address, "who was heard")
        lacks(heard, broadcaster.address, "who was heard with legacy commands")
        _type(blectl, line)
        _finds(blectl("doctor", "--json").exits(0), "commands", "ok", "extended commands")
        contains(_heard(blectl), broadcaster.address, "who was heard with extended commands")
        _works(blectl, strap)
    finally:
        adapter.down()
        adapter.up()


def an_adapter_that_is_down(blectl, strap, adapter):
    adapter.down()
    run = blectl("doctor", "--json").exits(69)
    equal(blectl("scan", "--duration", "1").status, 69, "the status of a scan")
    equal(_finds(run, "power", "failure", "hci0 is down"), "sudo blectl adapter power on", "what to type")
    equal(_mend(blectl, strap), ["power"], "what was mended")


def an_adapter_that_rfkill_blocks(blectl, strap, adapter):
    adapter.block(True)
    run = blectl("doctor", "--json").exits(69)
    equal(_finds(run, "rfkill", "failure", "blocked by software"), "sudo rfkill unblock bluetooth", "what to type")
    equal(_mend(blectl, strap), ["rfkill", "power"], "what was mended")


def an_adapter_that_another_program_has_for_itself(blectl, air, adapter):
    adapter.down()
    with hci_channel(USER, adapter.index):
        within(5, "the adapter is in use", lambda: "in-use" in blectl("adapters").stdout)
        run = blectl("doctor", "--json").exits(69)
        _finds(run, "power", "failure", "another program uses the adapter exclusively")


def no_adapter(blectl, no_adapter):
    run = blectl("doctor", "--json").exits(69)
    _finds(run, "adapter", "failure", "there is no Bluetooth adapter")
    _finds(run, "kernel", "ok", "Linux")
    _finds(run, "driver", "unchecked")


def an_adapter_that_does_not_exist(blectl, air):
    run = blectl("doctor", "--adapter", "hci7", "--json").exits(69)
    _finds(run, "adapter", "failure", "there is no adapter hci7")


def low_energy_that_is_off(blectl, dual_strap):
    """Who may switch it on is warned only, because a connection does so; who may not is refused the connection."""
    line = _finds(blectl("doctor", "--json").exits(0), "low-energy", "warning", "Low Energy is off on hci0")
    true(settings() & LOW_ENERGY == 0, "Low Energy is still off")
    user = blectl.as_nobody("net_raw")
    run = user("doctor", "--json").exits(77)
    equal(_finds(run, "low-energy", "failure", "CAP_NET_ADMIN"), line, "what to type")
    verdict = run.record("doctor-verdict")
    equal((verdict["scan"], verdict["connection"]), (True, False), "the verdict")
    user("read", "battery-level", "-d", dual_strap, "--address-type", "random").exits(77)
    _type(blectl, line)
    run = user("doctor", "--json").exits(0)
    _finds(run, "low-energy", "ok")
    user("read", "battery-level", "-d", dual_strap, "--address-type", "random").exits(0)


def a_user_without_the_capabilities(blectl, strap):
    """The line gives them to the program, here to a copy of it."""
    _type(blectl, "true")
    copy = Path(blectl.directory, "bin", "blectl")
    copy.unlink()
    shutil.copy(blectl.program, copy)
    try:
        _grants(blectl, replace(blectl, program=str(copy)).as_nobody(), strap)
    finally:
        copy.unlink()


def _grants(blectl, nobody, strap) -> None:
    run = nobody("doctor", "--json").exits(77)
    line = _finds(run, "capability", "failure", "CAP_NET_RAW")
    contains(line, "setcap", "what to type")
    verdict = run.record("doctor-verdict")
    equal((verdict["scan"], verdict["connection"]), (False, True), "the verdict")
    nobody("scan", "--duration", "1").exits(77)
    _type(blectl, line)
    _works(nobody, strap)


def a_manager_that_is_no_service(blectl, strap, bluetoothd):
    run = blectl("doctor", "--json").exits(0)
    line = _finds(run, "manager", "warning", "bluetoothd manages the adapters")
    equal(line, f"sudo kill {bluetoothd.daemon.pid}", "what to type")
    _works(blectl, strap)
    _type(blectl, line)
    bluetoothd.daemon.wait(10)
    _finds(blectl("doctor", "--json").exits(0, 69), "manager", "ok")
    _mend(blectl, strap)


def a_manager_that_searches(blectl, air, strap, bluetoothd):
    bluetoothd.discover()
    within(5, "the controller scans", lambda: air.controller()["scanning"])
    run = blectl("doctor", "--json").exits(0)
    _finds(run, "scan", "warning", "another program scans, probably bluetoothd")
    true(bluetoothd.discovering(), "bluetoothd still discovers")


def a_scan_that_a_killed_blectl_has_left(blectl, strap, trace):
    """The line is a scan, which takes the old one over and ends it."""
    live = blectl.start("scan", "--json", "--duplicates")
    live.next_record()
    live.signal(signal.SIGKILL)
    live.finish()
    run = blectl("doctor", "--json").exits(0)
    line = _finds(run, "scan", "warning", "a blectl that was killed has left its scan running")
    equal(line, "blectl scan --duration 1", "what to type")
    true(trace.now().scanning, "doctor leaves it running")
    _type(blectl, line)
    within(5, "scanning is off", lambda: trace.now().scanning is False)
    _finds(blectl("doctor", "--json").exits(0), "scan", "ok", "a scan was started and ended")
    _works(blectl, strap)


def files_that_are_in_the_way(blectl, strap):
    for folder in (".cache", "state"):
        Path(blectl.directory, folder).mkdir(exist_ok=True)
        Path(blectl.directory, folder, "blectl").write_text("in the way")
    checks = _checks(blectl("doctor", "--json").exits(0))
    for name in ("cache", "bonds"):
        equal(checks[name]["state"], "warning", f"the state of {name}")
        _type(blectl, checks[name]["command"])
    checks = _checks(blectl("doctor", "--json").exits(0))
    equal((checks["cache"]["state"], checks["bonds"]["state"]), ("ok", "ok"), "their states")


def it_leaves_nothing_behind(blectl, air):
    blectl("doctor").exits(0)
    true(not air.controller()["scanning"], "the controller does not scan")
    true(not Path(blectl.directory, "state", "blectl", "scanning-hci0").exists(), "no mark of a scan is left")
