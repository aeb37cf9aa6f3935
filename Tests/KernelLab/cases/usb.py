# SPDX-License-Identifier: GPL-2.0-or-later
"""The program as the host of a controller on USB: libusb, the kernel's USB, and a stick at the other end of USB/IP."""

import signal
import time

from guest.catalogue import limit
from guest.checks import contains, equal, true, within
from guest.peers import FINE, TICKS
from guest.schema import obeys
from guest.served import Served
from guest.usb import DATA, DRIVER, EVENTS, PLACE


def _value(run) -> str:
    return run.exits(0).record("value")["value"]


def it_is_described_found_and_read_by_each_of_its_names(blectl, usb):
    strap = usb.peers["Bumble HR"]
    for place in ("usb", "usb:2fe3:000b", f"usb:{PLACE}"):
        adapter = blectl.on(place)("adapters", "--json").exits(0).record("adapter")
        equal((adapter["name"], adapter["state"]), (place, "up"), "the adapter")
    blectl("scan", "--address", strap.address, "--count", "1", "--json").exits(0).record("advertisement")
    equal(_value(blectl("read", "battery-level", "-d", strap, "--json")), "57", "the value")
    equal(len(blectl("notify", TICKS, "-d", strap, "--count", "3", "--json").exits(0).records("notification")), 3, "values")
    true(len(blectl("inspect", "-d", strap, "--json").exits(0).records("service")) > 3, "services, in data of several pieces")


def a_pairing_makes_a_bond_that_encrypts_the_next_link(blectl, usb):
    awkward = usb.peers["awkward"]
    awkward.will_pair("none", secure=True)
    paired = blectl("pair", awkward, "--io", "none", "--json").exits(0).record("paired")
    equal((paired["secure_connections"], paired["level"]), (True, "medium"), "the pairing")
    awkward.await_bond()
    steps = len(awkward.journal("pairing"))
    blectl("read", FINE, "-d", awkward, "--security", "medium").exits(0)
    equal(len(awkward.journal("pairing")), steps, "the steps of pairings")


def a_served_device_is_found_and_read(blectl, usb):
    phone = usb.peers["phone"]
    served = Served(blectl, "pulse-strap", adapter=None)
    phone.connect(served.address)
    equal(served.next("connected")["central"]["address"], phone.address, "who has connected")
    true(phone.session().tree().primary, "the services")
    served.live.signal(signal.SIGTERM)
    served.live.finish(5)


def data_that_overtake_the_announcement_of_their_link_are_kept(blectl, usb):
    usb.stick.lateness = 0.3
    phone = usb.peers["phone"]
    served = Served(blectl, "pulse-strap", adapter=None)
    phone.connect(served.address)
    began = time.monotonic()
    true(phone.session().tree().primary, "the services")
    true(usb.stick.overtakings > 0, "data came before the link was announced")
    true(time.monotonic() - began < 10, "soon: the first request was not lost")
    usb.stick.lateness = 0.0
    served.live.signal(signal.SIGTERM)
    served.live.finish(5)


def it_is_lent_to_others(blectl, usb):
    path = "/run/tmp/usb-lent"
    lender = blectl.start("radio", "serve", "--socket", path, "--json")
    equal(obeys(lender.next_record())["adapter"], "usb", "what is lent")
    ours = blectl.on(f"unix:{path}")
    runs = [ours.start("read", "battery-level", "-d", usb.peers["Bumble HR"], "--json") for _ in range(3)]
    for run in runs:
        equal(_value(run.finish(20)), "57", "the value")
    usb.stick.pull_out()
    lender.finish(5).exits(75)


def the_kernels_driver_has_it_back(blectl, usb):
    equal(usb.stick.driver, "btusb", "the driver before")
    blectl("read", "battery-level", "-d", usb.peers["Bumble HR"]).exits(0)
    equal(usb.stick.driver, "btusb", "the driver after a command")
    blectl("read", TICKS + "0", "-d", usb.peers["Bumble HR"])
    equal(usb.stick.driver, "btusb", "the driver after an error")
    for number in (signal.SIGINT, signal.SIGTERM):
        live = blectl.start("scan", "--duplicates", "--json")
        live.next_record()
        equal(usb.stick.driver, "usbfs", "the driver meanwhile")
        live.signal(number)
        live.finish(5)
        equal(usb.stick.driver, "btusb", f"the driver after {number.name}")


