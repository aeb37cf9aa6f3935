// SPDX-License-Identifier: MIT

/// The data of Windows and its accessories: Swift Pair, and the beacon of the Connected Devices Platform.
///
/// Spec: learn.microsoft.com, Bluetooth Swift Pair; [MS-CDP] 2.2.2.2.3, Bluetooth advertising beacon
public struct MicrosoftAdvertisement: Hashable, Sendable {
    /// The company identifier of Microsoft.
    public static let company: UInt16 = 0x0006

    /// The content.
    public enum Content: Hashable, Sendable {
        /// A device of the Connected Devices Platform, with the number of its type, and whether it shares with all
        /// users.
        case connectedDevice(type: UInt8, sharesWithAll: Bool)
        /// An accessory that wants to be paired, with the number of the way to do it.
        case swiftPair(scenario: UInt8)
    }

    /// The content.
    public let content: Content
    private let octets: [UInt8]

    /// Decodes manufacturer data; `nil` if they have no known format.
    public init?(_ data: ADManufacturerData) {
        guard data.company == Self.company else { return nil }
        var reader = ByteReader(data.data)
        guard let scenario = try? reader.uint8("scenario"), let second = try? reader.uint8("second octet"),
            let third = try? reader.uint8("third octet")
        else { return nil }
        switch scenario {
        case 0x01: content = .connectedDevice(type: second & 0x1F, sharesWithAll: third & 0x1F == 1)
        case 0x03: content = .swiftPair(scenario: second)
        default: return nil
        }
        octets = data.data
    }

    private static let deviceTypes: [UInt8: String] = [
        1: "Xbox One", 6: "iPhone", 7: "iPad", 8: "Android device", 9: "Windows desktop", 11: "Windows phone",
        12: "Linux device", 13: "Windows IoT", 14: "Surface Hub", 15: "Windows laptop", 16: "Windows tablet",
    ]

    private static let scenarios: [UInt8: String] = [
        0: "Bluetooth LE", 1: "Bluetooth LE and BR/EDR", 2: "BR/EDR",
    ]
}

extension MicrosoftAdvertisement: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .message,
        "Microsoft (Swift Pair)",
        kinds: ["microsoft-cdp", "microsoft-swift-pair"],
        in: [.company(company)],
        keys: ["device", "device_type", "shares_with_all", "pairs_by", "scenario"]
    )

    public var kind: String {
        switch content {
        case .connectedDevice: "microsoft-cdp"
        case .swiftPair: "microsoft-swift-pair"
        }
    }

    public var title: String {
        switch content {
        case .connectedDevice: "Microsoft"
        case .swiftPair: "Microsoft Swift Pair"
        }
    }

    public var facts: [AdvertisedFact] {
        switch content {
        case .connectedDevice(let type, let sharesWithAll):
            [
                AdvertisedFact("device", Self.deviceTypes[type] ?? "device type \(type)", .main),
                AdvertisedFact("device_type", type),
                AdvertisedFact("shares_with_all", sharesWithAll),
            ]
        case .swiftPair(let scenario):
            [
                AdvertisedFact("pairs_by", Self.scenarios[scenario], .main),
                AdvertisedFact("scenario", scenario),
            ]
        }
    }

    public func replaces(_ earlier: MicrosoftAdvertisement) -> Bool { kind == earlier.kind }

    public var elements: [ADElement] { [.manufacturerData(ADManufacturerData(company: Self.company, octets))] }
}
