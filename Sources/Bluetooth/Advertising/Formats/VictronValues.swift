// SPDX-License-Identifier: MIT

extension VictronReadout.Record {
    var isDecoded: Bool { self != .inverterRS }

    /// The values of a readout, those that it has.
    ///
    /// - Parameters:
    ///   - octets: The decrypted octets.
    ///   - product: The number of the product: a Smart Battery Sense sends the readout of a battery monitor.
    func facts(_ octets: [UInt8], product: UInt16) -> [AdvertisedFact] {
        var reader = VictronReader(octets)
        switch self {
        case .solarCharger:
            return reader.charger() + [
                reader.batteryVoltage(), reader.batteryCurrent(),
                AdvertisedFact("yield_today_kwh", reader.number(16, -2), unit: "kWh", label: "today", .named),
                AdvertisedFact("solar_power_w", reader.number(16), unit: "W", label: "solar", .named),
                AdvertisedFact("load_current_a", reader.number(9, -1), unit: "A", label: "load", .named),
            ]
        case .batteryMonitor: return reader.batteryMonitor()
        case .inverter:
            return [
                reader.state(), reader.alarm(), reader.batteryVoltage(),
                AdvertisedFact("ac_apparent_power_va", reader.number(16), unit: "VA", .main),
                AdvertisedFact("ac_voltage_v", reader.number(15, -2), unit: "V", label: "AC", .named),
                AdvertisedFact("ac_current_a", reader.number(11, -1), unit: "A", .main),
            ]
        case .dcdcConverter:
            let charger = reader.charger()
            let input = reader.number(16, -2)
            return charger + [
                AdvertisedFact("output_voltage_v", reader.signed(16, -2), unit: "V", label: "out", .named),
                AdvertisedFact("input_voltage_v", input, unit: "V", label: "in", .named), reader.offReason(),
            ]
        case .smartLithium: return reader.lithium()
        case .acCharger: return reader.acCharger()
        case .smartBatteryProtect:
            return [
                reader.state(),
                AdvertisedFact("output", reader.bits.available(8).map { Self.output[$0] ?? "state \($0)" }, .named),
                reader.error(), reader.alarm(), AdvertisedFact("warning", reader.alarms(), .named),
                AdvertisedFact("input_voltage_v", reader.signed(16, -2), unit: "V", label: "in", .named),
                AdvertisedFact("output_voltage_v", reader.number(16, -2), unit: "V", label: "out", .named),
                reader.offReason(),
            ]
        case .lynxSmartBMS: return reader.lynx()
        case .multiRS, .veBus: return reader.multi(isVEBus: self == .veBus)
        case .dcEnergyMeter:
            let type = reader.signed(16)
            return reader.meter() + [AdvertisedFact("meter_type", type)]
        case .orionXS:
            return reader.charger() + [
                AdvertisedFact("output_voltage_v", reader.number(16, -2), unit: "V", label: "out", .named),
                AdvertisedFact("output_current_a", reader.number(16, -1), unit: "A", .main),
                AdvertisedFact("input_voltage_v", reader.number(16, -2), unit: "V", label: "in", .named),
                AdvertisedFact("input_current_a", reader.number(16, -1), unit: "A", .main), reader.offReason(),
            ]
        case .inverterRS: return []
        }
    }

    private static let output: [Int64: String] = [1: "on", 4: "off"]
}

/// Reads the values that several kinds of readout share.
private struct VictronReader {
    var bits: BitReader

    init(_ octets: [UInt8]) { bits = BitReader(octets) }

    /// The next number; `nil` if it is not available.
    mutating func number(_ width: Int, _ exponent: Int = 0) -> AdvertisedNumber? {
        bits.available(width).map { AdvertisedNumber($0, exponent: exponent) }
    }

    mutating func signed(_ width: Int, _ exponent: Int = 0) -> AdvertisedNumber? {
        bits.availableSigned(width).map { AdvertisedNumber($0, exponent: exponent) }
    }

    /// A temperature in °C, of which 40 are added.
    mutating func temperature() -> AdvertisedFact {
        let value = bits.available(7).map { AdvertisedNumber($0 - 40) }
        return AdvertisedFact("temperature_c", value, unit: "°C", label: "temperature", .main)
    }

    mutating func batteryVoltage() -> AdvertisedFact { battery(signed(16, -2)) }

