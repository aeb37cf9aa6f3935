// SPDX-License-Identifier: MIT

import Bluetooth

extension FieldUnit {
    /// The unit that a text means: one of those of the assigned formats by its symbol (`°C`) or by the ending of its
    /// keys (`percent`), one of the assigned numbers by its name or UUID (`time (minute)`), or by the word in the
    /// parentheses of that name (`celsius`, `volt`). Any other text is a symbol.
    static func named(_ text: String) -> FieldUnit {
        guard !text.isEmpty else { return .none }
        if let unit = common.first(where: { $0.symbol == text || $0.keyEnding == text }) { return unit }
        if let number = AssignedNumbers.unit(named: text) ?? word(text),
            let unit = AssignedNumbers.unit(BluetoothUUID(number))
        {
            // A unit without a symbol, such as 0x2700 (unitless), adds nothing to a number or a key.
            guard !unit.symbol.isEmpty else { return .none }
            return common.first { $0.symbol == unit.symbol } ?? FieldUnit(unit.symbol, ending(of: unit.symbol))
        }
        return FieldUnit(text, ending(of: text))
    }

    /// The number of the unit that a text means in the same ways; `nil` if that is not one of the assigned numbers.
    fileprivate static func number(of text: String) -> UInt16? {
        if let number = AssignedNumbers.unit(named: text) ?? word(text) { return number }
        let symbol = common.first { $0.symbol == text || $0.keyEnding == text }?.symbol ?? text
        var found: UInt16?
        NameTable.units.forEach { entry in
            let line = String(decoding: entry.name, as: UTF8.self)
            if line.prefix(while: { $0 != "\t" }) == symbol { found = UInt16(truncatingIfNeeded: entry.number) }
            return found == nil
        }
        return found
    }

    /// The unit of the assigned numbers whose name has that word in its parentheses, in the singular or with an `s`.
    private static func word(_ text: String) -> UInt16? {
        let wanted = NameKey(text.utf8).octets
        guard wanted.count > 1 else { return nil }
        var found: UInt16?
        NameTable.units.forEach { entry in
            let line = String(decoding: entry.name, as: UTF8.self)
            guard let open = line.firstIndex(of: "("), line.last == ")" else { return true }
            var key = NameKey(line[line.index(after: open)...].dropLast().utf8).octets
            let degree = Array("degree".utf8)
            if key.starts(with: degree), key.count > degree.count { key.removeFirst(degree.count) }
            if key == wanted || key + [UInt8(ascii: "s")] == wanted { found = UInt16(truncatingIfNeeded: entry.number) }
            return found == nil
        }
        return found
    }

    /// The end of keys: the letters and digits of a symbol, with `_per_` for a slash.
    private static func ending(of symbol: String) -> String {
        symbol.split(separator: "/", omittingEmptySubsequences: false)
            .map { AssignedNumber.slug($0).map { $0 == "-" ? "_" : String($0) }.joined() }
            .filter { !$0.isEmpty }
            .joined(separator: "_per_")
    }

    /// The units of the assigned formats.
    private static var common: [FieldUnit] {
        [
            .percent, .bpm, .perMinute, .rpm, .seconds, .milliseconds, .minutes, .hours, .days, .years, .metres,
            .millimetres, .inches, .metresPerSecond, .kilometresPerHour, .metresPerSecondSquared, .standardGravity,
            .degreesPerSecond, .degrees, .kilograms, .milligrams, .grams, .pounds, .millilitres,
            .kilogramsPerSquareMetre, .microgramsPerCubicMetre, .milligramsPerDecilitre, .millimolesPerLitre,
            .partsPerMillion, .partsPerBillion, .perCubicMetre, .gramsPerSecond, .litresPerSecond,
            .cubicMetresPerSecond, .celsius, .fahrenheit, .kelvin, .kelvinPerSecond, .pascals, .kilopascals,
            .millimetresOfMercury, .newtons, .newtonMetres, .watts, .kilojoules, .kilojoulesPerHour, .kilocalories,
            .kilocaloriesPerHour, .kilocaloriesPerMinute, .kilowattHours, .kilovoltAmpereHours, .voltAmperes, .volts,
            .amperes, .ohms, .hertz, .microteslas, .decibels, .decibelMilliwatts, .lux, .luxHours, .lumens,
            .lumenHours, .lumensPerWatt, .candelas, .wattsPerSquareMetre, .metabolicEquivalents,
            .millilitresPerKilogramMinute,
        ]
    }
}

extension AssignedNumbers {
    /// The number of a unit by its name, its UUID, its symbol, or the word in the parentheses of its name: `watt`, `W`.
    package static func unit(spelled text: String) -> UInt16? { text.isEmpty ? nil : FieldUnit.number(of: text) }
}
