// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import RadioSharing
import Terminal

/// The sessions that are listed or stopped.
package enum SessionSelection: Sendable, Equatable {
    case all
    /// By its name, or its device's name or address.
    case named(String)
    /// By its device's name or services, as other commands choose it.
    case fitting(DeviceSelector)
    case only

    /// The name in it; `nil` for none.
    package var givenName: String? {
        switch self {
        case .named(let name): name
        case .fitting(let selector): selector.givenName
        case .all, .only: nil
        }
    }

    /// The sessions that are meant. A name wins over an address or a device's name. Throws if there is none, or if one of
    /// several is meant.
    package func chosen(
        among found: [CommandContext.FoundSession]
    ) throws(BlectlError) -> [CommandContext.FoundSession] {
        let fitting: [CommandContext.FoundSession]
        let words: String
        switch self {
        case .all: return found
        case .named(let text):
            let device = try? DeviceIdentifier(text)
            let named = found.filter { $0.description.name == text }
            fitting =
                named.isEmpty
                ? found.filter { session in
                    let description = session.description
                    return device?.selects(description.device.address, name: description.deviceName) ?? false
                } : named
            words = Prose.quoted(text)
        case .fitting(let selector):
            fitting = found.filter { SessionChoice.fits($0.description, selector) }
            words = "with a device \(selector.text)"
        case .only:
            try Self.refuseSeveral(found)
            guard found.isEmpty else { return found }
            throw BlectlError(.notFound, "there is no session", hint: "blectl session start -d DEVICE")
        }
        guard fitting.isEmpty else { return fitting }
        throw BlectlError(.notFound, "there is no session \(words)", hint: "blectl session list")
    }

    /// Throws if several sessions could be the one that is meant.
    package static func refuseSeveral(_ found: [CommandContext.FoundSession]) throws(BlectlError) {
        guard found.count > 1 else { return }
        let names = found.map { "'\($0.description.name)'" }
        throw BlectlError(
            .notFound,
            "there are several sessions: \(Prose.list(names, "and"))",
            hint: "blectl session stop \(Prose.quoted(found[0].description.name)), or blectl session stop --all"
        )
    }
}

extension CommandRequest {
    /// Whether a session in the world of the command may have its device, so that the command needs nothing of the
    /// world.
    package func mayRun(onOneOf folder: SessionFolder) -> Bool {
        guard let device = command.device, device.usesSessions, global.mayUseSessions, !name.has(.isShell) else {
            return false
        }
        // When the session ends, such a command needs an adapter of its own.
        guard !device.connection.reconnects else { return false }
        let world = global.worldDigits
        return folder.entries().contains { $0.world == world }
    }
}

extension SessionLabel {
    /// A name made of a device's: `Pulse HR` becomes `pulse-hr`. One at a socket without a name is called as the socket.
    package init(device: DeviceReference) {
        let dash = UInt8(ascii: "-")
        var octets: [UInt8] = []
        let name = device.name ?? device.socket?.split(separator: "/").last.map { String($0) } ?? ""
        for octet in name.lowercased().utf8.prefix(Self.limit) {
            let isPlain = octet != dash && Self.isPlain(octet)
            if isPlain || octets.last.map({ $0 != dash }) ?? false { octets.append(isPlain ? octet : dash) }
        }
        if octets.last == dash { octets.removeLast() }
        let text = String(decoding: octets, as: UTF8.self)
        let address = device.address.address.description.lowercased().replacing(":", with: "")
        description = Self(text)?.description ?? address
    }
}
