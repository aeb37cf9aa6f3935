# SPDX-License-Identifier: GPL-2.0-or-later
"""The number of records that one core decodes, renders and writes in a second, without a radio and without simulation.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Fuzz"))

from building import MODULES, Build, BuildError, swift_files  # noqa: E402

# A record of any kind may cost 10 microseconds: a radio brings two thousand in a second.
GOAL = 100_000


def program():
    """Builds the modules, optimised, and the program that measures them."""
    build = Build(ROOT / ".build/benchmarks", ["-O"])
    try:
        build.compile_data()
        build.compile_interfaces(MODULES)
        for module in MODULES:
            build.compile_module(module)
        needs = [build.interface(module) for module in MODULES]
        source = [ROOT / "Tests/Benchmarks/Records.swift"]
        build.run(build.folder / "RecordsBenchmark.o", source, ["-O", "-module-name", "RecordsBenchmark", "-c"], needs)
        objects = [build.folder / f"{name}.o" for name in ["RecordsBenchmark", *MODULES, "CBluetoothData"]]
        build.run(build.folder / "records", objects, ["-O", "-use-ld=lld"])
    except BuildError as error:
        sys.exit(str(error))
    return build.folder / "records"


def table():
    """Rows of the table: name, records per second and core, nanoseconds for each."""
    result = subprocess.run([program()], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True, text=True)
    for line in result.stderr.splitlines():
        name, rate, cost = line.split("\t")
        yield name, int(rate), int(cost)
