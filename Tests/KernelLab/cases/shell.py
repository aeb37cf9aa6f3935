# SPDX-License-Identifier: GPL-2.0-or-later
"""The shell at a terminal, with libedit: a person types, and the device answers."""

import re

from guest.catalogue import limit
from guest.checks import contains, equal, within
from guest.peers import PSM_ECHO, TICKS

# A move to a column begins with a carriage return, and goes on with the line.
ESCAPES = re.compile(rb"\r?\x1b\[[0-9]+G|\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\x01|\x02")


class _Terminal:
    """A shell, and what it has drawn so far, without colours and movements of the cursor."""

    def __init__(self, blectl, *arguments):
        self.live = blectl.start_on_terminal("shell", *arguments)
        self.place = 0

    def drawn(self) -> str:
        return ESCAPES.sub(b"", bytes(self.live.collected["out"])).decode(errors="replace")

    def types(self, keys: str) -> None:
        """Later waits begin behind what was drawn so far."""
        self.place = len(self.drawn())
        self.live.press(keys.encode())

    def shows(self, pattern: str, seconds: float = 15) -> re.Match:
        """Waits until the pattern is drawn, from the last match on."""

        def look() -> re.Match | None:
            return re.compile(pattern).search(self.drawn(), self.place)

        found = within(seconds, f"the terminal shows {pattern!r}", look)
        self.place = found.end()
        return found


@limit(120)
def a_person_completes_reads_listens_and_leaves(blectl, air, strap, trace):
    terminal = _Terminal(blectl, "-d", strap)
    prompt = terminal.shows(r"[^\r\n]*> $").group(0).lstrip()
    equal(len(strap.journal("connected")), 1, "connections at the prompt")

    def completed() -> bool:
        """Until the device is discovered, all assigned names are offered, of which several begin so."""
        terminal.types("read batt\t")
        if terminal.shows(r"read battery-(level )?$").group(1):
            return True
        terminal.types("\x03")
        terminal.shows(re.escape(prompt) + "$")
        return False

    within(20, "the name is completed to the one that the device has", completed)
    terminal.types("\r")
    terminal.shows(r"87 %\s+" + re.escape(prompt))
    # A value appears above the line that is typed, and the line stands below it again.
    terminal.types(f"notify {TICKS} &\r")
    terminal.shows(re.escape(prompt))
    terminal.types("read model-n")
    terminal.shows(r"[0-9A-Fa-f]{2}[^\r\n]*[\r\n]+[^\r\n]*" + re.escape(prompt) + "read model-n")
    equal([entry["notify"] for entry in strap.journal("subscription")], [True], "while it listens")
    # Ctrl-C gives up the line, and neither the shell nor its jobs.
    terminal.types("\x03")
    terminal.shows(re.escape(prompt))
    terminal.types("stop 1\r")
    within(10, "it is stopped", lambda: b"stopped  notify" in terminal.live.collected["err"])
    within(5, "it is withdrawn", lambda: strap.journal("subscription")[-1]["notify"] is False)
    # It ends a command in the foreground.
    terminal.types(f"notify {TICKS}\r")
    within(10, "it listens again", lambda: len(strap.journal("subscription")) == 3)
    terminal.types("\x03")
    terminal.shows(re.escape(prompt))
    terminal.types("\x04")
    run = terminal.live.finish(patience=15).exits(0)
    contains(run.stdout, "87 %", "what is on the terminal")
    switches = [pdu.value.hex() for pdu in trace.now().sent("Write Request") if len(pdu.value) == 2]
    equal(switches, ["0100", "0000"] * 2, "the switches in the trace")
    equal(len(strap.journal("connected")), 1, "connections that the device saw")
    air.wait_for_no_link()
    equal(air.controller()["scanning"], False, "whether the controller scans")


def a_shell_measures_on_the_link_that_it_has(blectl, air, echo):
    # One channel only: Bumble refuses a second one with the number of a channel that was closed.
    lines = [
        f"connect {echo}",
        f"bench l2cap --psm {PSM_ECHO} --count 5",
        "bench read device-name --count 5",
        "links",
    ]
    run = blectl("shell", "--exit-on-error", stdin="".join(f"{line}\n" for line in lines).encode(), patience=60).exits(0)
    for words in ("l2cap 0x0080 of", "read device-name of", "  connected"):
        contains(run.stdout, words, "what the shell prints")
    equal(len(echo.journal("connected")), 1, "connections that the device saw")
    air.wait_for_no_link()
