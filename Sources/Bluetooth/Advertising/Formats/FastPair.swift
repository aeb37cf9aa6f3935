// SPDX-License-Identifier: MIT

/// The data of an accessory with Google Fast Pair: its model while it is discoverable, else data for its owner's
/// account.
///
/// Spec: developers.google.com/nearby/fast-pair, specifications, provider advertising signal
public struct FastPair: Hashable, Sendable {
    /// The service whose data contain the format.
    public static let service: BluetoothUUID = 0xFE2C

    /// The charge of a part: an earphone or the case.
    public struct Battery: Hashable, Sendable {
        /// The charge in percent; `nil` if it is unknown.
        public let percent: UInt8?
        /// Whether it is being charged.
        public let isCharging: Bool
    }

    /// The model; `nil` if the accessory is not in pairing mode.
    public let model: UInt32?
    /// The charges: of the left part, the right one and the case, or of a single part. Empty if they are not sent.
    public let batteries: [Battery]
    private let octets: [UInt8]

    /// The maximum number of parts that have a charge: two earbuds and their case.
    private static let maximumParts = 3

    /// Decodes service data; `nil` if they are too short.
    public init?(_ data: ADServiceData) {
        guard data.uuid == Self.service, data.data.count >= 3 else { return nil }
        octets = data.data
        // Three octets are the model; longer data begin with the version and flags.
        guard octets.count > 3 else {
            model = octets.reduce(0) { $0 << 8 | UInt32($1) }
            batteries = []
            return
        }
        model = nil
        var reader = ByteReader(octets)
        var batteries: [Battery] = []
        // Each field begins with its length and its type, a half octet each. 3 and 4 are charges.
        _ = try? reader.uint8("version and flags")
        while let head = try? reader.uint8("field"), let field = try? reader.bytes(Int(head >> 4), "field's content") {
            guard head & 0x0F == 3 || head & 0x0F == 4 else { continue }
            batteries = field.prefix(Self.maximumParts).map {
                Battery(percent: $0 & 0x7F == 0x7F ? nil : $0 & 0x7F, isCharging: $0 & 0x80 != 0)
            }
        }
        self.batteries = batteries
    }

    private static let parts = ["left", "right", "case"]
}

extension FastPair: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .message,
        "Google Fast Pair",
        kinds: ["fast-pair"],
        in: [.service(service)],
        keys: ["model"],
        lists: [
            "batteries": ["part", "battery_percent", "charging"]
        ]
    )

    public var title: String { "Fast Pair" }

    public var facts: [AdvertisedFact] {
        let charges = batteries.enumerated().map { index, battery in
            [
                AdvertisedFact("part", batteries.count > 1 ? Self.parts[index] : "single", .main),
                AdvertisedFact("battery_percent", battery.percent, unit: "%", label: "battery", .main),
                AdvertisedFact("charging", battery.isCharging, .named),
            ]
        }
        return [
            AdvertisedFact("model", model.map { "0x" + Hex.string($0, minimumDigits: 6) }, .named),
            AdvertisedFact("batteries", charges.isEmpty ? nil : .list(charges), .main),
        ]
    }

    public var elements: [ADElement] { [.serviceData(ADServiceData(Self.service, octets))] }
}
