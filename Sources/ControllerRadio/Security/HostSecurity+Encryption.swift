// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

// The encryption of links: with the key of a pairing, or with one that is kept.

extension HostSecurity {
    /// Raises the security of a link. `Action.raised` says the end.
    mutating func raise(_ handle: ConnectionHandle, to level: SecurityLevel, _ id: RaisingID) -> [Action] {
        guard let link = links[handle] else { return [.raised(id, .closedLocally)] }
        if link.security.level >= level { return [.raised(id, nil)] }
        let identity = keys.identity(of: link.peer)
        switch link.role {
        case .central:
            guard let key = keys.longTermKey(of: identity), key.level >= level, !link.isSilent else {
                return [.raised(id, .unsupported)]
            }
            links[handle]?.raisings[id] = level
            guard case .none = link.encryption else { return [] }
            return encrypt(handle, with: key)
        case .peripheral:
            // The central has to encrypt. Without a key it would pair, which nobody here has asked for.
            let isPossible = keys.longTermKeys.contains { $0.device.device == identity && $0.level >= level }
            guard isPossible, link.session == nil, !link.isSilent else { return [.raised(id, .unsupported)] }
            links[handle]?.raisings[id] = level
            let isProtected = level > .medium
            let requirements: AuthenticationRequirements =
                isProtected
                ? [.bonding, .manInTheMiddleProtection, .secureConnections] : [.bonding, .secureConnections]
            return [.send(.securityRequest(requirements), on: handle)]
        }
    }

    /// Whether the end of an encryption, or of its renewal, is awaited.
    func isEncrypting(_ handle: ConnectionHandle) -> Bool {
        switch links[handle]?.encryption {
        case nil, .none?: false
        case .session?, .bond?: true
        }
    }

    /// Nobody waits for the security of a link any more.
    mutating func forget(_ id: RaisingID) { for handle in links.keys { links[handle]?.raisings[id] = nil } }

    mutating func encrypt(_ handle: ConnectionHandle, with key: LongTermKey) -> [Action] {
        links[handle]?.encryption = .bond(key)
        let command = LEEnableEncryption(
            handle,
            randomNumber: key.randomNumber,
            diversifier: key.diversifier,
            key: key.value
        )
        return [.command(command.packet, handle)]
    }

    /// The central encrypts, and the controller asks for the key. It is always answered: without an answer the link would
    /// hang until its supervision timeout.
    mutating func keyRequested(_ event: LELongTermKeyRequestEvent) -> [Action] {
        let handle = event.connection
        guard let link = links[handle] else {
            return [.command(LELongTermKeyRequestNegativeReply(handle).packet, handle)]
        }
        if let key = link.session?.key(for: event) {
            links[handle]?.encryption = .session
            return [.command(LELongTermKeyRequestReply(handle, key: key).packet, handle)]
        }
        let identity = keys.identity(of: link.peer)
        let key = keys.longTermKeys.last { key in
            guard key.device.device == identity, link.session == nil else { return false }
            guard !key.kind.isSecureConnections else { return event.diversifier == 0 && event.randomNumber == 0 }
            return !key.isCentral && key.diversifier == event.diversifier && key.randomNumber == event.randomNumber
        }
        guard let key else { return [.command(LELongTermKeyRequestNegativeReply(handle).packet, handle)] }
        links[handle]?.encryption = .bond(key)
        return [.command(LELongTermKeyRequestReply(handle, key: key.value).packet, handle)]
    }

    mutating func encryptionRefused(_ handle: ConnectionHandle, _ status: HCIStatus?) -> [Action] {
        guard let link = links[handle], link.role == .central else { return [] }
        guard case .none = link.encryption else { return encryptionFailed(handle) }
        return []
    }

    /// Encryption was switched on or off, or its key was renewed, or the attempt has failed.
    mutating func encryptionChanged(
        _ handle: ConnectionHandle,
        _ status: HCIStatus,
        isOn: Bool,
        _ now: Instant
    ) -> [Action] {
        guard let link = links[handle] else { return [] }
        guard status == .success else { return encryptionFailed(handle) }
        guard isOn else {
            // A link that loses its protection cannot be used as one that has it.
            links[handle]?.security = LinkSecurity(hasBond: link.security.hasBond)
            return []
        }
        links[handle]?.encryption = .none
        var actions: [Action] = []
        switch link.encryption {
        case .none: break
        case .bond(let key):
            links[handle]?.security = key.security
            actions = answerRequests(on: handle, .success)
        case .session:
            if case .encrypting(let agreement, _)? = link.session?.state {
                links[handle]?.security = agreement.security
            }
            actions = advance(handle, now) { $0.encrypted(now: $1) }
        }
        return settleRaisings(on: handle) + actions
    }

    /// Tells those who wait that the link is encrypted; they see whether the level is what they want.
    private mutating func settleRaisings(on handle: ConnectionHandle) -> [Action] {
        guard let link = links[handle] else { return [] }
        links[handle]?.raisings = [:]
        return link.raisings.sorted { $0.key.rawValue < $1.key.rawValue }.map { .raised($0.key, nil) }
    }

    /// The peer has lost the key, or has another one. The keys here are kept, because anybody could cause that; the link
    /// ends, because nothing may be sent without protection.
    private mutating func encryptionFailed(_ handle: ConnectionHandle) -> [Action] {
        links[handle]?.encryption = .none
        return [.end(handle, .authenticationFailure, .authenticationFailed)]
    }
}
