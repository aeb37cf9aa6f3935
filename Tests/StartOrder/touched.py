# SPDX-License-Identifier: GPL-2.0-or-later
"""What commands touch first: the functions that run, and the writable data that differ at the end."""

import os
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
WRITABLE = (".data", ".bss")
# Between these the program populates its memory when a command begins (CProcess).
BEGINNINGS = ("start_data_begin", "start_zeros_begin")
ENDS = ("start_data_end", "start_zeros_end")


def symbols(binary):
    """The names at each address, the functions, and the data with sizes."""
    functions, data = {}, []
    listing = subprocess.run(["nm", "--defined-only", "-S", binary], stdout=subprocess.PIPE, text=True, check=True).stdout
    for fields in map(str.split, listing.splitlines()):
        kind, name = fields[-2:]
        if kind in "tT":
            functions.setdefault(int(fields[0], 16), name)
        elif kind in "bBdD" and len(fields) == 4:
            data.append((int(fields[0], 16), int(fields[1], 16), name))
    return functions, data


def sections(binary):
    """The address, length and offset in the file of each writable section; `None` for one of zeros."""
    listing = subprocess.run(["readelf", "-SW", binary], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in listing.splitlines():
        fields = line.replace("[ ", "[").split()
        if len(fields) > 6 and fields[1] in WRITABLE:
            address, offset, length = (int(field, 16) for field in fields[3:6])
            yield address, length, None if fields[2] == "NOBITS" else offset


def trace(tracer, folder, ranges, command, environment):
    """The addresses of the functions that a command runs, and the octets of its writable data at its end, by address."""
    output = os.path.join(folder, "trace")
    subprocess.run(
        [tracer, output, os.path.join(folder, "functions"), os.path.join(folder, "data"), *command],
        stdout=subprocess.DEVNULL, env={"PATH": "/usr/bin:/bin", "HOME": folder, **environment}, check=True)
    lines = Path(output).read_text(encoding="ascii").split("\n")
    first = next(number for number, line in enumerate(lines) if " " in line)
    contents = {int(lines[n].split()[0], 16): bytes.fromhex(lines[n + 1]) for n in range(first, first + 2 * len(ranges), 2)}
    return [int(line, 16) for line in lines[:first]], contents


class Touched:
    """What the commands that were looked at have touched. `binary` has its symbols and a fixed address."""

    def __init__(self, binary):
        self.binary = str(binary)
        self.functions, self.data = symbols(self.binary)
        self.ranges = list(sections(self.binary))
        self.image = Path(self.binary).read_bytes()
        self.called, self.written = {}, {}

    def look(self, *words, **environment):
        """Runs a command. Its standard output is dropped."""
        with tempfile.TemporaryDirectory() as folder:
            tracer = os.path.join(folder, "tracer")
            subprocess.run(["cc", "-O2", "-o", tracer, HERE / "tracer.c"], check=True)
            addresses = "".join(f"{address:x}\n" for address in sorted(self.functions))
            Path(folder, "functions").write_text(addresses, encoding="ascii")
            Path(folder, "data").write_text("".join(f"{at:x} {length:x}\n" for at, length, _ in self.ranges), encoding="ascii")
            addresses, contents = trace(tracer, folder, self.ranges, [self.binary, *words], environment)
        self.called.update((self.functions[address], None) for address in addresses)
        for at, length, offset in self.ranges:
            before = bytes(length) if offset is None else self.image[offset:offset + length]
            for address, size, name in self.data:
                place = slice(address - at, address - at + size)
                if at <= address < at + length and contents[at][place] != before[place]:
                    self.written[name] = None
