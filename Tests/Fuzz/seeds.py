# SPDX-License-Identifier: GPL-2.0-or-later
"""Seeds: what the test vectors hold, in the form that each target reads."""

import json
import re

from building import ROOT


def literals(*paths):
    """The string literals of Swift files, those joined by a plus as one."""
    for path in paths:
        text = re.sub(r'"\s*\+\s*"', "", (ROOT / "Tests" / path).read_text())
        yield from re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)


def hexes(*paths):
    for text in literals(*paths):
        digits = text.replace(" ", "")
        if len(digits) >= 2 and re.fullmatch(r"(?:[0-9A-Fa-f]{2})+", digits):
            yield bytes.fromhex(digits)


def step(kind, octets):
    length = bytes([len(octets)]) if len(octets) < 0xFF else bytes([0xFF]) + len(octets).to_bytes(2, "little")
    return bytes([kind]) + length + octets


def tests(folder):
    return sorted(path.relative_to(ROOT / "Tests") for path in (ROOT / "Tests" / folder).rglob("*.swift"))


def transcripts():
    for path in sorted((ROOT / "Tests/BluetoothTests/GATT/Vectors").glob("*.jsonl")):
        for line in path.read_text().splitlines():
            if '"pdus"' in line:
                record = json.loads(line)
                yield record["role"], [bytes.fromhex(pdu) for pdu in record["pdus"]]


def advertisements():
    yield from hexes(*tests("BluetoothTests/Advertising"))
    for path in sorted((ROOT / "Tests").rglob("*advertising*.jsonl")):
        for line in path.read_text().splitlines():
            yield bytes.fromhex(json.loads(line).get("hex", ""))


def advertising_seeds():
    for octets in advertisements():
        yield step(0, octets)
        if 2 < len(octets) < 250:
            half = len(octets) // 2
            yield step(0xA0, octets[:half]) + step(0x80, octets[half:])


def hci_seeds():
    commands = b"".join(step(0x80, bytes([number])) for number in range(6))
    for octets in hexes(*tests("BluetoothTests/HCI")):
        for indicator in (0x01, 0x04):
            if octets[0] != indicator:
                yield step(indicator, octets)
        yield step(octets[0], octets[1:])
    yield commands + b"".join(step(0x04, bytes.fromhex(text)) for text in (
        "0e0401030c00", "0e04010c2000", "0e0c010320000000000000000000", "0e04010e2000", "0f0400010604", "0f0400011d04"))


def controller_seeds():
    """Every job alone, and in pairs, with nothing odd, with reports, and with an answer of each kind."""
    events = [octets[1:] for octets in hexes(*tests("BluetoothTests/HCI")) if octets[0] == 0x04]
    events += [octets for octets in hexes(*tests("BluetoothTests/HCI")) if octets[0] in (0x3E, 0x05)]
    told = b"".join(step(10, event) for event in events if event and event[0] == 0x3E)
    for job in range(8):
        for argument in (0x00, 0x02, 0x06, 0x08, 0x11, 0xF3):
            for patience in (1, 60):
                head = bytes([0, job, argument, patience])
                yield head
                yield head + told
                for kind in range(10):
                    yield bytes([1, job, argument, patience, job ^ 6, argument, 90]) + step(0, b"") * (kind % 3) + step(kind, b"\x0c\x20")
    for event in events:
        yield bytes([0, 0, 0xF0, 200]) + step(9, b"\x10" + event) + step(10, event)
        yield bytes([0, 7, 0x03, 200]) + step(9, b"\x10" + event) + step(10, event)


def server_seeds():
    for role, pdus in transcripts():
        if role == "server":
            yield b"\0" + b"".join(step(0, pdu) for pdu in pdus[0::2])
            yield b"\7" + b"".join(step(0x80, pdu) + step(9, b"\0abc") for pdu in pdus[0::2])
    for octets in hexes(*tests("BluetoothTests/GATT/Server"), *tests("BluetoothTests/ATT")):
        yield b"\0" + step(0, octets)


# Which procedure of the target sends which request.
PROCEDURES = {0x02: 13, 0x10: 0, 0x06: 1, 0x04: 4, 0x0A: 7, 0x0C: 7, 0x0E: 8, 0x20: 9, 0x12: 10, 0x16: 11, 0x08: 3}


def client_seeds():
    for role, pdus in transcripts():
        if role == "server":
            continue
        asked = [PROCEDURES[pdu[0]] for pdu in pdus[0::2] if pdu and pdu[0] in PROCEDURES]
        wanted = list(dict.fromkeys(asked))[:8]
        choices = b"".join(bytes([choice, 0]) for choice in wanted)
        if wanted:
            yield bytes([0, len(wanted) - 1]) + choices + b"".join(step(3, pdu) for pdu in pdus[1::2])
    for choice in range(16):
        for settings in (0x00, 0x02):
            for argument in (0x00, 0x0C, 0x10, 0x5E, 0xF0):
                head = bytes([settings, 2, choice, argument, choice | 0x10, argument, choice | 0x40, argument])
                yield head
                yield head + step(1, b"\1\2") * 4 + step(5, b"") + step(3, b"\x0b\1")
                for kind in range(12):
                    yield head + step(0, b"") * (kind % 3) + step(kind, b"\1\2\3") + step(9, b"\x0aabc") + step(7, b"\x21")


