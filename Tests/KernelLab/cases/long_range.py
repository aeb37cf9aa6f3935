# SPDX-License-Identifier: GPL-2.0-or-later
"""A device that advertises on LE Coded alone. Linux 6.1 looks for it there only when it is told to; from 6.4 on it does
so by itself."""

from contextlib import contextmanager

from guest.checks import equal, true, within
from guest.management import LE_CODED, select_phys, selected_phys
from guest.trace import SET_EXTENDED_SCAN_PARAMETERS

NAME = "Bumble HR"
READ = ("read", "battery-level", "-d", NAME)


@contextmanager
def _coded_selected():
    before = selected_phys()
    select_phys(before | LE_CODED)
    try:
        yield
    finally:
        select_phys(before)


def _own_scans(trace) -> list[int]:
    """The sets of PHYs of the program's scans. Those of the kernel have the accept list."""
    return [
        command.parameters[2]
        for command in trace.now().commands
        if command.opcode == SET_EXTENDED_SCAN_PARAMETERS and command.parameters[1] & 1 == 0
    ]


def it_is_found_by_its_name_and_read_where_the_kernel_has_selected_the_phy(blectl, strap, trace):
    strap.advertise_on_coded()
    with _coded_selected():
        run = blectl(*READ, "--json").exits(0)
    equal(run.record("value")["value"], "57", "the value")
    equal(_own_scans(trace), [0x01, 0x04], "the PHYs of the scans: LE 1M first, and each alone")
    equal(len(strap.journal("connected")), 1, "links to the strap")


def elsewhere_the_message_says_what_the_kernel_lacks(blectl, strap, trace):
    strap.advertise_on_coded()
    equal(selected_phys() & LE_CODED, 0, "the kernel has not selected LE Coded")
    run = blectl(*READ, "--connect-timeout", "2", "--retries", "0").exits(124).is_quiet()
    run.says(NAME, "LE Coded", "btmgmt phy", "LECODEDTX")
    true(run.seconds < 15, f"it gives up in time, not after {run.seconds:.1f} s")
    within(5, "the kernel no longer looks for it", lambda: trace.now().scanning is False)


def a_device_on_le_1m_is_found_without_a_scan_on_another_phy(blectl, strap, trace):
    blectl(*READ).exits(0)
    equal(_own_scans(trace), [0x01], "the PHYs of the scans")