    func battery(_ voltage: AdvertisedNumber?) -> AdvertisedFact {
        AdvertisedFact("battery_v", voltage, unit: "V", label: "battery", .named)
    }

    mutating func batteryCurrent() -> AdvertisedFact { current(signed(16, -1)) }

    func current(_ value: AdvertisedNumber?) -> AdvertisedFact {
        AdvertisedFact("battery_current_a", value, unit: "A", label: "battery current", .main)
    }

    func charge(_ value: AdvertisedNumber?) -> AdvertisedFact {
        AdvertisedFact("battery_percent", value, unit: "%", label: "charge", .named)
    }

    func remaining(_ minutes: AdvertisedNumber?) -> AdvertisedFact {
        AdvertisedFact("remaining_min", minutes, unit: "min", label: "remaining", .named)
    }

    func consumed(_ value: AdvertisedNumber?) -> AdvertisedFact {
        AdvertisedFact("consumed_ah", value, unit: "Ah", label: "consumed", .named)
    }

    mutating func state() -> AdvertisedFact {
        AdvertisedFact("state", bits.available(8).map { Self.states[$0] ?? "state \($0)" }, .main)
    }

    mutating func error() -> AdvertisedFact {
        // Zero is no error.
        AdvertisedFact("error_code", bits.available(8).flatMap { $0 == 0 ? nil : $0 }, label: "error", .named)
    }

    mutating func charger() -> [AdvertisedFact] { [state(), error()] }

    mutating func alarm() -> AdvertisedFact { AdvertisedFact("alarm", alarms(), .named) }

    /// The alarms that are raised; `nil` if none is.
    mutating func alarms() -> String? { Self.names(bits.unsigned(16), Self.alarms) }

    mutating func offReason() -> AdvertisedFact {
        AdvertisedFact("off_reason", Self.names(bits.unsigned(32), Self.offReasons), label: "off because of", .named)
    }

    /// The names of the bits that are set; `nil` if none is.
    private static func names(_ value: Int64?, _ names: [String]) -> String? {
        guard let value, value != 0 else { return nil }
        let set = (0..<32).filter { value >> Int64($0) & 1 != 0 }
        return set.map { $0 < names.count ? names[$0] : "bit \($0)" }.joined(separator: ", ")
    }

    mutating func batteryMonitor() -> [AdvertisedFact] {
        let remaining = remaining(number(16))
        let meter = meter()
        let consumed = bits.available(20).map { AdvertisedNumber(-$0, exponent: -1) }
        return meter + [self.charge(number(10, -1)), remaining, self.consumed(consumed)]
    }

    /// Voltage, alarm, the auxiliary input and the current.
    mutating func meter() -> [AdvertisedFact] {
        let voltage = battery(signed(16, -2))
        let alarm = alarm()
        let auxiliary = bits.unsigned(16)
        let mode = bits.unsigned(2)
        // All bits set mean that the current is not known, although it has a sign.
        let raw = bits.available(22).map { $0 >> 21 == 0 ? $0 : $0 - 1 << 22 }
        let current = current(raw.map { AdvertisedNumber($0, exponent: -3) })
        return [voltage, current, alarm] + Self.auxiliary(auxiliary, mode: mode)
    }

    private static func auxiliary(_ value: Int64?, mode: Int64?) -> [AdvertisedFact] {
        guard let value else { return [] }
        switch mode {
        case 0:
            let number = AdvertisedNumber(Int16(truncatingIfNeeded: value), exponent: -2)
            return [AdvertisedFact("starter_voltage_v", number, unit: "V", label: "starter", .named)]
        case 1:
            let number = AdvertisedNumber(value, exponent: -2)
            return [AdvertisedFact("midpoint_voltage_v", number, unit: "V", label: "midpoint", .named)]
        case 2 where value != 0xFFFF:
            // In units of 0.01 K.
            let number = AdvertisedNumber(value - 27_315, exponent: -2)
            return [AdvertisedFact("temperature_c", number, unit: "°C", label: "temperature", .main)]
        default: return []
        }
    }

