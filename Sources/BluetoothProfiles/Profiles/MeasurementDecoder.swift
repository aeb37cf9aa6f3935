// SPDX-License-Identifier: MIT

public import Bluetooth

/// Derives further values from decoded measurements and the ones before them, or from the calibration of a sensor: the
/// speed of a bicycle, the pressure of a barometer.
public struct MeasurementDecoder: Sendable {
    /// The user's statements about a device.
    public struct Settings: Hashable, Sendable {
        /// The circumference of the wheel of a bicycle, in millimetres.
        public var wheelCircumference: Int
        /// Whether the first values of a gyroscope, a magnetometer and an accelerometer are taken for zero.
        public var takesFirstForZero: Bool

        /// Creates settings.
        public init(
            wheelCircumference: Int = RevolutionCounter.usualCircumference,
            takesFirstForZero: Bool = false
        ) {
            self.wheelCircumference = wheelCircumference
            self.takesFirstForZero = takesFirstForZero
        }
    }

    /// The keys of the members that derived values have beside those of their formats.
    package static let derivedKeys = ["speed_kmh", "cadence_rpm", "temperature_c", "pressure_pa", "light_lux"]

    /// The keys of the numbers that those follow from: counts, times of events and raw readings, which show nothing
    /// over time.
    package static let countedKeys = [
        "wheel_revolutions", "last_wheel_event_s", "crank_revolutions", "last_crank_event_s", "raw_temperature",
        "raw_pressure",
    ]

    private let settings: Settings
    private var counters: [ProfileSource: RevolutionCounter] = [:]
    private var barometers: [ProfileSource: SensorTagBarometer] = [:]
    private var zeros: [ProfileSource: [String: DecimalNumber]] = [:]

    /// Creates a decoder, which knows no measurement yet.
    public init(_ settings: Settings = Settings()) { self.settings = settings }

    /// Takes the calibration of a source. Throws if it is too short.
    public mutating func calibrated(_ source: ProfileSource, _ bytes: [UInt8]) throws(DecodeError) {
        guard source.derivation == .barometer else { return }
        barometers[source] = try SensorTagBarometer(decoding: bytes)
    }

    /// Takes a measurement and returns the derived value; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - value: Its decoded value.
    ///   - bytes: Its octets.
    ///   - source: Its source in the profile.
    ///   - now: The time of its arrival.
    public mutating func derived(
        from value: DecodedValue,
        _ bytes: [UInt8],
        of source: ProfileSource,
        at now: Instant
    ) -> DecodedValue? {
        switch source.derivation {
        case nil: nil
        case .revolutions(let layout): revolutions(value, bytes, of: source, layout, now)
        case .barometer: weather(value, bytes, of: source)
        case .axes: settings.takesFirstForZero ? axes(value, of: source) : nil
        case .light: light(bytes)
        }
    }

    // MARK: - Bicycles

    /// Adds speed and cadence, which follow from two measurements in a row.
    private mutating func revolutions(
        _ value: DecodedValue,
        _ bytes: [UInt8],
        of source: ProfileSource,
        _ layout: RevolutionCounter.Layout,
        _ now: Instant
    ) -> DecodedValue? {
        guard case .object(let members) = value.content else { return nil }
        var counter = counters[source] ?? RevolutionCounter(layout, circumference: settings.wheelCircumference)
        let derived = counter.received(bytes, at: now)
        counters[source] = counter
        guard !derived.isEmpty else { return nil }
        var words: [String] = []
        if case .number(let power)? = value.content["power_w"] { words.append("\(power) W") }
        for (key, unit) in [("speed_kmh", "km/h"), ("cadence_rpm", "rpm")] {
            guard let member = derived.first(where: { $0.key == key }) else { continue }
            if case .number(let number) = member.value { words.append("\(number) \(unit)") }
        }
        if case .number(let balance)? = value.content["pedal_power_balance_percent"] {
            words.append("balance \(balance) %")
        }
        // The first measurement has nothing to be compared with.
        let text = words.isEmpty ? value.text : words.joined(separator: ", ")
        return DecodedValue(text: text, content: .object(members + derived), surplus: value.surplus)
    }

    // MARK: - SensorTag

    /// The temperature and the pressure, which only the calibration of the tag explains; `nil` before it was read.
    private func weather(_ value: DecodedValue, _ bytes: [UInt8], of source: ProfileSource) -> DecodedValue? {
        guard let barometer = barometers[source], case .object(let members) = value.content else { return nil }
        var reader = ByteReader(bytes)
        guard let temperature = try? reader.int16("temperature"), let pressure = try? reader.uint16("pressure") else {
            return nil
        }
        let celsius = DecimalNumber(barometer.centicelsius(rawTemperature: temperature), exponent: -2)
        let pascals = barometer.pascals(rawTemperature: temperature, rawPressure: pressure)
        return DecodedValue(
            text: "temperature \(celsius) °C, pressure \(DecimalNumber(pascals, exponent: -2)) hPa",
            content: .object(
                members + [.init("temperature_c", .number(celsius)), .init("pressure_pa", .number(pascals))]
            ),
            surplus: value.surplus
        )
    }

    /// The three axes, relative to the first values.
    private mutating func axes(_ value: DecodedValue, of source: ProfileSource) -> DecodedValue? {
        guard case .object(let members) = value.content else { return nil }
        var zero = zeros[source] ?? [:]
        var words: [String] = []
        let moved = members.map { member -> DecodedValue.Member in
            guard case .number(let number) = member.value else { return member }
            let first = zero[member.key] ?? number
            zero[member.key] = first
            let difference = number.adding(first.negated)
            let parts = member.key.split(separator: "_", maxSplits: 1)
            let unit = parts.count == 2 ? Self.symbols[String(parts[1])] ?? "" : ""
            words.append("\(parts.first ?? "") \(difference.rounded(toPlaces: 3)) \(unit)")
            return DecodedValue.Member(member.key, .number(difference))
        }
        zeros[source] = zero
        return DecodedValue(text: words.joined(separator: ", "), content: .object(moved), surplus: value.surplus)
    }

    /// The units of the sensors with axes by the endings of their keys.
    private static let symbols = ["g": "g", "ut": "µT", "degrees_per_s": "°/s"]

    /// Spec: TI OPT3001 data sheet (SBOS681), 7.6.1.1
    private func light(_ bytes: [UInt8]) -> DecodedValue? {
        var reader = ByteReader(bytes)
        guard let raw = try? reader.uint16("light") else { return nil }
        let lux = DecimalNumber(Int(raw & 0x0FFF) << Int(raw >> 12), exponent: -2)
        return DecodedValue(text: "\(lux) lx", content: .object([.init("light_lux", .number(lux))]))
    }
}
