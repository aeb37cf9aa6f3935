# SPDX-License-Identifier: GPL-2.0-or-later
"""Seeds: the content of the test vectors, in the form that each target reads."""

import gzip
import io
import json
import re
import zipfile
import zlib

from building import ROOT


def literals(*paths):
    """The string literals of Swift files; those joined by a plus count as one."""
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
    for path in sorted((ROOT / "Tests/ConformanceTests/Vectors").glob("*.jsonl")):
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
    codes = [0x05, 0x08, 0x0C, 0x0E, 0x0F, 0x10, 0x13, 0x30] + [0x80 | code for code in range(1, 0x21)]
    for code in codes:
        for octets in (b"", b"\0\1", b"\1\0\0\1", bytes(range(1, 40)), b"\1" + bytes(22) + b"\3\2\1\6"):
            yield step(0x10, bytes([code]) + octets)
    for number in range(52):
        for octets in (b"", b"\0", b"\1\1\1", bytes(range(1, 70)), bytes(64)):
            yield step(0x11, bytes([number]) + octets) + step(0x12, bytes([number]) + octets)
    yield commands + b"".join(step(0x04, bytes.fromhex(text)) for text in (
        "0e0401030c00", "0e04010c2000", "0e0c010320000000000000000000", "0e04010e2000", "0f0400010604", "0f0400011d04"))


def controller_seeds():
    """Every job alone and in pairs: without disturbance, with reports, and with an answer of each kind."""
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
    connected = bytes.fromhex("3e130100400001000102030405c0180000002a0000")
    ended, gone = bytes.fromhex("3e061200e0400000"), bytes.fromhex("050400400013")
    for argument in (0x00, 0x01, 0x03, 0x05):
        for refusal in (0x00, 0x09, 0x0C):
            story = [connected, ended, connected.replace(b"\x40\0", b"\x41\0"), gone, ended]
            yield bytes([0, 7, argument, 255]) + b"".join(
                step(9, bytes([5 + 9 * number]) + event) for number, event in enumerate(story)
            ) + step(0, b"") * 5 + step(4, bytes([refusal])) * 3
    for event in events:
        yield bytes([0, 0, 0xF0, 200]) + step(9, b"\x10" + event) + step(10, event)
        yield bytes([0, 7, 0x03, 200]) + step(9, b"\x10" + event) + step(10, event)


def server_seeds():
    for role, pdus in transcripts():
        if role == "server":
            # The recordings begin with an answer.
            yield b"\0" + b"".join(step(0, pdu) for pdu in pdus[1::2])
            yield b"\7" + b"".join(step(0x80, pdu) + step(9, b"\0abc") for pdu in pdus[1::2])
    for octets in hexes(*tests("BluetoothTests/GATT/Server"), *tests("BluetoothTests/ATT")):
        yield b"\0" + step(0, octets)
    opcodes = (0x0A, 0x0C, 0x12, 0x16, 0x52, 0x08, 0x10, 0x04, 0x0E, 0x20)
    for number in range(60):
        pdus = [bytes([opcode, number]) + rest for opcode in opcodes for rest in (b"", b"\0\0", b"\xff\xff\0\x2a")]
        yield bytes([number & 7]) + b"".join(step(5, pdu) for pdu in pdus) + step(0, b"\x18\1")
    for number in range(12):
        for wanted in (1, 2):
            told = step(6, bytes([number, wanted])) + step(0x86, bytes([number, 3 - wanted])) + step(10, bytes([number]) + b"abc" * 9)
            yield b"\4" + told + step(0, b"\x1e") + step(0x80, b"\x1e") + step(15, bytes(range(number, number + 4)))
            yield b"\4" + told * 2 + step(13, b"\x80")
            # With a subscription to Service Changed and robust caching: replaced, informed, out of sync, informed
            # again, in sync.
            yield b"\0" + step(6, b"\0\2") + step(5, b"\x12\x0c\1") + told + step(7, bytes([1 + number % 3])) + step(
                5, bytes([0x0A, number])) * 2 + step(0, b"\x1e") + step(8, b"") + step(7, b"\0") + step(0, b"\x08\1\0\xff\xff\x2a\x2b")


