// SPDX-License-Identifier: MIT

/// The unit of a field: its symbol after a number, and the ending of a key.
struct FieldUnit: Hashable, Sendable {
    /// The symbol in texts; empty for a plain number.
    let symbol: String
    /// The ending of the key in records, in ASCII letters: `mg_per_dl`.
    let keyEnding: String

    init(_ symbol: String, _ keyEnding: String) {
        self.symbol = symbol
        self.keyEnding = keyEnding
    }

    /// The letters of a symbol as a keyboard has them, by which units are compared: `c` for `°C` and `C`, `m/s2` for
    /// `m/s²`.
    static func letters(_ symbol: some StringProtocol) -> String {
        var letters = ""
        for scalar in symbol.lowercased().unicodeScalars {
            switch scalar {
            case "°" where symbol.unicodeScalars.count > 1: break
            case " ", "·": break
            case "µ", "μ": letters += "u"
            case "²": letters += "2"
            case "³": letters += "3"
            case "ω", "Ω": letters += "ohm"
            default: letters.unicodeScalars.append(scalar)
            }
        }
        return letters
    }

    static var none: Self { .init("", "") }
    static var percent: Self { .init("%", "percent") }
    static var bpm: Self { .init("bpm", "bpm") }
    static var perMinute: Self { .init("/min", "per_minute") }
    static var rpm: Self { .init("rpm", "rpm") }

    static var seconds: Self { .init("s", "s") }
    /// The time for 500 m, which is how rowers state a speed.
    static var secondsPer500Metres: Self { .init("s", "per_500_m_s") }
    static var milliseconds: Self { .init("ms", "ms") }
    static var minutes: Self { .init("min", "min") }
    static var hours: Self { .init("h", "h") }
    static var days: Self { .init("d", "days") }
    static var years: Self { .init("a", "years") }

    static var metres: Self { .init("m", "m") }
    static var millimetres: Self { .init("mm", "mm") }
    static var inches: Self { .init("in", "in") }
    static var metresPerSecond: Self { .init("m/s", "mps") }
    static var kilometresPerHour: Self { .init("km/h", "kmh") }
    static var kilometresPerMinute: Self { .init("km/min", "km_per_min") }
    static var metresPerSecondSquared: Self { .init("m/s²", "mps2") }
    static var standardGravity: Self { .init("g", "g") }
    static var degreesPerSecond: Self { .init("°/s", "degrees_per_s") }
    static var degrees: Self { .init("°", "degrees") }

    static var kilograms: Self { .init("kg", "kg") }
    static var milligrams: Self { .init("mg", "mg") }
    static var grams: Self { .init("g", "g") }
    static var pounds: Self { .init("lb", "lb") }
    /// The Chinese pound of 500 g.
    static var jin: Self { .init("jin", "jin") }
    static var millilitres: Self { .init("ml", "ml") }
    static var kilogramsPerSquareMetre: Self { .init("kg/m²", "kg_per_m2") }
    static var microgramsPerCubicMetre: Self { .init("µg/m³", "ug_per_m3") }
    static var milligramsPerDecilitre: Self { .init("mg/dl", "mg_per_dl") }
    static var millimolesPerLitre: Self { .init("mmol/l", "mmol_per_l") }
    static var partsPerMillion: Self { .init("ppm", "ppm") }
    static var partsPerBillion: Self { .init("ppb", "ppb") }
    static var perCubicMetre: Self { .init("/m³", "per_m3") }
    static var gramsPerSecond: Self { .init("g/s", "g_per_s") }
    static var litresPerSecond: Self { .init("l/s", "l_per_s") }
    static var cubicMetresPerSecond: Self { .init("m³/s", "m3_per_s") }

    static var celsius: Self { .init("°C", "c") }
    static var fahrenheit: Self { .init("°F", "f") }
    static var kelvin: Self { .init("K", "k") }
    static var kelvinPerSecond: Self { .init("K/s", "k_per_s") }
    static var pascals: Self { .init("Pa", "pa") }
    static var hectopascals: Self { .init("hPa", "hpa") }
    static var kilopascals: Self { .init("kPa", "kpa") }
    static var millimetresOfMercury: Self { .init("mmHg", "mmhg") }

    static var newtons: Self { .init("N", "n") }
    static var newtonMetres: Self { .init("N·m", "nm") }
    static var watts: Self { .init("W", "w") }
    static var kilojoules: Self { .init("kJ", "kj") }
    static var kilojoulesPerHour: Self { .init("kJ/h", "kj_per_h") }
    static var kilocalories: Self { .init("kcal", "kcal") }
    static var kilocaloriesPerHour: Self { .init("kcal/h", "kcal_per_h") }
    static var kilocaloriesPerMinute: Self { .init("kcal/min", "kcal_per_min") }
    static var kilowattHours: Self { .init("kWh", "kwh") }
    static var kilovoltAmpereHours: Self { .init("kVAh", "kvah") }
    static var voltAmperes: Self { .init("VA", "va") }
    static var volts: Self { .init("V", "v") }
    static var amperes: Self { .init("A", "a") }
    static var ohms: Self { .init("Ω", "ohm") }
    static var hertz: Self { .init("Hz", "hz") }
    static var microteslas: Self { .init("µT", "ut") }
    static var decibels: Self { .init("dB", "db") }
    static var decibelMilliwatts: Self { .init("dBm", "dbm") }

    static var lux: Self { .init("lx", "lx") }
    static var luxHours: Self { .init("lx·h", "lxh") }
    static var lumens: Self { .init("lm", "lm") }
    static var lumenHours: Self { .init("lm·h", "lmh") }
    static var lumensPerWatt: Self { .init("lm/W", "lm_per_w") }
    static var candelas: Self { .init("cd", "cd") }
    static var wattsPerSquareMetre: Self { .init("W/m²", "w_per_m2") }
    static var metabolicEquivalents: Self { .init("MET", "met") }
    static var millilitresPerKilogramMinute: Self { .init("ml/(kg·min)", "ml_per_kg_min") }
}
