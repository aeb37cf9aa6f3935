// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import Terminal

/// A number of the values of a device over time, and its statistics.
struct ValueSeries: Sendable {
    /// The number of values that are kept for the chart: one for each column of a wide terminal.
    package static let length = 300

    private(set) var last = 0.0
    /// The lowest number of all, not only of those that are kept.
    private(set) var least = 0.0
    private(set) var greatest = 0.0
    private(set) var count = 0
    /// The last values, with `nil` for each gap.
    private(set) var values: [Double?] = []
    /// The sum of all numbers, for the mean.
    private var sum = 0.0

    /// The arithmetic mean of all numbers; 0 before the first.
    package var mean: Double { count > 0 ? sum / Double(count) : 0 }

    /// Adds a number to the statistics and to the chart.
    package mutating func received(_ value: Double) {
        least = count == 0 ? value : min(least, value)
        greatest = count == 0 ? value : max(greatest, value)
        last = value
        sum += value
        count += 1
        keep(value)
    }

    /// Values are missing here.
    package mutating func interrupted() {
        // Several interruptions before the next value are one gap.
        if values.last != .some(nil) { keep(nil) }
    }

    /// Keeps a number or a gap for the chart. At least the last `length` entries are kept.
    private mutating func keep(_ value: Double?) {
        values.append(value)
        // Now and then, because each removal moves all the others.
        if values.count > 2 * Self.length { values.removeFirst(values.count - Self.length) }
    }
}

extension Array {
    /// The place of a new number among those that have come before: derived ones are in front.
    func place<Values>(of key: NumberKey) -> Int where Element == (key: NumberKey, values: Values) {
        key.isDerived ? count { $0.key.isDerived } : count
    }
}

/// The name and the unit of a number in a decoded value, from its key: `heart_rate_bpm`.
struct NumberKey: Hashable, Sendable {
    /// By the endings of keys, which are those of the fields of characteristics, and some more of devices' own formats.
    private static let units = [
        "a": "A", "bpm": "bpm", "c": "°C", "cd": "cd", "days": "d", "db": "dB", "dbm": "dBm", "degrees": "°",
        "degrees_per_s": "°/s", "f": "°F", "g": "g", "g_per_s": "g/s", "h": "h", "hpa": "hPa", "hz": "Hz",
        "in": "in", "jin": "jin", "k": "K", "k_per_s": "K/s", "kcal": "kcal", "kcal_per_h": "kcal/h",
        "kcal_per_min": "kcal/min",
        "kg": "kg", "km_per_min": "km/min", "kg_per_m": "kg/m", "kg_per_m2": "kg/m²", "kj": "kJ", "kj_per_h": "kJ/h",
        "kmh": "km/h",
        "kpa": "kPa", "kvah": "kVAh", "kwh": "kWh", "l_per_s": "l/s", "lb": "lb", "lm": "lm", "lm_per_w": "lm/W",
        "lmh": "lm·h", "lx": "lx", "lxh": "lx·h", "m": "m", "m3_per_s": "m³/s", "met": "MET", "mg": "mg",
        "mg_per_dl": "mg/dl", "mg_per_dl_min": "mg/(dl·min)",
        "min": "min", "ml": "ml", "ml_per_kg_min": "ml/(kg·min)", "mm": "mm", "mmhg": "mmHg", "mmol_per_l": "mmol/l",
        "mps": "m/s", "mps2": "m/s²", "ms": "ms", "n": "N", "nm": "N·m", "ohm": "Ω", "pa": "Pa", "per_m3": "/m³",
        "per_minute": "/min", "percent": "%", "ppb": "ppb", "ppm": "ppm", "rpm": "rpm", "s": "s",
        "ug_per_m3": "µg/m³", "ut": "µT", "v": "V", "va": "VA", "w": "W", "w_per_m2": "W/m²", "years": "a",
    ]

    /// The name without its unit, with the label in front if there are several targets.
    package let name: String
    /// The symbol of the unit; empty if the key names none.
    package let unit: String
    /// Whether it follows from other numbers of the values, so that it is what their reader looks for.
    package let isDerived: Bool

    /// - Parameter label: The target, if there are several.
    init(_ key: String, label: String?) {
        isDerived = MeasurementDecoder.derivedKeys.contains(key)
        var words = key.split(separator: "_").map(String.init)
        // The unit of a pair of extremes is in the name of the pair: `angle_degrees_maximum`.
        let extreme = ["minimum", "maximum"].contains(words.last) && words.count > 1 ? [words.removeLast()] : []
        var unit = ""
        // The longest ending counts: `per_minute`.
        // The longest unit has four words (`ml_per_kg_min`), and one word has to be left as the name.
        for count in stride(from: min(4, words.count - 1), to: 0, by: -1) {
            guard let found = Self.units[words.suffix(count).joined(separator: "_")] else { continue }
            unit = found
            words.removeLast(count)
            break
        }
        self.unit = unit
        // The name would appear twice if the number has the name of its target.
        let isRepeated = words.joined(separator: "-") == label
        let parts = (label.map { [$0] } ?? []) + (isRepeated ? [] : words) + extreme
        name = TerminalText.escaped(parts.joined(separator: " "))
    }

    /// The numbers in a decoded value that show something over time. A list has several of the same key.
    package static func numbers(in content: DecodedValue.Content, label: String?) -> [(NumberKey, Double)] {
        var found: [(NumberKey, Double)] = []
        collect(content, "", label, &found)
        return found
    }

    /// Collects the numbers in a value. Nested members get joined names, so that each number has its own curve.
    private static func collect(
        _ content: DecodedValue.Content,
        _ key: String,
        _ label: String?,
        _ found: inout [(NumberKey, Double)]
    ) {
        switch content {
        case .number(let number):
            // A decimal number may be beyond the range of a Double, which then becomes infinite.
            guard !MeasurementDecoder.countedKeys.contains(key), let value = Double(number.description), value.isFinite
            else { return }
            found.append((NumberKey(key.isEmpty ? "value" : key, label: label), value))
        case .array(let elements): for element in elements { collect(element, key, label, &found) }
        case .object(let members):
            for member in members {
                collect(member.value, key.isEmpty ? member.key : "\(key)_\(member.key)", label, &found)
            }
        case .null, .bool, .string: break
        }
    }
}