# The procedure of the target that sends each request.
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
                head = bytes([settings, 3, 10, 0x41, choice, argument, choice | 0x10, argument, choice | 0x40, argument])
                yield head
                yield head + step(1, b"\1\2") * 4 + step(5, b"") + step(3, b"\x0b\1")
                for kind in range(12):
                    yield head + step(0, b"") * (kind % 3) + step(kind, b"\1\2\3") + step(9, b"\x0aabc") + step(7, b"\x21")


def central_seeds():
    """Every job alone and beside others, with every kind of trouble at the first PDUs, and every kind of event later.
    """
    for job in range(16):
        for argument in (0x02, 0x11, 0xBA):
            yield bytes([0, 0, job, argument, 0, 0, 0])
            for kind in range(14):
                for at in range(0, 3, 1 + job % 2):
                    jobs = bytes([2, job, argument, 0, 0, (job + kind) % 16, argument, 0, 0, (job + at) % 16, 3, 1, 41, 0])
                    yield bytes([kind % 8]) + jobs + step(0, b"") * (at + 1) + step(kind, bytes([argument, 2, 3])) + step(12, b"\1")
    for argument in (0x00, 0x01, 0x02, 0x05, 0x40, 0x85, 0xD0):
        for settings in range(8):
            # Subscribed for 25 seconds, with values, another database, a lost link, and readers in between.
            jobs = bytes([3, 11, argument, 0, 255, 11, argument, 10, 201, 2, argument, 80, 0, 5, argument, 120, 0])
            for what in (0x04, 0x62, 0x02, 0x03):
                events = bytes([5, 5, 0x14, 1, 60, what, argument, 70, 0x60, 1, 100, what, 0, 150, 0x0C, 2])
                yield bytes([settings]) + jobs + events
                yield bytes([settings]) + jobs + events + step(0, b"") * 4 + step(10, b"\0\1") + step(3, b"\x40") * 3
    for patience in range(1, 40, 2):
        # A long write that is cancelled at some point.
        yield bytes([0, 1, 7, 0xF0, 0, patience, 9, 0x2A, 0, patience, 0]) + step(3, b"\1") * 20
    for role, pdus in transcripts():
        if role != "server":
            yield bytes([0, 1, 5, 0, 0, 0, 1, 3, 5, 0, 0]) + step(0, b"") + b"".join(step(5, pdu) for pdu in pdus[1::2])


def serving_seeds():
    connected = b"".join(step(10 | number << 4, b"") for number in range(4))
    for role, pdus in transcripts():
        if role == "server":
            yield connected + b"".join(step(0x10 * (number % 2), pdu) for number, pdu in enumerate(pdus[1::2]))
    for octets in hexes(*tests("BluetoothTests/GATT/Server"), *tests("BluetoothTests/ATT")):
        yield connected + step(0, octets)
    for handle in range(60):
        yield connected + b"".join(step(0x10 * number, bytes([opcode, handle, 0]) + rest) for number, opcode, rest in (
            (0, 0x0A, b""), (1, 0x0C, b"\1\0"), (2, 0x12, b"\xfe\1"), (0, 0x16, b"\0\0abc"), (0, 0x52, b"\xfd"), (1, 0x12, b"\xff")))
    for number in range(12):
        yield connected + step(8, bytes([number, 1])) + step(0x18, bytes([number, 2])) + step(13, b"\x10") + step(0x10, b"\x1e") + step(
            2, b"\x02\xff\0") + step(13, b"\xff") * 2 + step(12, b"\2") + step(10, b"") + step(8, bytes([number, 2])) + step(13, b"\xff") * 2


