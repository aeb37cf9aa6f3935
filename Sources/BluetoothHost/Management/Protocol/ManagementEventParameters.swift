// SPDX-License-Identifier: MIT

package import Bluetooth

/// The parameters of one kind of management event. They can be read, and for the simulated kernel also written.
///
/// One declaration, under `Events/`, holds the code, the name and the parameters, and `ManagementEvent` lists it.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst, the section with the name
package protocol ManagementEventParameters: WireDecodable, WireEncodable, Hashable, Sendable, CustomStringConvertible {
    static var code: UInt16 { get }
    static var name: String { get }
    /// The parameters in a few words, for a trace; may be empty.
    var details: String { get }
}

extension ManagementEventParameters {
    package func packet(about adapter: ManagementIndex) -> ManagementPacket {
        ManagementPacket(code: Self.code, adapter: adapter, parameters: encoded())
    }

    /// Name and parameters on one line.
    package var description: String { details.isEmpty ? Self.name : "\(Self.name): \(details)" }
}
