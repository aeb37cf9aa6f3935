// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

extension CharacteristicValue {
    /// Characteristics of the Device Information service.
    ///
    /// Spec: Device Information Service 1.2, 3
    static func deviceInformation(_ short: UInt16) -> CharacteristicFormat? {
        switch short {
        case 0x2A23: systemID
        case 0x2A24...0x2A29: .text
        case 0x2A2A: .fields(.hex("regulatory certification data"))
        case 0x2A50: pnpID
        case 0x2BFF:
            .fields(
                .flags(.u8),
                .terminatedText("label", if: .set(0)),
                .terminatedText("device identifier", if: .set(1)),
                .terminatedText("issuer", if: .set(2)),
                .terminatedText("authority", if: .set(3))
            )
        default: nil
        }
    }

    /// An EUI-64, least significant octet first: the company's 24 bits are the last three octets.
    ///
    /// Spec: Device Information Service 1.2, 3.2.1
    private static var systemID: CharacteristicFormat {
        CharacteristicFormat { (reader) throws(DecodeError) in
            let identifier = Hex.string(try reader.uint64("system id"), minimumDigits: 16)
            let octets = stride(from: 0, to: 16, by: 2).map { identifier.dropFirst($0).prefix(2) }
            let text = octets.joined(separator: ":")
            return DecodedValue(text: text, content: .object([.init("system_id", .string(text))]))
        }
    }

    /// Spec: Device Information Service 1.2, 3.2.7
    private static var pnpID: CharacteristicFormat {
        CharacteristicFormat { (reader) throws(DecodeError) in
            let source = try reader.uint8("vendor id source")
            let vendor = try reader.uint16("vendor id")
            let product = try reader.uint16("product id")
            let version = try reader.uint16("product version")
            let sourceName =
                switch source {
                case 1: "bluetooth"
                case 2: "usb"
                default: "reserved (\(source))"
                }
            let company = source == 1 ? AssignedNumbers.companyName(vendor) : nil
            // 0xJJMN means version JJ.M.N.
            let versionText = "\(version >> 8).\(version >> 4 & 0xF).\(version & 0xF)"
            let text = [
                company ?? "\(sourceName) vendor 0x\(Hex.string(vendor, minimumDigits: 4))",
                "product 0x\(Hex.string(product, minimumDigits: 4))",
                "version \(versionText)",
            ]
            return DecodedValue(
                text: text.joined(separator: ", "),
                content: .object([
                    .init("vendor_id_source", .string(sourceName)),
                    .init("vendor_id", .number(vendor)),
                    .init("vendor_name", company.map { .string($0) } ?? .null),
                    .init("product_id", .number(product)),
                    .init("product_version", .string(versionText)),
                ])
            )
        }
    }
}

extension Field {
    /// UTF-8 text that ends with a zero octet.
    static func terminatedText(_ name: String, if condition: Condition) -> Field {
        Field(name, if: condition) { (reader, _) throws(DecodeError) in
            var bytes: [UInt8] = []
            while true {
                let byte = try reader.uint8(name)
                if byte == 0 { break }
                bytes.append(byte)
            }
            let text = DecodedValue.string(utf8: bytes)
            return Reading(.string(text), text)
        }
    }
}
