// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles

/// A number of the values of a device over time, and its statistics.
struct ValueSeries: Sendable {
    /// The number of values that are kept for the chart: one for each column of a wide terminal.
    static let length = 300

    private(set) var last = 0.0
    private(set) var least = 0.0
    private(set) var greatest = 0.0
    private(set) var count = 0
    /// The last values, with `nil` for each gap.
    private(set) var values: [Double?] = []
    private var sum = 0.0

    var mean: Double { count > 0 ? sum / Double(count) : 0 }

    mutating func received(_ value: Double) {
        least = count == 0 ? value : min(least, value)
        greatest = count == 0 ? value : max(greatest, value)
        last = value
        sum += value
        count += 1
        keep(value)
    }

    /// Values are missing here.
    mutating func interrupted() {
        if values.last != .some(nil) { keep(nil) }
    }

    private mutating func keep(_ value: Double?) {
        values.append(value)
        // Now and then, because each removal moves all the others.
        if values.count > 2 * Self.length { values.removeFirst(values.count - Self.length) }
    }
}

/// The name and the unit of a number in a decoded value, from its key: `heart_rate_bpm`.
struct NumberKey: Hashable, Sendable {
    private static let units = [
        "bpm": "bpm", "ms": "ms", "kj": "kJ", "percent": "%", "celsius": "°C", "fahrenheit": "°F", "kcal": "kcal",
        "s": "s", "v": "V", "mv": "mV", "ma": "mA", "w": "W", "kg": "kg", "m": "m", "mm": "mm", "km": "km", "pa": "Pa",
        "kpa": "kPa", "mmhg": "mmHg", "rpm": "rpm", "lux": "lx", "dbm": "dBm", "degrees": "°",
    ]

    let name: String
    let unit: String

    /// - Parameter label: The target, if there are several.
    init(_ key: String, label: String?) {
        var words = key.split(separator: "_").map(String.init)
        var unit = ""
        if words.count > 1, let last = words.last, let found = Self.units[last] {
            unit = found
            words.removeLast()
        }
        self.unit = unit
        name = TerminalText.escaped(((label.map { [$0] } ?? []) + words).joined(separator: " "))
    }

    /// The numbers in a decoded value. A list has several of the same key.
    static func numbers(in content: DecodedValue.Content, label: String?) -> [(NumberKey, Double)] {
        var found: [(NumberKey, Double)] = []
        collect(content, "", label, &found)
        return found
    }

    private static func collect(
        _ content: DecodedValue.Content,
        _ key: String,
        _ label: String?,
        _ found: inout [(NumberKey, Double)]
    ) {
        switch content {
        case .number(let number):
            guard let value = Double(number.description), value.isFinite else { return }
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