def argument_seeds():
    for line in re.findall(r"^ *(?:\$ )?(?:sudo )?blectl (.*)$", (ROOT / "README.md").read_text(), re.MULTILINE):
        yield b"\0" + b"\0".join(word.strip("'\"").encode() for word in line.split())
    for word in ("Polar", "0x004C", "76", "apple", "x"):
        yield b"\0scan\0--manufacturer\0" + word.encode() + b"\0--service\0heart-rate\0--name\0P*"
    for line in literals(*tests("ProgramTests/Options"), *tests("ProgramTests/Arguments")):
        yield b"\0" + line.replace(" ", "\0").encode()
    sources = {
        0: tests("ProgramTests/Arguments"), 1: ["ProgramTests/Arguments/DurationSyntaxTests.swift"],
        2: tests("BluetoothProfilesTests/Values"), 3: ["ProgramTests/Targets/AttributeTargetTests.swift"],
        4: ["ProgramTests/Devices/GlobTests.swift"], 7: ["BluetoothProfilesTests/AssignedNumbers/LookupTests.swift"],
        8: ["BluetoothDevicesTests/Faults/FaultTextTests.swift"],
    }
    for choice, paths in sources.items():
        for text in literals(*paths):
            yield bytes([choice]) + text.encode()


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
    for number in range(520):
        name = number.to_bytes(2, "big")
        value = bytes((number * 7 + index * 13) & 0xFF for index in range(number % 23))
        yield b"\2" + name + bytes([0xFF, 0xFF, 0xFF]) + bytes(range(20))
        yield bytes([3, number & 15]) + name + b"\3" + value
        yield bytes([4, 2 + number % 2]) + name + b"\3\4\5\0\1" + value
    for octets in hexes(*tests("BluetoothTests/ATT")):
        yield b"\7\3\5" + octets
    yield b"\6" + DATABASE_FILE.encode()
    yield b"\6" + DATABASE_FILE.replace('"hash":"000102030405060708090A0B0C0D0E0F",', "").encode()
    for text in literals(*tests("ProgramTests/Output")):
        yield b"\5" + text.encode()
        yield b"\3\0\xff\0\3" + text.encode()


def device_texts():
    """The device files and world files in multi-line literals of sources and tests."""
    for folder in ("Sources/BluetoothDevices", "Sources/CommandLineInterface/Help", "Tests/BluetoothDevicesTests/File"):
        for path in sorted((ROOT / folder).rglob("*.swift")):
            for text in re.findall(r'"""\n(.*?)\n\s*"""', path.read_text(), flags=re.DOTALL):
                if "blectl-" in text and "{" in text:
                    yield text.encode()


def device_file_seeds():
    for text in device_texts():
        yield b"\0" + text
        yield b"\1" + text
    for text in literals(*tests("BluetoothDevicesTests/File")):
        text = text.replace('\\"', '"')
        if '"' in text or "{" in text:
            yield b'\0{"schema": "blectl-device/1", ' + text.encode() + b"}"


def script_seeds():
    """The scripts in multi-line literals of sources and tests, and words one after the other in other orders."""
    for folder in ("Sources/CommandLineInterface/Help", "Tests/ProgramTests/Script"):
        for path in sorted((ROOT / folder).rglob("Script*.swift")):
            for text in re.findall(r'"""\n(.*?)\n\s*"""', path.read_text(), flags=re.DOTALL):
                yield b"\0" + text.encode()
    for text in literals(*tests("ProgramTests/Script/Language")):
        yield b"\0device strap -d X\n" + text.replace("\\n", "\n").replace('\\"', '"').encode()
    # The first words of the target begin lines.
    for number in range(64):
        yield b"\1" + bytes((0, 3, number, 1, (number * 7 + 3) & 0xFF, number + 64, 2, 19, (number * 5) & 0xFF, 1, 20, 31))
        yield b"\1" + bytes((3, 20, 27, 32, 36, 2, 12, 30, 40, 56, 55, 38, 1, 17, 63, 44, number, 1))


