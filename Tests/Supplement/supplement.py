# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the GATT Specification Supplement by itself: what the octets of a characteristic mean.

The source is the YAML that the Bluetooth SIG publishes, as the PyPI package bluetooth-sig carries it. Nothing here
comes from blectl, or from the decoders of that package. What the YAML says in prose only is in `PROSE` below, and where
it contradicts itself or the service's specification, `CORRECTIONS` has the judgement.
"""

import datetime
import pathlib
import re
import struct
from fractions import Fraction

import yaml


class Unreadable(Exception):
    """A structure that this program does not understand."""


class TooShort(Exception):
    """There are fewer octets than the structure needs."""


# What the fields are in the unit in which blectl shows them, by the unit of the supplement.
SHOWN = {
    "density.kilogram_per_cubic_meter": Fraction(10**9),  # µg/m³
    "magnetic_flux_density.tesla": Fraction(10**6),  # µT
    "mass_density.kilogram_per_liter": Fraction(10**5),  # mg/dl
    "mass_density.mole_per_litre": Fraction(10**3),  # mmol/l
    "energy.joule": Fraction(1, 10**3),  # kJ
    "pressure.pascal;": Fraction(1, 10**3),  # kPa
    "volume.litre": Fraction(10**3),  # ml
}

# The supplement contradicts itself or the service's specification. Characteristic, field: what is read instead.
CORRECTIONS = {
    # HRS 1.0, 3.1.1.3: "The unit is kilo Joules"; the supplement says joule.
    ("heart_rate_measurement", "Energy Expended"): {"shown": Fraction(1)},
    # b = 6, but "a resolution of 1/64 V" and a maximum of 262143.97.
    ("high_voltage", "High Voltage"): {"scale": Fraction(1, 64)},
    # d = 1, but "a resolution of 1 m".
    ("activity_goal", "Distance"): {"scale": Fraction(1)},
    ("physical_activity_current_session", "Distance"): {"scale": Fraction(1)},
    ("physical_activity_session_descriptor", "Distance"): {"scale": Fraction(1)},
    # No exponent, but FTMS 1.0, 4.4.1.13: "Metabolic Equivalent with a resolution of 0.1", as in the other machines.
    ("treadmill_data", "Metabolic Equivalent"): {"scale": Fraction(1, 10)},
    # "Unit is 1/10 of an Ohm", as BCS 1.0 says; d = -2 is wrong.
    ("body_composition_measurement", "Impedance"): {"scale": Fraction(1, 10)},
    # M = 1, d = 1, but "Unit is 1".
    **{(machine + "_data", "Resistance Level"): {"scale": Fraction(1)} for machine in ("cross_trainer", "rower", "indoor_bike")},
    ("supported_resistance_level_range", "Minimum Resistance Level"): {"scale": Fraction(1)},
    ("supported_resistance_level_range", "Maximum Resistance Level"): {"scale": Fraction(1)},
    ("supported_resistance_level_range", "Minimum Increment"): {"scale": Fraction(1)},
    # The maxima are integers on the wire: "1000 corresponds to 100%".
    ("cooking_zone_perceived_power", "Cooking Zone Perceived Power"): {"range": (Fraction(0), Fraction(355))},
    # "Expressed as cos(θ) × 100".
    ("cosine_of_the_angle", "Cosine of the Angle"): {"range": (Fraction(-1), Fraction(1))},
    ("volume_flow", "Volume Flow"): {"range": None},
    ("kitchen_appliance_airflow", "Kitchen Appliance Airflow"): {"range": None},
    # Shown in millimetres.
    ("rainfall", "Rainfall"): {"shown": Fraction(1000)},
    # The gradient may be -12.8: it is signed.
    ("recipe_parameters", "Temperature Gradient"): {"type": "sint8"},
    ("glucose_measurement", "Time Offset"): {"type": "sint16"},
    # Carbohydrates are shown in grams, medication in milligrams.
    ("glucose_measurement_context", "Carbohydrate"): {"shown": Fraction(10**3)},
}

NUMBER = re.compile(r"(?P<sign>u|s)int(?P<bits>\d+)")
SCALE = re.compile(r"M ?= ?(-?\s*\d+),? ?d ?= ?(-?\s*\d+),? (?:and )?b ?= ?(-?\s*\d+)")
PRESENT = re.compile(r"[Pp]resent if bits? (\d+)(?: and (\d+))? of (?:the )?(?:Presence )?Flags field (?:is|are) set to (\d)")
SELECTED = re.compile(r"[Pp]resent if value of Field Selector field is (\d+)")
REFERENCE = re.compile(r"\\autoref\{sec:org\.bluetooth\.characteristic\.([^/}]+)\}")
SPECIAL = re.compile(r"(?:[Aa]|The) (?:raw )?value of (-?(?:0x[0-9A-Fa-f]+|\d+)):? (?:represents?|means|is used|indicates|in the Sedentary)")


def number(text):
    return int(text.replace(" ", ""))


class Field:
    """One field of a structure: what it is called, whether it is there, and how it is read."""

    def __init__(self, supplement, name, owner, kind, description, values):
        self.owner, self.name = owner, name
        correction = CORRECTIONS.get((owner, name), {})
        kind = correction.get("type", kind).replace("\\", "")
        description = description.replace("−", "-").replace("–", "-")
        self.description, self.kind = description, kind
        self.condition = None
        match = PRESENT.search(description)
        if match:
            bits = [int(bit) for bit in match.groups()[:2] if bit]
            self.condition = ("flags", bits, int(match[3]))
        elif SELECTED.search(description):
            self.condition = ("selector", int(SELECTED.search(description)[1]))
        elif "Present if Cooking Process Type field is not 0" in description:
            self.condition = ("process",)
        elif "E2E-CRC" in name and "resen" in description:
            self.condition = ("rest", 2)
        elif "resent if" in description:
            raise Unreadable(f"{owner}: {name}: {description}")
        self.scale, self.shown = Fraction(1), Fraction(1)
        match = SCALE.search(description)
        if match:
            m, d, b = (number(part) for part in match.groups())
            self.scale = m * Fraction(10) ** d * Fraction(2) ** b
        self.scale = correction.get("scale", self.scale)
        for unit, factor in SHOWN.items():
            if "unit." + unit in description:
                self.shown = factor
        if self.scale == 1 and self.shown == Fraction(1, 1000) and "medfloat" in kind:
            self.shown = Fraction(1)
        if "medfloat" in kind and self.scale == 1000:  # kPa are sent as kPa.
            self.scale, self.shown = Fraction(1), Fraction(1)
        self.shown = correction.get("shown", self.shown)
        self.special = {int(text, 0) for text in SPECIAL.findall(description)}
        for raw in re.findall(r"special value is defined: (\d+) =", description):
            self.special.add(int(raw))
        self.values = values
        # A table of values without a unit has names.
        numeric = [row for row in values if not re.match(r"[\d\\]|0x|All other", str(row.get("value", "")))]
        self.is_name = bool(values) and not numeric and "Unit" not in description and "nit:" not in description
        self.is_name |= bool(re.search(r"^\s*(?:0x)?\d+: ", description))
        self.range = correction["range"] if "range" in correction else self._range(description)
        self.children, self.reference = None, None
        if kind in ("struct", "gatt_uuid", "Determined by UUID") or re.match("Refer to", description):
            self.children = supplement.children(self, owner, name, description)

    def _range(self, text):
        patterns = (
            r"Minimum(?: value)?(?: is)?:? *(-?[\d.]+)\s*(?:/|\n)?\s*Maximum(?: value)?:? *(-?[\d.]+)",
            r"Allowed range is:? *(-?[\d.]+) to (-?[\d.]+)",
            r"Valid range (?:is |from )?(-?\d+) to \+?(\d+)",
        )
        for pattern in patterns:
            match = re.search(pattern, text)
            if match:
                return Fraction(match[1].rstrip(".")), Fraction(match[2].rstrip("."))
        return None

    @property
    def bits(self):
        match = NUMBER.fullmatch(self.kind)
        if match:
            return int(match["bits"])
        match = re.fullmatch(r"boolean\[(\d+)\]", self.kind)
        return int(match[1]) if match else None


class Supplement:
    """All characteristics of the supplement."""

    def __init__(self, root):
        root = pathlib.Path(root)
        self.raw, self.cache = {}, {}
        for path in sorted(root.glob("gss/org.bluetooth.characteristic.*.yaml")):
            entry = yaml.safe_load(path.read_text())["characteristic"]
            self.raw[entry["identifier"].rsplit(".", 1)[-1]] = entry
        assigned = yaml.safe_load((root / "assigned_numbers/uuids/characteristic_uuids.yaml").read_text())["uuids"]
        self.numbers = {}
        for entry in assigned:
            self.numbers.setdefault(entry["id"].rsplit(".", 1)[-1], []).append(entry["uuid"])
        # Two structures have other names than the characteristics that have them.
        self.numbers["cooking_conditions"] = [e["uuid"] for e in assigned if "Cooking Conditions" in e["name"]]
        self.numbers["cooking_zone_perceived_power"] = [
            e["uuid"] for e in assigned if "Cooking Zone" in e["name"] and "Power" in e["name"]
        ]

    def _values(self, entry, name):
        for table in entry.get("fields") or []:
            if table["name"].lower().replace(" ", "_") == name.lower().replace(" ", "_"):
                return table.get("values") or []
        return []

    def structure(self, name):
        """The fields of a characteristic."""
        if name not in self.cache:
            entry = self.raw[name]
            self.cache[name] = [
                Field(
                    self, field["field"], name, str(field["type"]), str(field["description"] or ""),
                    self._values(entry, self._table(field, entry)),
                )
                for field in entry["structure"]
            ]
        return self.cache[name]

    @staticmethod
    def _table(field, entry):
        match = re.search(r"/field/([^}]+)\}", str(field["description"] or ""))
        return match[1].replace("_", " ") if match else field["field"]

    def children(self, field, owner, name, description):
        """The fields of a structure within another one; `None` if it has none of its own."""
        match = re.search(r"/field/([^}]+)\}", description)
        if match:
            rows = self._values(self.raw[owner], match[1])
            parts = [list(row.values()) for row in rows]
            if parts and all(len(p) == 4 and re.fullmatch(r"(u|s)int\d+|medfloat\d+", str(p[1])) for p in parts):
                return [Field(self, str(p[0]), owner, str(p[1]), str(p[3]), []) for p in parts]
            return None
        for reference in REFERENCE.findall(description):
            if reference in self.raw and reference != owner and "Capabilities" not in reference:
                if reference == "cooking_zone_capabilities":
                    continue
                field.reference = reference
                return self.structure(reference)
        return None


def medical_float(raw, bits):
    """IEEE 11073-20601: the number, or `None` for a special value."""
    mantissa_bits = 12 if bits == 16 else 24
    mantissa, exponent = raw & ((1 << mantissa_bits) - 1), raw >> mantissa_bits
    if mantissa >= 1 << (mantissa_bits - 1):
        mantissa -= 1 << mantissa_bits
    width = bits - mantissa_bits
    if exponent >= 1 << (width - 1):
        exponent -= 1 << width
    top = (1 << (mantissa_bits - 1)) - 1
    # They are defined with the exponent 0. With others they are no numbers either: those end at ±(2ⁿ - 3).
    if mantissa in (top, top - 1, -top - 1, -top, -top + 1):
        return None
    return mantissa * Fraction(10) ** exponent


def ieee_754(raw):
    """IEEE 754: the shortest decimal number that is this one, or `None` for a special value."""
    octets = raw.to_bytes(4, "little")
    value = struct.unpack("<f", octets)[0]
    if value != value or value in (float("inf"), float("-inf")):
        return None
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if struct.pack("<f", float(text)) == octets:
            return Fraction(text)
    return Fraction(value)


def defined_bits(field):
    """The bits that have a meaning."""
    mask = 0
    rows = [str(row.get("bit", row.get("value", ""))) + " " + str(row.get("description", "")) for row in field.values]
    rows += field.description.split("\n")
    for row in rows:
        bits = re.match(r"(\d+)(?:\s*[-–]\s*(\d+))?[: ]", row)
        if bits and not re.search(r"Reserved|RFU", row):
            for bit in range(int(bits[1]), int(bits[2] or bits[1]) + 1):
                mask |= 1 << bit
    return mask or (1 << field.bits) - 1


def names(field):
    """The numbers that have names."""
    rows = [(str(row.get("value", "")), str(row.get("description", ""))) for row in field.values]
    rows += [tuple(row.split(":", 1)) for row in field.description.split("\n") if ":" in row]
    found = []
    for number, meaning in rows:
        if re.fullmatch(r"\s*(0x[0-9A-Fa-f]{1,2}|\d{1,3})\s*", number) and not re.search(r"Reserved|RFU", meaning):
            found.append(int(number, 0))
    return sorted(set(found))


# Flags that tell nothing without others, or exclude each other. They are lost when the value is encoded again.
LOOSE = {
    "heart_rate_measurement": lambda flags: flags & 6 == 2,
    "glucose_measurement": lambda flags: flags & 6 == 4,
    "glucose_measurement_context": lambda flags: flags & 0x30 == 0x20,
    # Times after 1999 have another form with the other epoch.
    "enhanced_blood_pressure_measurement": lambda flags: bool(flags & 0x40) != bool(flags & 0x22),
    "enhanced_intermediate_cuff_pressure": lambda flags: bool(flags & 0x40) != bool(flags & 0x22),
    # The units of no mass and no height; the gradient of no temperature.
    "body_composition_measurement": lambda flags: flags & 1 and not flags & 0xDE0,
    "recipe_parameters": lambda flags: flags & 0x18 == 0x10,
    # CPS 1.1, 3.3.1: forces or torques.
    "cycling_power_vector": lambda flags: flags & 0x0C == 0x0C,
}


class Decoder:
    """Reads octets by the structure of a characteristic: a list of what is there, in the order of the octets.

    An item is ("number", value), ("none",), ("bits", word), ("name", number), ("text", text), ("octets", hex) or
    ("time", text). `faults` has the fields whose numbers are out of the range of the supplement.
    """

    def __init__(self, supplement, octets):
        self.supplement, self.octets = supplement, octets
        self.position = self.bit = 0
        self.items, self.faults = [], []
        # Whether no other octets have the same meaning.
        self.is_canonical = True
        self.flags = self.selector = self.process = 0

    def take(self, count):
        if self.bit:
            raise Unreadable("octets between bits")
        if self.position + count > len(self.octets):
            raise TooShort
        self.position += count
        return self.octets[self.position - count : self.position]

    def take_bits(self, count, signed=False):
        if self.bit == 0 and count % 8 == 0:
            return int.from_bytes(self.take(count // 8), "little", signed=signed)
        end = self.position * 8 + self.bit + count
        if end > 8 * len(self.octets):
            raise TooShort
        word = int.from_bytes(self.octets, "little") >> (self.position * 8 + self.bit) & ((1 << count) - 1)
        self.position, self.bit = end // 8, end % 8
        return word

    @property
    def rest(self):
        return len(self.octets) - self.position

    def is_there(self, field):
        condition = field.condition
        if condition is None:
            return True
        if condition[0] == "flags":
            return all((self.flags >> bit & 1) == condition[2] for bit in condition[1])
        if condition[0] == "selector":
            return self.selector == condition[1]
        if condition[0] == "process":
            return self.process != 0
        return self.rest == condition[1]

    def structure(self, name):
        special = PROSE.get(name)
        if special:
            return special(self)
        for field in self.supplement.structure(name):
            if self.is_there(field):
                self.field(field)

    def field(self, field):
        override = FIELD_PROSE.get((field.owner, field.name))
        if override:
            return override(self, field)
        if field.reference:
            return self.structure(field.reference)
        if field.children is not None:
            for child in field.children:
                self.is_there(child) and self.field(child)
            return
        kind = field.kind
        lowered = field.name.lower()
        if kind.startswith("boolean"):
            word = self.take_bits(field.bits)
            if word & ~defined_bits(field):
                self.is_canonical = False
            if lowered in ("flags", "presence flags") and not self.items:
                self.flags = word
                if field.owner in LOOSE and LOOSE[field.owner](word):
                    self.is_canonical = False
            else:
                self.items.append(("bits", word))
            return
        if NUMBER.fullmatch(kind):
            raw = self.take_bits(field.bits, kind[0] == "s")
            if lowered == "field selector":
                self.selector = raw
            if lowered == "cooking process type":
                self.process = raw
            if field.is_name:
                self.items.append(("name", raw))
                return
            unsigned = raw & ((1 << field.bits) - 1)
            if raw in field.special or (kind[0] == "s" and unsigned in field.special):
                self.items.append(("none",))
                return
            self.number(field, raw * field.scale)
            return
        if kind.startswith("medfloat"):
            bits = int(kind[8:])
            self.medical_float(bits, field.shown)
            return
        if kind == "float32":
            value = ieee_754(int.from_bytes(self.take(4), "little"))
            self.items.append(("none",) if value is None else ("number", value))
            return
        if kind.startswith("utf8s"):
            match = re.fullmatch(r"utf8s\{(\d+)\}", kind)
            octets = self.take(int(match[1]) if match else self.rest)
            self.text(octets, match is not None)
            return
        if kind in ("gatt_uuid", "struct", "Determined by UUID"):
            self.items.append(("octets", self.take(self.rest).hex()))
            return
        match = re.match(r"([us])int16 ?\[", kind)
        if match:
            while self.rest:
                raw = int.from_bytes(self.take(2), "little", signed=match[1] == "s")
                self.number(field, raw * field.scale)
            return
        raise Unreadable(f"{field.owner}: {field.name}: {kind}")

    def text(self, octets, is_fixed):
        plain = octets.rstrip(b"\0")
        text = plain.decode("utf-8", "replace")
        if text.encode() != (plain if is_fixed else octets):
            self.is_canonical = False
        self.items.append(("text", text))

    def medical_float(self, bits, shown):
        raw = int.from_bytes(self.take(bits // 8), "little")
        value = medical_float(raw, bits)
        top = 0x1000 if bits == 16 else 0x1000000
        mantissa = raw & top - 1
        # The mantissa may be multiplied by ten, and the exponent lowered.
        size = abs(mantissa - (top if mantissa >= top // 2 else 0))
        # The mantissa may be multiplied by ten, and the exponent lowered, or the other way round.
        has_exponent = raw != mantissa
        if has_exponent and (size % 10 == 0 or raw >> bits - 1 == 0 and 10 * size < top // 2 - 3):
            self.is_canonical = False
        self.items.append(("none",) if value is None else ("number", value * shown))

    def number(self, field, value):
        if field.range and not field.range[0] <= value <= field.range[1]:
            self.faults.append(field.name)
        self.items.append(("number", value * field.shown))


# --- What the supplement says in prose only ---------------------------------------------------------------------------


def check_date(decoder, year, month, day):
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = [31, 31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if year and not 1582 <= year <= 9999 or month > 12 or day > days[month if month <= 12 else 0]:
        decoder.faults.append("date")


def date_time(decoder):
    octets = decoder.take(7)
    year = int.from_bytes(octets[:2], "little")
    check_date(decoder, year, *octets[2:4])
    if octets[4] > 23 or octets[5] > 59 or octets[6] > 59:
        decoder.faults.append("clock")
    decoder.items.append(("time", f"{year:04}-" + "{:02}-{:02}T{:02}:{:02}:{:02}".format(*octets[2:])))


def date(decoder):
    octets = decoder.take(4)
    check_date(decoder, int.from_bytes(octets[:2], "little"), *octets[2:])
    decoder.items.append(("time", f"{int.from_bytes(octets[:2], 'little'):04}-{octets[2]:02}-{octets[3]:02}"))


def date_utc(decoder, field=None):
    days = int.from_bytes(decoder.take(3), "little")
    if days == 0:
        return decoder.items.append(("none",))
    # The calendar repeats after 400 years, and Python's ends with the year 9999.
    era, day = divmod(days, 146_097)
    day = datetime.date(1970, 1, 1) + datetime.timedelta(days=day)
    decoder.items.append(("time", f"{day.year + 400 * era:04}-{day.month:02}-{day.day:02}"))


def time_zone(decoder):
    raw = int.from_bytes(decoder.take(1), "little", signed=True)
    if raw == -128:
        decoder.items.append(("none",))
    elif -48 <= raw <= 56:
        decoder.items.append(("number", Fraction(15 * raw)))
    else:
        decoder.items.append(("none",))
        decoder.faults.append("Time Zone")


def time_accuracy(decoder):
    raw = decoder.take(1)[0]
    # Drift in steps of 1/8 s, which blectl shows in milliseconds.
    decoder.items.append(("none",) if raw >= 254 else ("number", Fraction(125 * raw)))


def time_exponential(decoder):
    raw = decoder.take(1)[0]
    if raw >= 0xFE:
        decoder.items.append(("none",))
    elif raw == 0:
        decoder.items.append(("number", Fraction(0)))
    else:
        # blectl rounds to digits that still tell neighbours apart.
        seconds = Fraction(11, 10) ** (raw - 64)
        places = 4 if seconds < 10 else 2 if seconds < 1000 else 0
        decoder.items.append(("number", round(seconds, places) if places else Fraction(round(seconds))))


def elapsed_time(decoder):
    flags = decoder.take(1)[0]
    if flags & 0xC0:
        decoder.is_canonical = False
    unit = [Fraction(1), Fraction(1, 10), Fraction(1, 1000), Fraction(1, 10_000)][flags >> 2 & 3]
    decoder.items.append(("number", int.from_bytes(decoder.take(6), "little") * unit))
    decoder.items.append(("name", decoder.take(1)[0]))
    time_zone(decoder)


def epoch_time(decoder, field):
    seconds = int.from_bytes(decoder.take(4), "little")
    start = datetime.datetime(2000 if decoder.flags >> 6 & 1 else 1900, 1, 1)
    decoder.items.append(("time", (start + datetime.timedelta(seconds=seconds)).isoformat()))


def mass(decoder, field):
    # Kilograms with a resolution of 0.005, or pounds with 0.01. WSS 1.0, 3.2.1.2: 0xFFFF is an unsuccessful measurement.
    raw = int.from_bytes(decoder.take(2), "little")
    if raw == 0xFFFF and field.owner == "weight_measurement":
        return decoder.items.append(("none",))
    decoder.items.append(("number", raw * (Fraction(1, 100) if decoder.flags & 1 else Fraction(5, 1000))))


def body_fat(decoder, field):
    # BCS 1.0, 3.2.1.2: 0xFFFF is an unsuccessful measurement.
    raw = int.from_bytes(decoder.take(2), "little")
    decoder.items.append(("none",) if raw == 0xFFFF else ("number", Fraction(raw, 10)))


def height(decoder, field):
    raw = int.from_bytes(decoder.take(2), "little")
    decoder.items.append(("number", raw * (Fraction(1, 10) if decoder.flags & 1 else Fraction(1, 1000))))


def none_if(special, octets=1):
    """A number, of which one value means that there is none."""

    def read(decoder, field=None):
        raw = int.from_bytes(decoder.take(octets), "little")
        decoder.items.append(("none",) if raw == special else ("number", Fraction(raw)))

    return read


def unused(decoder, field):
    if decoder.take(2) != b"\xff\x07":
        decoder.is_canonical = False


def milliseconds(decoder, field):
    # Flags that announce intervals, and none.
    if not decoder.rest:
        decoder.is_canonical = False
    while decoder.rest:
        decoder.items.append(("number", Fraction(int.from_bytes(decoder.take(2), "little") * 1000, 1024)))


def wide_rate(decoder, field):
    # A rate below 256 needs no second octet.
    rate = int.from_bytes(decoder.take(2), "little")
    if rate < 256:
        decoder.is_canonical = False
    decoder.items.append(("number", Fraction(rate)))


def remaining_time(decoder, field):
    # 0xFF01 to 0xFFFE: RFU.
    raw = int.from_bytes(decoder.take(2), "little")
    if 0xFF01 <= raw <= 0xFFFE:
        decoder.faults.append(field.name)
    decoder.items.append(("none",) if raw == 0 or raw > 0xFF00 else ("number", Fraction(raw)))


def medication(decoder, field):
    decoder.medical_float(16, 10**3 if decoder.flags >> 5 & 1 else 10**6)


def glucose(decoder, field):
    decoder.medical_float(16, 10**3 if decoder.flags >> 2 & 1 else 10**5)


def two_names(decoder, field):
    octet = decoder.take(1)[0]
    decoder.items += [("name", octet & 15), ("name", octet >> 4)]


def unit_uuid(decoder, field):
    while decoder.rest:
        decoder.take(2)
        decoder.items.append(("name", 0))


def terminated(decoder, field):
    octets = b""
    while (octet := decoder.take(1)) != b"\0":
        octets += octet
    decoder.text(octets, True)


def category_mask(decoder, field=None):
    # The second octet may be left out, with the bits that are 0.
    if decoder.rest == 1:
        decoder.is_canonical = False
    decoder.items.append(("bits", int.from_bytes(decoder.take(min(2, max(1, decoder.rest))), "little")))


def cgm_records(decoder):
    while decoder.rest:
        size = decoder.take(1)[0]
        if size < 6:
            raise TooShort
        inner = Decoder(decoder.supplement, decoder.take(size - 1))
        flags = inner.take(1)[0]
        inner.medical_float(16, 1)
        integer(2)(inner)
        for bit in (7, 6, 5):
            if flags >> bit & 1:
                inner.items.append(("bits", inner.take(1)[0]))
        for bit in (0, 1):
            if flags >> bit & 1:
                inner.medical_float(16, 1)
        if inner.rest == 2:
            inner.items.append(("octets", inner.take(2).hex()))
        decoder.items += inner.items
        # A size that is larger than the record, and flags without a meaning.
        decoder.is_canonical &= inner.is_canonical and not inner.rest and not flags & 0x1C


def checksum(decoder, field):
    decoder.items.append(("octets", decoder.take(2).hex()))


def fixed_names(count):
    def read(decoder, field=None):
        decoder.items.append(("name", int.from_bytes(decoder.take(count), "little")))

    return read


def object_uuid(decoder, field=None):
    if decoder.rest not in (2, 16):
        raise TooShort
    decoder.take(decoder.rest)
    decoder.items.append(("name", 0))


def address(decoder):
    decoder.items.append(("name", int.from_bytes(decoder.take(6), "little")))


def pnp_id(decoder):
    source, vendor, product = decoder.take(1)[0], decoder.take(2), decoder.take(2)
    decoder.items += [("name", source)]
    decoder.items += [("number", Fraction(int.from_bytes(part, "little"))) for part in (vendor, product)]
    decoder.items.append(("name", int.from_bytes(decoder.take(2), "little")))


def appearance(decoder):
    decoder.items.append(("number", Fraction(int.from_bytes(decoder.take(2), "little"))))


def control_point(*parameters, response=None, parameter="octets"):
    """An op code, and what follows it: `parameters` are (op codes, reader)."""

    def read(decoder):
        code = decoder.take(1)[0]
        decoder.items.append(("name", code))
        for codes, reader in parameters:
            if code in codes:
                reader(decoder)
        if response is not None and code == response:
            decoder.items += [("name", decoder.take(1)[0]), ("name", decoder.take(1)[0])]
            if decoder.rest and parameter == "octets":
                decoder.items.append(("octets", decoder.take(decoder.rest).hex()))
            while decoder.rest:
                name(decoder)

    return read


def integer(octets, scale=Fraction(1), signed=False):
    def read(decoder):
        value = int.from_bytes(decoder.take(octets), "little", signed=signed)
        decoder.items.append(("number", value * scale))

    return read


def name(decoder):
    decoder.items.append(("name", decoder.take(1)[0]))


def mask(decoder):
    decoder.items.append(("bits", int.from_bytes(decoder.take(2), "little")))


def sfloat(decoder):
    decoder.medical_float(16, 1)


def one_or_two(decoder):
    count = 1 if decoder.rest == 1 else 2
    if count == 1:
        decoder.is_canonical = False
    decoder.items.append(("number", Fraction(int.from_bytes(decoder.take(count), "little"))))


def calibration(decoder):
    sfloat(decoder)
    integer(2)(decoder)
    two_names(decoder, None)
    integer(2)(decoder)
    integer(2)(decoder)
    decoder.items.append(("bits", decoder.take(1)[0]))


def record_access(decoder):
    code = decoder.take(1)[0]
    decoder.items += [("name", code), ("name", decoder.take(1)[0])]
    if code in (5, 8):
        integer(2)(decoder)
    elif code == 6:
        decoder.items += [("name", decoder.take(1)[0]), ("name", decoder.take(1)[0])]
    elif code in (1, 2, 4, 7) and decoder.rest:
        decoder.items.append(("octets", decoder.take(decoder.rest).hex()))


def glucose_control(decoder):
    control_point(
        ((1,), integer(1)),
        ((3,), one_or_two),
        ((4, 6), calibration),
        ((5,), integer(2)),
        ((7, 9, 10, 12, 13, 15, 16, 18, 19, 21, 22, 24), sfloat),
        response=None,
    )(decoder)
    if decoder.items[0] == ("name", 28):
        decoder.items += [("name", decoder.take(1)[0]), ("name", decoder.take(1)[0])]
    if decoder.rest == 2:
        checksum(decoder, None)


def blood_pressure_record(decoder):
    header = decoder.take(1)[0]
    decoder.items.append(("number", Fraction(header >> 2)))
    integer(2)(decoder)
    decoder.take(2)
    decoder.items.append(("name", 0))
    decoder.items.append(("octets", decoder.take(decoder.rest).hex()))


def recipe_control(decoder):
    name(decoder)
    if decoder.rest >= 2:
        raw = int.from_bytes(decoder.take(2), "little")
        decoder.items.append(("none",) if raw == 0 else ("number", Fraction(raw)))


PROSE = {
    "date_time": date_time,
    "object_first_created": date_time,
    "object_last_modified": date_time,
    "date_of_birth": date,
    "date_of_threshold_assessment": date,
    "date_utc": date_utc,
    "time_zone": time_zone,
    "time_accuracy": time_accuracy,
    "time_exponential_8": time_exponential,
    "elapsed_time": elapsed_time,
    "cgm_measurement": cgm_records,
    "alert_category_id_bit_mask": category_mask,
    "supported_new_alert_category": category_mask,
    "supported_unread_alert_category": category_mask,
    "object_type": object_uuid,
    "pnp_id": pnp_id,
    "appearance": appearance,
    "bd_addr": address,
    "system_id": fixed_names(8),
    "record_access_control_point": record_access,
    "blood_pressure_record": blood_pressure_record,
    "recipe_control": recipe_control,
    "cgm_specific_ops_control_point": glucose_control,
    # RSCS 1.0, 3.4: the cumulative value is the total distance in 1/10 m; CSCS 1.0, 3.5: wheel revolutions.
    "sc_control_point": control_point(((1,), integer(4)), ((3,), name), response=16, parameter="names"),
    # CPS 1.1, 3.4
    "cycling_power_control_point": control_point(
        ((1,), integer(4)),
        ((2,), name),
        ((4,), integer(2, Fraction(1, 2))),
        ((6, 8, 10), integer(2)),
        ((13,), mask),
        response=32,
    ),
    # LNS 1.0, 3.4
    "ln_control_point": control_point(
        ((1,), integer(3, Fraction(1, 10))),
        ((2,), mask),
        ((3,), name),
        ((5, 6), integer(2)),
        ((7,), integer(1)),
        ((8,), integer(3, Fraction(1, 100), signed=True)),
        response=32,
    ),
}

FIELD_PROSE = {
    ("body_composition_measurement", "Body Fat Percentage"): body_fat,
    ("exact_time_256", "Fractions256"): lambda decoder, field: integer(1, Fraction(1, 256))(decoder),
    ("sedentary_interval_notification", "Sedentary Interval Notification"): none_if(0, 2),
    ("temperature_type", "Temperature Type Description"): fixed_names(1),
    ("intermediate_temperature", "Temperature Type"): fixed_names(1),
    ("temperature_measurement", "Temperature Type"): fixed_names(1),
    ("estimated_service_date", "Estimated Service Date"): date_utc,
    ("battery_information", "Battery Aggregation Group"): none_if(0),
    ("heart_rate_measurement", "Heart Rate Measurement Value (16 bit resolution)"): wide_rate,
    ("cooking_step_status", "Remaining Time"): remaining_time,
    ("user_index", "User Index"): none_if(0xFF),
    ("measurement_interval", "Measurement Interval"): none_if(0, 2),
    ("recipe_parameters", "Cooking Step Index"): none_if(0, 2),
    ("cooking_step_status", "Cooking Step Index"): none_if(0, 2),
    ("glucose_measurement_context", "Exercise Duration"): none_if(0xFFFF, 2),
    ("heart_rate_measurement", "RR-interval"): milliseconds,
    ("glucose_measurement", "Glucose Concentration"): glucose,
    ("glucose_measurement", "Type-Sample Location"): two_names,
    ("glucose_measurement_context", "Medication"): medication,
    ("glucose_measurement_context", "Tester-Health"): two_names,
    ("cgm_feature", "CGM Type-Sample Location"): two_names,
    ("weight_measurement", "Weight"): mass,
    ("weight_measurement", "Height"): height,
    ("preferred_units", "Units"): unit_uuid,
}
for owner in ("cgm_feature", "cgm_status", "cgm_session_run_time", "cgm_session_start_time"):
    FIELD_PROSE[owner, "E2E-CRC"] = checksum
for field in ("Muscle Mass", "Fat Free Mass", "Soft Lean Mass", "Body Water Mass", "Weight"):
    FIELD_PROSE["body_composition_measurement", field] = mass
FIELD_PROSE["body_composition_measurement", "Height"] = height
for owner in ("enhanced_blood_pressure_measurement", "enhanced_intermediate_cuff_pressure"):
    FIELD_PROSE[owner, "Time Stamp"] = FIELD_PROSE[owner, "User Facing Time"] = epoch_time
for owner in (
    "blood_pressure_measurement", "intermediate_cuff_pressure", "enhanced_blood_pressure_measurement",
    "enhanced_intermediate_cuff_pressure", "weight_measurement", "body_composition_measurement",
):
    FIELD_PROSE[owner, "User ID"] = none_if(0xFF)
for field in ("Diastolic", "Mean Arterial Pressure"):
    FIELD_PROSE["intermediate_cuff_pressure", f"Intermediate Cuff Pressure Compound Value - {field} (unused)"] = unused
# FTMS 1.0, 4.4.1: the highest value of the energies means that they are not available.
for owner in ("cross_trainer", "rower", "indoor_bike", "treadmill", "step_climber", "stair_climber"):
    FIELD_PROSE[owner + "_data", "Total Energy"] = FIELD_PROSE[owner + "_data", "Energy Per Hour"] = none_if(0xFFFF, 2)
    FIELD_PROSE[owner + "_data", "Energy Per Minute"] = none_if(0xFF)
for field in ("UDI Label", "UDI Device Identifier", "UDI Issuer", "UDI Authority"):
    FIELD_PROSE["udi_for_medical_devices", field] = terminated
for field in ("Battery Manufacture Date", "Battery Expiration Date"):
    FIELD_PROSE["battery_information", field] = date_utc
