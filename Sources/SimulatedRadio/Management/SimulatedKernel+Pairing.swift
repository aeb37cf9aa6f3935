// SPDX-License-Identifier: MIT

import Bluetooth

/// The management commands of pairing and keys, with the answers that Linux gives.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst; net/bluetooth/mgmt.c, net/bluetooth/smp.c
extension SimulatedKernel {
    /// A Pair Device that was accepted.
    struct PairingCommand: Hashable, Sendable {
        let device: DeviceAddress
        /// The Pairing Request that the kernel sends.
        let request: PairingFeatures
        let demandsSecureConnections: Bool
        let data: OutOfBandData.Pair?
        let packet: ManagementPacket
    }

    /// What a person has answered.
    enum PairingReply: Hashable, Sendable {
        case confirmed(Bool)
        case entered(UInt32?)
    }

    /// The answer to a command of pairing; `nil` for other commands.
    mutating func pairingCommand(_ command: any ManagementCommand, _ packet: ManagementPacket) -> [Action]? {
        switch command {
        case let command as SetBondable: set(.bondable, command.isOn, SetBondable.self, packet)
        case let command as SetIOCapability: setCapability(command, packet)
        case let command as SetSecureConnections: setSecureConnections(command, packet)
        case let command as SetPrivacy: setPrivacy(command, packet)
        case let command as LoadLongTermKeys: load(command, packet)
        case let command as LoadIdentityResolvingKeys: load(command, packet)
        case let command as PairDevice: pair(command, packet)
        case let command as CancelPairDevice: cancel(command, packet)
        case let command as UnpairDevice: unpair(command, packet)
        case let command as UserConfirmationReply: reply(.confirmed(true), command.device, packet)
        case let command as UserConfirmationNegativeReply: reply(.confirmed(false), command.device, packet)
        case let command as UserPasskeyReply: reply(.entered(command.passkey), command.device, packet)
        case let command as UserPasskeyNegativeReply: reply(.entered(nil), command.device, packet)
        case is ReadLocalOutOfBandData: readOutOfBandData(packet)
        case let command as AddRemoteOutOfBandData: add(command, packet)
        case let command as RemoveRemoteOutOfBandData: remove(command, packet)
        default: nil
        }
    }

    // MARK: - Settings

    private mutating func setCapability(_ command: SetIOCapability, _ packet: ManagementPacket) -> [Action] {
        keys.capability = command.capability
        return complete(SetIOCapability.self, .init(), packet)
    }

    private mutating func setSecureConnections(_ command: SetSecureConnections, _ packet: ManagementPacket) -> [Action]
    {
        keys.secureConnections = command.mode
        return set(.secureConnections, command.mode != .off, SetSecureConnections.self, packet)
    }

    private mutating func setPrivacy(_ command: SetPrivacy, _ packet: ManagementPacket) -> [Action] {
        guard !settings.contains(.powered) else { return refuse(packet, .rejected) }
        if command.mode != .off { keys.isResolving = true }
        return set(.privacy, command.mode != .off, SetPrivacy.self, packet)
    }

    // MARK: - Keys

    private mutating func load(_ command: LoadLongTermKeys, _ packet: ManagementPacket) -> [Action] {
        guard command.keys.allSatisfy({ $0.device.isIdentity }) else { return refuse(packet, .invalidParameters) }
        keys.longTermKeys = command.keys
        keys.passing = []
        return complete(LoadLongTermKeys.self, .init(), packet)
    }

    private mutating func load(_ command: LoadIdentityResolvingKeys, _ packet: ManagementPacket) -> [Action] {
        guard command.keys.allSatisfy({ $0.device.isIdentity }) else { return refuse(packet, .invalidParameters) }
        keys.identities = command.keys.compactMap { key in
            key.device.device.map { DeviceIdentity(address: $0, key: key.value) }
        }
        keys.isResolving = true
        return complete(LoadIdentityResolvingKeys.self, .init(), packet) + [.identitiesChanged]
    }

    private mutating func readOutOfBandData(_ packet: ManagementPacket) -> [Action] {
        guard settings.contains(.powered) else { return refuse(packet, .notPowered) }
        let data = OutOfBandData(p256: SimulatedKeys.outOfBandData(of: profile.address))
        return complete(ReadLocalOutOfBandData.self, data, packet)
    }