def remote_seeds():
    """A machine that joins and opens each kind of channel, every packet of the tests, and requests to a world."""
    member = b"\xff" * 8
    join = step(0, bytes.fromhex("420100"))
    opening = [
        b"\1" + member + b"\0", b"\2" + member, b"\3" + member + bytes.fromhex("01f5f4f3f2f1f0") + (10**9).to_bytes(8, "little"),
        b"\4" + member, b"\5" + member + bytes(4), b"\6" + bytes([1, 1, 0, 65, 2, 1, 0, 2, 0, 7, 9]),
    ]
    for number, octets in enumerate(opening):
        story = join + step(0x05, b"\x42\1" + octets) + step(0x05, b"\1\3\x0c\0") * 3
        yield story
        yield story + step(0x81, b"") + step(0x80, b"")
        yield story + step(0x80, b"") + join
        yield join + b"".join(step(1 + index % 3, b"\x42\1" + other) for index, other in enumerate(opening[number:]))
    for kind in range(48):
        for octets in (b"", b"\0\0\0\0", b"\1\0A\1\0B\0", b"\1" * 40, bytes(range(64))):
            yield step(0, bytes([kind]) + octets) + step(1, b"\6" + bytes([kind]) + octets) + step(2, b"\x42\1\6" + bytes([kind]) + octets)


def credit_based_seeds():
    """Channels that open from both sides, units in one frame and in several, and every octet string of the tests."""
    request = step(0, bytes.fromhex("14010a0080004000640032000400"))
    answer = step(0, bytes.fromhex("15010a0040006400320004000000"))
    several = step(0, bytes.fromhex("17010e002700640040000400400041004200"))
    opened = step(0x3C, b"") + step(0, bytes.fromhex("18010e006400400004000000400041004200"))
    larger = step(0, bytes.fromhex("19020600c80048004000"))
    for settings in (b"\x10", b"\x07", b"\x3f", b"\0"):
        for opening in (request, step(10, b"") + answer, request + step(10, b"") + answer, several + larger, opened + larger):
            unit = step(5, b"\1\2\3") + step(8, b"")
            yield settings + opening + unit * 20 + step(6, bytes(60)) + step(0, bytes.fromhex("1602040040000500")) + step(9, b"")
            yield settings + opening + step(3, b"\x3c\0" + bytes(8)) + step(3, bytes(20)) * 3 + step(2, b"\6\7\x40\0\x40\0")
            for octets in hexes(*tests("BluetoothTests/L2CAP"), *tests("BluetoothHostTests/Channels")):
                yield settings + opening + step(0, octets) + step(3, octets)


def firmware_seeds():
    """Frames and images of other programs, for each of the target's readers."""
    for kind, member, file in (0, "frame", "frames"), (1, "image", "images"):
        for vector in json.loads((ROOT / f"Tests/FirmwareUpdateTests/Vectors/{file}.json").read_text()):
            octets = bytes.fromhex(vector[member])
            if kind:
                yield bytes([kind]) + octets
            else:
                yield bytes([kind]) + octets[8:]
                yield bytes([7]) + step(0, octets)
                yield bytes([4, 255, 3]) + step(0, octets)
                yield bytes([2, 60, 4, 200, 9]) + step(0, octets[8:])
    for vector in json.loads((ROOT / "Tests/FirmwareUpdateTests/Vectors/packages.json").read_text()):
        yield b"\x08" + bytes.fromhex(vector["archive"])
        yield b"\x09" + bytes.fromhex(vector["packet"])
    # Answers of success, and what follows in those that say how much there is: at a new start, and after an interruption.
    nothing, something = bytes.fromhex("010001000000000000 00000000"), bytes.fromhex("01000100000001000012345678")
    done = step(0, b"\1")
    yield b"\x0a" + done * 2 + step(1, bytes.fromhex("11c8000000")) * 5 + done * 3
    for state in nothing, something:
        yield b"\x0b\xf4" + done + step(0, state) + done + step(0, state) + done + step(0, state) + done * 4
    for kind, places in (12, 2), (13, 4):
        for orders in ("0104", "0200", "0201", "080a00", "03", "04", "05"), ("020000", "0601", "010130000000", "03", "04", "0602", "010200010000"):
            yield bytes([kind]) + b"".join(step(places * index, bytes.fromhex(order)) for index, order in enumerate(orders))


