# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs cases, world by world, and reports the results."""

import json
import signal
import time
import traceback
from contextlib import ExitStack
from pathlib import Path

from . import cannot, fixtures
from .blectl import Blectl
from .catalogue import Case
from .checks import Failure
from .share import Share

SHOWN = 40


class OutOfTime(Exception):
    pass


class Journal:
    """Prints to the console, and writes a record that the host can count even if the machine dies."""

    def __init__(self, path: Path):
        self.file = path.open("w", buffering=1)
        self.area = ""

    def write(self, event: str, **details) -> None:
        self.file.write(json.dumps({"event": event, **details}) + "\n")

    def started(self, case: Case) -> None:
        self.write("started", case=case.title)
        if case.area != self.area:
            self.area = case.area
            print(f"\n{case.area}", flush=True)

    def passed(self, case: Case, seconds: float) -> None:
        self.write("passed", case=case.title, seconds=seconds)
        print(f"  ok    {seconds:5.1f} s  {case.name.replace('_', ' ')}", flush=True)

    def failed_as_it_must(self, case: Case, seconds: float, reason: str) -> None:
        self.write("passed", case=case.title, seconds=seconds)
        print(f"  can't {seconds:5.1f} s  {case.name.replace('_', ' ')}: {reason}", flush=True)

    def failed(self, case: Case, seconds: float, report: str) -> None:
        self.write("failed", case=case.title, seconds=seconds, report=report)
        indented = "\n".join("        " + line for line in report.splitlines())
        print(f"  FAIL  {seconds:5.1f} s  {case.name.replace('_', ' ')}\n{indented}", flush=True)


def run(case: Case, machine: fixtures.Machine, place, journal: Journal) -> None:
    journal.started(case)
    began = time.monotonic()
    failure = attempt(case, machine, place)
    seconds = time.monotonic() - began
    entry = cannot.entry_of(case)
    if failure is None and entry:
        failure = f"this controller can do it after all; guest/cannot.py says: {entry.reason}"
    if failure is None:
        journal.passed(case, seconds)
    elif entry and entry.shows in failure:
        journal.failed_as_it_must(case, seconds, entry.reason)
    else:
        journal.failed(case, seconds, failure)


def attempt(case: Case, machine: fixtures.Machine, place) -> str | None:
    """Returns the report of its failure."""
    machine.monitor.forget()
    mark = machine.monitor.note(f"case {case.title}")
    setting = None
    try:
        signal.setitimer(signal.ITIMER_REAL, case.limit)
        try:
            fixtures.make_ready(case)
            with ExitStack() as stack:
                setting = fixtures.Setting(machine, case, place, stack)
                case.run(**{need: setting.get(need) for need in case.needs})
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        fixtures.clear_the_air(place)
    except Exception as error:
        failure = report(error, case, machine, mark, setting)
        try:
            fixtures.clear_the_air(place)
        except Failure as leftover:
            failure += f"\nafterwards: {leftover}"
        return failure
    return None


def report(error: Exception, case: Case, machine: fixtures.Machine, mark: int, setting) -> str:
    """The failure: its place, the program's output, and the packets on the air."""
    # What fails while a case is cleaned up would otherwise hide why the case has failed.
    while isinstance(error.__context__, (Failure, OutOfTime)):
        error = error.__context__
    lines = [f"no end within {case.limit:g} s" if isinstance(error, OutOfTime) else str(error) or repr(error)]
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "/cases/" in frame.filename]
    lines += [f"  at {Path(frame.filename).name}:{frame.lineno}: {frame.line}" for frame in own[-2:]]
    if not isinstance(error, (Failure, OutOfTime)):
        lines += traceback.format_exception(error)[-6:]
    for program in setting.known.values() if setting else ():
        if isinstance(program, Blectl):
            lines += [run.report() for run in program.runs[-4:]]
    try:
        story = machine.monitor.since(mark).story
    except Failure as silence:
        story = [str(silence)]
    if len(story) > SHOWN:
        story = story[: SHOWN // 2] + [f"… {len(story) - SHOWN} more …"] + story[-SHOWN // 2 :]
    return "\n".join(lines + ["trace:"] + ["  " + line for line in story])


def run_all(cases: list[Case], machine: fixtures.Machine, journal: Journal, share: Share = Share()) -> None:
    """Runs this machine's share of the cases. It creates each world at most once, for all of its cases."""
    signal.signal(signal.SIGALRM, out_of_time)
    for name, make in share.in_order(fixtures.WORLDS.items()):
        part = []
        try:
            with ExitStack() as stack:
                place = None
                for part in share.parts(name, [case for case in cases if fixtures.world_of(case) == name]):
                    place = place or stack.enter_context(make(machine))
                    for case in part:
                        run(case, machine, place, journal)
        except Exception:
            journal.started(part[0])
            journal.failed(part[0], 0, f"its world, {name}, failed\n{traceback.format_exc()}")
    machine.monitor.stop()


def out_of_time(_number, _frame) -> None:
    raise OutOfTime()