    private mutating func add(_ command: AddRemoteOutOfBandData, _ packet: ManagementPacket) -> [Action] {
        let isRoom = keys.outOfBand.count < KernelKeys.outOfBandLimit
        guard command.device.device != nil, isRoom || keys.outOfBand[command.device.address] != nil else {
            return answer(packet, .failed, command.device)
        }
        keys.outOfBand[command.device.address] = command.data
        return answer(packet, .success, command.device)
    }

    private mutating func remove(_ command: RemoveRemoteOutOfBandData, _ packet: ManagementPacket) -> [Action] {
        let removed = keys.outOfBand.removeValue(forKey: command.device.address)
        return answer(packet, removed == nil ? .invalidParameters : .success, command.device)
    }

    // MARK: - Pairing

    private mutating func pair(_ command: PairDevice, _ packet: ManagementPacket) -> [Action] {
        guard let device = command.device.device else { return answer(packet, .invalidParameters, command.device) }
        guard settings.contains(.powered) else { return answer(packet, .notPowered, command.device) }
        guard !keys.isPaired(with: keys.identity(of: device)) else {
            return answer(packet, .alreadyPaired, command.device)
        }
        guard pairing == nil else { return answer(packet, .busy, command.device) }
        pairing = device
        let data = keys.secureConnections == .off ? nil : keys.outOfBand[device.address]?.p256
        return [
            .pair(
                PairingCommand(
                    device: device,
                    request: request(command.capability, hasData: data != nil),
                    demandsSecureConnections: keys.secureConnections == .only,
                    data: data,
                    packet: packet
                )
            )
        ]
    }

    /// The Pairing Request. The kernel asks for protection if the input and output allow any.
    private func request(_ capability: IOCapability, hasData: Bool) -> PairingFeatures {
        var requirements: AuthenticationRequirements = []
        var sent: KeyDistribution = []
        if settings.contains(.bondable) {
            requirements.insert(.bonding)
            sent = [.encryption, .signature]
        }
        if capability != .noInputNoOutput { requirements.insert(.manInTheMiddleProtection) }
        if keys.secureConnections != .off { requirements.insert(.secureConnections) }
        return PairingFeatures(
            ioCapability: capability,
            hasOutOfBandData: hasData,
            requirements: requirements,
            initiatorKeys: settings.contains(.privacy) ? sent.union(.identity) : sent,
            responderKeys: keys.isResolving ? sent.union(.identity) : sent
        )
    }

    private mutating func cancel(_ command: CancelPairDevice, _ packet: ManagementPacket) -> [Action] {
        guard settings.contains(.powered) else { return answer(packet, .notPowered, command.device) }
        guard let pairing, command.device.device == pairing else {
            return answer(packet, .invalidParameters, command.device)
        }
        return [.endPairing(.cancelled)] + answer(packet, .success, command.device)
    }

    private mutating func unpair(_ command: UnpairDevice, _ packet: ManagementPacket) -> [Action] {
        guard let device = command.device.device else { return answer(packet, .invalidParameters, command.device) }
        guard settings.contains(.powered) else { return answer(packet, .notPowered, command.device) }
        var actions: [Action] = pairing == device ? [.endPairing(.cancelled)] : []
        guard keys.remove(keys.identity(of: device)) else {
            return actions + answer(packet, .notPaired, command.device)
        }
        if command.disconnects { actions.append(.disconnect(device)) }
        actions += answer(packet, .success, command.device)
        return actions + [.event(DeviceUnpairedEvent(command.device).packet(about: Self.index))]
    }

    private func reply(_ reply: PairingReply, _ device: ManagementAddress, _ packet: ManagementPacket) -> [Action] {
        guard settings.contains(.powered) else { return answer(packet, .notPowered, device) }
        guard let pairing, device.device == pairing else { return answer(packet, .notConnected, device) }
        return answer(packet, .success, device) + [.answered(reply)]
    }

    /// The answer to a command about a device, which repeats its address.
    func answer(_ packet: ManagementPacket, _ status: ManagementStatus, _ device: ManagementAddress) -> [Action] {
        let event = ManagementCommandCompleteEvent(
            ManagementOpcode(rawValue: packet.code),
            status: status,
            returnParameters: device.encoded()
        )
        return [.reply(event.packet(about: packet.adapter))]
    }

    // MARK: - What comes of a pairing

