// SPDX-License-Identifier: MIT

/// The features that a client announces in Client Supported Features.
///
/// Spec: Core 5.4, Vol 3, Part G, 7.2
public struct ClientFeatures: OptionSet, Hashable, Sendable {
    /// The first octet of the value.
    public let rawValue: UInt8

    /// Keeps all bits, also those that are reserved.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The client understands Database Out Of Sync.
    public static let robustCaching = ClientFeatures(rawValue: 0x01)
    /// The client can use Enhanced ATT bearers.
    public static let enhancedATTBearer = ClientFeatures(rawValue: 0x02)
    /// The client understands Multiple Handle Value Notifications.
    public static let multipleHandleValueNotifications = ClientFeatures(rawValue: 0x04)
    /// All features that have a meaning; the other bits are ignored.
    static let known: ClientFeatures = [.robustCaching, .enhancedATTBearer, .multipleHandleValueNotifications]
}

/// A server's state for one bearer of a client.
struct GATTServerBearer: Sendable {
    /// A request that waits for the application.
    enum Pending: Sendable {
        case reading(GATTServer.Token, ReadPlan)
        case writing(GATTServer.Token, WritePlan)
    }

    struct BegunRead: Sendable {
        let handle: Handle
        /// The whole value, as the application has given it.
        let value: [UInt8]
        /// The offset of the part that was read last.
        var offset: Int
    }

    var mtu = ATTBearer.minimumMTU
    /// The value of the application that the client has begun to read; `nil` if no more parts of it follow.
    var begunRead: BegunRead?
    var pending: Pending?
    var waiting: [ATTRequest] = []
}

/// A server's state for one connected client.
struct GATTServerClient: Sendable {
    /// An indication that has no confirmation yet.
    struct Indicated: Sendable {
        let handle: Handle
        /// The range that Service Changed announces; `nil` for all other values.
        let change: HandleRange?
    }

    /// The identity address, if the radio knows it.
    var identity: DeviceAddress?
    var security = LinkSecurity.none
    /// Whether the link was encrypted with the key of a bond, which proves the client's identity.
    var isProven = false
    /// The subscriptions by the handle of the descriptor; a descriptor without one has no entry.
    var configurations: [Handle: ClientConfiguration] = [:]
    var features: ClientFeatures = []
    /// Whether the client knows the current database.
    var isChangeAware = true
    /// Whether the client's next request makes it aware: it got the error, or has read the hash.
    var isAwareOnNextRequest = false
    var prepared = PreparedWrites()
    /// The unconfirmed indications in the order of sending.
    var indicated: [Indicated] = []
    /// The changed range that has not been announced, because too many indications were waiting.
    var pendingChange: HandleRange?

    /// The state to keep if the client is bonded.
    var record: GATTServer.ClientRecord {
        GATTServer.ClientRecord(configurations: configurations, features: features, isChangeAware: isChangeAware)
    }

    mutating func restore(_ record: GATTServer.ClientRecord) {
        configurations = record.configurations
        features = record.features
        isChangeAware = record.isChangeAware
    }
}