def central_seeds():
    """Every job alone and beside another, with every kind of trouble at the first PDUs."""
    for job in range(16):
        for argument in (0x02, 0x05, 0x11, 0x1C, 0x3A):
            yield bytes([0, 0, job, argument, 0, 0])
            for kind in range(14):
                for at in range(3):
                    jobs = bytes([2, job, argument, 0, 0, (job + kind) % 16, argument, 0, 0, (job + at) % 16, 3, 1, 41])
                    yield bytes([kind % 8]) + jobs + step(0, b"") * (at + 1) + step(kind, bytes([argument, 2, 3])) + step(12, b"\1")
    for role, pdus in transcripts():
        if role != "server":
            yield bytes([0, 1, 5, 0, 0, 0, 1, 3, 5, 0]) + step(0, b"") + b"".join(step(5, pdu) for pdu in pdus[1::2])


def argument_seeds():
    for line in re.findall(r"^ *(?:\$ )?(?:sudo )?blectl (.*)$", (ROOT / "README.md").read_text(), re.MULTILINE):
        yield b"\0" + b"\0".join(word.strip("'\"").encode() for word in line.split())
    sources = {
        0: tests("BlectlKitTests/Arguments"), 1: ["BlectlKitTests/Arguments/DurationSyntaxTests.swift"],
        2: tests("BluetoothProfilesTests/Values"), 3: ["BlectlKitTests/Targets/AttributeTargetTests.swift"],
        4: ["BlectlKitTests/Devices/GlobTests.swift"], 7: ["BluetoothProfilesTests/AssignedNumbers/LookupTests.swift"],
    }
    for choice, paths in sources.items():
        for text in literals(*paths):
            yield bytes([choice]) + text.encode()


def characteristics():
    """The values of the vectors, with the UUIDs before them."""
    vectors = (ROOT / "Tests/BluetoothProfilesTests/Characteristics/CharacteristicVectors.swift").read_text()
    uuid = b"\x2a\x00"
    for name, digits in re.findall(r'0x(2[A-C][0-9A-F]{2})\b|"((?:[0-9A-Fa-f]{2} ?)+)"', vectors):
        if name:
            uuid = bytes.fromhex(name)
        else:
            yield uuid, bytes.fromhex(digits)


# A file of the GATT cache.
DATABASE_FILE = """{"attributes":[{"handle":1,"uuid":"1800"},{"handle":4,"uuid":"2902"}],"characteristics":[{"declaration":2,\
"properties":18,"uuid":"2A19","value":3}],"device":"F0:F1:F2:F3:F4:F5","hash":"000102030405060708090A0B0C0D0E0F",\
"includes":[{"end":9,"handle":6,"start":7,"uuid":"180F"}],"known":{"attributes":[[1,5]],"characteristics":[[1,10]],"includes":[[1,9]],\
"primaryServices":[[1,65535]],"secondaryServices":[[1,65535]],"servicesByUUID":{"180D":[[1,65535]]}},"longestValues":{"3":1},\
"services":[{"end":5,"primary":true,"start":1,"uuid":"1800"},{"end":9,"primary":false,"start":7,"uuid":"180F"}],"type":"random",\
"version":1,"writtenAt":1700000000000000000}"""


def presentation_seeds():
    for octets in advertisements():
        for settings in (0x28, 0x40, 0x55):
            yield bytes([0, settings]) + step(0x0A, octets) + step(0xC8, octets[: len(octets) // 2])
    for octets in hexes(*tests("BluetoothProfilesTests")):
        yield bytes([1, len(octets) % 20]) + octets
    for uuid, value in characteristics():
        yield b"\2" + uuid + value
        for settings in (0, 1, 14):
            yield bytes([3, settings]) + uuid + b"\3" + value
        yield b"\4\2" + uuid + b"\3\0\2\1\0" + value
    yield b"\6" + DATABASE_FILE.encode()
    yield b"\6" + DATABASE_FILE.replace('"hash":"000102030405060708090A0B0C0D0E0F",', "").encode()
    for text in literals(*tests("BlectlKitTests/Output")):
        yield b"\5" + text.encode()
        yield b"\3\0\xff\0\3" + text.encode()


SEEDS = {
    "Advertising": advertising_seeds, "HCI": hci_seeds, "Controller": controller_seeds, "ATTServer": server_seeds,
    "ATTClient": client_seeds, "Central": central_seeds, "Arguments": argument_seeds, "Presentation": presentation_seeds,
}


def write_seeds(target, folder):
    folder = folder / target
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for number, seed in enumerate(dict.fromkeys(SEEDS[target]())):
        (folder / f"{number:05}").write_bytes(seed)
    return folder


def write_dictionary(target, folder):
    """Words that chance would not find; None where there are none."""
    if target != "Arguments":
        return None
    words = set(re.findall(r"--[a-z-]+", (ROOT / "completions/blectl.bash").read_text()))
    words |= {"handle:0x", "text:", "u16be:", "s8:", "f32:", "medfloat16:", "utf16:", "battery-level", "heart-rate", "500ms",
              "e-9223372036854775808", "18446744073709551615", "0xFFFFFFFFFFFFFFFF"}
    path = folder / f"{target}.dict"
    path.write_text("".join(f'"{word}"\n' for word in sorted(words)))
    return path
