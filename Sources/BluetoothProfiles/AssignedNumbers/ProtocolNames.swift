// SPDX-License-Identifier: MIT

/// The names of all commands and events between a host and its controller, and of those of the kernel's management
/// interface; also of those that this package does not decode.
package enum ProtocolNames {
    package struct HCICommand: Hashable, Sendable {
        /// The specification's name without `HCI_` and underscores: `LE Connection Update`.
        package let name: String
        /// Whether the parameters begin with the handle of a connection.
        package let isOfConnection: Bool
        /// Whether the return parameters after the status do, too.
        package let returnsConnection: Bool
    }

    package struct HCIEvent: Hashable, Sendable {
        /// The specification's name without `HCI_` and underscores: `Mode Change`.
        package let name: String
        /// The octets before the handle of a connection, without the subevent code; `nil` if the event has none.
        package let connectionOffset: Int?
        /// Whether there is a connection only if the status, which is the first octet, is success.
        package let needsSuccess: Bool
    }

    /// The command with that opcode; `nil` if the specification has none.
    ///
    /// Spec: Core 6.0, Vol 4, Part E, 7.1 to 7.8
    package static func hciCommand(_ opcode: UInt16) -> HCICommand? {
        guard let (place, name) = entry(opcode, in: .hciCommands) else { return nil }
        return HCICommand(name: name, isOfConnection: place.hasPrefix("c"), returnsConnection: place.hasSuffix("r"))
    }

    /// The event with that code; `nil` if the specification has none.
    ///
    /// Spec: Core 6.0, Vol 4, Part E, 7.7
    ///
    /// - Parameters:
    ///   - code: The code of the event.
    ///   - subevent: The subevent code, if the event is an LE Meta event and has one.
    package static func hciEvent(_ code: UInt8, subevent: UInt8?) -> HCIEvent? {
        hciEvents[subevent.map { UInt16(code) << 8 | UInt16($0) } ?? UInt16(code)]
    }

    /// All events. A capture has a million of them, so that their lines are not read again for each.
    private static let hciEvents: [UInt16: HCIEvent] = {
        var events: [UInt16: HCIEvent] = [:]
        NameTable.hciEvents.forEach { line in
            let number = UInt16(truncatingIfNeeded: line.number)
            guard let (place, name) = entry(number, in: .hciEvents) else { return true }
            let offset = place.utf8.first.map { Int($0 &- UInt8(ascii: "0")) }
            events[number] = HCIEvent(name: name, connectionOffset: offset, needsSuccess: place.hasSuffix("s"))
            return true
        }
        return events
    }()

    /// The name of a command of the management interface; `nil` if it has none.
    ///
    /// Spec: BlueZ, doc/mgmt-protocol.rst
    package static func managementCommand(_ opcode: UInt16) -> String? { NameTable.managementCommands.name(of: opcode) }

    /// The name of an event of the management interface; `nil` if it has none.
    ///
    /// Spec: BlueZ, doc/mgmt-protocol.rst
    package static func managementEvent(_ code: UInt16) -> String? { NameTable.managementEvents.name(of: code) }

    /// The texts before and after the tab in the line of a number.
    private static func entry(_ number: UInt16, in table: NameTable) -> (place: Substring, name: String)? {
        guard let parts = table.name(of: number)?.split(separator: "\t", omittingEmptySubsequences: false),
            let place = parts.first, let name = parts.last, parts.count == 2
        else { return nil }
        return (place, String(name))
    }
}
