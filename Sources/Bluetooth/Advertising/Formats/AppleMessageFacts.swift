// SPDX-License-Identifier: MIT

extension AppleContinuity.Message {
    /// The name of the type.
    public var name: String { Self.names[type] ?? "message 0x\(Hex.string(type, minimumDigits: 2))" }

    private static let names: [UInt8: String] = [
        0x03: "AirPrint", 0x05: "AirDrop", 0x06: "HomeKit", 0x07: "Proximity Pairing", 0x08: "Hey Siri",
        0x09: "AirPlay Target", 0x0A: "AirPlay Source", 0x0B: "Magic Switch", 0x0C: "Handoff",
        0x0D: "Tethering Target", 0x0E: "Tethering Source", 0x0F: "Nearby Action", 0x10: "Nearby Info",
        0x11: "HomeKit Notification", 0x12: "Find My",
    ]

    /// The parts of the message that are not encrypted; empty if there are none, or if the message is too short.
    var facts: [AdvertisedFact] {
        var reader = ByteReader(octets)
        do throws(DecodeError) {
            switch type {
            case 0x06: return try Self.homeKit(&reader)
            case 0x07: return try Self.proximityPairing(&reader)
            case 0x09:
                _ = try reader.uint16("flags and seed")
                let address = try reader.bytes(4, "IPv4 address").map { String($0) }.joined(separator: ".")
                return [AdvertisedFact("ip_address", address, .main)]
            case 0x0B:
                _ = try reader.uint16("data")
                let wrist = try reader.uint8("confidence")
                return [AdvertisedFact("wrist", [0x03: "not on wrist", 0x3F: "on wrist"][wrist], .main)]
            case 0x0C:
                _ = try reader.uint8("version")
                return [AdvertisedFact("sequence_number", try reader.uint16("sequence number"))]
            case 0x0E: return try Self.tetheringSource(&reader)
            case 0x0F:
                _ = try reader.uint8("flags")
                let action = try reader.uint8("action type")
                let name = Self.actions[action] ?? "action 0x\(Hex.string(action, minimumDigits: 2))"
                return [AdvertisedFact("action", name, .main)]
            case 0x10: return try Self.nearbyInfo(&reader)
            case 0x12: return Self.findMy(try reader.uint8("status"), octets.count)
            default: return []
            }
        } catch {
            return []
        }
    }

    private static func homeKit(_ reader: inout ByteReader) throws(DecodeError) -> [AdvertisedFact] {
        let status = try reader.uint8("status")
        let address = BluetoothAddress(mostSignificantFirst: try reader.bytes(6, "device ID"))
        let category = try reader.uint16("category")
        return [
            AdvertisedFact("category", categories[category] ?? "category \(category)", .main),
            AdvertisedFact("paired", status & 0x01 == 0),
            AdvertisedFact("device_id", "\(address)"),
            AdvertisedFact("state_number", try reader.uint16("global state number")),
            AdvertisedFact("configuration_number", try reader.uint8("configuration number")),
        ]
    }

    /// The charges are in tens of percent; 15 means unknown. The low half of the octet and the low bit belong to the
    /// earbud that sends: the left one if bit 5 of the status is set, else the right one. Headphones have one charge.
    private static func proximityPairing(_ reader: inout ByteReader) throws(DecodeError) -> [AdvertisedFact] {
        guard try reader.uint8("prefix") == 0x01 else { return [] }
        let model = try reader.uint16BigEndian("device model")
        let status = try reader.uint8("status")
        let pods = try reader.uint8("battery levels")
        let rest = try reader.uint8("charging status and battery level of the case")
        func charge(_ tens: UInt8) -> UInt8? { tens > 10 ? nil : tens * 10 }
        let sender = (charge: charge(pods & 0x0F), isCharging: rest & 0x10 != 0)
        let other = (charge: charge(pods >> 4), isCharging: rest & 0x20 != 0)
        let name = AdvertisedFact("model", models[model] ?? "model 0x\(Hex.string(model, minimumDigits: 4))", .main)
        if headphones.contains(model) {
            return [
                name,
                AdvertisedFact("battery_percent", sender.charge, unit: "%", label: "battery", .named),
                AdvertisedFact("charging", sender.isCharging),
                AdvertisedFact("status", status),
            ]
        }
        let (left, right) = status & 0x20 != 0 ? (sender, other) : (other, sender)
        return [
            name,
            AdvertisedFact("battery_left_percent", left.charge, unit: "%", label: "left", .named),
            AdvertisedFact("battery_right_percent", right.charge, unit: "%", label: "right", .named),
            AdvertisedFact("battery_case_percent", charge(rest & 0x0F), unit: "%", label: "case", .named),
            AdvertisedFact("charging_left", left.isCharging),
            AdvertisedFact("charging_right", right.isCharging),
            AdvertisedFact("charging_case", rest & 0x40 != 0),
            AdvertisedFact("lid_open_count", try reader.uint8("lid open counter")),
            AdvertisedFact("status", status),
        ]
    }

