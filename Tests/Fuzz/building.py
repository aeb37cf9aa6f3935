# SPDX-License-Identifier: GPL-2.0-or-later
"""Builds the modules and the targets with instrumentation, on all processors. Rebuilds only what has changed."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "Tests/Fuzz"
SWIFTC = os.environ.get("SWIFTC", "swiftc")
# The crash handler of the runtime can hang on the report of a sanitizer. LeakSanitizer tells what globals hold from a leak by
# the place of the allocation, so that its stack is recorded as far as the initializer of the global.
ENVIRONMENT = dict(
    os.environ,
    SWIFT_BACKTRACE="enable=no",
    ASAN_OPTIONS="malloc_context_size=30",
    LSAN_OPTIONS=f"suppressions={HERE}/leaks.txt:print_suppressions=0",
)

# The modules, each behind those that it imports.
MODULES = [
    "Bluetooth", "FirmwareUpdate", "BluetoothProfiles", "BluetoothDevices", "BluetoothHost", "ControllerRadio",
    "RadioSharing", "Terminal", "CommandLineInterface", "Records", "Toolkit", "Captures", "Scripting", "FirmwareCommands",
    "ControllerCommands", "CaptureCommands", "Commands",
]
# The folders of the module maps of modules in C, and the one that has code.
C_MODULES = [word for folder in ("CEditLine", "CZlib", "CBluetoothData/include") for word in ("-I", str(ROOT / "Sources" / folder))]
DATA = ROOT / "Sources/CBluetoothData"
HOST = ["Bluetooth", "FirmwareUpdate", "BluetoothProfiles", "BluetoothDevices", "BluetoothHost"]
CAPTURES = ["Tests/Fuzz/CaptureSupport"]
VIRTUAL = ["Tests/Fuzz/HostSupport", "Sources/SimulatedRadio/Time"]
# The modules that a target is linked with, and its sources besides its own file and Support/.
TARGETS = {
    "Advertising": (["Bluetooth"], []),
    "HCI": (HOST, []),
    "Controller": (HOST, VIRTUAL),
    "OwnHost": ([*HOST, "ControllerRadio"], []),
    "USB": (["Bluetooth"], ["Sources/LinuxRadio/USB/Pieces"]),
    "ATTServer": (["Bluetooth"], []),
    "CreditBased": (HOST, []),
    "ATTClient": (["Bluetooth"], []),
    "Central": (HOST, VIRTUAL),
    "Serving": (HOST, VIRTUAL),
    "Remote": ([*HOST, "RadioSharing"], VIRTUAL),
    "Arguments": (MODULES, []),
    "Script": (MODULES, ["Tests/ProgramTests/Script/Language/Printing"]),
    "Presentation": (MODULES, []),
    "CapturedPackets": (MODULES, CAPTURES),
    "CaptureFormats": (MODULES, CAPTURES),
    "Archives": (MODULES, CAPTURES),
    "Firmware": (MODULES, []),
    "DeviceFiles": (["Bluetooth", "FirmwareUpdate", "BluetoothProfiles", "BluetoothDevices"], []),
}
FEATURES = ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault", "NonisolatedNonsendingByDefault"]
COMMON = ["-parse-as-library", "-wmo", "-enable-testing", "-swift-version", "6", "-warnings-as-errors", "-package-name", "blectl"]
COMMON += [word for name in FEATURES for word in ("-enable-upcoming-feature", name)]
# The interface of a module takes only a second to build, because functions are not compiled.
INTERFACE = ["-Onone", "-Xfrontend", "-experimental-skip-non-inlinable-function-bodies-without-types"]
# Builds in a tenth of the time that an optimised build takes, which a run of a few minutes would not regain.
FUZZING = ["-Onone", "-gline-tables-only", "-sanitize=fuzzer,address"]
# For runs of hours: optimised, but with the assertions of a debug build.
OPTIMIZED = ["-O", "-assert-config", "Debug", "-gline-tables-only", "-sanitize=fuzzer,address"]
# Counts every region of the source, without optimisation.
COVERAGE = ["-Onone", "-gline-tables-only", "-sanitize=fuzzer", "-profile-generate", "-profile-coverage-mapping"]


def swift_files(*folders):
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.swift"))


class Build:
    """The products of one set of flags, in one folder."""

    def __init__(self, folder, flags):
        self.folder, self.flags = folder, flags
        (folder / "modules").mkdir(parents=True, exist_ok=True)

    def run(self, product, sources, arguments, needs=()):
        """Builds the product from the sources, unless it is newer than the sources and its dependencies."""
        inputs = [*sources, *needs]
        if product.exists() and all(path.stat().st_mtime <= product.stat().st_mtime for path in inputs):
            return
        command = [SWIFTC, *COMMON, "-I", self.folder / "modules", *C_MODULES, *arguments, "-o", product, *sources]
        # In a folder of its own, because the compiler names intermediate files after the sources.
        result = subprocess.run(command, cwd=self.folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True)
        if result.returncode != 0:
            product.unlink(missing_ok=True)
            raise BuildError(f"{product.name} does not build\n{(result.stdout + result.stderr).decode(errors='replace')}")

    def interface(self, module):
        return self.folder / f"modules/{module}.swiftmodule"

    def compile_interfaces(self, modules):
        done = []
        for module in modules:
            self.run(self.interface(module), swift_files(f"Sources/{module}"), [*INTERFACE, "-module-name", module, "-emit-module"], done)
            done.append(self.interface(module))

    def compile_module(self, module):
        needs = [self.interface(name) for name in MODULES[:MODULES.index(module)] if self.interface(name).exists()]
        self.run(self.folder / f"{module}.o", swift_files(f"Sources/{module}"), [*self.flags, "-module-name", module, "-c"], needs)

    def compile_data(self):
        product = self.folder / "CBluetoothData.o"
        inputs = [DATA / "data.c", *DATA.glob("include/*"), *DATA.glob("tables/*"), *DATA.glob("devices/*")]
        if product.exists() and all(path.stat().st_mtime <= product.stat().st_mtime for path in inputs):
            return
        subprocess.run(["clang", "-O2", "-I", DATA / "include", "-c", DATA / "data.c", "-o", product], check=True)

    def compile_target(self, target):
        modules, folders = TARGETS[target]
        sources = swift_files("Tests/Fuzz/Support", *folders) + [HERE / f"Targets/{target}.swift"]
        needs = [self.interface(module) for module in modules]
        self.run(self.folder / f"{target}.o", sources, [*self.flags, "-module-name", f"Fuzz{target}", "-c"], needs)

    def link(self, target):
        objects = [self.folder / f"{name}.o" for name in [target, *TARGETS[target][0], "CBluetoothData"]]
        self.run(self.folder / target, objects, [*self.flags, "-use-ld=lld"])

    def make(self, targets, say=print):
        """Builds all products for the targets, the slowest first."""
        modules = [module for module in MODULES if any(module in TARGETS[target][0] for target in targets)]
        self.compile_data()
        self.compile_interfaces(modules)
        with ThreadPoolExecutor(os.cpu_count() or 1) as workers:
            jobs = [(module, workers.submit(self.compile_module, module)) for module in sorted(modules)]
            jobs += [(target, workers.submit(self.compile_target, target)) for target in targets]
            for name, job in jobs:
                job.result()
                say(f"compiled {name}")
        for target in targets:
            self.link(target)


class BuildError(Exception):
    """The compiler's messages."""
