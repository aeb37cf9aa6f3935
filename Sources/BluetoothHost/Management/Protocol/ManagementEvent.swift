// SPDX-License-Identifier: MIT

package import Bluetooth

/// A decoded event of the management interface. Unknown events keep their octets.
package enum ManagementEvent: Sendable {
    /// An event of one of the types below. Its type says what has happened.
    case known(any ManagementEventParameters)
    case unknown(ManagementPacket)

    /// The types of known events, in the order of their codes.
    private static let types: [any ManagementEventParameters.Type] = [
        ManagementCommandCompleteEvent.self,
        ManagementCommandStatusEvent.self,
        ControllerErrorEvent.self,
        IndexAddedEvent.self,
        IndexRemovedEvent.self,
        NewSettingsEvent.self,
        NewLongTermKeyEvent.self,
        DeviceConnectedEvent.self,
        DeviceDisconnectedEvent.self,
        ConnectFailedEvent.self,
        UserConfirmationRequestEvent.self,
        UserPasskeyRequestEvent.self,
        AuthenticationFailedEvent.self,
        DeviceUnpairedEvent.self,
        PasskeyNotifyEvent.self,
        NewIdentityResolvingKeyEvent.self,
        NewSignatureResolvingKeyEvent.self,
    ]

    /// Decodes a packet from the kernel. Ignores octets after the known parameters, because later kernels append some.
    package init(_ packet: ManagementPacket) throws(DecodeError) {
        guard let type = Self.types.first(where: { $0.code == packet.code }) else {
            self = .unknown(packet)
            return
        }
        var reader = ByteReader(packet.parameters)
        self = .known(try type.init(from: &reader))
    }

    /// The event's parameters; `nil` for an unknown event.
    package var parameters: (any ManagementEventParameters)? {
        if case .known(let event) = self { event } else { nil }
    }
}

extension ManagementEvent: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.known(let left), .known(let right)): AnyHashable(left) == AnyHashable(right)
        case (.unknown(let left), .unknown(let right)): left == right
        case (.known, .unknown), (.unknown, .known): false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .known(let event): hasher.combine(AnyHashable(event))
        case .unknown(let packet): hasher.combine(packet)
        }
    }
}

/// The parameters of one kind of management event. They can be read, and for the simulated kernel also written.
///
/// One declaration, under `Events/`, holds the code, the name and the parameters, and `ManagementEvent` lists it.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, the section with the name
package protocol ManagementEventParameters: WireDecodable, WireEncodable, Hashable, Sendable, CustomStringConvertible {
    static var form: ManagementForm { get }
    /// The parameters in a few words, for a trace; may be empty.
    var details: String { get }
}

extension ManagementEventParameters {
    package static var code: UInt16 { form.number }

    package func packet(about adapter: ManagementIndex) -> ManagementPacket {
        ManagementPacket(code: Self.code, adapter: adapter, parameters: encoded())
    }

    package var description: String { details.isEmpty ? Self.form.name : "\(Self.form.name): \(details)" }
}
