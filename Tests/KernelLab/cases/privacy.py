# SPDX-License-Identifier: GPL-2.0-or-later
"""--privacy: this machine's private addresses, as others see them, and the adapter afterwards."""

import json
import os
import signal
import stat
import tempfile

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from guest import management
from guest.catalogue import in_one_world, limit
from guest.checks import equal, true, within
from guest.peers import FINE, TICKS
from guest.served import Served

ENCRYPTED = 0x00C4


def _key(blectl) -> bytes:
    """The key of the adapter's private addresses, most significant octet first."""
    path = f"{blectl.directory}/state/blectl/identity"
    equal(stat.S_IMODE(os.stat(path).st_mode), 0o600, "the mode of the file")
    with open(path) as file:
        [entry] = json.load(file)["identities"]
    return bytes.fromhex(entry["irk"])


def _resolves(address: str, key: bytes) -> bool:
    """Spec: Core 5.4, Vol 3, Part H, 2.2.2"""
    octets = bytes.fromhex(address.split("/")[0].replace(":", ""))
    if octets[0] >> 6 != 0b01:
        return False
    encryptor = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    return encryptor.update(bytes(13) + octets[:3])[-3:] == octets[3:]


def _is_private(index: int = 0) -> bool:
    return bool(management.settings(index) & management.PRIVACY)


def _is_restored() -> None:
    true(not _is_private(), "the adapter has no privacy any more")
    true(management.settings() & management.POWERED, "the adapter is on")


def _seen_by(peer) -> list[str]:
    """The addresses of the centrals that have connected to it."""
    return [event["peer"] for event in peer.journal("connected")]


def a_device_sees_an_address_that_resolves_by_our_key(blectl, air, pairing, awkward):
    blectl("read", FINE, "-d", awkward, "--privacy").exits(0)
    [seen] = _seen_by(awkward)
    true(_resolves(seen, _key(blectl)), f"{seen} is one of this machine's")
    _is_restored()
    awkward.hang_up()
    air.wait_for_no_link()
    blectl("read", FINE, "-d", awkward).exits(0)
    equal(_seen_by(awkward)[1:], ["00:AA:01:00:00:00/P"], "who connects without --privacy")


def a_device_gets_the_key_in_a_pairing_and_is_encrypted_to_by_a_private_address(blectl, air, pairing, awkward):
    awkward.will_pair("none", secure=True)
    blectl("pair", awkward, "--io", "none", "--privacy").exits(0)
    awkward.await_bond()
    key = _key(blectl)
    true(_resolves(_seen_by(awkward)[0], key), "the address of the pairing is private")
    equal(awkward.identities(), [{"address": "00:AA:01:00:00:00", "irk": key[::-1].hex()}], "what the device keeps")
    awkward.hang_up()
    air.wait_for_no_link()
    pairing.forget()
    blectl("read", FINE, "-d", awkward, "--security", "medium", "--privacy").exits(0)
    _is_restored()


def a_scan_asks_with_a_private_address(blectl, air, strap, pairing):
    live = blectl.start("scan", "--privacy", "--json", "--duplicates", "--address", strap)
    live.next_record()
    true(_is_private(), "the adapter has privacy")
    true(_resolves(air.controller()["random_address"], _key(blectl)), "the address of the scanner")
    live.signal(signal.SIGINT)
    live.finish(patience=6).is_ended_by(signal.SIGINT)
    _is_restored()


def _served(secure: bool):
    def case(blectl, air, pairing, phone):
        phone.will_pair("none", secure=secure)
        served = Served(blectl, "workbench", "--count", "1", "--io", "none", "--privacy")
        true(_resolves(served.address, _key(blectl)), f"{served.address} is one of this machine's")
        phone.connect(served.address, kind="random")
        phone.begin_pair()
        equal(served.next("paired")["level"], "medium", "the pairing")
        phone.waits_for("paired")
        equal(phone.session().read(ENCRYPTED), b"secret", "what needs encryption")
        equal(phone.identities(), [{"address": "00:AA:01:00:00:00", "irk": _key(blectl)[::-1].hex()}], "what it keeps")
        phone.hang_up()
        served.live.finish().exits(0)
        _is_restored()

    return case


def a_device_sees_a_private_address_of_our_own_host(blectl, line):
    awkward = line.peers["awkward"]
    blectl("read", FINE, "-d", awkward, "--privacy").exits(0)
    [seen] = _seen_by(awkward)
    true(_resolves(seen, _key(blectl)), f"{seen} is one of this machine's")
    line.wait_for_no_link()
    blectl("read", FINE, "-d", awkward).exits(0)
    equal(_seen_by(awkward)[1:], ["00:AA:01:00:00:00/P"], "who connects without --privacy")


def a_device_pairs_with_a_private_address_of_our_own_host(blectl, line):
    awkward = line.peers["awkward"]
    awkward.will_pair("none", secure=True)
    blectl("pair", awkward, "--io", "none", "--privacy").exits(0)
    awkward.await_bond()
    key = _key(blectl)
    true(_resolves(_seen_by(awkward)[0], key), "the address of the pairing is private")
    equal(awkward.identities(), [{"address": "00:AA:01:00:00:00", "irk": key[::-1].hex()}], "what the device keeps")
    line.wait_for_no_link()
    blectl("read", FINE, "-d", awkward, "--security", "medium", "--privacy").exits(0)


