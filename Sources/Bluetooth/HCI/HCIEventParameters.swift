// SPDX-License-Identifier: MIT

/// The parameters of one kind of event. They are decoded when received, and encoded by a simulated controller.
///
/// Code, name and parameters of an event are declared together in a file under `Events/`, and `HCIEvent` lists it.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7
package protocol HCIEventParameters: WireDecodable, WireEncodable, Hashable, Sendable, CustomStringConvertible {
    static var code: HCIEventCode { get }
    /// The event's name as the specification writes it, without `HCI_` and underscores.
    static var name: String { get }
    /// A short description of the parameters for a trace; may be empty.
    var details: String { get }
}

/// The parameters of an LE Meta event, without the subevent code.
package protocol LEEventParameters: HCIEventParameters {
    /// The first parameter of the LE Meta event, which identifies the LE event (Subevent_Code).
    static var subevent: UInt8 { get }
}

extension LEEventParameters {
    /// All LE events share one event code.
    package static var code: HCIEventCode { .leMeta }
}

extension HCIEventParameters {
    package var description: String { details.isEmpty ? Self.name : "\(Self.name): \(details)" }

    package var packet: HCIEventPacket {
        var writer = ByteWriter()
        // All LE events share one code, so the parameters begin with the subevent code.
        if let type = Self.self as? any LEEventParameters.Type { writer.uint8(type.subevent) }
        encode(into: &writer)
        return HCIEventPacket(Self.code, parameters: writer.bytes)
    }
}