def capture_seeds():
    """The first octet chooses the kind of records: 129 H4, 130 HCI, 128 those of the monitor, below a file as it is."""
    packets = [octets for octets in hexes(*tests("BluetoothTests/HCI")) if octets[0] in (1, 2, 4)]
    begun = bytes.fromhex("043e130100400001000102030405c0180000002a0000")
    for octets in packets:
        yield b"\x81" + step(octets[0] == 4, octets)
        yield b"\x82" + step(int(octets[0] == 4) | 2 * int(octets[0] in (1, 4)), octets[1:])
        yield b"\x80" + step({1: 2, 2: 4, 4: 3}[octets[0]], octets[1:])
    for _, pdus in transcripts():
        frames = [len(pdu).to_bytes(2, "little") + b"\4\0" + pdu for pdu in pdus]
        acl = [b"\x02\x40\x20" + len(frame).to_bytes(2, "little") + frame for frame in frames]
        yield b"\x81" + step(1, begun) + b"".join(step(number & 1, packet) for number, packet in enumerate(acl))
        # Each frame in two fragments.
        halves = [(octets[5:9], octets[9:]) for octets in acl]
        yield b"\x81" + step(1, begun) + b"".join(
            step(number & 1, b"\x02\x40\x20" + len(first).to_bytes(2, "little") + first)
            + step(number & 1, b"\x02\x40\x10" + len(rest).to_bytes(2, "little") + rest)
            for number, (first, rest) in enumerate(halves)
        )
    for opcode in range(18):
        yield b"\x80" + step(opcode, b"\1\0hci0\0\0" + bytes(8)) + step(opcode, b"")
    for kind in (1001, 1002, 2001, 1003):
        header = b"btsnoop\0" + (1).to_bytes(4, "big") + kind.to_bytes(4, "big")
        lengths = len(begun).to_bytes(4, "big") * 2
        record = lengths + (1).to_bytes(4, "big") + bytes(4) + 0x00DCDDB30F2F8000.to_bytes(8, "big") + begun
        yield b"\0" + header + record
        yield b"\x1f" + header + record * 3 + record[:30]