def _served_by_our_own_host(secure: bool):
    def case(blectl, line):
        phone = line.peers["phone"]
        phone.will_pair("none", secure=secure)
        served = Served(blectl, "workbench", "--count", "1", "--io", "none", "--privacy", adapter=None)
        true(_resolves(served.address, _key(blectl)), f"{served.address} is one of this machine's")
        phone.connect(served.address, kind="random")
        phone.begin_pair()
        equal(served.next("paired")["level"], "medium", "the pairing")
        phone.waits_for("paired")
        equal(phone.identities(), [{"address": "00:AA:01:00:00:00", "irk": _key(blectl)[::-1].hex()}], "what it keeps")
        phone.hang_up()
        served.live.finish().exits(0)

    return case


@in_one_world
def a_central_pairs_with_the_public_address_afterwards(blectl, air, agent, phone):
    private = Served(blectl, "workbench", "--io", "none", "--privacy")
    private.live.signal(signal.SIGINT)
    private.live.finish().is_ended_by(signal.SIGINT)
    _is_restored()
    # The address of the device is part of the arithmetic of a pairing.
    served = Served(blectl, "workbench", "--count", "1")
    equal(served.address, "00:AA:01:00:00:00", "the address that is advertised")
    phone.connect(served.address)
    phone.pair()
    equal(phone.session().read(ENCRYPTED), b"secret", "what needs encryption")
    phone.hang_up()
    served.live.finish().exits(0)


TABLE = [
    ("a private device is paired with by secure connections", _served(True)),
    ("a private device is paired with by bluetooth 4", _served(False)),
    ("a private device of our own host is paired with by secure connections", _served_by_our_own_host(True)),
    ("a private device of our own host is paired with by bluetooth 4", _served_by_our_own_host(False)),
]


@limit(60)
def one_that_was_killed_is_tidied_up_after(blectl, air, pairing, strap):
    served = Served(blectl, "workbench", "--privacy")
    served.live.signal(signal.SIGKILL)
    served.live.finish()
    true(_is_private(), "nobody has switched it off")
    blectl("scan", "--privacy", "--count", "1").exits(0)
    _is_restored()


@limit(60)
def who_ends_last_switches_it_off(blectl, air, pairing, strap):
    live = blectl.start("notify", TICKS, "-d", strap, "--privacy", "--json")
    live.next_record()
    blectl("scan", "--privacy", "--count", "1").exits(0)
    true(_is_private(), "one still needs it")
    live.next_record()
    live.signal(signal.SIGINT)
    live.finish(patience=8).is_ended_by(signal.SIGINT)
    _is_restored()


def links_of_others_are_not_ended(blectl, air, pairing, strap):
    live = blectl.start("notify", TICKS, "-d", strap, "--json")
    live.next_record()
    blectl("scan", "--privacy", "--count", "1").exits(75).says("end the links of other programs")
    live.next_record()
    live.signal(signal.SIGINT)
    live.finish(patience=3).is_ended_by(signal.SIGINT)
    true(not _is_private(), "nothing was switched")


def without_the_capability_it_ends_before_anything_is_sent(blectl, air, pairing, strap):
    home = tempfile.mkdtemp(prefix="nobody-")
    os.chmod(home, 0o777)
    nobody = blectl.as_nobody("net_raw").with_environment(HOME=home, XDG_STATE_HOME=f"{home}/state")
    nobody("read", "battery-level", "-d", strap, "--privacy").exits(77).says("sudo setcap").is_quiet()
    equal(_seen_by(strap), [], "who has connected")


@in_one_world
def beside_bluetoothd_its_privacy_counts(blectl, air, strap, bluetoothd):
    run = blectl("read", "battery-level", "-d", strap, "--privacy").exits(78).is_quiet()
    run.says("bluetoothd manages it", "Privacy = device")
    management.perform(management.SET_POWERED, bytes([0]))
    management.perform(management.SET_PRIVACY, bytes([1]) + bytes(range(16)))
    management.perform(management.SET_POWERED, bytes([1]))
    within(5, "the adapter is on", lambda: management.settings() & management.POWERED)
    blectl("read", "battery-level", "-d", strap, "--privacy").exits(0)
    [seen] = _seen_by(strap)
    true(_resolves(seen, bytes(range(16))[::-1]), "the address is one of bluetoothd's")
    blectl("serve", "pulse-strap", "--privacy", "--duration", "1").exits(78).says("keeps the key")
    blectl("scan", "--count", "1", "--privacy").exits(0)
    true(_is_private(), "bluetoothd's setting is as it was")
    management.perform(management.SET_POWERED, bytes([0]))
    management.perform(management.SET_PRIVACY, bytes([0]) + bytes(16))
    management.perform(management.SET_POWERED, bytes([1]))
