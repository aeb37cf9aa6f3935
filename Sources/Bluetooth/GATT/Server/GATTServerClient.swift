// SPDX-License-Identifier: GPL-2.0-or-later

/// What a client tells in Client Supported Features.
///
/// Spec: Core 5.4, Vol 3, Part G, 7.2
public struct ClientFeatures: OptionSet, Hashable, Sendable {
    /// The first octet of the value.
    public let rawValue: UInt8

    /// Takes the octet as it is.
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

/// What a server knows of one connected client.
struct GATTServerClient: Sendable {
    /// A request that waits for answers of the application.
    enum Pending: Sendable {
        case reading(GATTServer.Token, ReadPlan)
        case writing(GATTServer.Token, WritePlan)
    }

    /// An indication on its way.
    struct Indicated: Sendable {
        /// The value that is told.
        let handle: Handle
        /// What Service Changed tells of; `nil` for all other values.
        let change: HandleRange?
    }

    /// Who the client is, where the radio knows.
    let identity: DeviceAddress?
    var mtu: UInt16 = 23
    var security = LinkSecurity.none
    /// Whether the link was encrypted with the key of a bond.
    var isProven = false
    /// What the client has subscribed to, by the handle of the descriptor; nothing for what it has not.
    var configurations: [Handle: ClientConfiguration] = [:]
    var features: ClientFeatures = []
    /// Whether the client knows the database as it is.
    var isChangeAware = true
    /// Whether the next request makes the client aware: it was told, or has read the hash.
    var isAwareOnNextRequest = false
    var prepared = PreparedWrites()
    var pending: Pending?
    /// The requests that wait until the pending one is answered.
    var waiting: [ATTRequest] = []
    /// The indications that the client has not confirmed, in the order in which they go out.
    var indicated: [Indicated] = []
    /// What has changed in the database and is still to be told: too many indications waited for it.
    var untold: HandleRange?

    init(identity: DeviceAddress? = nil) { self.identity = identity }

    /// What is kept of the client where it is bonded.
    var record: GATTServer.ClientRecord {
        GATTServer.ClientRecord(configurations: configurations, features: features, isChangeAware: isChangeAware)
    }

    /// Takes up what was kept.
    mutating func restore(_ record: GATTServer.ClientRecord) {
        configurations = record.configurations
        features = record.features
        isChangeAware = record.isChangeAware
    }
}
