# SPDX-License-Identifier: GPL-2.0-or-later
"""A link that one process holds for the commands that follow."""

import os
import resource
import signal
import subprocess
import time
from contextlib import contextmanager
from datetime import UTC, datetime

from guest.catalogue import in_one_world, limit
from guest.checks import equal, true, within
from guest.conversation import Conversation
from guest.peers import PSM_ECHO, TICKS
from guest.stack import gatttool

HUNDRED = 100
ROUNDS = 20


@contextmanager
def _session(blectl, device, *options):
    """The program with a session for a device, which is ended afterwards."""
    folder = f"{blectl.directory}/run"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    within_session = blectl.with_environment(XDG_RUNTIME_DIR=folder)
    started = within_session("session", "start", "-d", device, "--json", *options).exits(0)
    equal(started.record("session")["state"], "connected", "the state at the beginning")
    try:
        yield within_session
    finally:
        # A machine that is busy answers late. A session that is left behind would keep the device from all later cases.
        within_session("session", "stop", "--all", "--timeout", "60", patience=70).exits(0)


def _listed(blectl) -> dict:
    return blectl("session", "list", "--json").exits(0).record("session")


def a_read_on_a_session_is_one_request_on_the_link_that_is_there(blectl, strap, trace):
    with _session(blectl, strap) as held:
        mark = trace.now()
        equal(mark.connected, [strap.address], "the links in the trace")
        before = len(mark.requests)
        run = held("read", "battery-level", "--json").exits(0)
        equal(run.record("value")["value"], "57", "the value")
        now = trace.now()
        equal(now.connected, [strap.address], "the links in the trace, with those of the read")
        equal([pdu.name for pdu in now.requests[before:]], ["Read By Type Request"], "the requests of the read")
        equal(len(strap.journal("connected")), 1, "connections that the device saw")


@limit(120)
def a_hundred_reads_at_once_all_succeed(blectl, strap):
    with _session(blectl, strap) as held:
        reads = [held.start("read", "battery-level", "--json") for _ in range(HUNDRED)]
        runs = [read.finish(patience=60) for read in reads]
        equal([run.status for run in runs], [0] * HUNDRED, "the exit statuses")
        equal({run.record("value")["value"] for run in runs}, {"57"}, "the values")
        equal(len(strap.journal("read")), HUNDRED, "reads in the peer's own journal")
        equal(len(strap.journal("connected")), 1, "connections that the device saw")


def two_listeners_are_one_subscription(blectl, strap):
    with _session(blectl, strap) as held:
        first = held.start("notify", TICKS, "--json")
        second = held.start("notify", TICKS, "--json")
        first.next_record()
        second.next_record()
        equal([entry["notify"] for entry in strap.journal("subscription")], [True], "while both listen")
        first.signal(signal.SIGINT)
        first.finish().is_ended_by(signal.SIGINT)
        second.next_record()
        equal([entry["notify"] for entry in strap.journal("subscription")], [True], "while one listens")
        second.signal(signal.SIGINT)
        second.finish().is_ended_by(signal.SIGINT)
        within(5, "it is withdrawn", lambda: strap.journal("subscription")[-1]["notify"] is False)


def a_holder_that_is_killed_is_in_nobodys_way(blectl, strap):
    with _session(blectl, strap) as held:
        live = held.start("notify", TICKS, "-d", strap, "--json")
        live.next_record()
        os.kill(_listed(held)["process"], signal.SIGKILL)
        live.finish().exits(75)
        run = held("read", "battery-level", "-d", strap, "--json").exits(0)
        equal(run.record("value")["value"], "57", "the value")
        run.says("has ended unexpectedly")


@limit(60)
def a_bonded_device_proves_itself_again_when_its_holder_is_killed(blectl, air, pairing, strap):
    """The process that listens connects by itself then, with the keys of the bond and without another pairing."""
    strap.will_pair("none", secure=True)
    blectl("pair", strap, "--io", "none").exits(0)
    strap.await_bond()
    strap.hang_up()
    air.wait_for_no_link()
    steps = len(strap.journal("pairing"))
    with _session(blectl, strap) as held:
        live = held.start("notify", TICKS, "-d", strap, "--reconnect", "--json")
        live.next_record()
        os.kill(_listed(held)["process"], signal.SIGKILL)
        records = [live.next_record(20)]
        while records[-1]["type"] != "link-restored":
            records.append(live.next_record(20))
        true("link-lost" in [record["type"] for record in records], "the gap has a beginning")
        security = records[-1]["security"]
        equal((security["encrypted"], security["bonded"]), (True, True), "the link, before anything is subscribed to")
        while live.next_record(20)["type"] != "notification":
            pass
        equal(len(strap.journal("pairing")), steps, "the steps of pairings")
        live.signal(signal.SIGINT)
        live.finish().is_ended_by(signal.SIGINT)


@limit(60)
def a_device_that_hangs_up_is_connected_again(blectl, strap):
    with _session(blectl, strap) as held:
        alone = held.start("notify", TICKS, "--json")
        patient = held.start("notify", TICKS, "--reconnect", "--json")
        alone.next_record()
        patient.next_record()
        strap.hang_up()
        alone.finish().exits(75)
        kinds = []
        while "link-restored" not in kinds or kinds[-1] != "notification":
            kinds.append(patient.next_record(20)["type"])
        true("link-lost" in kinds, "the gap has a beginning")
        patient.signal(signal.SIGINT)
        patient.finish().is_ended_by(signal.SIGINT)
        held("read", "battery-level").exits(0)


@limit(60)
def a_device_that_was_out_of_range_is_connected_again(blectl, strap):
    with _session(blectl, strap) as held:
        strap.vanish()
        within(20, "the link is lost", lambda: _listed(held)["state"] == "connecting")
        held("read", "battery-level", "--connect-timeout", "1").exits(124)
        reader = held.start("read", "battery-level", "--connect-timeout", "20")
        strap.unmute()
        reader.finish().exits(0)


