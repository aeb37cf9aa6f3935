// SPDX-License-Identifier: MIT

/// The parameters of one kind of management event. They can be read, and for the simulated kernel also written.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst
package protocol ManagementEventParameters: WireDecodable, WireEncodable, Hashable, Sendable, CustomStringConvertible {
    /// The event's code.
    static var code: UInt16 { get }
    /// The event's name in the documentation.
    static var name: String { get }
    /// The parameters in a few words, for a trace; may be empty.
    var details: String { get }
}

extension ManagementEventParameters {
    /// The event as a packet about an adapter.
    package func packet(about adapter: ManagementIndex) -> ManagementPacket {
        ManagementPacket(code: Self.code, adapter: adapter, parameters: encoded())
    }

    /// Name and parameters on one line.
    package var description: String { details.isEmpty ? Self.name : "\(Self.name): \(details)" }
}

/// A decoded event of the management interface. Unknown events keep their octets.
package enum ManagementEvent: Hashable, Sendable {
    /// A command is complete.
    case commandComplete(ManagementCommandCompleteEvent)
    /// A command failed, or was started.
    case commandStatus(ManagementCommandStatusEvent)
    /// A controller failed.
    case controllerError(ControllerErrorEvent)
    /// An adapter has been set up.
    case indexAdded
    /// An adapter is gone, or a program uses it exclusively.
    case indexRemoved
    /// The settings of an adapter have changed.
    case newSettings(NewSettingsEvent)
    /// A pairing has made a long-term key.
    case newLongTermKey(NewLongTermKeyEvent)
    /// There is a new link.
    case deviceConnected(DeviceConnectedEvent)
    /// A link has ended.
    case deviceDisconnected(DeviceDisconnectedEvent)
    /// A device could not be connected.
    case connectFailed(ConnectFailedEvent)
    /// The user is asked whether to pair.
    case userConfirmationRequest(UserConfirmationRequestEvent)
    /// The user is asked for a passkey.
    case userPasskeyRequest(UserPasskeyRequestEvent)
    /// A pairing or an encryption has failed.
    case authenticationFailed(AuthenticationFailedEvent)
    /// The keys of a device have been removed.
    case deviceUnpaired(DeviceUnpairedEvent)
    /// A passkey is to be shown.
    case passkeyNotify(PasskeyNotifyEvent)
    /// A device has distributed its identity resolving key.
    case newIdentityResolvingKey(NewIdentityResolvingKeyEvent)
    /// A device has distributed its key for signed writes.
    case newSignatureResolvingKey(NewSignatureResolvingKeyEvent)
    /// An unknown event, with its octets.
    case unknown(ManagementPacket)

    /// Decodes a packet from the kernel. Ignores octets after the known parameters, because later kernels append some.
    package init(_ packet: ManagementPacket) throws(DecodeError) {
        var reader = ByteReader(packet.parameters)
        switch packet.code {
        case ManagementCommandCompleteEvent.code:
            self = .commandComplete(try ManagementCommandCompleteEvent(from: &reader))
        case ManagementCommandStatusEvent.code:
            self = .commandStatus(try ManagementCommandStatusEvent(from: &reader))
        case ControllerErrorEvent.code: self = .controllerError(try ControllerErrorEvent(from: &reader))
        case IndexAddedEvent.code: self = .indexAdded
        case IndexRemovedEvent.code: self = .indexRemoved
        case NewSettingsEvent.code: self = .newSettings(try NewSettingsEvent(from: &reader))
        case NewLongTermKeyEvent.code: self = .newLongTermKey(try NewLongTermKeyEvent(from: &reader))
        case DeviceConnectedEvent.code: self = .deviceConnected(try DeviceConnectedEvent(from: &reader))
        case DeviceDisconnectedEvent.code: self = .deviceDisconnected(try DeviceDisconnectedEvent(from: &reader))
        case ConnectFailedEvent.code: self = .connectFailed(try ConnectFailedEvent(from: &reader))
        case UserConfirmationRequestEvent.code:
            self = .userConfirmationRequest(try UserConfirmationRequestEvent(from: &reader))
        case UserPasskeyRequestEvent.code: self = .userPasskeyRequest(try UserPasskeyRequestEvent(from: &reader))
        case AuthenticationFailedEvent.code: self = .authenticationFailed(try AuthenticationFailedEvent(from: &reader))
        case DeviceUnpairedEvent.code: self = .deviceUnpaired(try DeviceUnpairedEvent(from: &reader))
        case PasskeyNotifyEvent.code: self = .passkeyNotify(try PasskeyNotifyEvent(from: &reader))
        case NewIdentityResolvingKeyEvent.code:
            self = .newIdentityResolvingKey(try NewIdentityResolvingKeyEvent(from: &reader))
        case NewSignatureResolvingKeyEvent.code:
            self = .newSignatureResolvingKey(try NewSignatureResolvingKeyEvent(from: &reader))
        default: self = .unknown(packet)
        }
    }

    /// The event's parameters; `nil` for an unknown event.
    package var parameters: (any ManagementEventParameters)? {
        switch self {
        case .commandComplete(let event): event
        case .commandStatus(let event): event
        case .controllerError(let event): event
        case .indexAdded: IndexAddedEvent()
        case .indexRemoved: IndexRemovedEvent()
        case .newSettings(let event): event
        case .newLongTermKey(let event): event
        case .deviceConnected(let event): event
        case .deviceDisconnected(let event): event
        case .connectFailed(let event): event
        case .userConfirmationRequest(let event): event
        case .userPasskeyRequest(let event): event
        case .authenticationFailed(let event): event
        case .deviceUnpaired(let event): event
        case .passkeyNotify(let event): event
        case .newIdentityResolvingKey(let event): event
        case .newSignatureResolvingKey(let event): event
        case .unknown: nil
        }
    }
}
