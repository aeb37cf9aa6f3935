// SPDX-License-Identifier: MIT

package import Bluetooth

// The management commands of pairing and keys.

extension AdapterSecurity {
    /// The answer to a command of pairing; `nil` for other commands.
    package mutating func pairingCommand(_ command: any ManagementCommand, _ packet: ManagementPacket)
        -> [ManagementAction]?
    {
        switch command {
        case let command as SetBondable: set(.bondable, command.isOn, SetBondable.self, packet)
        case let command as SetSecureSimplePairing: setSimplePairing(command, packet)
        case let command as SetIOCapability: setCapability(command, packet)
        case let command as SetSecureConnections: setSecureConnections(command, packet)
        // The kernel switches it only while the adapter is off.
        case let command as SetPrivacy:
            settings.contains(.powered) ? refuse(packet, .rejected) : setPrivacy(command, packet)
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

    private mutating func setCapability(_ command: SetIOCapability, _ packet: ManagementPacket) -> [ManagementAction] {
        keys.capability = command.capability
        return complete(SetIOCapability.self, .init(), packet)
    }

    private mutating func setSimplePairing(_ command: SetSecureSimplePairing, _ packet: ManagementPacket)
        -> [ManagementAction]
    {
        guard settings.contains(.basicRate) else { return refuse(packet, .rejected) }
        return set(.secureSimplePairing, command.isOn, SetSecureSimplePairing.self, packet)
    }

    /// Linux refuses it on a dual-mode controller without Secure Simple Pairing.
    private mutating func setSecureConnections(_ command: SetSecureConnections, _ packet: ManagementPacket)
        -> [ManagementAction]
    {
        guard !settings.contains(.basicRate) || settings.contains(.secureSimplePairing) else {
            return refuse(packet, .rejected)
        }
        keys.secureConnections = command.mode
        return set(.secureConnections, command.mode != .off, SetSecureConnections.self, packet)
    }

    package mutating func setPrivacy(_ command: SetPrivacy, _ packet: ManagementPacket) -> [ManagementAction] {
        if command.mode != .off { keys.isResolving = true }
        keys.own = command.mode == .off ? nil : command.key
        return set(.privacy, command.mode != .off, SetPrivacy.self, packet)
    }

    // MARK: - Keys

    private mutating func load(_ command: LoadLongTermKeys, _ packet: ManagementPacket) -> [ManagementAction] {
        guard command.keys.allSatisfy({ $0.device.isIdentity }) else { return refuse(packet, .invalidParameters) }
        keys.longTermKeys = command.keys
        keys.passing = []
        return complete(LoadLongTermKeys.self, .init(), packet)
    }

    private mutating func load(_ command: LoadIdentityResolvingKeys, _ packet: ManagementPacket) -> [ManagementAction] {
        guard command.keys.allSatisfy({ $0.device.isIdentity }) else { return refuse(packet, .invalidParameters) }
        keys.identities = command.keys.compactMap { key in
            key.device.device.map { DeviceIdentity(address: $0, key: key.value) }
        }
        keys.isResolving = true
        return complete(LoadIdentityResolvingKeys.self, .init(), packet) + [.identitiesChanged]
    }

    private mutating func readOutOfBandData(_ packet: ManagementPacket) -> [ManagementAction] {
        guard settings.contains(.powered) else { return refuse(packet, .notPowered) }
        return complete(ReadLocalOutOfBandData.self, OutOfBandData(p256: makeOutOfBandData()), packet)
    }

    /// Linux refuses it with private addresses, because it does not know yet which address a device will see.
    private mutating func readExtendedData(_ packet: ManagementPacket) -> [ManagementAction] {
        guard settings.contains(.powered) else { return refuse(packet, .notPowered) }
        guard !settings.contains(.privacy) else { return refuse(packet, .rejected) }
        var structures = [
            // Both roles, with the peripheral one preferred (0x02).
            ADStructure(
                .leBluetoothDeviceAddress,
                identityAddress.address.encoded() + [identityAddress.type.rawValue]
            ), ADStructure(.leRole, [0x02]),
        ]
        if keys.secureConnections != .off {
            let pair = makeOutOfBandData()
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

    private mutating func add(_ command: AddRemoteOutOfBandData, _ packet: ManagementPacket) -> [ManagementAction] {
        let isRoom = keys.outOfBand.count < AdapterKeys.outOfBandLimit
        guard command.device.device != nil, isRoom || keys.outOfBand[command.device.address] != nil else {
            return answer(packet, .failed, command.device)
        }
        keys.outOfBand[command.device.address] = command.data
        return answer(packet, .success, command.device)
    }

    private mutating func remove(_ command: RemoveRemoteOutOfBandData, _ packet: ManagementPacket) -> [ManagementAction]
    {
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
    private mutating func pair(_ command: PairDevice, _ packet: ManagementPacket) -> [ManagementAction] {
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

    /// The pairing that the adapter begins because a peripheral has asked for security; `nil` if no program is ready to
    /// answer, or if the keys that the peripheral wants are not to be kept.
    ///
    /// Spec: Linux, net/bluetooth/smp.c, smp_cmd_security_req
    package func pairingOnRequest(of device: DeviceAddress) -> PairingCommand? {
        guard let capability = keys.capability, settings.contains(.bondable) else { return nil }
        return accepted(device, capability, nil)
    }

    /// The settings with which the adapter answers a pairing that a central starts.
    ///
    /// - Parameters:
    ///   - central: The central.
    ///   - data: The out-of-band data that the adapter has given away, if the caller needs them.
    package func answerer(of central: DeviceAddress, given data: OutOfBandData.Pair? = nil) -> PairingAnswerer {
        PairingAnswerer(
            capability: keys.capability,
            isBondable: settings.contains(.bondable),
            secureConnections: keys.secureConnections,
            data: data,
            partnerData: keys.outOfBand[central.address]?.p256,
            hasIdentity: identity != nil,
            isResolving: keys.isResolving
        )
    }

    /// The identity that the adapter sends in pairings; `nil` without privacy.
    package var identity: DeviceIdentity? { keys.own.map { DeviceIdentity(address: identityAddress, key: $0) } }

    /// The Pairing Request. The adapter asks for protection if the input and output allow any.
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

    private mutating func cancel(_ command: CancelPairDevice, _ packet: ManagementPacket) -> [ManagementAction] {
        guard settings.contains(.powered) else { return answer(packet, .notPowered, command.device) }
        guard let pairing, command.device.device == pairing else {
            return answer(packet, .invalidParameters, command.device)
        }
        return [.endPairing(.cancelled)] + answer(packet, .success, command.device)
    }

    private mutating func unpair(_ command: UnpairDevice, _ packet: ManagementPacket) -> [ManagementAction] {
        guard let device = command.device.device else { return answer(packet, .invalidParameters, command.device) }
        guard settings.contains(.powered) else { return answer(packet, .notPowered, command.device) }
        var actions: [ManagementAction] = pairing == device ? [.endPairing(.cancelled)] : []
        guard keys.remove(keys.identity(of: device)) else {
            return actions + answer(packet, .notPaired, command.device)
        }
        if command.disconnects { actions.append(.disconnect(device)) }
        actions += answer(packet, .success, command.device)
        return actions + [.event(DeviceUnpairedEvent(command.device).packet(about: index))]
    }

    private func reply(_ reply: PairingReply, _ device: ManagementAddress, _ packet: ManagementPacket)
        -> [ManagementAction]
    {
        guard settings.contains(.powered) else { return answer(packet, .notPowered, device) }
        guard let other = device.device, other == pairing || askedBy.contains(other) else {
            return answer(packet, .notConnected, device)
        }
        return answer(packet, .success, device) + [other == pairing ? .answered(reply) : .answeredTo(other, reply)]
    }
}
