// SPDX-License-Identifier: MIT

/// One attribute of a server's database.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.2
public struct GATTAttribute: Hashable, Sendable {
    /// The source of an attribute's value, and the destination of a write.
    public enum Storage: Hashable, Sendable {
        /// A constant that no client can change.
        case fixed([UInt8])
        /// A value that the server stores. Writes replace it; their length in octets must lie in the range.
        case stored([UInt8], lengths: ClosedRange<Int>)
        /// A value of the application, which answers reads and writes.
        case handler(maximumLength: Int)
        /// The Client Characteristic Configuration for the value with that handle. Each client has its own.
        case clientConfiguration(of: Handle, supported: ClientConfiguration)
        /// The Client Supported Features. Each client has its own.
        case clientSupportedFeatures
        /// The Database Hash, which the server computes.
        case databaseHash

        /// A value that clients may write, of any length up to 512 octets.
        public static func variable(_ value: [UInt8]) -> Storage {
            .stored(value, lengths: 0...GATTLimits.maximumValueLength)
        }

        /// A value that clients may write, with a constant length.
        public static func fixedLength(_ value: [UInt8]) -> Storage {
            .stored(value, lengths: value.count...value.count)
        }

        /// A value that the application reads and writes, of any length up to 512 octets.
        public static var application: Storage { .handler(maximumLength: GATTLimits.maximumValueLength) }
    }

    /// The attribute's position in the database.
    public let handle: Handle
    /// The attribute's type.
    public let type: BluetoothUUID
    /// The conditions for reading and writing it.
    public let permissions: AttributePermissions
    /// The source of its value.
    public internal(set) var storage: Storage

    /// Creates an attribute; `GATTDatabase` checks the handle and the value's length.
    public init(handle: Handle, type: BluetoothUUID, permissions: AttributePermissions, storage: Storage) {
        self.handle = handle
        self.type = type
        self.permissions = permissions
        self.storage = storage
    }

    /// The value; `nil` if the database does not hold it.
    public var value: [UInt8]? {
        switch storage {
        case .fixed(let value), .stored(let value, _): value
        case .handler, .clientConfiguration, .clientSupportedFeatures, .databaseHash: nil
        }
    }

    /// Whether the application answers reads and writes.
    var isHandled: Bool {
        switch storage {
        case .handler: true
        case .fixed, .stored, .clientConfiguration, .clientSupportedFeatures, .databaseHash: false
        }
    }

    var declaresService: Bool { type == .primaryService || type == .secondaryService }
}
