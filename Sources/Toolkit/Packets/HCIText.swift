// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
package import BluetoothProfiles

/// HCI packets, and those of the kernel's management interface, in words: each by the name that its specification gives
/// it, also if only its parameters' octets are known.
package enum HCIText {
    // MARK: - Names

    /// The name of a command; `command 0xFC01` for one without a name.
    package static func name(of opcode: HCIOpcode) -> String {
        guard HCICommandCatalog.type(of: opcode) == nil else { return "\(opcode)" }
        return ProtocolNames.hciCommand(opcode.rawValue)?.name ?? "\(opcode)"
    }

    /// The name of an event; `nil` for one without a name.
    package static func name(of event: HCIEventPacket) -> String? { entry(of: event)?.name }

    /// What is known of an event without decoding it; `nil` for an unknown one.
    package static func entry(of event: HCIEventPacket) -> ProtocolNames.HCIEvent? {
        let subevent = event.code == .leMeta ? event.parameters.first : nil
        return ProtocolNames.hciEvent(event.code.rawValue, subevent: subevent)
    }

    /// The name of a packet of the management interface; `nil` for one without a name.
    package static func name(of packet: ManagementPacket, isSent: Bool) -> String? {
        isSent ? ProtocolNames.managementCommand(packet.code) : ProtocolNames.managementEvent(packet.code)
    }

    // MARK: - Texts

    package static func text(of packet: HCIPacket) -> String {
        switch packet {
        case .command(let command): renamed(command.description, "\(command.opcode)", name(of: command.opcode))
        case .event(let event): text(of: event)
        case .acl(let data): "\(name(of: data)) \(data.connection), \(text(of: data.data))"
        case .other(let indicator, let rest):
            CapturedAudio(indicator, rest).map { "\($0.name): \($0.text)" }
                ?? "packet 0x\(Hex.string(indicator, minimumDigits: 2)) \(Hex.string(rest))"
        }
    }

    /// Data of a link, or the log of a controller.
    package static func name(of data: HCIACLPacket) -> String {
        HCIPacket.isLink(data.connection) ? "ACL data" : "vendor data"
    }

    /// `2 octets: 0a0b`
    package static func text(of octets: [UInt8]) -> String {
        "\(count: octets.count, "octet")\(octets.isEmpty ? "" : ": \(Hex.string(octets))")"
    }

    private static func text(of event: HCIEventPacket) -> String {
        let text = event.description
        switch (event.code, event.parameters.first) {
        case (.commandComplete, _), (.commandStatus, _):
            return switch event.decoded {
            case .known(let complete as CommandCompleteEvent): answer(CommandCompleteEvent.name, complete.opcode, text)
            case .known(let status as CommandStatusEvent): answer(CommandStatusEvent.name, status.opcode, text)
            default: renamed(text, number(of: event), name(of: event))
            }
        case (.leMeta, 0x29):
            // The description does not decode the second version of Enhanced Connection Complete.
            guard case .known(let complete as LEEnhancedConnectionCompleteEvent)? = event.decoded else { break }
            return "\(name(of: event) ?? LEEnhancedConnectionCompleteEvent.name): \(complete.details)"
        default: break
        }
        // A decoder has named it. The first letter tells that of nearly all.
        guard text.utf8.first == UInt8(ascii: "e"), text.hasPrefix(number(of: event)), let name = name(of: event) else {
            return text
        }
        if let link = ClassicLink(event) { return "\(name): \(link.details)" }
        // The name stands for the subevent code, too.
        let code = event.code == .leMeta ? event.parameters.first.map { ": \(Hex.string([$0]))" } : nil
        guard let code, text.hasPrefix(number(of: event) + code) else { return renamed(text, number(of: event), name) }
        return renamed(text, number(of: event) + code, "\(name): ")
    }

    /// The event as the description of one without a decoder begins: `event 0x14`.
    private static func number(of event: HCIEventPacket) -> String {
        "event 0x\(Hex.string(event.code.rawValue, minimumDigits: 2))"
    }

    /// The text of an answer to a command, with the name of the command.
    private static func answer(_ event: String, _ opcode: HCIOpcode, _ text: String) -> String {
        renamed(text, "\(event): \(opcode)", "\(event): \(name(of: opcode))")
    }

    package static func text(of packet: ManagementPacket, isSent: Bool) -> String {
        let number = Hex.string(packet.code, minimumDigits: 4)
        let name = name(of: packet, isSent: isSent).map { "\(packet.adapter) \($0)" }
        guard !isSent else {
            return renamed(
                ManagementCommandCatalog.describe(sent: packet),
                "\(packet.adapter) command 0x\(number)",
                name
            )
        }
        let text = ManagementCommandCatalog.describe(received: packet)
        // The two answers to a command begin with its opcode.
        let start = packet.parameters.prefix(2)
        guard packet.code <= 0x0002, let low = start.first, let high = start.dropFirst().first, let name else {
            return renamed(text, "\(packet.adapter) event 0x\(number)", name)
        }
        let opcode = UInt16(low) | UInt16(high) << 8
        let command = ProtocolNames.managementCommand(opcode).map { "\(name): \($0)" }
        return renamed(text, "\(name): \(ManagementOpcode(rawValue: opcode))", command)
    }

    /// A text that begins with a number, with a name in its place.
    private static func renamed(_ text: String, _ number: String, _ name: String?) -> String {
        guard let name, text.hasPrefix(number) else { return text }
        return name + text.dropFirst(number.count)
    }

    // MARK: - Validity

    package static func isMalformed(_ packet: HCIPacket) -> Bool {
        switch packet {
        case .command(let command): fails { () throws(DecodeError) in _ = try HCICommandCatalog.command(in: command) }
        case .event(let event): fails { () throws(DecodeError) in _ = try HCIEvent(event) }
        case .acl: false
        case .other(let indicator, let rest): CapturedAudio(indicator, rest)?.isMalformed ?? false
        }
    }

    package static func isMalformed(_ packet: ManagementPacket, isSent: Bool) -> Bool {
        guard !isSent else {
            return fails { () throws(DecodeError) in _ = try ManagementCommandCatalog.command(in: packet) }
        }
        return fails { () throws(DecodeError) in
            guard case .known(let event as ManagementCommandCompleteEvent) = try ManagementEvent(packet),
                event.status == .success, let type = ManagementCommandCatalog.type(of: event.opcode)
            else { return }
            func check<Parameters: ManagementCommand>(_ type: Parameters.Type) throws(DecodeError) {
                _ = try type.returnParameters(decoding: event.returnParameters)
            }
            try check(type)
        }
    }

    private static func fails(_ body: () throws(DecodeError) -> Void) -> Bool {
        do throws(DecodeError) {
            try body()
            return false
        } catch { return true }
    }
}

extension HCIPacket {
    /// Whether it is data of a link. Some controllers send their logs in packets of handles that no link has: one of a
    /// chip maker, and those above the range for links.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 5.4.2
    package static func isLink(_ connection: ConnectionHandle) -> Bool {
        connection.rawValue <= 0x0EFF && connection.rawValue != 0x0EDC
    }
}