def a_stick_that_is_pulled_out_ends_a_command_as_the_end_of_a_line_does(blectl, usb):
    live = blectl.start("notify", TICKS, "-d", usb.peers["Bumble HR"], "--json")
    live.next_record()
    usb.stick.pull_out()
    run = live.finish(2).exits(75)
    run.says("the controller has ended the connection to usb")


def a_stall_is_cleared(blectl, usb):
    live = blectl.start("notify", TICKS, "-d", usb.peers["Bumble HR"], "--json")
    live.next_record()
    for endpoint in (EVENTS, DATA):
        cleared = usb.stick.halts_cleared
        usb.stick.stall(endpoint)
        within(2, "the stall is cleared", lambda: usb.stick.halts_cleared > cleared)
        live.next_record()
        live.next_record()
    usb.stick.stall(DATA, 1_000)
    live.finish(5).exits(75)


@limit(60)
def a_copy_that_hangs_at_its_second_reset_is_reset_by_usb(blectl, usb):
    usb.plug_in(vendor=0x0A12, product=0x0001, revision=0x8891, hangs=True)
    before = usb.stick.usb_resets
    for _ in range(2):
        equal(_value(blectl("read", "battery-level", "-d", usb.peers["Bumble HR"], "--json")), "57", "the value")
    true(usb.stick.usb_resets > before, "it was reset by USB")
    usb.stick.for_good, usb.stick.resets = True, 2
    blectl("scan", "--duration", "1").exits(69).says("CSR8510", "plug it in again")


def what_keeps_it_from_being_used_is_said(blectl, usb):
    nobody = blectl.as_nobody()
    nobody("scan", "--duration", "1").exits(77).says("/dev/bus/usb/001/", 'ATTR{idVendor}=="2fe3"', "udevadm")
    live = blectl.start("scan", "--duplicates", "--json")
    live.next_record()
    blectl("scan", "--duration", "1").exits(69).says("another program uses the controller", "scan --duplicates")
    live.signal(signal.SIGTERM)
    live.finish(5)
    blectl.on("usb:0a12:0001")("scan", "--duration", "1").exits(69).says("usb:1-1", "2fe3:000b")
    blectl.through("env", "LD_LIBRARY_PATH=/nonexistent", "unshare", "--mount", "sh", "-c", _HIDDEN, "sh")(
        "scan", "--duration", "1"
    ).exits(69).says("libusb-1.0-0")
    usb.stick.pull_out()
    blectl("scan", "--duration", "1").exits(69).says("no Bluetooth controller on USB")


def doctor_and_adapters_know_it(blectl, usb):
    findings = {record["check"]: record for record in blectl("doctor", "--json").exits(0).records("doctor-check")}
    equal({findings[check]["state"] for check in ("transport", "controller", "scan")}, {"ok"}, "the findings")
    run = blectl.as_nobody()("doctor", "--json").exits(77)
    finding = next(record for record in run.records("doctor-check") if record["check"] == "transport")
    equal(finding["state"], "failure", "of a user without permission")
    contains(finding["hint"], "udev", "what to do")
    (DRIVER / "unbind").write_text(f"{PLACE}:1.0")
    blectl.on(None)("adapters").says(f"-i usb:{PLACE}")
    equal(_value(blectl.on(f"usb:{PLACE}")("read", "battery-level", "-d", usb.peers["Bumble HR"], "--json")), "57", "the value")
    equal(usb.stick.driver, None, "nobody gets what nobody had")
    (DRIVER / "bind").write_text(f"{PLACE}:1.0")


# Hides libusb from the program.
_HIDDEN = 'for file in $(ldconfig -p | sed -n "s/.*libusb-1.0.so.0.* => //p"); do mount --bind /dev/null "$file"; done; exec "$@"'
