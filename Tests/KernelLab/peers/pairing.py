# SPDX-License-Identifier: GPL-2.0-or-later
"""The person at a peripheral that is paired with: what the device can show and enter, and what the person answers."""

import asyncio

from bumble.pairing import PairingConfig, PairingDelegate

MEANS = {
    "none": PairingDelegate.NO_OUTPUT_NO_INPUT,
    "display": PairingDelegate.DISPLAY_OUTPUT_ONLY,
    "yes-no": PairingDelegate.DISPLAY_OUTPUT_AND_YES_NO_INPUT,
    "keyboard": PairingDelegate.KEYBOARD_INPUT_ONLY,
    "keyboard-display": PairingDelegate.DISPLAY_OUTPUT_AND_KEYBOARD_INPUT,
}


class Person(PairingDelegate):
    """Answers as the case says, and notes what the device shows."""

    def __init__(self, note, means: str, passkey: int, agrees: bool, silent: str | None):
        super().__init__(MEANS[means])
        self.note = note
        self.passkey = passkey
        self.agrees = agrees
        self.silent = silent
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


def config(person: Person, secure: bool, protected: bool, bonding: bool) -> PairingConfig:
    return PairingConfig(sc=secure, mitm=protected, bonding=bonding, delegate=person)
