// SPDX-License-Identifier: MIT

package import Bluetooth

// What a pairing leaves: keys, and events about them.

extension AdapterSecurity {
    /// A pairing has ended without keys.
    package mutating func pairingFailed(_ status: ManagementStatus, _ command: PairingCommand) -> [ManagementAction] {
        if pairing == command.device { pairing = nil }
        askedBy.remove(command.device)
        let device = ManagementAddress(command.device)
        var actions = command.packet.map { answer($0, status, device) } ?? []
        if status == .authenticationFailed {
            actions.append(.event(AuthenticationFailedEvent(device, status: status).packet(about: index)))
        }
        return actions
    }

    /// A pairing has succeeded. Takes the keys, and reports them.
    ///
    /// - Parameters:
    ///   - identity: The identity of the device, which counts if it has sent it, or if it has no other address.
    ///   - address: The address that it has on the air.
    ///   - made: Makes the keys of this end for the address by which the device is known.
    package mutating func paired(
        _ agreement: PairingAgreement,
        _ command: PairingCommand,
        identity: DeviceIdentity,
        address: DeviceAddress,
        made: (_ device: DeviceAddress) -> GeneratedKeys
    ) -> (keys: [ManagementAction], end: [ManagementAction]) {
        if pairing == command.device { pairing = nil }
        askedBy.remove(command.device)
        let isKnown = agreement.responderKeys.contains(.identity) || identity.address == address
        // Without its identity, the device is known by an address that it will not have again.
        let device = isKnown ? identity.address : address
        var events = agreement.responderKeys.contains(.identity) ? take(identity, at: address, agreement) : []
        events += take(made(device), of: device, isBonding: agreement.isBonding)
        return (events, command.packet.map { answer($0, .success, ManagementAddress(device)) } ?? [])
    }

    /// A pairing that a central has asked for has succeeded. Takes the keys, and reports them.
    ///
    /// - Parameters:
    ///   - central: The address that it has on the air.
    ///   - identity: The identity that it has sent; `nil` if it has sent none.
    package mutating func paired(
        _ agreement: PairingAgreement,
        by central: DeviceAddress,
        identity: DeviceIdentity?,
        made: GeneratedKeys
    ) -> [ManagementAction] {
        askedBy.remove(central)
        let identified = identity.map { take($0, at: central, agreement) } ?? []
        return identified + take(made, of: identity?.address ?? central, isBonding: agreement.isBonding)
    }

    private mutating func take(
        _ identity: DeviceIdentity,
        at address: DeviceAddress,
        _ agreement: PairingAgreement
    ) -> [ManagementAction] {
        keys.identities.removeAll { $0.address == identity.address }
        keys.identities.append(identity)
        let event = NewIdentityResolvingKeyEvent(
            isToBeStored: agreement.isBonding,
            privateAddress: address == identity.address ? BluetoothAddress(rawValue: 0) : address.address,
            IdentityResolvingKey(device: ManagementAddress(identity.address), value: identity.key)
        )
        return [.event(event.packet(about: index)), .identitiesChanged]
    }

    /// Takes keys in the place of all that there are of a device, and reports them.
    private mutating func take(_ made: GeneratedKeys, of device: DeviceAddress, isBonding: Bool) -> [ManagementAction] {
        // As in Linux, mgmt_new_ltk: the key of an address that changes finds no device later.
        let isToBeStored = isBonding && device.isIdentity
        var events: [ManagementAction] = []
        // Signature keys before long-term keys, and the identity before both: the order of Linux, smp_notify_keys.
        for key in made.signature {
            let event = NewSignatureResolvingKeyEvent(isToBeStored: isToBeStored, key)
            events.append(.event(event.packet(about: index)))
        }
        keys.longTermKeys.removeAll { $0.device.device == device }
        for key in made.longTerm {
            keys.longTermKeys.append(key)
            let event = NewLongTermKeyEvent(isToBeStored: isToBeStored, key)
            events.append(.event(event.packet(about: index)))
        }
        if isToBeStored { keys.passing.remove(device) } else { keys.passing.insert(device) }
        return events
    }

    /// A pairing that a central has asked for has ended without keys.
    package mutating func pairingFailed(_ status: ManagementStatus, by central: DeviceAddress) -> [ManagementAction] {
        askedBy.remove(central)
        // The end of a link is reported by a separate event.
        guard status != .disconnected else { return [] }
        let event = AuthenticationFailedEvent(ManagementAddress(central), status: .authenticationFailed)
        return [.event(event.packet(about: index))]
    }

    /// The link to a device has ended: keys that are not to be kept go with it.
    package mutating func linkEnded(with device: DeviceAddress) {
        let device = keys.identity(of: device)
        if keys.passing.contains(device) { _ = keys.remove(device) }
    }
}

extension DeviceAddress {
    /// Whether it is an address that does not change, which an adapter demands of devices whose keys are kept.
    package var isIdentity: Bool {
        switch kind {
        case .public, .randomStatic: true
        default: false
        }
    }
}

extension ManagementAddress {
    package var isIdentity: Bool { device?.isIdentity == true }
}

extension DeviceDisconnectedEvent.Reason {
    /// Spec: Linux, net/bluetooth/hci_event.c, hci_to_mgmt_reason
    package init(_ status: HCIStatus) {
        switch status {
        case .connectionTimeout: self = .timedOut
        case .remoteUserTerminatedConnection, .remoteDeviceTerminatedConnectionPowerOff: self = .closedByPeer
        case .connectionTerminatedByLocalHost: self = .closedLocally
        default: self = .unspecified
        }
    }
}
