# SPDX-License-Identifier: GPL-2.0-or-later
"""The library that the program is linked with: its use, and what the program reports about it."""

from guest.checks import contains, true
from guest.stack import command


def the_release_imports_the_functions_of_libbluetooth(machine, no_adapter):
    symbols = command("nm", "-D", "--undefined-only", machine.program).split()
    for function in ("hci_devinfo", "hci_devba", "hci_open_dev", "hci_bustostr"):
        contains(symbols, function, "the imported symbols")


def the_version_names_the_library(blectl, no_adapter):
    contains(blectl("--version").exits(0).stdout, "libbluetooth", "the version")
    record = blectl("version", "--json").exits(0).record("version")
    true(record["library"] == "libbluetooth" and record["library_use"], "the record names it")
