# SPDX-License-Identifier: GPL-2.0-or-later
"""A script on the air brings the report that it brings in memory. `Tests/ThreeLives` has the device and the script, and
`Tests/CLITests/RunTests.swift` the other lives."""

import signal
import tempfile
from pathlib import Path

from guest.catalogue import limit
from guest.checks import equal
from guest.served import Served

FOLDER = Path(__file__).resolve().parents[2] / "ThreeLives"
DEVICE = str(FOLDER / "rig.json")
SCRIPT = str(FOLDER / "rig.blectl")


def _report(run) -> list[str]:
    """The lines of a TAP report without times and without what is said of the radio."""
    lines = run.stdout.splitlines()
    return [line for line in lines if not line.startswith(("  duration_ms:", "#"))]


@limit(120)
def sixty_steps_have_the_same_report_on_the_air_as_in_memory(blectl, btvirt):
    in_memory = blectl(f"--simulate={DEVICE}", "--simulate-time", "virtual", "run", SCRIPT, "--report", "tap=-")
    equal(in_memory.status, 0, "the status in memory")
    served = Served(blectl, DEVICE)
    on_the_air = blectl("-i", "hci1", "run", SCRIPT, "--report", "tap=-")
    btvirt.end_links()
    served.live.signal(signal.SIGTERM)
    served.live.finish().is_ended_by(signal.SIGTERM)
    equal(_report(on_the_air), _report(in_memory), "the report on the air")
    equal(on_the_air.status, 0, "the status on the air")


@limit(60)
def a_script_checks_the_signal_of_its_link(blectl, air, strap):
    """btvirt's controllers, behind which the sixty steps run, cannot read it."""
    with tempfile.NamedTemporaryFile("w", suffix=".blectl") as script:
        script.write(f"device strap -d {strap.address}\nconnect strap\ncheck strap rssi in -127..20 and phy_tx is 1m\n")
        script.flush()
        blectl("run", script.name).exits(0)
        script.seek(script.truncate(0))
        script.write(f"device strap -d {strap.address}\nconnect strap\ncheck strap rssi > 20\n")
        script.flush()
        blectl("run", script.name).exits(1)
