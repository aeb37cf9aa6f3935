#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Writes the tables of assigned numbers anew: `make tables`. The numbers and names are those that the Bluetooth SIG publishes as YAML;
# the Python package bluetooth-sig (MIT) carries them. The symbols of units are our own. The table vendor.txt is written by hand, from
# the vendors' published documentation: 32 hex digits, a space, S(ervice), C(haracteristic) or D(escriptor), a space, the name.
# So are hci-commands.txt and hci-events.txt, from Core 6.0, Vol 4, Part E, 7 (without `HCI_` and underscores; include/CBluetoothData.h
# says what stands before the tab), and management-commands.txt and management-events.txt, from BlueZ, doc/mgmt-protocol.rst.
"""usage: generate.py FOLDER, the folder `assigned_numbers` of the package"""

import pathlib
import re
import sys

import yaml

HERE = pathlib.Path(__file__).parent
ADVERTISING = HERE.parent / "Bluetooth" / "Advertising"

# The names of units as they are written behind a number; the SIG publishes none.
SYMBOLS = {
    0x2701: "m", 0x2702: "kg", 0x2703: "s", 0x2704: "A", 0x2705: "K", 0x2706: "mol", 0x2707: "cd", 0x2710: "m²",
    0x2711: "m³", 0x2712: "m/s", 0x2713: "m/s²", 0x2714: "/m", 0x2715: "kg/m³", 0x2716: "kg/m²", 0x2717: "m³/kg",
    0x2718: "A/m²", 0x2719: "A/m", 0x271A: "mol/m³", 0x271B: "kg/m³", 0x271C: "cd/m²", 0x2720: "rad", 0x2721: "sr",
    0x2722: "Hz", 0x2723: "N", 0x2724: "Pa", 0x2725: "J", 0x2726: "W", 0x2727: "C", 0x2728: "V", 0x2729: "F",
    0x272A: "Ω", 0x272B: "S", 0x272C: "Wb", 0x272D: "T", 0x272E: "H", 0x272F: "°C", 0x2730: "lm", 0x2731: "lx",
    0x2732: "Bq", 0x2733: "Gy", 0x2734: "Sv", 0x2735: "kat", 0x2740: "Pa·s", 0x2741: "N·m", 0x2742: "N/m",
    0x2743: "rad/s", 0x2744: "rad/s²", 0x2745: "W/m²", 0x2746: "J/K", 0x2747: "J/(kg·K)", 0x2748: "J/kg",
    0x2749: "W/(m·K)", 0x274A: "J/m³", 0x274B: "V/m", 0x274C: "C/m³", 0x274D: "C/m²", 0x274E: "C/m²", 0x274F: "F/m",
    0x2750: "H/m", 0x2751: "J/mol", 0x2752: "J/(mol·K)", 0x2753: "C/kg", 0x2754: "Gy/s", 0x2755: "W/sr",
    0x2756: "W/(m²·sr)", 0x2757: "kat/m³", 0x2760: "min", 0x2761: "h", 0x2762: "d", 0x2763: "°", 0x2764: "′",
    0x2765: "″", 0x2766: "ha", 0x2767: "l", 0x2768: "t", 0x2780: "bar", 0x2781: "mmHg", 0x2782: "Å", 0x2783: "nmi",
    0x2784: "b", 0x2785: "kn", 0x2786: "Np", 0x2787: "B", 0x27A0: "yd", 0x27A1: "pc", 0x27A2: "in", 0x27A3: "ft",
    0x27A4: "mi", 0x27A5: "psi", 0x27A6: "km/h", 0x27A7: "mph", 0x27A8: "rpm", 0x27A9: "cal", 0x27AA: "kcal",
    0x27AB: "kWh", 0x27AC: "°F", 0x27AD: "%", 0x27AE: "‰", 0x27AF: "bpm", 0x27B0: "Ah", 0x27B1: "mg/dl",
    0x27B2: "mmol/l", 0x27B3: "a", 0x27B4: "mo", 0x27B5: "/m³", 0x27B6: "W/m²", 0x27B7: "ml/(kg·min)", 0x27B8: "lb",
    0x27B9: "MET", 0x27BA: "steps/min", 0x27BC: "strokes/min", 0x27BD: "km/min", 0x27BE: "lm/W", 0x27BF: "lm·h",
    0x27C0: "lx·h", 0x27C1: "g/s", 0x27C2: "l/s", 0x27C3: "dB", 0x27C4: "ppm", 0x27C5: "ppb", 0x27C6: "mg/(dl·min)",
    0x27C7: "kVAh", 0x27C8: "VA", 0x27C9: "g",
}


def clean(name):
    """A name without typesetting and doubled blanks, in the characters of a keyboard where there are some."""
    name = re.sub(r"\\text\w+\{(\w*)\}", r"\1", name)
    name = name.replace("（", " (").replace("）", ") ").replace("–", "-").replace("\u00a0", " ")
    return re.sub(r"\s+", " ", name).strip().replace("( ", "(").replace(" )", ")")


