# SPDX-License-Identifier: GPL-2.0-or-later
"""Pairings with bluetoothd on the other adapter: an agent of each kind, with Secure Connections and without, in both
roles. The table of pairings has the results."""

import os
import re
import signal

from guest.associations import BLUETOOTHD
from guest.blectl import Live, Run
from guest.catalogue import limit
from guest.checks import equal, true, within
from guest.served import Served

NONE, DISPLAY, KEYBOARD = "NoInputNoOutput", "DisplayOnly", "KeyboardOnly"
YES_NO, BOTH = "DisplayYesNo", "KeyboardDisplay"
COMPARED = ("numeric comparison", "fips")
PROVEN = {True: "fips", False: "high"}
PATIENCE = 15


class _Terminal:
    """The program with a person at its terminal. Its records go to a file, because the terminal has the questions."""

    def __init__(self, blectl, *arguments: str):
        self.path = os.path.join(blectl.directory, "records.jsonl")
        program = blectl.through("sh", "-c", 'exec "$@" 2>&0 >"$RECORDS"', "sh").with_environment(RECORDS=self.path)
        self.live: Live = program.start_on_terminal(*arguments, "--json")

    def asks(self, pattern: str) -> re.Match:
        """Waits for a question on the terminal."""

        def found():
            return re.search(pattern, self.live.collected["out"].decode(errors="replace"))

        return within(PATIENCE, f"the terminal says {pattern!r}", found)

    def types(self, text: str) -> None:
        self.live.press(text.encode() + b"\r")

    def records(self) -> list[dict]:
        with open(self.path, "rb") as file:
            whole = file.read()
        return Run([], out=whole[: whole.rfind(b"\n") + 1]).records()

    def awaits(self, kind: str, **members) -> dict:
        """Waits for a record with these members."""

        def found():
            records = self.records() if os.path.exists(self.path) else []
            return next(
                (each for each in records if each["type"] == kind and members.items() <= each.items()),
                None,
            )

        return within(PATIENCE, f"there is a record of type {kind!r}", found)

    def finish(self) -> Run:
        """The run, with its records."""
        run = self.live.finish()
        with open(self.path, "rb") as file:
            run.out = file.read()
        return run


def _talk(terminal: _Terminal, neighbour, model: str) -> None:
    """What the two people do."""
    if model == "entered here":
        terminal.asks("the six digits")
        terminal.types(neighbour.shows())
    elif model == "shown here":
        neighbour.enter(terminal.awaits("pairing", step="show-passkey")["passkey"])
    elif model == "compared":
        digits = terminal.asks(r"show (\d{6})\? \[y/N\]")[1]
        equal(neighbour.shows(), digits, "the digits at the other side")
        terminal.types("y")


def _here(blectl) -> tuple[str, ...]:
    """The words for hci0; none where the program's own host has it in every command."""
    return () if blectl.adapter else ("--adapter", "hci0")


def _as_central(agent: str, io: str, secure: bool, model: str, method: str, level: str):
    @limit(60)
    def case(blectl, btvirt, pairing, neighbour, associations):
        neighbour.begin(agent, secure)
        neighbour.advertise()
        terminal = _Terminal(
            blectl, *_here(blectl), "pair", neighbour.address, "--address-type", "public", "--io", io
        )
        _talk(terminal, neighbour, model)
        run = terminal.finish().exits(0)
        paired = run.record("paired")
        equal((paired["method"], paired["level"], paired["secure_connections"]), (method, level, secure), "the pairing")
        equal((paired["bonded"], paired["kept_by"]), (True, "blectl"), "who keeps the keys")
        neighbour.is_paired_with(btvirt.address(0))
        associations.add("central", run, BLUETOOTHD)
        # The link ends, and the next one is encrypted by the keys of both.
        btvirt.end_links()
        place = ("-d", neighbour.address, "--address-type", "public")
        blectl(*_here(blectl), "read", "device-name", *place, "--security", "medium").exits(0)

    return case


def _as_peripheral(agent: str, io: str, secure: bool, model: str, method: str, level: str):
    @limit(60)
    def case(blectl, btvirt, pairing, neighbour, associations):
        neighbour.begin(agent, secure)
        address = btvirt.address(0)
        with neighbour.pairing_with(address, is_here=not blectl.adapter):
            terminal = _Terminal(blectl, *_here(blectl), "serve", "workbench", "--count", "1", "--io", io)
            terminal.awaits("serving")
        _talk(terminal, neighbour, model)
        paired = terminal.awaits("paired")
        equal((paired["method"], paired["level"], paired["secure_connections"]), (method, level, secure), "the pairing")
        equal((paired["bonded"], paired["kept_by"]), (True, "blectl"), "who keeps the keys")
        equal(paired["device"]["address"], neighbour.address, "the central")
        neighbour.is_paired_with(address)
        btvirt.end_links()
        associations.add("peripheral", terminal.finish().exits(0), BLUETOOTHD)

    return case


def _refused(role: str):
    """Digits cannot be compared without Secure Connections, and nothing else is left for two sides that can show and agree.
    Linux, at the other side, then refuses to pair by Just Works, because it was asked for protection."""

    @limit(60)
    def case(blectl, btvirt, pairing, neighbour):
        reason = "SMP 0x03 authentication requirements"
        neighbour.begin(YES_NO, False)
        options = ("--io", "yes-no", "--confirm", "yes", "--json")
        if role == "central":
            neighbour.advertise()
            place = (neighbour.address, "--address-type", "public")
            blectl(*_here(blectl), "pair", *place, *options).exits(76).says(reason)
        else:
            with neighbour.pairing_with(btvirt.address(0), is_here=not blectl.adapter):
                served = Served(blectl, "workbench", *options)
            true(reason in served.next("error")["message"], "the reason is told")
            btvirt.end_links()
            # A link that ends within milliseconds may be none that the kernel hands out, and `--count` knows nothing of it.
            served.live.signal(signal.SIGTERM)
            served.live.finish().is_ended_by(signal.SIGTERM)
        equal(blectl("bonds", "--json").exits(0).records(), [], "the bonds")

    return case


# An agent, the means of this machine, and what comes of it as central and as peripheral: what the people do, the method, the level.
JUST_WORKS = ("", "just works", "medium")
TABLE = []
for secure in (True, False):
    words = "with secure connections" if secure else "of bluetooth 4"
    entered = ("entered here", "passkey entry", PROVEN[secure])
    shown = ("shown here", "passkey entry", PROVEN[secure])
    compared = ("compared", *COMPARED)
    for agent, io, as_central, as_peripheral in (
        (NONE, "none", JUST_WORKS, JUST_WORKS),
        (DISPLAY, "keyboard", entered, entered),
        (KEYBOARD, "display", shown, shown),
        *([(YES_NO, "yes-no", compared, compared)] if secure else []),
        # Without a comparison the initiator shows the digits.
        (BOTH, "keyboard-display", *((compared, compared) if secure else (shown, entered))),
    ):
        TABLE += [
            (f"as central with an agent {agent} {words}", _as_central(agent, io, secure, *as_central)),
            (f"as peripheral with an agent {agent} {words}", _as_peripheral(agent, io, secure, *as_peripheral)),
        ]
TABLE += [
    (f"two that can only compare do not pair as {role} of bluetooth 4", _refused(role)) for role in ("central", "peripheral")
]
