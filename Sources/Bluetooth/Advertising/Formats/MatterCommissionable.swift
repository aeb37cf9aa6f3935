// SPDX-License-Identifier: MIT

/// A Matter device that waits to be commissioned into a home.
///
/// Spec: Matter Core 1.3, 5.4.2.5.6 (advertising data)
public struct MatterCommissionable: Hashable, Sendable {
    /// The service whose data contain the format.
    public static let service: BluetoothUUID = 0xFFF6

    /// The discriminator in the device's setup code, 0 to 4,095.
    public let discriminator: UInt16
    /// The vendor's number; 0 if it is not told.
    public let vendor: UInt16
    /// The product's number; 0 if it is not told.
    public let product: UInt16
    /// Whether additional data can be read.
    public let hasAdditionalData: Bool
    /// Whether the device advertises longer than usual.
    public let isExtendedAnnouncement: Bool
    private let flags: UInt8

    private static let opcode: UInt8 = 0x00

    /// Decodes service data; `nil` if they are too short, or of another opcode or version. Octets after the format are
    /// ignored.
    public init?(_ data: ADServiceData) {
        guard data.uuid == Self.service else { return nil }
        var reader = ByteReader(data.data)
        guard let opcode = try? reader.uint8("opcode"), opcode == Self.opcode,
            let discriminator = try? reader.uint16("version and discriminator"),
            let vendor = try? reader.uint16("vendor ID"),
            let product = try? reader.uint16("product ID"),
            let flags = try? reader.uint8("flags")
        else { return nil }
        // The upper four bits are the version of the advertisement, which is 0.
        guard discriminator >> 12 == 0 else { return nil }
        self.discriminator = discriminator
        self.vendor = vendor
        self.product = product
        self.flags = flags
        hasAdditionalData = flags & 0x01 != 0
        isExtendedAnnouncement = flags & 0x02 != 0
    }
}

extension MatterCommissionable: AdvertisedFormat {
    public static let registration = FormatRegistration(
        .message,
        "Matter",
        kinds: ["matter"],
        in: [.service(service)],
        keys: ["discriminator", "vendor_id", "product_id", "additional_data", "extended_announcement"]
    )

    public var title: String { "Matter" }

    public var facts: [AdvertisedFact] {
        [
            AdvertisedFact("discriminator", discriminator, .named),
            AdvertisedFact("vendor_id", vendor == 0 ? nil : vendor, label: "vendor"),
            AdvertisedFact("product_id", product == 0 ? nil : product, label: "product"),
            AdvertisedFact("additional_data", hasAdditionalData),
            AdvertisedFact("extended_announcement", isExtendedAnnouncement),
        ]
    }

    public var elements: [ADElement] {
        var writer = ByteWriter()
        writer.uint8(Self.opcode)
        for number in [discriminator, vendor, product] { writer.uint16(number) }
        writer.uint8(flags)
        return [.serviceData(ADServiceData(Self.service, writer.bytes))]
    }

    public var text: String {
        var text = "Matter, to be commissioned: discriminator \(discriminator)"
        if vendor != 0 { text += " vendor 0x\(Hex.string(vendor, minimumDigits: 4))" }
        if product != 0 { text += " product 0x\(Hex.string(product, minimumDigits: 4))" }
        return text
    }
}
