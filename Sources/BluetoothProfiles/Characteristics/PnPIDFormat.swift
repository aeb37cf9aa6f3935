// SPDX-License-Identifier: MIT

import Bluetooth

/// PnP ID (0x2A50): the vendor, the product and its version.
///
/// Spec: Device Information Service 1.2, 3.2.7
enum PnPIDFormat {
    private static let sources: [UInt64: String] = [1: "bluetooth", 2: "usb"]

    static let fields: [FieldDescription] = [
        FieldDescription(key: "vendor_id_source", "vendor id source", .choice, choices: ["bluetooth", "usb"]),
        FieldDescription(key: "vendor_id", "vendor id", .number, range: 0...0xFFFF),
        FieldDescription(key: "vendor_name", "vendor name", .text, isOptional: true),
        FieldDescription(key: "product_id", "product id", .number, range: 0...0xFFFF),
        FieldDescription(key: "product_version", "product version", .text),
    ]

    static func decode(_ reader: inout LenientReader) -> DecodedValue {
        let source = reader.uint8("vendor_id_source")
        let vendor = reader.uint16("vendor_id")
        let product = reader.uint16("product_id")
        let version = reader.uint16("product_version")
        let sourceName = source.map { sources[UInt64($0)] ?? "reserved (\($0))" }
        // Vendors of USB have numbers of another registry.
        let company = source == 1 ? vendor.flatMap { AssignedNumbers.companyName($0) } : nil
        // 0xJJMN means version JJ.M.N.
        let versionText = version.map { "\($0 >> 8).\($0 >> 4 & 0xF).\($0 & 0xF)" }
        let text = [
            company ?? vendor.map { "\(sourceName ?? "") vendor 0x\(Hex.string($0, minimumDigits: 4))" } ?? sourceName,
            product.map { "product 0x\(Hex.string($0, minimumDigits: 4))" },
            versionText.map { "version \($0)" },
        ]
        return DecodedValue(
            text: text.compactMap { $0 }.joined(separator: ", "),
            content: .object([
                .init("vendor_id_source", .optional(sourceName)),
                .init("vendor_id", .optional(vendor)),
                .init("vendor_name", .optional(company)),
                .init("product_id", .optional(product)),
                .init("product_version", .optional(versionText)),
            ]),
            fault: reader.fault
        )
    }

    static func encode(_ content: DecodedValue.Content) throws(FieldError) -> [UInt8] {
        let members = try Members(content, fields)
        let source = try (members["vendor_id_source"] ?? .null).choice(
            sources,
            in: 0...0xFF,
            [.member("vendor_id_source")]
        )
        let vendor = UInt16(truncatingIfNeeded: try members.integer("vendor_id"))
        try members.check("vendor_name", is: source == 1 ? AssignedNumbers.companyName(vendor) : nil)
        var writer = ByteWriter()
        writer.uint8(UInt8(truncatingIfNeeded: source))
        writer.uint16(vendor)
        writer.uint16(UInt16(truncatingIfNeeded: try members.integer("product_id")))
        writer.uint16(try version(members["product_version"] ?? .null))
        return writer.bytes
    }

    private static func version(_ content: DecodedValue.Content) throws(FieldError) -> UInt16 {
        if case .string(let text) = content {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).compactMap { UInt16($0) }
            if parts.count == 3, parts[0] <= 0xFF, parts[1] <= 0xF, parts[2] <= 0xF {
                return parts[0] << 8 | parts[1] << 4 | parts[2]
            }
        }
        throw FieldError([.member("product_version")], content.quoted, .notAllowed("a version like '1.2.3'"))
    }
}