    /// A pairing has ended without keys.
    mutating func pairingFailed(_ status: ManagementStatus, _ command: PairingCommand) -> [Action] {
        pairing = nil
        let device = ManagementAddress(command.device)
        var actions = answer(command.packet, status, device)
        if status == .authenticationFailed {
            actions.append(.event(AuthenticationFailedEvent(device, status: status).packet(about: Self.index)))
        }
        return actions
    }

    /// A pairing has succeeded. Takes the keys, and reports them.
    ///
    /// - Parameters:
    ///   - identity: The identity address of the device.
    ///   - address: The address that it has on the air.
    mutating func paired(
        _ agreement: PairingMachine.Agreement,
        _ command: PairingCommand,
        identity: DeviceAddress,
        address: DeviceAddress
    ) -> (keys: [Action], end: [Action]) {
        pairing = nil
        let isKnown = agreement.responderKeys.contains(.identity) || identity == address
        // Without its identity, the device is known by an address that it will not have again.
        let device = isKnown ? identity : address
        var events: [Action] = []
        if agreement.responderKeys.contains(.identity) {
            let key = SimulatedKeys.identityKey(of: identity)
            keys.identities.removeAll { $0.address == identity }
            keys.identities.append(DeviceIdentity(address: identity, key: key))
            let event = NewIdentityResolvingKeyEvent(
                isToBeStored: agreement.isBonding,
                privateAddress: address == identity ? BluetoothAddress(rawValue: 0) : address.address,
                IdentityResolvingKey(device: ManagementAddress(identity), value: key)
            )
            events += [.event(event.packet(about: Self.index)), .identitiesChanged]
        }
        for key in signatureKeys(agreement, device) {
            let event = NewSignatureResolvingKeyEvent(isToBeStored: agreement.isBonding && device.isIdentity, key)
            events.append(.event(event.packet(about: Self.index)))
        }
        for key in longTermKeys(agreement, device) {
            keys.longTermKeys.append(key)
            let event = NewLongTermKeyEvent(isToBeStored: agreement.isBonding && device.isIdentity, key)
            events.append(.event(event.packet(about: Self.index)))
        }
        if !agreement.isBonding || !device.isIdentity { keys.passing.insert(device) }
        return (events, answer(command.packet, .success, ManagementAddress(device)))
    }

    private func longTermKeys(_ agreement: PairingMachine.Agreement, _ device: DeviceAddress) -> [LongTermKey] {
        func key(isCentral: Bool) -> LongTermKey {
            SimulatedKeys.longTermKey(
                of: device,
                with: profile.address,
                kind: agreement.kind,
                size: agreement.keySize,
                isCentral: isCentral
            )
        }
        if agreement.isSecureConnections { return [key(isCentral: false)] }
        return (agreement.responderKeys.contains(.encryption) ? [key(isCentral: true)] : [])
            + (agreement.initiatorKeys.contains(.encryption) ? [key(isCentral: false)] : [])
    }

    private func signatureKeys(
        _ agreement: PairingMachine.Agreement,
        _ device: DeviceAddress
    ) -> [SignatureResolvingKey] {
        let isAuthenticated = agreement.method.isAuthenticated
        func key(isLocal: Bool) -> SignatureResolvingKey {
            SignatureResolvingKey(
                device: ManagementAddress(device),
                kind: isLocal
                    ? isAuthenticated ? .authenticatedLocal : .unauthenticatedLocal
                    : isAuthenticated ? .authenticatedRemote : .unauthenticatedRemote,
                value: SimulatedKeys.signatureKey(of: device, with: profile.address, isLocal: isLocal)
            )
        }
        return (agreement.responderKeys.contains(.signature) ? [key(isLocal: false)] : [])
            + (agreement.initiatorKeys.contains(.signature) ? [key(isLocal: true)] : [])
    }

    /// The link to a device has ended: keys that are not to be kept go with it.
    mutating func linkEnded(with device: DeviceAddress) {
        let device = keys.identity(of: device)
        if keys.passing.contains(device) { _ = keys.remove(device) }
    }
}

extension DeviceAddress {
    /// Whether it is an address that does not change, which the kernel demands of devices whose keys are kept.
    fileprivate var isIdentity: Bool {
        switch kind {
        case .public, .randomStatic: true
        default: false
        }
    }
}

extension ManagementAddress {
    fileprivate var isIdentity: Bool { device?.isIdentity == true }
}
