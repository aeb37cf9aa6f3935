# SPDX-License-Identifier: GPL-2.0-or-later
"""The person at a device that pairs: what the device can show and enter, and what the person answers. And signatures, by
the AES-CMAC of `cryptography`."""

import asyncio

from bumble.pairing import PairingConfig, PairingDelegate
from bumble.smp import OobContext, OobSharedData, Session
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

KEYS = PairingDelegate.KeyDistribution
SIGNED_WRITE = 0xD2
# Of the private addresses of a device, as it goes over the air.
IDENTITY_KEY = bytes(range(0x51, 0x61))

MEANS = {
    "none": PairingDelegate.NO_OUTPUT_NO_INPUT,
    "display": PairingDelegate.DISPLAY_OUTPUT_ONLY,
    "yes-no": PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    "keyboard": PairingDelegate.KEYBOARD_INPUT_ONLY,
    "keyboard-display": PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT,
}


class Person(PairingDelegate):
    """Answers as the case says, and notes what the device shows."""

    def __init__(self, note, means: str, passkey: int, agrees: bool, silent: str | None, signs: bool):
        keys = PairingDelegate.DEFAULT_KEY_DISTRIBUTION | (KEYS.DISTRIBUTE_SIGNING_KEY if signs else KEYS(0))
        super().__init__(MEANS[means], keys, keys)
        self.note = note
        self.passkey = passkey
        self.agrees = agrees
        self.silent = silent
        self.is_mute = False
        self.entered = asyncio.get_running_loop().create_future()

    async def unless_silent(self, step: str) -> None:
        self.note("pairing", step=step)
        if self.silent == step:
            await asyncio.get_running_loop().create_future()

    async def accept(self) -> bool:
        await self.unless_silent("accept")
        return True

    async def confirm(self, auto: bool = False) -> bool:
        await self.unless_silent("confirm")
        return self.agrees

    async def compare_numbers(self, number: int, digits: int) -> bool:
        self.note("shown", number=number)
        await self.unless_silent("compare")
        return self.agrees

    async def generate_passkey(self) -> int:
        return self.passkey

    async def display_number(self, number: int, digits: int) -> None:
        self.note("shown", number=number)

    async def get_number(self) -> int | None:
        await self.unless_silent("enter")
        return await self.entered


class LastingSession(Session):
    """Keeps the keys of a pairing also if the link ends in the moment in which it is complete. Bumble forgets them then."""

    def on_peer_key_distribution_complete(self) -> None:
        if self.is_initiator:
            self.distribute_keys()
        self.keeping = asyncio.get_running_loop().create_task(self.on_pairing())


def keep_back(manager, person: Person) -> None:
    """Makes a device keep the packet back, and those behind it, whose code the person is silent at."""
    send = type(manager).send_command

    def send_or_not(connection, command) -> None:
        if person.silent == f"0x{int(command.code):02X}":
            person.is_mute = True
        if person.is_mute:
            person.note("kept back", code=int(command.code))
        else:
            send(manager, connection, command)

    manager.send_command = send_or_not


def config(person: Person, secure: bool, protected: bool, bonding: bool) -> PairingConfig:
    return PairingConfig(sc=secure, mitm=protected, bonding=bonding, delegate=person)


def out_of_band(note, other: dict | None) -> tuple[Person, PairingConfig, dict[str, str]]:
    """A pairing with the data of both sides, or with its own only, which is the third of these. Values are as people print
    them, the first octet last on the air."""
    person = Person(note, "none", 0, True, None, False)
    own = OobContext()
    peer = OobSharedData(*(bytes.fromhex(other[key])[::-1] for key in ("confirm", "random"))) if other else None
    oob = PairingConfig.OobConfig(our_context=own, peer_data=peer, legacy_context=None)
    settings = PairingConfig(sc=True, mitm=True, bonding=True, delegate=person, oob=oob)
    data = own.share()
    return person, settings, {"confirm": data.c[::-1].hex(), "random": data.r[::-1].hex()}


def signature(key: bytes, handle: int, value: bytes, counter: int) -> bytes:
    """The twelve octets behind a signed write; the key as it goes over the air. Spec: Core 5.4, Vol 3, Part H, 2.4.5"""
    number = counter.to_bytes(4, "little")
    message = bytes([SIGNED_WRITE]) + handle.to_bytes(2, "little") + value + number
    code = CMAC(AES(key[::-1]))
    code.update(message[::-1])
    return number + code.finalize()[:8][::-1]