    mutating func lithium() -> [AdvertisedFact] {
        let (bms, error) = (bits.unsigned(32), bits.unsigned(16))
        // The ends of the range mean less than 2.61 V and more than 3.85 V.
        let cells = (0..<8).compactMap { _ in bits.available(7) }.map { value in
            let text = value == 0 ? "under 2.61 V" : value == 0x7E ? "over 3.85 V" : nil
            let number = text == nil ? AdvertisedNumber(260 + value, exponent: -2) : nil
            return [
                AdvertisedFact("cell_voltage_v", number, unit: "V", label: "cell", .main),
                AdvertisedFact("limit", text, .main),
            ]
        }
        let voltage = battery(number(12, -2))
        let balancer = bits.available(4).map { Self.balancer[$0] ?? "state \($0)" }
        return [voltage, temperature()] + [
            AdvertisedFact("cells", .list(cells), .main), AdvertisedFact("balancer", balancer, .named),
            AdvertisedFact("bms_flags", bms), AdvertisedFact("error_flags", error),
        ]
    }

    mutating func acCharger() -> [AdvertisedFact] {
        let charger = charger()
        let outputs = (0..<3).map { _ in
            [
                AdvertisedFact("output_voltage_v", number(13, -2), unit: "V", label: "out", .named),
                AdvertisedFact("output_current_a", number(11, -1), unit: "A", .main),
            ]
        }
        let used = outputs.filter { output in output.contains { $0.value != nil } }
        return charger + [AdvertisedFact("outputs", .list(used), .main), temperature()] + [
            AdvertisedFact("ac_current_a", number(9, -1), unit: "A", label: "AC", .named)
        ]
    }

    mutating func lynx() -> [AdvertisedFact] {
        let error = bits.unsigned(8)
        let remaining = remaining(number(16))
        let (voltage, current) = (batteryVoltage(), batteryCurrent())
        let (status, alarms) = (bits.unsigned(16), bits.unsigned(18))
        let charge = charge(number(10, -1))
        let consumed = consumed(bits.available(20).map { AdvertisedNumber(-$0, exponent: -1) })
        return [voltage, current, charge, temperature(), remaining, consumed] + [
            AdvertisedFact("error_flags", error), AdvertisedFact("io_status", status),
            AdvertisedFact("alarm_flags", alarms),
        ]
    }

    /// An inverter with a charger. A VE.Bus device has narrower numbers than a Multi RS, and no sun.
    mutating func multi(isVEBus: Bool) -> [AdvertisedFact] {
        let charger = charger()
        let current = batteryCurrent()
        let voltage = battery(number(14, -2))
        let input = bits.available(2).map { $0 < 2 ? "AC in \($0 + 1)" : "no AC in" }
        let width = isVEBus ? 19 : 16
        let power = [
            AdvertisedFact("ac_in_power_w", signed(width), unit: "W", label: "AC in", .named),
            AdvertisedFact("ac_out_power_w", signed(width), unit: "W", label: "AC out", .named),
        ]
        let facts = charger + [voltage, current, AdvertisedFact("ac_input", input, .main)] + power
        guard isVEBus else {
            return facts + [
                AdvertisedFact("solar_power_w", number(16), unit: "W", label: "solar", .named),
                AdvertisedFact("yield_today_kwh", number(16, -2), unit: "kWh", label: "today", .named),
            ]
        }
        let alarm = bits.available(2).flatMap { [1: "warning", 2: "alarm"][$0] }
        return facts + [AdvertisedFact("alarm", alarm, .named), temperature(), charge(number(7))]
    }

    private static let states: [Int64: String] = [
        0: "off", 1: "low power", 2: "fault", 3: "bulk", 4: "absorption", 5: "float", 6: "storage",
        7: "equalize manually", 8: "pass through", 9: "inverting", 10: "assisting", 11: "power supply",
        245: "starting up", 246: "repeated absorption", 247: "recondition", 248: "battery safe", 249: "active",
        252: "external control",
    ]

    private static let alarms = [
        "low voltage", "high voltage", "low charge", "low starter voltage", "high starter voltage", "low temperature",
        "high temperature", "midpoint voltage", "overload", "DC ripple", "low AC voltage", "high AC voltage",
        "short circuit", "BMS lockout",
    ]

    private static let offReasons = [
        "no input power", "the switch", "the settings", "the remote input", "protection", "no credit", "the BMS",
        "engine shutdown", "analysis of the input voltage",
    ]

    private static let balancer: [Int64: String] = [0: "unknown", 1: "balanced", 2: "balancing", 3: "imbalance"]
}
