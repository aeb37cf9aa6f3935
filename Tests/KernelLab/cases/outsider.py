# SPDX-License-Identifier: GPL-2.0-or-later
"""An app that uses the library: the code of Tests/Outsider, which its own tests hold to simulated devices."""

from guest.catalogue import in_one_world
from guest.checks import equal, true


def _until(live, state: str) -> list[str]:
    """The words of the first line with a state of the app's screen: state, battery, heart rate, gaps."""
    words = [""]
    while words[0] != state:
        words = live.line(15).decode().split()
    return words


@in_one_world
def an_app_finds_a_strap_and_survives_a_lost_link(app, strap):
    live = app.start("Bumble HR")
    equal(_until(live, "live")[1], "87", "the battery")
    strap.hang_up()
    _until(live, "reconnecting")
    equal(_until(live, "live")[3], "1", "the number of gaps")
    run = live.finish().exits(0)
    true(60 <= int(run.lines[-1].split()[2]) < 160, "a heart rate at the end")


@in_one_world
def an_app_says_why_there_is_no_adapter(app, no_adapter):
    equal(app("Bumble HR").exits(0).lines, ["failed: cannot use Bluetooth: there is no Bluetooth adapter"], "its words")
