// SPDX-License-Identifier: GPL-2.0-or-later

@testable import Bluetooth

/// An attribute database of the transcripts: a line with `attrs`.
struct TranscriptDatabase: Decodable, Sendable {
    struct Attribute: Decodable, Sendable {
        let handle: Handle
        let type: BluetoothUUID
        /// 0x01 read, 0x02 write, 0x04 and 0x08 these on encrypted links, 0x10 and 0x20 on authenticated ones, 0x40
        /// with authorisation.
        let permissions: Int
        let value: [UInt8]
        /// The error of a read; 0 if there is none, -1 if the application provides the value.
        let error: Int

        private enum CodingKeys: String, CodingKey {
            case type, value
            case handle = "h"
            case permissions = "perm"
            case error = "err"
        }

        init(from decoder: any Decoder) throws {
            let keys = try decoder.container(keyedBy: CodingKeys.self)
            handle = Handle(try keys.decode(UInt16.self, forKey: .handle))
            let text = try keys.decode(String.self, forKey: .type)
            guard let type = BluetoothUUID(text) else {
                let problem = "\"\(text)\" is no UUID"
                throw DecodingError.dataCorruptedError(forKey: .type, in: keys, debugDescription: problem)
            }
            self.type = type.attForm
            permissions = try keys.decode(Int.self, forKey: .permissions)
            value = try keys.decode(.value, or: HexOctets([])).octets
            error = try keys.decode(.error, or: 0)
        }
    }

    let number: Int
    let attributes: [Attribute]

    private enum CodingKeys: String, CodingKey {
        case number = "db"
        case attributes = "attrs"
    }

    /// The database. With `hasPlainConfigurations`, a Client Characteristic Configuration is a plain value of any
    /// length.
    func build(hasPlainConfigurations: Bool = false) throws -> GATTDatabase {
        var valueHandle = Handle.invalid
        var supported: ClientConfiguration = []
        return try GATTDatabase(
            attributes: try attributes.map { attribute in
                var storage: GATTAttribute.Storage =
                    attribute.isWritable ? .variable(attribute.value) : .fixed(attribute.value)
                if attribute.type == .characteristicDeclaration {
                    let declaration = try CharacteristicDeclaration(decoding: attribute.value)
                    valueHandle = declaration.valueHandle
                    supported = []
                    if declaration.properties.contains(.notify) { supported.insert(.notification) }
                    if declaration.properties.contains(.indicate) { supported.insert(.indication) }
                } else if attribute.type == .clientCharacteristicConfiguration, !hasPlainConfigurations {
                    storage = .clientConfiguration(of: valueHandle, supported: supported)
                }
                if attribute.error != 0 { storage = .application }
                return GATTAttribute(
                    handle: attribute.handle,
                    type: attribute.type,
                    permissions: attribute.access,
                    storage: storage
                )
            }
        )
    }

    /// The values that the application provides.
    var applicationValues: [Handle: Result<[UInt8], ATTRefusal>] {
        var values: [Handle: Result<[UInt8], ATTRefusal>] = [:]
        for attribute in attributes where attribute.error != 0 {
            values[attribute.handle] =
                attribute.error > 0
                ? .failure(ATTRefusal(ATTErrorCode(UInt8(truncatingIfNeeded: attribute.error))))
                : .success(attribute.value)
        }
        return values
    }
}

extension TranscriptDatabase.Attribute {
    fileprivate var isWritable: Bool { permissions & (0x02 | 0x08 | 0x20) != 0 }

    fileprivate var access: AttributePermissions {
        func requirement(_ plain: Int, _ encrypted: Int, _ authenticated: Int) -> AccessRequirement? {
            guard permissions & (plain | encrypted | authenticated) != 0 else { return nil }
            return AccessRequirement(
                encryption: permissions & encrypted != 0,
                authentication: permissions & authenticated != 0,
                authorization: permissions & 0x40 != 0
            )
        }
        return AttributePermissions(read: requirement(0x01, 0x04, 0x10), write: requirement(0x02, 0x08, 0x20))
    }
}
