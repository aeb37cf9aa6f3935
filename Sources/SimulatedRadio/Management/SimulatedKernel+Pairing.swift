// SPDX-License-Identifier: MIT

import Bluetooth

/// The management commands of pairing and keys, with the answers that Linux gives.
///
/// Spec: BlueZ, doc/mgmt-protocol.rst; net/bluetooth/mgmt.c, net/bluetooth/smp.c
extension SimulatedKernel {
    /// A Pair Device that was accepted, or a Security Request of a peripheral.
    struct PairingCommand: Hashable, Sendable {
        let device: DeviceAddress
        /// The Pairing Request that the kernel sends.
        let request: PairingFeatures
        let demandsSecureConnections: Bool
        let data: OutOfBandData.Pair?
        /// The command that is to be answered; `nil` if no program has asked for the pairing.
        var packet: ManagementPacket?
    }

    /// The user's answer.
    enum PairingReply: Hashable, Sendable {
        case confirmed(Bool)
        case entered(UInt32?)
    }

    /// The answer to a command of pairing; `nil` for other commands.
    mutating func pairingCommand(_ command: any ManagementCommand, _ packet: ManagementPacket) -> [Action]? {
        switch command {
        case let command as SetBondable: set(.bondable, command.isOn, SetBondable.self, packet)
        case let command as SetSecureSimplePairing: setSimplePairing(command, packet)
        case let command as SetIOCapability: setCapability(command, packet)
        case let command as SetSecureConnections: setSecureConnections(command, packet)
        case let command as SetPrivacy: setPrivacy(command, packet)
        // The advertising that it starts is not simulated.
        case let command as SetAdvertising:
            set(.advertising, command.mode != .off, SetAdvertising.self, packet)
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
        case is ReadLocalOutOfBandExtendedData: readExtendedData(packet)
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

    private mutating func setSimplePairing(_ command: SetSecureSimplePairing, _ packet: ManagementPacket) -> [Action] {
        guard settings.contains(.basicRate) else { return refuse(packet, .rejected) }
        return set(.secureSimplePairing, command.isOn, SetSecureSimplePairing.self, packet)
    }

    /// Linux refuses it on a dual-mode controller without Secure Simple Pairing.
    private mutating func setSecureConnections(_ command: SetSecureConnections, _ packet: ManagementPacket) -> [Action]
    {
        guard !settings.contains(.basicRate) || settings.contains(.secureSimplePairing) else {
            return refuse(packet, .rejected)
        }
        keys.secureConnections = command.mode
        return set(.secureConnections, command.mode != .off, SetSecureConnections.self, packet)
    }

    private mutating func setPrivacy(_ command: SetPrivacy, _ packet: ManagementPacket) -> [Action] {
        guard !settings.contains(.powered) else { return refuse(packet, .rejected) }
        if command.mode != .off { keys.isResolving = true }
        keys.own = command.mode == .off ? nil : command.key
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
        return complete(ReadLocalOutOfBandData.self, OutOfBandData(p256: ownData), packet)
    }

    /// Linux refuses it with private addresses, because it does not know yet which address a device will see.
    private mutating func readExtendedData(_ packet: ManagementPacket) -> [Action] {
        guard settings.contains(.powered) else { return refuse(packet, .notPowered) }
        guard !settings.contains(.privacy) else { return refuse(packet, .rejected) }
        var structures = [
            // A public address (0x00), and both roles with the peripheral one preferred (0x02).
            ADStructure(.leBluetoothDeviceAddress, profile.address.encoded() + [0x00]), ADStructure(.leRole, [0x02]),
        ]
        if keys.secureConnections != .off {
            let pair = ownData
            structures += [
                // Keys have their most significant octet first, and advertising data the least significant one.
                ADStructure(.leSecureConnectionsConfirmationValue, pair.hash.octets.reversed()),
                ADStructure(.leSecureConnectionsRandomValue, pair.randomizer.octets.reversed()),
            ]
        }
        structures.append(ADStructure(.flags, [0x06]))
        var writer = ByteWriter()
        for structure in structures { writer.append(structure) }
        return complete(ReadLocalOutOfBandExtendedData.self, .init(data: writer.bytes), packet)
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
        // The management interface takes this address for all devices.
        if command.device.kind == .basicRate, command.device.address.rawValue == 0 {
            keys.outOfBand = [:]
            return answer(packet, .success, command.device)
        }
        let removed = keys.outOfBand.removeValue(forKey: command.device.address)
        return answer(packet, removed == nil ? .invalidParameters : .success, command.device)
    }

    // MARK: - Pairing

    /// Begins a pairing, or refuses it: without power, with an existing bond, or during another pairing.
    private mutating func pair(_ command: PairDevice, _ packet: ManagementPacket) -> [Action] {
        guard let device = command.device.device else { return answer(packet, .invalidParameters, command.device) }
        guard settings.contains(.powered) else { return answer(packet, .notPowered, command.device) }
        guard !keys.isPaired(with: keys.identity(of: device)) else {
            return answer(packet, .alreadyPaired, command.device)
        }
        guard pairing == nil else { return answer(packet, .busy, command.device) }
        pairing = device
        return [.pair(accepted(device, command.capability, packet))]
    }

    private func accepted(
        _ device: DeviceAddress,
        _ capability: IOCapability,
        _ packet: ManagementPacket?
    ) -> PairingCommand {
        let data = keys.secureConnections == .off ? nil : keys.outOfBand[device.address]?.p256
        return PairingCommand(
            device: device,
            request: request(capability, hasData: data != nil),
            demandsSecureConnections: keys.secureConnections == .only,
            data: data,
            packet: packet
        )
    }

    /// The pairing that the kernel begins because a peripheral has asked for security; `nil` if no program is ready to
    /// answer, or if the keys that the peripheral wants are not to be kept.
    ///
    /// Spec: Linux, net/bluetooth/smp.c, smp_cmd_security_req
    func pairingOnRequest(of device: DeviceAddress) -> PairingCommand? {
        guard let capability = keys.capability, settings.contains(.bondable) else { return nil }
        return accepted(device, capability, nil)
    }

    /// The settings with which the kernel answers a pairing that a central starts.
    func answerer(of central: DeviceAddress) -> PairingAnswerer {
        PairingAnswerer(
            capability: keys.capability,
            isBondable: settings.contains(.bondable),
            secureConnections: keys.secureConnections,
            data: ownData,
            partnerData: keys.outOfBand[central.address]?.p256,
            hasIdentity: identity != nil,
            isResolving: keys.isResolving
        )
    }

    var ownData: OutOfBandData.Pair { SimulatedKeys.outOfBandData(of: profile.address) }

    /// The identity that the adapter sends in pairings; `nil` without privacy.
    var identity: DeviceIdentity? {
        keys.own.map { DeviceIdentity(address: DeviceAddress(profile.address, .public), key: $0) }
    }

    /// The address with which the adapter connects, a time after the world's beginning.
    func ownAddress(after elapsed: Duration) -> DeviceAddress {
        guard let identity else { return DeviceAddress(profile.address, .public) }
        return SimulatedKeys.privateAddress(of: identity, life: Self.addressLife, after: elapsed)
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
        return actions + [.event(DeviceUnpairedEvent(command.device).packet(about: index))]
    }

    private func reply(_ reply: PairingReply, _ device: ManagementAddress, _ packet: ManagementPacket) -> [Action] {
        guard settings.contains(.powered) else { return answer(packet, .notPowered, device) }
        guard let other = device.device, other == pairing || askedBy.contains(other) else {
            return answer(packet, .notConnected, device)
        }
        return answer(packet, .success, device) + [other == pairing ? .answered(reply) : .answeredTo(other, reply)]
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

    // MARK: - The result of a pairing

    /// A pairing has ended without keys.
    mutating func pairingFailed(_ status: ManagementStatus, _ command: PairingCommand) -> [Action] {
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
    ///   - made: The keys that the kernels at both ends have made; `nil` for those that a device always has.
    mutating func paired(
        _ agreement: PairingMachine.Agreement,
        _ command: PairingCommand,
        identity: DeviceIdentity,
        address: DeviceAddress,
        made: GeneratedKeys? = nil
    ) -> (keys: [Action], end: [Action]) {
        if pairing == command.device { pairing = nil }
        askedBy.remove(command.device)
        let isKnown = agreement.responderKeys.contains(.identity) || identity.address == address
        // Without its identity, the device is known by an address that it will not have again.
        let device = isKnown ? identity.address : address
        var events = agreement.responderKeys.contains(.identity) ? take(identity, at: address, agreement) : []
        let made =
            made
            ?? GeneratedKeys(longTerm: longTermKeys(agreement, device), signature: signatureKeys(agreement, device))
        events += take(made, of: device, isBonding: agreement.isBonding)
        return (events, command.packet.map { answer($0, .success, ManagementAddress(device)) } ?? [])
    }

    /// A pairing that a central has asked for has succeeded. Takes the keys, and reports them.
    ///
    /// - Parameters:
    ///   - central: The address that it has on the air.
    ///   - identity: The identity that it has sent; `nil` if it has sent none.
    mutating func paired(
        _ agreement: PairingMachine.Agreement,
        by central: DeviceAddress,
        identity: DeviceIdentity?,
        made: GeneratedKeys
    ) -> [Action] {
        askedBy.remove(central)
        let identified = identity.map { take($0, at: central, agreement) } ?? []
        return identified + take(made, of: identity?.address ?? central, isBonding: agreement.isBonding)
    }

    /// Takes the identity of a device, and reports it.
    private mutating func take(
        _ identity: DeviceIdentity,
        at address: DeviceAddress,
        _ agreement: PairingMachine.Agreement
    ) -> [Action] {
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
    private mutating func take(_ made: GeneratedKeys, of device: DeviceAddress, isBonding: Bool) -> [Action] {
        // As in Linux, mgmt_new_ltk: the key of an address that changes finds no device later.
        let isToBeStored = isBonding && device.isIdentity
        var events: [Action] = []
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
    mutating func pairingFailed(_ status: ManagementStatus, by central: DeviceAddress) -> [Action] {
        askedBy.remove(central)
        // The end of a link is reported by a separate event.
        guard status != .disconnected else { return [] }
        let event = AuthenticationFailedEvent(ManagementAddress(central), status: .authenticationFailed)
        return [.event(event.packet(about: index))]
    }

    /// The keys that a pairing gives the kernel. Secure Connections has one key for both roles; legacy pairing has
    /// one for each side that distributes it.
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

    /// The signature keys that a pairing gives the kernel: the device's, and the adapter's own.
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
