// SPDX-License-Identifier: MIT

/// The messages that Apple's devices send to each other, each with its type and its length.
///
/// Apple does not publish the format. Most messages have encrypted or derived parts, which are left as octets.
///
/// Spec: github.com/furiousMAC/continuity; Celosia and Cunche, "Discontinued Privacy", PoPETs 2020; HomeKit Accessory
/// Protocol Specification R2, 7.4.2 for HomeKit; github.com/d4rken-org/capod and github.com/kavishdevar/librepods for
/// the charges of Proximity Pairing; github.com/seemoo-lab/AirGuard for the kinds of Find My
public struct AppleContinuity: Hashable, Sendable {
    /// The company identifier of Apple, Inc.
    public static let company: UInt16 = 0x004C

    /// One message.
    public struct Message: Hashable, Sendable {
        /// The number of its type.
        public let type: UInt8
        /// Its octets after type and length.
        public let octets: [UInt8]
    }

    private let octets: [UInt8]

    /// Checks manufacturer data; `nil` if they do not begin with a whole message, or with an iBeacon, complete or not.
    public init?(_ data: ADManufacturerData) {
        guard data.company == Self.company, data.data.first != Self.iBeacon else { return nil }
        octets = data.data
        var reader = ByteReader(octets)
        guard Self.message(&reader) != nil else { return nil }
    }

    private static let iBeacon: UInt8 = 0x02
    private static let homeKit: UInt8 = 0x06
    private static let homeKitNotification: UInt8 = 0x11

    private static func message(_ reader: inout ByteReader) -> Message? {
        var attempt = reader
        guard let type = try? attempt.uint8("message type"), let length = try? attempt.uint8("message length") else {
            return nil
        }
        // The length octet of HomeKit has a subtype in its upper bits.
        let isHomeKit = type == homeKit || type == homeKitNotification
        let count = Int(isHomeKit ? length & 0x1F : length)
        guard let octets = try? attempt.bytes(count, "message") else { return nil }
        reader = attempt
        return Message(type: type, octets: octets)
    }

    /// The messages. One that is cut short, and what follows it, is left out.
    public var messages: [Message] {
        var reader = ByteReader(octets)
        var messages: [Message] = []
        while let message = Self.message(&reader) { messages.append(message) }
        return messages
    }
}

extension AppleContinuity: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .message,
        "Apple",
        kinds: ["apple"],
        in: [.company(company)],
        lists: [
            "messages": [
                "action", "activity", "airdrop_receiving", "airpods_connected", "bars", "battery",
                "battery_case_percent", "battery_left_percent", "battery_percent", "battery_right_percent",
                "category", "charging", "charging_case", "charging_left", "charging_right", "configuration_number",
                "data", "device", "device_id", "ip_address", "lid_open_count", "message_type", "model", "name",
                "near_owner", "network", "paired", "primary_device", "sequence_number", "state", "state_number",
                "status",
                "watch_locked", "wifi", "wrist",
            ]
        ]
    )

    public var title: String { "Apple" }

    public var facts: [AdvertisedFact] {
        let messages = self.messages.map { message in
            [
                AdvertisedFact("name", message.name, .main),
                AdvertisedFact("message_type", message.type),
                AdvertisedFact("data", .octets(message.octets)),
            ] + message.facts
        }
        return [AdvertisedFact("messages", .list(messages), .main)]
    }

    /// A device sends different messages in turn.
    public func replaces(_ earlier: AppleContinuity) -> Bool {
        // Most messages are repeated as they are.
        self == earlier || messages.elementsEqual(earlier.messages) { $0.type == $1.type }
    }

    public var elements: [ADElement] { [.manufacturerData(ADManufacturerData(company: Self.company, octets))] }
}
