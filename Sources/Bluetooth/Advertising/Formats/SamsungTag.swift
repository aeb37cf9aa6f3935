// SPDX-License-Identifier: MIT

/// A tag of Samsung's network: a SmartTag, or one of another manufacturer.
///
/// Spec: Yu, Henderson, Tiu, Haines, "Privacy analysis of Samsung's crowd-sourced Bluetooth location tracking system"
/// (arXiv 2210.14702); github.com/seemoo-lab/AirGuard (there is no specification)
public struct SamsungTag: Hashable, Sendable {
    /// The service whose data contain the format.
    public static let service: BluetoothUUID = 0xFD5A

    /// The state of the link to the owner, 0 to 7.
    public let state: UInt8
    /// A number that increases every 15 minutes.
    public let agingCounter: UInt32
    /// The identifier, which changes with the aging counter: 8 octets.
    public let identifier: [UInt8]
    /// The number of the region.
    public let region: UInt8
    /// Whether it has ultra-wideband, by which its direction is found.
    public let hasUltraWideband: Bool
    /// The charge, from 0 for very low to 3 for full.
    public let battery: UInt8
    private let octets: [UInt8]

    /// Decodes service data; `nil` if they are too short, or not those of a tag that belongs to an account.
    public init?(_ data: ADServiceData) {
        guard data.uuid == Self.service else { return nil }
        var reader = ByteReader(data.data)
        // The version is 1, and the next bit is not set in a tag that belongs to an account.
        guard let first = try? reader.uint8("state"), first & 0xF8 == 0x10,
            let counter = try? reader.uint24("aging counter"),
            let identifier = try? reader.bytes(8, "privacy identifier"),
            let flags = try? reader.uint8("flags")
        else { return nil }
        state = first & 0x07
        agingCounter = counter
        self.identifier = identifier
        region = flags >> 4
        hasUltraWideband = flags & 0x04 != 0
        battery = flags & 0x03
        octets = data.data
    }

    private static let batteries = ["very low", "low", "medium", "full"]
}

extension SamsungTag: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .tracker,
        "Samsung SmartTag",
        kinds: ["smarttag"],
        in: [.service(service)],
        keys: ["battery", "identifier", "aging_counter", "region", "uwb"] + [AdvertisedFact].ownerKeys
    )

    public var title: String { "Samsung SmartTag" }

    public var facts: [AdvertisedFact] {
        let owner: [AdvertisedFact] =
            switch state {
            case 1: .owner(isNear: false, state: "separated from its owner for some minutes")
            case 2: .owner(isNear: false)
            case 3: .owner(isNear: false, state: "separated from its owner for more than a day")
            case 4, 5, 6: .owner(isNear: true)
            default: .owner(isNear: nil)
            }
        return owner + [
            AdvertisedFact("battery", Self.batteries[Int(battery & 0x03)]),
            AdvertisedFact("identifier", .octets(identifier)),
            AdvertisedFact("aging_counter", agingCounter),
            AdvertisedFact("region", region),
            AdvertisedFact("uwb", hasUltraWideband, label: "ultra-wideband"),
        ]
    }

    public var elements: [ADElement] { [.serviceData(ADServiceData(Self.service, octets))] }
}
