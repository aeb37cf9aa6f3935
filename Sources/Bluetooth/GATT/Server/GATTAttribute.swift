// SPDX-License-Identifier: GPL-2.0-or-later

/// One attribute of a server's database.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.2
public struct GATTAttribute: Hashable, Sendable {
    /// Where the value of an attribute comes from and where a write goes to.
    public enum Storage: Hashable, Sendable {
        /// A value that no client can change.
        case fixed([UInt8])
        /// A value that the server keeps. Writes replace it; their length must lie in the range.
        case stored([UInt8], lengths: ClosedRange<Int>)
        /// A value that belongs to the application: reads and writes are handed to it.
        case handler(maximumLength: Int)
        /// The Client Characteristic Configuration of the characteristic whose value has that handle: one per client.
        case clientConfiguration(of: Handle, supported: ClientConfiguration)
        /// The Client Supported Features: one per client.
        case clientSupportedFeatures
        /// The Database Hash, which the server computes.
        case databaseHash

        /// A value that clients may write, of any length that an attribute can have.
        public static func variable(_ value: [UInt8]) -> Storage {
            .stored(value, lengths: 0...GATTLimits.maximumValueLength)
        }

        /// A value that clients may write, whose length never changes.
        public static func fixedLength(_ value: [UInt8]) -> Storage {
            .stored(value, lengths: value.count...value.count)
        }

        /// A value that the application reads and writes, of any length that an attribute can have.
        public static var application: Storage { .handler(maximumLength: GATTLimits.maximumValueLength) }
    }

    /// The attribute's place in the database.
    public let handle: Handle
    /// The attribute's UUID.
    public let type: BluetoothUUID
    /// Who may read and write it.
    public let permissions: AttributePermissions
    /// Where its value comes from.
    public internal(set) var storage: Storage

    /// Describes an attribute.
    public init(handle: Handle, type: BluetoothUUID, permissions: AttributePermissions, storage: Storage) {
        self.handle = handle
        self.type = type
        self.permissions = permissions
        self.storage = storage
    }

    /// The value, where the database itself knows it.
    public var value: [UInt8]? {
        switch storage {
        case .fixed(let value), .stored(let value, _): value
        case .handler, .clientConfiguration, .clientSupportedFeatures, .databaseHash: nil
        }
    }

    /// Whether the value belongs to the application.
    var isHandled: Bool {
        switch storage {
        case .handler: true
        case .fixed, .stored, .clientConfiguration, .clientSupportedFeatures, .databaseHash: false
        }
    }

    /// Whether the attribute declares a service.
    var declaresService: Bool { type == .primaryService || type == .secondaryService }
}