@limit(60)
def values_that_came_meanwhile_have_the_times_at_which_they_came(blectl, strap):
    with _session(blectl, strap, "--buffer", "50") as held:
        held("notify", TICKS, "--count", "1").exits(0)
        within(30, "values are kept", lambda: _listed(held)["kept"] >= 3)
        equal(strap.journal("subscription")[-1]["notify"], True, "the subscription without a listener")
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        times = [value["time"] for value in held("notify", TICKS, "--count", "3", "--json").records("notification")]
        equal(times, sorted(set(times)), "the times, each another one and in order")
        true(times[-1] < now, f"all came before {now}: {times}")


def a_channel_is_opened_beside_the_link_of_a_session(blectl, echo):
    with _session(blectl, echo) as held:
        name = _listed(held)["device"]["name"]
        run = held("l2cap", "connect", "-d", name, "--psm", PSM_ECHO, stdin=b"beside").exits(0)
        equal(run.out, b"beside", "what came back")
        equal(len(echo.journal("connected")), 1, "the links: the channel uses that of the session")


def the_end_of_a_session_is_the_end_of_the_link(blectl, air, strap):
    with _session(blectl, strap) as held:
        held("session", "stop").exits(0)
        within(5, "the device is alone", lambda: strap.journal("disconnected"))
        held("read", "battery-level", "-d", strap).exits(0)


def _seconds(work) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


def _cpu(process: int) -> float:
    """The seconds of processor time of a process."""
    with open(f"/proc/{process}/stat", encoding="ascii") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _fastest(work, rounds: int = ROUNDS) -> float:
    """The seconds of the fastest round, because what else runs on the machine only adds to them."""
    return min(_seconds(work) for _ in range(rounds))


def _spent(work) -> tuple[float, float]:
    """The seconds of the fastest round, and the mean processor time of the processes that a round starts."""
    before = _children()
    return _fastest(work), (_children() - before) / ROUNDS


def _answered(talk: Conversation, line: str, answer: str) -> float:
    """The seconds from a line that is typed to its answer, in the fastest round."""

    def ask() -> None:
        talk.say(line)
        talk.hears(answer, 10)

    return _fastest(ask)


@in_one_world
@limit(240)
def figures_beside_gatttool(blectl, strap):
    """What a read costs with and without a link, process start apart; side by side in processes that run."""
    # A round beside other work on the machine says nothing: a slow moment of one side is no property of it.
    for _ in range(5):
        claims = _claims_beside_gatttool(blectl, strap)
        if all(claims.values()):
            break
    for claim, is_met in claims.items():
        true(is_met, claim)


def _claims_beside_gatttool(blectl, strap) -> dict[str, bool]:
    """The claims, and whether they hold in one round of measurements, which is printed."""

    def run(program, *arguments):
        """As in a test rig: no stream is a terminal."""
        line = [program.program, *map(str, arguments)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run(line, env=program.surroundings({}), check=True, **quiet)

    their_cold = _fastest(lambda: gatttool(strap, "--char-read", "--uuid=2a19"), 3)
    gatttool_talk = Conversation("stdbuf", "-oL", "gatttool", "-b", strap.address, "-t", "random", "--interactive")
    try:
        gatttool_talk.say("connect")
        gatttool_talk.hears("Connection successful", 20)
        their_warm = _answered(gatttool_talk, "char-read-uuid 2a19", "value: 57")
        gatttool_talk.say("exit")
    finally:
        gatttool_talk.end()
    start, start_cpu = _spent(lambda: run(blectl, "version"))
    our_cold = _fastest(lambda: blectl("read", "battery-level", "-d", strap).exits(0), 3)
    with _session(blectl, strap) as held:
        holder = _listed(held)["process"]
        before = _cpu(holder)
        read, read_cpu = _spent(lambda: run(held, "read", "battery-level", "-q", "--json"))
        held_cpu = (_cpu(holder) - before) / ROUNDS
        many = _spent(lambda: run(held, "read", *["battery-level"] * (1 + ROUNDS), "-q", "--json"))[0]
        shell = Conversation(held.program, "shell", "-d", strap.address, **held.surroundings({}))
        try:
            shell_warm = _answered(shell, "read battery-level", "87 %")
            shell.say("exit")
        finally:
            shell.end()
    further = (many - read) / ROUNDS
    print(
        f"cold: gatttool {their_cold * 1000:.0f} ms, blectl {our_cold * 1000:.0f} ms; "
        f"warm: gatttool {their_warm * 1000:.1f} ms, blectl {read * 1000:.1f} ms, "
        f"{(read - start) * 1000:.1f} ms without the start of a process ({start * 1000:.1f} ms)\n"
        f"warm in a process that runs, as gatttool's: {shell_warm * 1000:.1f} ms in a shell on the session, "
        f"{further * 1000:.1f} ms for each further value of one command\n"
        f"process start aside, a read on a session is {their_cold / further:.0f} times faster than gatttool's cold "
        f"read, and {their_warm / further:.1f} times faster than its warm one\n"
        f"processor time of a read: {(read_cpu - start_cpu) * 1000:.2f} ms beyond that of 'version', "
        f"and {held_cpu * 1000:.2f} ms in the holder",
        flush=True,
    )
    return {
        "a read on a session is faster than one that connects": read < our_cold,
        # The start of a process, which gatttool's interactive mode does not pay either, is left out of both.
        "a read on a session is twenty times faster than gatttool's cold one": their_cold >= 20 * further,
        "a read on a session is as fast as gatttool's warm one": further <= their_warm,
    }
