#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes octets of every characteristic of the supplement, and what they mean: valid, edges, malformed.

    samples.py ROOT COUNT SEED > FILE

A line is a UUID, the octets, a verdict and the items in the order of the octets, separated by tabs. The verdict is
`valid`; `special` where other octets mean the same, as far as blectl's JSON tells; `short`; `surplus`, with the number of octets that
belong to the format; or `range`. An item is `n` and a number, `x` for a number that is none, `b` and bits, `c` and one of
several names by its number, `s` and UTF-8 text in hex digits, `h` and hex digits, or `t` and a time. `swift test` holds
blectl's formats to such a file.
"""

import decimal
import random
import re
import struct
import sys

import supplement
from supplement import Decoder, TooShort

decimal.getcontext().prec = 80


class Generator(Decoder):
    """Reads random octets that it makes up as they are asked for, so that they have the structure."""

    def __init__(self, source, chance, edge=None):
        super().__init__(source, b"")
        self.chance, self.edge = chance, edge
        self.made, self.hints = bytearray(), []
        self.left = chance.choice([0, 2, 2, 4, 6])
        self.is_tail = False
        self.bits_left = (0, 0)

    @property
    def rest(self):
        self.is_tail = True
        return max(0, self.left)

    def octet(self):
        return {"low": 0, "high": 255}.get(self.edge, self.chance.randrange(256))

    def take(self, count):
        octets = self.hints.pop(0) if self.hints else bytes(self.octet() for _ in range(count))
        assert len(octets) == count, (octets, count)
        if self.is_tail:
            self.left -= count
        self.made += octets
        return octets

    def take_bits(self, count, signed=False):
        if self.bits_left[1] == 0 and count % 8 == 0:
            return int.from_bytes(self.take(count // 8), "little", signed=signed)
        word, have = self.bits_left
        while have < count:
            word |= self.take(1)[0] << have
            have += 8
        self.bits_left = (word >> count, have - count)
        return word & ((1 << count) - 1)

    def structure(self, name):
        maker = MAKERS.get(name)
        if maker:
            maker(self)
        super().structure(name)

    def field(self, field):
        prose = supplement.FIELD_PROSE.get((field.owner, field.name))
        if field.children is None or prose:
            hint = self.hint(field, prose)
            if hint is not None:
                self.hints.append(hint)
        super().field(field)

    def hint(self, field, prose):
        chance = self.chance
        if prose is supplement.epoch_time or prose in (supplement.mass, supplement.height, supplement.milliseconds):
            return None
        if prose is supplement.unused:
            return b"\xff\x07"
        if prose is supplement.terminated:
            for letter in b"abc\0"[:3]:
                self.hints.append(bytes([letter]))
            return b"\0"
        if prose in (supplement.glucose, supplement.medication) or (prose is None and field.kind == "medfloat16"):
            mantissa, exponent = self.mantissa(2_000), chance.randrange(-4, 3)
            return (mantissa & 0xFFF | (exponent & 15) << 12).to_bytes(2, "little")
        if prose:
            return None
        if field.kind == "medfloat32":
            mantissa, exponent = self.mantissa(8_000_000), chance.randrange(-6, 4)
            return (mantissa & 0xFFFFFF | (exponent & 255) << 24).to_bytes(4, "little")
        if field.kind == "float32":
            return struct.pack("<f", chance.uniform(-1e6, 1e6))
        if field.kind.startswith("utf8s"):
            size = re.search(r"\{(\d+)\}", field.kind)
            count = int(size[1]) if size else self.rest
            return bytes(chance.choice(b"abcdefgh XYZ0189") for _ in range(count - 1)) + b"." if count else b""
        if field.name.lower() in ("flags", "presence flags") and not self.items:
            mask = supplement.defined_bits(field)
            word = {"low": 0, "high": mask}.get(self.edge, chance.getrandbits(64) & mask)
            return word.to_bytes(field.bits // 8, "little")
        if field.kind.startswith("boolean"):
            return (self.chance.getrandbits(64) & supplement.defined_bits(field)).to_bytes(field.bits // 8, "little")
        match = supplement.NUMBER.fullmatch(field.kind)
        if match and field.is_name and field.bits == 8 and self.edge is None:
            names = supplement.names(field)
            if names and chance.randrange(8):
                return bytes([chance.choice(names)])
        if match and field.bits % 8 == 0 and field.range and not field.is_name:
            low, high = (bound / field.scale for bound in field.range)
            low, high = -(-low.numerator // low.denominator), high.numerator // high.denominator
            signed = field.kind[0] == "s"
            least = -(1 << field.bits - 1) if signed else 0
            most = (1 << field.bits - (1 if signed else 0)) - 1
            low, high = max(low, least), min(high, most)
            raw = {"low": low, "high": high}.get(self.edge, chance.randint(low, high))
            outside = [raw for raw in (low - 1, high + 1) if least <= raw <= most]
            if self.edge == "outside" and outside and chance.randrange(2):
                raw = chance.choice(outside)
            return (raw & (1 << field.bits) - 1).to_bytes(field.bits // 8, "little")
        return None

    def mantissa(self, most):
        value = {"low": 0, "high": most - 1}.get(self.edge, self.chance.randrange(1, most))
        return value - 1 if value % 10 == 0 and value else value


def moment(generator):
    chance = generator.chance
    if generator.edge == "low":
        generator.hints.append(bytes(7))
        return
    year, month = chance.randrange(1582, 10_000), chance.randrange(1, 13)
    if generator.edge == "high":
        year, month = 9_999, 12
    day = 31 if generator.edge == "high" else chance.randrange(1, 29)
    clock = (23, 59, 59) if generator.edge == "high" else tuple(chance.randrange(most) for most in (24, 60, 60))
    generator.hints.append(year.to_bytes(2, "little") + bytes((month, day, *clock)))


def day(generator):
    chance = generator.chance
    generator.hints.append(chance.randrange(1582, 10_000).to_bytes(2, "little") + bytes((chance.randrange(1, 13), 9)))


def zone(generator):
    low = {"low": -48, "high": 56}.get(generator.edge, generator.chance.randint(-48, 56))
    generator.hints.append(bytes([low & 255]))


def elapsed(generator):
    chance = generator.chance
    generator.hints += [bytes([chance.randrange(64)]), chance.randbytes(6), chance.randbytes(1)]
    zone(generator)


def days(generator):
    generator.hints.append(generator.chance.randrange(1, 1 << 24).to_bytes(3, "little"))


def left(*counts):
    def choose(generator):
        generator.left = generator.chance.choice(counts)

    return choose


def records(generator):
    """Two records of CGM Measurement."""
    chance = generator.chance
    generator.left = 0
    for _ in range(chance.randrange(1, 3)):
        flags = chance.choice((0, 1, 2, 3)) | chance.randrange(8) << 5
        parts = bytes([flags]) + (chance.randrange(1, 900) * 10 // 10 % 1000 or 7).to_bytes(2, "little")
        parts += chance.randbytes(2)
        # An octet of the status is there only if a bit of it is set.
        parts += bytes(chance.randrange(1, 256) for _ in range((flags >> 5).bit_count()))
        for bit in (0, 1):
            if flags >> bit & 1:
                parts += (chance.randrange(0, 99) * 10 + 1).to_bytes(2, "little")
        if chance.randrange(2):
            parts += chance.randbytes(2)
        generator.hints += [bytes([len(parts) + 1]), parts]
        generator.left += len(parts) + 1


def code(codes, tail, responses=()):
    def choose(generator):
        chance = generator.chance
        number = chance.choice(codes)
        generator.hints.append(bytes([number]))
        generator.left = chance.choice(tail) if number in responses else 0

    return choose


def glucose_code(generator):
    number = generator.chance.choice([n for n in range(1, 29) if n != 3])
    generator.hints.append(bytes([number]))
    generator.left = generator.chance.choice((0, 2))
    if number in (4, 6, 7, 9, 10, 12, 13, 15, 16, 18, 19, 21, 22, 24):
        generator.hints.append((generator.chance.randrange(0, 200) * 10 + 3).to_bytes(2, "little"))


MAKERS = {
    "date_time": moment,
    "object_first_created": moment,
    "object_last_modified": moment,
    "date_of_birth": day,
    "date_of_threshold_assessment": day,
    "date_utc": days,
    "time_zone": zone,
    "elapsed_time": elapsed,
    "object_type": left(2, 16),
    "cgm_measurement": records,
    "recipe_control": left(0, 2),
    "cgm_status": left(0, 2),
    "cgm_session_run_time": left(0, 2),
    "cgm_session_start_time": left(0, 2),
    "alert_category_id_bit_mask": left(2),
    "supported_new_alert_category": left(2),
    "supported_unread_alert_category": left(2),
    "preferred_units": left(2, 4, 6),
    "record_access_control_point": code((1, 2, 3, 4, 5, 6, 7, 8), (0, 3, 5), (1, 2, 4, 7)),
    "sc_control_point": code((1, 2, 3, 4, 16), (0, 1, 3), (16,)),
    "cycling_power_control_point": code((*range(1, 17), 32), (0, 1, 4), (32,)),
    "ln_control_point": code((*range(1, 9), 32), (0, 1, 4), (32,)),
    "cgm_specific_ops_control_point": glucose_code,
}


def text(value):
    number = (decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator)).normalize()
    sign, digits, exponent = number.as_tuple()
    if number.adjusted() > 18 and exponent > 0:
        return "-" * sign + "".join(map(str, digits)) + f"e{exponent}"
    return format(number, "f")


def item(kind, value=None):
    match kind:
        case "number":
            return "n" + text(value)
        case "none":
            return "x"
        case "text":
            return "s" + value.encode().hex()
        case "octets":
            return "h" + value
        case "time":
            return "t" + value
    return ("b" if kind == "bits" else "c") + str(value)


def verdict(source, name, octets):
    """What the octets mean: the verdict and the items."""
    decoder = Decoder(source, octets)
    try:
        decoder.structure(name)
    except TooShort:
        return "short", []
    items = [item(*parts) for parts in decoder.items]
    if decoder.faults:
        return "range", items
    if decoder.rest:
        return f"surplus {decoder.position}", items
    return ("valid" if decoder.is_canonical and "x" not in items else "special"), items


def valid(source, name, chance, edge=None):
    for _ in range(200):
        generator = Generator(source, chance, edge)
        generator.structure(name)
        octets = bytes(generator.made)
        if verdict(source, name, octets)[0] in ("valid", "special"):
            return octets
    raise SystemExit(f"{name}: no valid value found")


# FTMS 1.0 had resistance levels of two octets, and a treadmill's pace of one. blectl reads those as well, so that
# octets that are left over, or missing, by the supplement may be a whole value of that edition.
EARLIER = ("cross_trainer_data", "rower_data", "indoor_bike_data", "supported_resistance_level_range")
EARLIER_WITH_SHORT_PACE = "treadmill_data"


def outside(source, name, chance):
    generator = Generator(source, chance, "outside")
    generator.structure(name)
    return bytes(generator.made)


def samples(source, name, count, chance):
    """Octets of a characteristic: valid ones, edges, cut ones, longer ones, and any."""
    seen = dict.fromkeys(valid(source, name, chance, edge) for edge in ("low", "high"))
    for _ in range(count):
        seen[valid(source, name, chance)] = None
    for octets in list(seen)[: max(2, count // 20)]:
        for length in range(min(len(octets), 24)):
            seen[octets[:length]] = None
        seen[octets + b"\xa5"] = None
        seen[octets + b"\xa5\x5a\x00"] = None
    for _ in range(10):
        octets = outside(source, name, chance)
        if verdict(source, name, octets)[0] == "range":
            seen[octets] = None
    for _ in range(count // 4):
        seen[chance.randbytes(chance.randrange(0, 24))] = None
    return seen


def main():
    root, count, seed = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    source = supplement.Supplement(root)
    print("# SPDX-License-Identifier: GPL-2.0-or-later")
    print(f"# Written by Tests/Supplement/samples.py with the seed {seed}; {len(source.raw)} structures.")
    for name in source.raw:
        chance = random.Random(f"{seed} {name}")
        for octets in samples(source, name, count, chance):
            result, items = verdict(source, name, octets)
            line = " ".join(items)
            if name in EARLIER and result.startswith("surplus"):
                continue
            # Each of the two paces was an octet shorter.
            if name == EARLIER_WITH_SHORT_PACE and result == "short":
                if verdict(source, name, octets + bytes(2))[0] != "short":
                    continue
            for number in source.numbers[name]:
                print(f"{number:04X}\t{octets.hex()}\t{result}\t{line}")


if __name__ == "__main__":
    main()
