# SPDX-License-Identifier: GPL-2.0-or-later
"""The files that are kept between runs: their place, their owner, and files that strangers may have written there."""

import json
import os
import stat

from guest.checks import equal, true

PRECIOUS = "precious\n"


def _folder(blectl, *names: str) -> str:
    path = os.path.join(blectl.directory, *names)
    os.makedirs(path, exist_ok=True)
    return path


def _mode(path: str) -> str:
    return oct(stat.S_IMODE(os.lstat(path).st_mode))


def a_scan_writes_through_no_link(blectl, strap):
    folder = _folder(blectl, "state", "blectl")
    victim = f"{blectl.directory}/victim"
    with open(victim, "w") as file:
        file.write(PRECIOUS)
    for name in ("scanning-hci0", "devices.json", "devices.json.new"):
        os.symlink(victim, f"{folder}/{name}")
    blectl("scan", "--duration", "2").exits(0)
    with open(victim) as file:
        equal(file.read(), PRECIOUS, "the file that the links led to")
    with open(f"{folder}/devices.json") as file:
        true(strap.address in json.load(file)["devices"], "the device is remembered all the same")


def a_folder_that_is_a_link_is_not_used(blectl, strap):
    elsewhere = _folder(blectl, "elsewhere")
    os.symlink(elsewhere, os.path.join(_folder(blectl, "state"), "blectl"))
    run = blectl("scan", "--duration", "1", "-v").exits(0)
    run.says("cannot keep files in")
    equal(os.listdir(elsewhere), [], "what was written there")


def what_is_kept_is_the_users_alone(blectl, strap):
    os.chmod(_folder(blectl, "state", "blectl"), 0o777)
    blectl("scan", "--duration", "2").exits(0)
    blectl("read", "battery-level", "-d", strap).exits(0)
    equal(_mode(f"{blectl.directory}/state/blectl"), "0o700", "the folder, which was everybody's")
    equal(_mode(f"{blectl.directory}/state/blectl/devices.json"), "0o600", "the file")


def a_connection_is_noted_with_what_it_proves(blectl, strap):
    """Because of it, an advertisement with the same address and another type is known to come from another device."""
    blectl("read", "battery-level", "-d", strap).exits(0)
    with open(f"{blectl.directory}/state/blectl/devices.json") as file:
        entry = json.load(file)["devices"][strap.address]
    equal(entry["type"], "random", "the type")
    true(entry.get("connected"), "when it was connected to")