def capture_format_seeds():
    """Steps of each format and byte order: interfaces, packets, comments, and what is unknown."""
    packets = [octets for octets in hexes(*tests("BluetoothTests/HCI")) if octets[0] in (1, 2, 4)][:40]
    header = bytes(12)
    for order in (0, 0x40):
        for octets in packets:
            yield bytes([2 | order, 9]) + step(0, octets[1:]) + step(1, octets[1:]) + step(3, octets[1:]) + step(0xFC, b"note\0")
            for link in (0, 0x10, 0x20):
                yield bytes([3 | order | link, 9]) + step(9, octets) + step(0xC9, b"\0\0\0\1" + octets)
                interface = step(0x40 + link // 16, b"\2\0\4\0hci1\x09\0\1\0\x89\0\0\0\1\0\3\0abc\0")
                blocks = step(3, b"\4\0\0\0" + octets) + step(6, header + octets) + step(5, octets)
                yield bytes([1 | order, 9]) + interface + step(0x10, octets) + blocks + step(0x0A, b"") + interface
    for text in (b"Bluetooth monitor ver 5.66\n", b"\xfd7zXZ\0", b"BZh9", b"== dumpstate: 2026", b"btsnoop\0\0\0\0\1\0\0\3\xea"):
        yield b"\0\7" + text


def archive_seeds():
    """Data of gzip, deflated data, archives, and steps of each kind."""
    log = b"btsnoop\0\0\0\0\1\0\0\3\xea" + (b"\0\0\0\4" * 2 + bytes(16) + b"\1\3\x0c\0") * 3
    for octets in (log, b"", bytes(9000), bytes(range(256)) * 4):
        for blocks in (0x00, 0x7C):
            yield bytes([blocks]) + gzip.compress(octets)
            yield bytes([blocks | 1]) + zlib.compress(octets)[2:-4]
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w", method) as archive:
                archive.writestr("btsnoop_hci.log.last", octets)
                archive.writestr("FS/data/misc/bluetooth/logs/btsnoop_hci.log", log)
                archive.writestr("bugreport.txt", b"--- BEGIN:BTSNOOP_LOG_SUMMARY")
            yield b"\2" + file.getvalue()
    for kind in range(128):
        yield b"\3" + step(kind, log) + step(kind & 3, log) + step(0, b"text")


def own_host_seeds():
    """A controller that is set up, and then links, data in pieces, questions of the controller, and its failure."""
    answers = [
        (0x0C03, b""), (0x1001, b"\x0c\0\0\x0c\x0f\0\0\0"), (0x1002, None), (0x1003, None), (0x1009, b"\x01\0\0\0\0\0"),
        (0x2003, bytes(8)), (0x2002, b"\x1b\0\x02"), (0x200F, b"\x04"), (0x0C01, b""), (0x2001, b""),
    ]  # fmt: skip

    def complete(opcode, parameters):
        body = b"\x01" + opcode.to_bytes(2, "little") + (b"\x01" if parameters is None else b"\0" + parameters)
        return bytes([0x04, 0x0E, len(body)]) + body

    ready = step(15, b"".join(complete(*answer) for answer in answers))
    yield ready
    create = step(0, b"\x07") + step(15, bytes.fromhex("040f0400010d20"))
    linked = step(15, bytes.fromhex("04 3e 13 01 00 4000 00 00 070000000000 1800 0000 2a00 00"))
    lost, failed = bytes.fromhex("04 3e 13 01 3e 4000 00 00 070000000000 1800 0000 2a00 00"), bytes.fromhex("04100142")
    events = [
        bytes.fromhex(octets)
        for octets in (
            "04 05 04 00 4000 13", "04 13 05 01 4000 0200", "04 3e 0d 05 4000 0100000000000000 0200",
            "04 3e 0b 06 4000 0600 0600 0000 6400", "02 4020 0700 0300 0400 0a0300",
            "02 4020 1000 0c00 0500 1201 0800 0600 0c00 0000 6400", "02 4020 0500 0700 0400 1b 02 4010 0300 aabbcc",
        )
    ]  # fmt: skip
    for event in events:
        yield ready + create + linked + step(2, b"\x40" + bytes(60)) + step(15, event) + step(3, b"\x40") + step(5, b"")
        yield ready + step(15, event) + create + step(1, b"\x01") + linked + step(15, event)
    # Set IO Capability, Pair Device, its answers, and requests of the peer: each packet of the Security Manager.
    prepared = step(6, bytes.fromhex("1800 0000 0100 03"))
    pair = step(6, bytes.fromhex("1900 0000 0800 070000000000 01 03"))
    confirmed = step(6, bytes.fromhex("1c00 0000 0700 070000000000 01"))
    packets = [
        "02 03 00 01 10 00 01", "02 03 00 09 10 05 05", "01 03 00 09 10 07 07", "0b 01", "05 04",
        *(code + "07" * 16 for code in ("03", "04", "06", "08", "0a", "0d")), "07 0000 0000000000000000",
        "09 01 0100000000c0", "0c" + "07" * 64, "0e 00",
    ]  # fmt: skip
    security = []
    for text in packets:
        pdu = bytes.fromhex(text)
        frame = len(pdu).to_bytes(2, "little") + b"\x06\0" + pdu
        security.append(step(15, b"\x02\x40\x20" + len(frame).to_bytes(2, "little") + frame))
    encrypted = step(15, bytes.fromhex("04 08 04 00 4000 01"))
    for packet in security:
        yield ready + create + linked + prepared + pair + packet + confirmed + packet + encrypted + step(7, b"\x40\x02")
    peripheral = step(15, bytes.fromhex("04 3e 13 01 00 4000 01 00 070000000000 1800 0000 2a00 00"))
    yield ready + peripheral + prepared + b"".join(security) + encrypted + step(5, b"")
    yield ready + create + step(15, lost) * 5
    yield ready + create + linked + step(15, failed) + ready
    yield ready + step(0, b"\x01") + step(0, b"\x02") + create + step(4, bytes.fromhex("0514 02 4000")) + step(5, b"") * 3


def usb_seeds():
    event, data = bytes.fromhex("0e0401030c00"), bytes.fromhex("40200800040004000a1a2a3a")
    yield step(0, event) + step(1, data) + step(0, event + event[:1]) + step(0, event[1:]) + step(1, b"")
    yield step(0, b"\x3e\xff" + bytes(14)) + step(0, bytes(16)) * 16 + step(1, b"\1\0\xff\xff" + bytes(60)) + step(1, bytes(64)) * 8
    yield step(0, event[:3]) + step(2, b"") + step(0, event) + step(1, data[:5]) + step(3, b"") + step(1, data)


SEEDS = {
    "USB": usb_seeds,
    "OwnHost": own_host_seeds,
    "CaptureFormats": capture_format_seeds, "Archives": archive_seeds,
    "CapturedPackets": capture_seeds,
    "CreditBased": credit_based_seeds,
    "Firmware": firmware_seeds,
    "Advertising": advertising_seeds, "HCI": hci_seeds, "Controller": controller_seeds, "ATTServer": server_seeds,
    "ATTClient": client_seeds, "Central": central_seeds, "Serving": serving_seeds, "Remote": remote_seeds, "Arguments": argument_seeds, "Presentation": presentation_seeds,
    "DeviceFiles": device_file_seeds, "Script": script_seeds,
}


def write_seeds(target, folder):
    folder = folder / target
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for number, seed in enumerate(dict.fromkeys(SEEDS[target]())):
        (folder / f"{number:05}").write_bytes(seed)
    return folder


ARGUMENTS = {
    "handle:0x", "text:", "u16be:", "s8:", "f32:", "medfloat16:", "utf16:", "battery-level", "heart-rate", "500ms",
    "e-9223372036854775808", "18446744073709551615", "0xFFFFFFFFFFFFFFFF",
}


def write_dictionary(target, folder):
    """Words that chance would not find; None if the target has none."""
    if target == "Presentation":
        words = {word.replace('"', '\\"') for word in re.findall(r'"\w+":|"\w+"', DATABASE_FILE)}
    elif target == "DeviceFiles":
        schema = "".join(path.read_text() for path in (ROOT / "Sources/BluetoothDevices/File").rglob("*.swift"))
        words = {f'\\"{word}\\":' for word in re.findall(r'"([a-z_]+)"', schema)} | {'\\"blectl-world/1\\"', '\\"1 s\\"'}
    elif target == "Arguments":
        manual = "".join(path.read_text() for path in (ROOT / "man").glob("*.1")).replace("\\-", "-")
        words = set(re.findall(r"--[a-z-]+", manual)) | ARGUMENTS
    elif target == "Script":
        grammar = "".join(path.read_text() for path in (ROOT / "Sources/Scripting/Language").glob("*.swift"))
        words = {f" {word} " for word in re.findall(r'"([a-z]+)"', grammar)} | {"${", "..", "\\x0a", "error 0x80", "device a -d X\\x0a"}
    else:
        return None
    path = folder / f"{target}.dict"
    path.write_text("".join(f'"{word}"\n' for word in sorted(words)))
    return path