    /// Near its owner, a device sends two octets; separated from it, it sends its key, too, by which others report where
    /// it is.
    ///
    /// In the status octet, bit 2 is set if the owner was near lately, bits 4 and 5 are the kind of device, bits 6 and 7
    /// the charge. Phones and computers, whose kind is 0, report the charge only near the owner; the others always do.
    private static func findMy(_ status: UInt8, _ length: Int) -> [AdvertisedFact] {
        let isNear = length <= lengthNearOwner || status & 0x04 != 0
        let kind = status >> 4 & 0x03
        let levels = ["full", "medium", "low", "critically low"]
        return [
            AdvertisedFact("device", [1: "AirTag", 2: "accessory", 3: "AirPods"][kind], .main)
        ] + .owner(isNear: isNear) + [
            AdvertisedFact("battery", isNear || kind != 0 ? levels[Int(status >> 6)] : nil)
        ]
    }

    /// The number of octets of Find My without the key.
    private static let lengthNearOwner = 2

    private static func tetheringSource(_ reader: inout ByteReader) throws(DecodeError) -> [AdvertisedFact] {
        _ = try reader.uint16("version and flags")
        let battery = try reader.uint8("battery charge")
        let network = try reader.uint16BigEndian("cell service type")
        let names = ["4G", "1xRTT", "GPRS", "EDGE", "3G", "3G", "4G", "LTE"]
        return [
            AdvertisedFact("battery_percent", battery, unit: "%", label: "battery", .named),
            AdvertisedFact("network", Int(network) < names.count ? names[Int(network)] : nil, .main),
            AdvertisedFact("bars", try reader.uint8("cell service strength")),
        ]
    }

    private static func nearbyInfo(_ reader: inout ByteReader) throws(DecodeError) -> [AdvertisedFact] {
        let first = try reader.uint8("status flags and action code")
        let second = try reader.uint8("data flags")
        let code = first & 0x0F
        return [
            AdvertisedFact("activity", activities[code] ?? "activity \(code)", .main),
            AdvertisedFact("wifi", second & 0x04 != 0, label: "Wi-Fi on", .named),
            AdvertisedFact("airpods_connected", second & 0x01 != 0, label: "AirPods connected", .named),
            AdvertisedFact("airdrop_receiving", first & 0x40 != 0, label: "AirDrop receiving", .named),
            AdvertisedFact("primary_device", first & 0x10 != 0),
            AdvertisedFact("watch_locked", second & 0x20 != 0),
        ]
    }

    private static let activities: [UInt8: String] = [
        0x0: "activity unknown", 0x1: "activity not reported", 0x3: "idle", 0x5: "audio with the screen locked",
        0x7: "screen on", 0x9: "screen on with video", 0xA: "watch on the wrist, unlocked", 0xB: "recent interaction",
        0xD: "driving", 0xE: "in a call",
    ]

    private static let actions: [UInt8: String] = [
        0x01: "Apple TV setup", 0x04: "mobile backup", 0x05: "watch setup", 0x06: "Apple TV pairing",
        0x07: "internet relay", 0x08: "Wi-Fi password", 0x09: "iOS setup", 0x0A: "repair", 0x0B: "speaker setup",
        0x0C: "Apple Pay", 0x0D: "home audio setup", 0x0E: "developer tools pairing", 0x0F: "answered call",
        0x10: "ended call", 0x11: "ping", 0x12: "pong", 0x13: "remote autofill", 0x14: "companion link proximity",
        0x15: "remote management", 0x16: "remote autofill pong", 0x17: "remote display",
    ]

    private static let models: [UInt16: String] = [
        0x0220: "AirPods", 0x0F20: "AirPods 2", 0x1320: "AirPods 3", 0x1920: "AirPods 4", 0x1B20: "AirPods 4 ANC",
        0x0E20: "AirPods Pro", 0x1420: "AirPods Pro 2", 0x2420: "AirPods Pro 2 USB-C", 0x2720: "AirPods Pro 3",
        0x0A20: "AirPods Max", 0x1F20: "AirPods Max USB-C", 0x2D20: "AirPods Max 2", 0x0320: "Powerbeats3",
        0x0D20: "Powerbeats 4", 0x0B20: "Powerbeats Pro", 0x1D20: "Powerbeats Pro 2", 0x0520: "BeatsX",
        0x1020: "Beats Flex", 0x0620: "Beats Solo 3", 0x2520: "Beats Solo 4", 0x0C20: "Beats Solo Pro",
        0x2620: "Beats Solo Buds", 0x0920: "Beats Studio 3", 0x1720: "Beats Studio Pro",
        0x1120: "Beats Studio Buds", 0x1620: "Beats Studio Buds+", 0x1220: "Beats Fit Pro",
    ]

    /// The models with a single battery, instead of one for each ear and one in the case.
    private static let headphones: Set<UInt16> = [
        0x0A20, 0x1F20, 0x2D20, 0x0320, 0x0D20, 0x0520, 0x1020, 0x0620, 0x2520, 0x0C20, 0x0920, 0x1720,
    ]

    /// The categories of accessories, as far as they are common.
    private static let categories: [UInt16: String] = [
        1: "other", 2: "bridge", 3: "fan", 4: "garage door opener", 5: "lightbulb", 6: "door lock", 7: "outlet",
        8: "switch", 9: "thermostat", 10: "sensor", 11: "security system", 12: "door", 13: "window",
        14: "window covering", 15: "programmable switch", 16: "range extender", 17: "IP camera", 18: "video doorbell",
        19: "air purifier", 20: "heater", 21: "air conditioner", 22: "humidifier", 23: "dehumidifier",
        28: "sprinkler", 29: "faucet", 30: "shower system",
    ]
}
