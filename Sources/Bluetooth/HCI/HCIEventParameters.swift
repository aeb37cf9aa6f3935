// SPDX-License-Identifier: MIT

/// The parameters of one kind of event. They are decoded when received, and encoded by a simulated controller.
///
/// Code, name and parameters of an event are declared together in a file under `Events/`, and `HCIEvent` lists it.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.7
package protocol HCIEventParameters: WireDecodable, WireEncodable, Hashable, Sendable, CustomStringConvertible {
    static var form: HCIEventForm { get }
    /// A short description of the parameters for a trace; may be empty.
    var details: String { get }
}

/// What identifies an event.
package struct HCIEventForm: Sendable {
    package let code: HCIEventCode
    /// The first parameter of the LE Meta event, which identifies the LE event (Subevent_Code); `nil` for other events.
    package let subevent: UInt8?
    /// The event's name as the specification writes it, without `HCI_` and underscores.
    package let name: String

    init(_ code: HCIEventCode, _ name: String) { (self.code, subevent, self.name) = (code, nil, name) }

    init(le subevent: UInt8, _ name: String) { (code, self.subevent, self.name) = (.leMeta, subevent, name) }
}

extension HCIEventParameters {
    package static var code: HCIEventCode { form.code }
    package static var name: String { form.name }

    package var description: String { details.isEmpty ? Self.name : "\(Self.name): \(details)" }

    package var packet: HCIEventPacket {
        var writer = ByteWriter()
        // All LE events share one code, so the parameters begin with the subevent code.
        if let subevent = Self.form.subevent { writer.uint8(subevent) }
        encode(into: &writer)
        return HCIEventPacket(Self.code, parameters: writer.bytes)
    }
}
