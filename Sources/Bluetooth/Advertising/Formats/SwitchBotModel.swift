// SPDX-License-Identifier: MIT

extension SwitchBot {
    /// A model, by the letter with which its service data begin.
    struct Model: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case bot, meter, meterWithCO2, hub, contact, motion, curtain, rollerShade, blindTilt, plug, leak, lock
            case humidifier, battery, other
        }

        let name: String
        let kind: Kind

        /// The model; `nil` if it is unknown. Many models have two letters, one of them while they are being paired.
        init?(code: UInt8) {
            guard let model = Self.models[code] else { return nil }
            self = model
        }

        private init(_ name: String, _ kind: Kind) {
            self.name = name
            self.kind = kind
        }

        private static let models: [UInt8: Model] = {
            var models: [UInt8: Model] = [:]
            for (codes, name, kind) in table {
                for code in codes.utf8 { models[code] = Model(name, kind) }
            }
            return models
        }()

        private static let table: [(codes: String, name: String, kind: Kind)] = [
            ("Hh", "Bot", .bot), ("Tt", "Meter", .meter), ("Ii", "Meter Plus", .meter),
            ("4\u{14}", "Meter Pro", .meter), ("5\u{15}", "Meter Pro CO2", .meterWithCO2),
            ("Ww", "Indoor/Outdoor Thermo-Hygrometer", .meter), ("Vv", "Hub 2", .hub),
            ("%\u{05}", "Hub Mini Matter", .hub), ("Dd", "Contact Sensor", .contact), ("Ss", "Motion Sensor", .motion),
            ("Cc", "Curtain", .curtain), ("{[", "Curtain 3", .curtain), (",\u{0C}", "Roller Shade", .rollerShade),
            ("Xx", "Blind Tilt", .blindTilt), ("Gg", "Plug Mini", .plug), ("Jj", "Plug Mini", .plug),
            ("&\u{06}", "Leak Detector", .leak), ("Oo", "Lock", .lock), ("-\u{0D}", "Lock Lite", .lock),
            ("Ee", "Humidifier", .humidifier), ("Bb", "Remote", .battery), ("Uu", "Color Bulb", .other),
            ("Rr", "Light Strip", .other), ("Qq", "Ceiling Light", .other), ("Nn", "Ceiling Light Pro", .other),
            ("Yy", "Keypad", .other), ("$\u{04}", "Lock Pro", .other), ("#\u{03}", "Evaporative Humidifier", .other),
            (";\u{1B}", "Relay Switch 1", .other), ("<\u{1C}", "Relay Switch 1PM", .other),
            ("=\u{1D}", "Relay Switch 2PM", .other), (">\u{1E}", "Garage Door Opener", .other),
            ("?\u{1F}", "Plug Mini (EU)", .other), ("~^", "Circulator Fan", .other),
        ]
    }

    /// The values of a model, as far as they have been heard.
    func values(of model: Model) -> [AdvertisedFact] {
        switch model.kind {
        case .bot: bot
        case .meter: climate(company: 8, service: 3) + [battery]
        case .meterWithCO2: climate(company: 8, service: nil) + [carbonDioxide, battery]
        case .hub: climate(company: 13, service: nil)
        case .contact: contact
        case .motion: motion
        case .curtain: curtain
        case .rollerShade: rollerShade
        case .blindTilt: blindTilt
        case .plug: plug
        case .leak: leak
        case .lock: lock
        case .humidifier: humidifier
        case .battery: [battery]
        case .other: []
        }
    }

    /// An octet of the service data; `nil` if they are shorter.
    private func service(_ index: Int) -> UInt8? {
        serviceOctets.indices.contains(index) ? serviceOctets[index] : nil
    }

    /// An octet of the manufacturer data; `nil` if they are shorter.
    private func company(_ index: Int) -> UInt8? {
        companyOctets.indices.contains(index) ? companyOctets[index] : nil
    }

    private var battery: AdvertisedFact { battery(service(2)) }

    private func battery(_ octet: UInt8?) -> AdvertisedFact {
        AdvertisedFact("battery_percent", octet.map { $0 & 0x7F }, unit: "%", label: "battery", .named)
    }

    private var bot: [AdvertisedFact] {
        // Only a bot that stands for a switch knows whether it is on.
        let isSwitch = service(1).map { $0 & 0x80 != 0 }
        let isOn = isSwitch == true ? service(1).map { $0 & 0x40 == 0 } : nil
        return [
            AdvertisedFact("switch_mode", isSwitch, label: "switch", .named),
            AdvertisedFact("on", isOn, .named), battery,
        ]
    }

    /// Temperature and humidity: tenths, whole degrees with a sign, percent.
    private func climate(company first: Int, service other: Int?) -> [AdvertisedFact] {
        let octets =
            companyOctets.count >= first + 3
            ? Array(companyOctets[first..<first + 3])
            : other.flatMap { serviceOctets.count >= $0 + 3 ? Array(serviceOctets[$0..<$0 + 3]) : nil }
        guard let octets else { return [] }
        let magnitude = Int(octets[1] & 0x7F) * 10 + Int(octets[0] & 0x0F)
        let humidity = octets[2] & 0x7F
        // A sensor that has not measured yet sends zeros.
        guard magnitude != 0 || humidity != 0 else { return [] }
        let temperature = AdvertisedNumber(octets[1] & 0x80 != 0 ? magnitude : -magnitude, exponent: -1)
        return [
            AdvertisedFact("temperature_c", temperature, unit: "°C", label: "temperature", .main),
            AdvertisedFact("humidity_percent", humidity, unit: "%", label: "humidity", .main),
        ]
    }

    private var carbonDioxide: AdvertisedFact {
        let value = company(13).flatMap { high in company(14).map { UInt16(high) << 8 | UInt16($0) } }
        // The sensor measures up to this number; greater ones are not measurements.
        return AdvertisedFact("co2_ppm", value.flatMap { $0 > 9_999 ? nil : $0 }, unit: "ppm", label: "CO2", .named)
    }

    private var contact: [AdvertisedFact] {
        let facts: (motion: Bool, isOpen: Bool, isLong: Bool, light: Bool, count: UInt8)
        if companyOctets.count >= 13 {
            let flags = companyOctets[7]
            facts = (flags & 0x80 != 0, flags & 0x10 != 0, flags & 0x20 != 0, flags & 0x40 != 0, companyOctets[12])
        } else if serviceOctets.count >= 9 {
            let flags = serviceOctets[3]
            facts = (
                serviceOctets[1] & 0x40 != 0, flags & 0x02 != 0, flags & 0x04 != 0, flags & 0x01 != 0, serviceOctets[8]
            )
        } else {
            return [battery]
        }
        return [
            AdvertisedFact("door", facts.isLong ? "left open" : facts.isOpen ? "open" : "closed", .named),
            AdvertisedFact("motion", facts.motion, .named), AdvertisedFact("light", facts.light, .named),
            AdvertisedFact("button_count", facts.count & 0x0F), battery,
        ]
    }

    private var motion: [AdvertisedFact] {
        let flags = company(7)
        let isService = serviceOctets.count >= 6
        let motion = flags.map { $0 & 0x40 != 0 } ?? (isService ? serviceOctets[1] & 0x40 != 0 : nil)
        let light = flags.map { $0 & 0x20 != 0 } ?? (isService ? serviceOctets[5] & 0x02 != 0 : nil)
        return [
            AdvertisedFact("motion", motion, .named), AdvertisedFact("light", light, .named),
            battery(isService ? service(2) : nil),
        ]
    }

    private func closed(_ octet: UInt8) -> AdvertisedFact {
        AdvertisedFact("closed_percent", min(octet & 0x7F, 100), unit: "%", label: "closed", .named)
    }

    private func lightLevel(_ level: UInt8) -> AdvertisedFact { AdvertisedFact("light_level", level) }

    private var curtain: [AdvertisedFact] {
        // A Curtain 3 has its battery in the manufacturer data.
        let octets =
            companyOctets.count >= 11
            ? Array(companyOctets[8..<11]) : serviceOctets.count >= 6 ? Array(serviceOctets[3..<6]) : nil
        guard let octets else { return [battery] }
        return [
            closed(octets[0]), AdvertisedFact("moving", octets[0] & 0x80 != 0, .named), lightLevel(octets[1] >> 4),
            AdvertisedFact("calibrated", service(1).map { $0 & 0x40 != 0 }), battery(company(12) ?? service(2)),
        ]
    }

    private var rollerShade: [AdvertisedFact] {
        guard companyOctets.count >= 10 else { return [battery] }
        return [
            closed(companyOctets[8]), AdvertisedFact("moving", companyOctets[7] & 0x06 != 0, .named),
            lightLevel(companyOctets[9] >> 4), AdvertisedFact("calibrated", companyOctets[8] & 0x80 != 0), battery,
        ]
    }

    private var blindTilt: [AdvertisedFact] {
        guard companyOctets.count >= 10 else { return [battery] }
        let tilt = min(companyOctets[8] & 0x7F, 100)
        return [
            AdvertisedFact("tilt_percent", tilt, unit: "%", label: "tilt", .named),
            AdvertisedFact("moving", companyOctets[8] & 0x80 != 0, .named), lightLevel(companyOctets[9] >> 4),
            AdvertisedFact("calibrated", companyOctets[7] & 0x01 != 0), battery,
        ]
    }

    private var plug: [AdvertisedFact] {
        guard companyOctets.count >= 12 else { return [] }
        let power = Int(companyOctets[10] & 0x7F) << 8 | Int(companyOctets[11])
        return [
            AdvertisedFact("on", companyOctets[7] == 0x80, .named),
            AdvertisedFact("power_w", AdvertisedNumber(power, exponent: -1), unit: "W", label: "power", .main),
            AdvertisedFact("wifi_rssi_dbm", -Int(companyOctets[9]), unit: "dBm", label: "Wi-Fi"),
        ]
    }

    private var leak: [AdvertisedFact] {
        guard companyOctets.count >= 9 else { return [] }
        return [
            AdvertisedFact("water", companyOctets[8] & 0x01 != 0, .named),
            AdvertisedFact("tampered", companyOctets[8] & 0x02 != 0, .named), battery(companyOctets[7]),
        ]
    }

    private var lock: [AdvertisedFact] {
        guard companyOctets.count >= 9 else { return [battery] }
        let names = [
            "locked", "unlocked", "locking", "unlocking", "locking blocked", "unlocking blocked", "latch locked",
            "half locked",
        ]
        // A Lock Lite has no sensor of the door.
        let hasDoor = modelCode.map { $0 | 0x20 == UInt8(ascii: "o") } ?? false
        return [
            AdvertisedFact("lock", names[Int(companyOctets[7] >> 4 & 0x07)], .main),
            AdvertisedFact("door", hasDoor ? (companyOctets[7] & 0x04 != 0 ? "open" : "closed") : nil, .named),
            AdvertisedFact("calibrated", companyOctets[7] & 0x80 != 0), battery,
        ]
    }

    private var humidifier: [AdvertisedFact] {
        guard serviceOctets.count >= 5 else { return [] }
        return [
            AdvertisedFact("on", serviceOctets[1] != 0, .named),
            AdvertisedFact("level", serviceOctets[4], .named),
        ]
    }
}