def words(name):
    """The words of a name that is written as one: LANAccessUsingPPP is LAN Access Using PPP."""
    name = clean(name).removesuffix("ServiceClassID").replace("_", " ")
    if " " not in name and "-" not in name and "/" not in name:
        name = name.removesuffix("Service")
        name = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return name.replace("Ir MC", "IrMC").replace("Pn P", "PnP")


class Source:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def entries(self, path, key=None):
        content = yaml.safe_load((self.folder / path).read_text(encoding="utf-8"))
        return next(iter(content.values())) if key is None else content[key]

    def names(self, path, number="uuid", form=clean):
        return {entry[number]: form(entry["name"]) for entry in self.entries(path)}


def file(name):
    """StandardsOrganizations is in standards-organizations.txt."""
    return HERE / "tables" / (re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower() + ".txt")


def present(name):
    """The lines of the table as it is now, by their numbers."""
    lines = file(name).read_text(encoding="utf-8").splitlines() if file(name).exists() else []
    return {int(line.split(" ", 1)[0], 16): line.split(" ", 1)[1] for line in lines}


def write(name, names):
    """One line each, sorted by number: four upper-case hex digits, a space, the name."""
    file(name).write_text("".join(f"{number:04X} {names[number]}\n" for number in sorted(names)), encoding="utf-8")
    print(f"{name}: {len(names)}")


def appearances(source):
    names = {}
    for category in source.entries("core/appearance_values.yaml"):
        names[category["category"] << 6] = clean(category["name"])
        for sub in category.get("subcategory", []):
            names[category["category"] << 6 | sub["value"]] = clean(sub["name"])
    return names


def write_ad_types(source):
    names = {}
    for entry in source.entries("core/ad_types.yaml"):
        # 0x10 has a second meaning in an extended inquiry response, which comes first in the list.
        names[entry["value"]] = clean(entry["name"]).replace("Service or Service Class UUIDs", "Service Class UUIDs")
    del names[0xFF]
    lines = "\n".join(f'        0x{number:02X}: "{names[number]}",' for number in sorted(names))
    (ADVERTISING / "ADTypeNames.swift").write_text(
        f"""// SPDX-License-Identifier: MIT
// Generated table ('make tables'): names from the Bluetooth SIG's Assigned Numbers as published in 2026.

extension ADType {{
    /// The names of the types other than 0xFF.
    static let names: [UInt8: String] = [
{lines}
    ]
}}
""",
        encoding="utf-8",
    )
    print(f"AD types: {len(names)}")


def write_uri_schemes(source):
    entries = source.entries("core/uri_schemes.yaml")
    names = [""] * (max(entry["value"] for entry in entries) + 1)
    for entry in entries:
        names[entry["value"]] = entry["name"] if entry["name"].endswith(":") else ""
    lines, line = [], "       "
    for name in names:
        item = f' "{name}",'
        if len(line) + len(item) > 120:
            lines.append(line)
            line = "       "
        line += item
    lines.append(line)
    body = "\n".join(lines)
    (ADVERTISING / "Elements" / "URIScheme.swift").write_text(
        f"""// SPDX-License-Identifier: MIT
// Generated table ('make tables'): names from the Bluetooth SIG's Assigned Numbers as published in 2026.

/// The schemes of URIs that are sent as one character.
///
/// Spec: Assigned Numbers, 2.7
public enum URIScheme {{
    /// The schemes, by the code point of their character; empty for 0x01, which means no scheme.
    public static let names: [String] = [
{body}
    ]
}}
""",
        encoding="utf-8",
    )
    print(f"URI schemes: {len(names)}")


def main(folder):
    source = Source(folder)
    write("Services", source.names("uuids/service_uuids.yaml"))
    # A number is never assigned twice, so that a withdrawn one keeps the name that it had: devices in use have it.
    write("Characteristics", present("Characteristics") | source.names("uuids/characteristic_uuids.yaml"))
    write("Descriptors", source.names("uuids/declarations.yaml") | source.names("uuids/descriptors.yaml"))
    write("Members", source.names("uuids/member_uuids.yaml"))
    write("StandardsOrganizations", source.names("uuids/sdo_uuids.yaml"))
    classes = source.names("uuids/service_class.yaml", form=words)
    write("ServiceClasses", classes | source.names("uuids/browse_group_identifiers.yaml", form=words))
    write("Protocols", source.names("uuids/protocol_identifiers.yaml", form=words))
    write("MeshProfiles", source.names("uuids/mesh_profile_uuids.yaml"))
    write("ObjectTypes", source.names("uuids/object_types.yaml"))
    units = {}
    for number, name in source.names("uuids/units.yaml").items():
        # Only the name of a person begins with a capital letter.
        name = name if name.startswith("Celsius") else name[0].lower() + name[1:]
        units[number] = f"{SYMBOLS.get(number, '')}\t{name}"
    write("Units", units)
    companies = source.names("company_identifiers/company_identifiers.yaml", number="value")
    write("Companies", present("Companies") | companies)
    write("Appearances", appearances(source))
    write("NamespaceDescriptions", source.names("core/namespace.yaml", number="value"))
    write_ad_types(source)
    write_uri_schemes(source)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
