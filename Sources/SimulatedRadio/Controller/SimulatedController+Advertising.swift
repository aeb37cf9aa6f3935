// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices

extension SimulatedController {
    /// The advertising that the host has configured.
    struct AdvertisingState: Sendable {
        struct AdvertisingSet: Sendable {
            /// The PDUs of the set.
            var kind = DeviceAdvertising.Kind.connectable
            /// The time between two advertisements. The default is that of the specification.
            var interval = Duration.milliseconds(1_280)
            var ownAddressType = LEOwnAddressType.public
            var randomAddress: BluetoothAddress?
            /// The power that extended advertisements state, in dBm; `nil` if they do not.
            var txPower: Int8?
            /// The maximum data of its PDUs, in octets.
            var maximumLength = 31
            var data: [UInt8] = []
            var scanResponse: [UInt8] = []
            var isEnabled = false

            /// Whether a central can connect through the set.
            var isConnectable: Bool { kind.isConnectable }
        }

        static let maximumSets = 4
        /// The maximum data of a set, in octets.
        static let maximumDataLength = 1_650

        /// The set that legacy commands configure.
        var legacy = AdvertisingSet()
        /// The sets that extended commands configure.
        var sets: [LEAdvertisingHandle: AdvertisingSet] = [:]

        /// Whether a central in range may connect.
        var isConnectable: Bool {
            legacy.isEnabled && legacy.isConnectable
                || sets.values.contains { $0.isEnabled && $0.isConnectable }
        }
    }

    var advertisedSets: [Air.AdapterSet] {
        let extended = advertising.sets.sorted { $0.key.rawValue < $1.key.rawValue }
        let all = [(nil, advertising.legacy)] + extended.map { (Optional($0.key), $0.value) }
        return all.compactMap { handle, set in
            guard set.isEnabled, let address = address(of: set, isLegacy: handle == nil) else { return nil }
            return Air.AdapterSet(
                handle: handle,
                address: address,
                kind: set.kind,
                interval: set.interval,
                data: set.data,
                scanResponse: set.scanResponse,
                txPower: set.txPower
            )
        }
    }

    /// The address in the advertisements of a set; `nil` if it has to be random and was not set.
    private func address(of set: AdvertisingState.AdvertisingSet, isLegacy: Bool) -> DeviceAddress? {
        switch set.ownAddressType {
        // There is no resolving list, so that an address from it is the identity address.
        case .public, .resolvableOrPublic: DeviceAddress(profile.address, .public)
        case .random, .resolvableOrRandom:
            (isLegacy ? randomAddress : set.randomAddress).map { DeviceAddress($0, .random) }
        }
    }

    /// Ends the connectable set with the lowest handle because a central has connected through it. Returns the event
    /// that reports it, which exists for extended sets only.
    mutating func connectionTaken(_ connection: ConnectionHandle) -> HCIEventPacket? {
        if advertising.legacy.isEnabled, advertising.legacy.isConnectable {
            return connectionTaken(connection, through: nil)
        }
        let connectable = advertising.sets.filter { $0.value.isEnabled && $0.value.isConnectable }
        // The lowest handle, because the order of a dictionary differs from run to run.
        guard let set = connectable.keys.min(by: { $0.rawValue < $1.rawValue }) else { return nil }
        return connectionTaken(connection, through: set)
    }

    /// Ends the set through which a central has connected; `nil` for the one that legacy commands configure.
    mutating func connectionTaken(
        _ connection: ConnectionHandle,
        through set: LEAdvertisingHandle?
    ) -> HCIEventPacket? {
        guard let set else {
            advertising.legacy.isEnabled = false
            return nil
        }
        advertising.sets[set]?.isEnabled = false
        return LEAdvertisingSetTerminatedEvent(status: .success, set, connection: connection).packet
    }

    /// Commands about advertising; `nil` for other commands.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.5 to 7.8.9 and 7.8.52 to 7.8.60
    mutating func advertise(_ command: any HCICommand) -> [Action]? {
        switch command {
        case let command as LESetAdvertisingParameters: set(command)
        case let command as LESetAdvertisingData: setLegacyData(command) { $0.data = command.data }
        case let command as LESetScanResponseData: setLegacyData(command) { $0.scanResponse = command.data }
        case let command as LESetAdvertisingEnable: enable(command)
        case is LEReadAdvertisingPhysicalChannelTxPower:
            use(.legacy, for: LEReadAdvertisingPhysicalChannelTxPower.opcode)
                ?? [complete(LEReadAdvertisingPhysicalChannelTxPower.self, .init(power: Self.txPower))]
        default: advertiseExtended(command)
        }
    }

    /// The part of `advertise` for extended commands.
    private mutating func advertiseExtended(_ command: any HCICommand) -> [Action]? {
        switch command {
        case let command as LESetExtendedAdvertisingParameters: set(command)
        case let command as LESetExtendedAdvertisingData: set(command.fragment, command, \.data)
        case let command as LESetExtendedScanResponseData: set(command.fragment, command, \.scanResponse)
        case let command as LESetExtendedAdvertisingEnable: enable(command)
        case let command as LESetAdvertisingSetRandomAddress: set(command)
        case let command as LERemoveAdvertisingSet: remove(command)
        case let command as LEClearAdvertisingSets: clear(command)
        case is LEReadNumberOfSupportedAdvertisingSets:
            use(.extended, for: LEReadNumberOfSupportedAdvertisingSets.opcode)
                ?? [
                    complete(
                        LEReadNumberOfSupportedAdvertisingSets.self,
                        .init(count: UInt8(AdvertisingState.maximumSets))
                    )
                ]
        case is LEReadMaximumAdvertisingDataLength:
            use(.extended, for: LEReadMaximumAdvertisingDataLength.opcode)
                ?? [
                    complete(
                        LEReadMaximumAdvertisingDataLength.self,
                        .init(length: UInt16(AdvertisingState.maximumDataLength))
                    )
                ]
        default: nil
        }
    }

    // MARK: - Legacy

    /// Sets the parameters of the legacy set. They must not change while it is on the air.
    private mutating func set(_ command: LESetAdvertisingParameters) -> [Action] {
        let opcode = LESetAdvertisingParameters.opcode
        if let refusal = use(.legacy, for: opcode) { return refusal }
        guard !advertising.legacy.isEnabled else { return refuse(opcode, .commandDisallowed) }
        let isDirected = command.kind == .directedHighDutyCycle || command.kind == .directedLowDutyCycle
        guard 0x0020...0x4000 ~= command.minimumInterval.rawValue, 0x0020...0x4000 ~= command.maximumInterval.rawValue,
            command.minimumInterval <= command.maximumInterval, !command.channels.isEmpty
        else { return refuse(opcode, .invalidHCICommandParameters) }
        // Refused because no device in the world could answer a directed advertisement.
        guard !isDirected else { return refuse(opcode, .unsupportedFeatureOrParameterValue) }
        switch command.kind {
        case .connectableScannable: advertising.legacy.kind = .connectable
        case .scannable: advertising.legacy.kind = .scannable
        case .nonConnectable, .directedHighDutyCycle, .directedLowDutyCycle: advertising.legacy.kind = .nonConnectable
        }
        advertising.legacy.interval = command.maximumInterval.duration
        advertising.legacy.ownAddressType = command.ownAddressType
        return [complete(command)]
    }

    /// Changes the data of the legacy set, which is allowed at any time.
    private mutating func setLegacyData<Command: HCICommand>(
        _ command: Command,
        _ change: (inout AdvertisingState.AdvertisingSet) -> Void
    ) -> [Action] where Command.ReturnParameters == HCINoReturnParameters {
        if let refusal = use(.legacy, for: Command.opcode) { return refusal }
        change(&advertising.legacy)
        return [complete(command), .advertisingDataChanged]
    }

    /// Switches the legacy set on or off. A random address has to be set before.
    private mutating func enable(_ command: LESetAdvertisingEnable) -> [Action] {
        if let refusal = use(.legacy, for: LESetAdvertisingEnable.opcode) { return refusal }
        guard !command.isEnabled || address(of: advertising.legacy, isLegacy: true) != nil else {
            return refuse(LESetAdvertisingEnable.opcode, .invalidHCICommandParameters)
        }
        advertising.legacy.isEnabled = command.isEnabled
        return [complete(command), .advertisingChanged]
    }

    // MARK: - Extended

    /// Sets the parameters of an extended set, which creates it if there is room.
    private mutating func set(_ command: LESetExtendedAdvertisingParameters) -> [Action] {
        let opcode = LESetExtendedAdvertisingParameters.opcode
        if let refusal = use(.extended, for: opcode) { return refusal }
        let isNew = advertising.sets[command.set] == nil
        guard !isNew || advertising.sets.count < AdvertisingState.maximumSets else {
            return refuse(opcode, .memoryCapacityExceeded)
        }
        var set = advertising.sets[command.set] ?? AdvertisingState.AdvertisingSet()
        guard !set.isEnabled else { return refuse(opcode, .commandDisallowed) }
        let isLegacy = command.properties.contains(.legacy)
        // Only a legacy PDU can be connectable and scannable at once. Spec: Core 5.4, Vol 4, Part E, 7.8.53
        let isBoth = command.properties.isSuperset(of: [.connectable, .scannable])
        guard command.minimumInterval.rawValue >= 0x20, command.minimumInterval <= command.maximumInterval,
            !command.channels.isEmpty, isLegacy || !isBoth, command.sid <= 0x0F
        else { return refuse(opcode, .invalidHCICommandParameters) }
        if isLegacy {
            set.kind =
                command.properties.contains(.connectable)
                ? .connectable : command.properties.contains(.scannable) ? .scannable : .nonConnectable
        } else {
            set.kind = .extended(
                sid: command.sid,
                isConnectable: command.properties.contains(.connectable),
                primaryPHY: command.primaryPHY,
                secondaryPHY: command.secondaryPHY
            )
        }
        set.interval = command.maximumInterval.duration
        set.ownAddressType = command.ownAddressType
        set.txPower = command.properties.contains(.includeTxPower) ? Self.txPower : nil
        set.maximumLength = isLegacy ? 31 : AdvertisingState.maximumDataLength
        advertising.sets[command.set] = set
        return [complete(LESetExtendedAdvertisingParameters.self, .init(selectedTxPower: Self.txPower))]
    }

    /// Sets the data or the scan response of a set, as a whole or in fragments. Fragments are only taken while
    /// the set is off the air.
    private mutating func set<Command: HCICommand>(
        _ fragment: LEAdvertisingDataFragment,
        _ command: Command,
        _ field: WritableKeyPath<AdvertisingState.AdvertisingSet, [UInt8]>
    ) -> [Action] where Command.ReturnParameters == HCINoReturnParameters {
        if let refusal = use(.extended, for: Command.opcode) { return refusal }
        guard var set = advertising.sets[fragment.set] else {
            return refuse(Command.opcode, .unknownAdvertisingIdentifier)
        }
        let isWhole = fragment.operation == .complete || fragment.operation == .unchanged
        guard !set.isEnabled || isWhole else { return refuse(Command.opcode, .commandDisallowed) }
        // An "unchanged" fragment only renews the identifier of the data, which is not simulated.
        guard fragment.operation != .unchanged else { return [complete(command)] }
        let isFirst = fragment.operation == .complete || fragment.operation == .first
        let data = (isFirst ? [] : set[keyPath: field]) + fragment.data
        guard data.count <= set.maximumLength else {
            return refuse(Command.opcode, .invalidHCICommandParameters)
        }
        set[keyPath: field] = data
        advertising.sets[fragment.set] = set
        return [complete(command), .advertisingDataChanged]
    }

    /// Sets the random address of a set. A connectable set on the air keeps its address.
    private mutating func set(_ command: LESetAdvertisingSetRandomAddress) -> [Action] {
        let opcode = LESetAdvertisingSetRandomAddress.opcode
        if let refusal = use(.extended, for: opcode) { return refusal }
        guard let set = advertising.sets[command.set] else { return refuse(opcode, .unknownAdvertisingIdentifier) }
        // Spec: the address of a connectable set must not change while it is on the air.
        guard !(set.isEnabled && set.isConnectable) else { return refuse(opcode, .commandDisallowed) }
        advertising.sets[command.set]?.randomAddress = command.address
        return [complete(command), .advertisingDataChanged]
    }

    /// Switches sets on or off. An empty list switches all of them off.
    private mutating func enable(_ command: LESetExtendedAdvertisingEnable) -> [Action] {
        let opcode = LESetExtendedAdvertisingEnable.opcode
        if let refusal = use(.extended, for: opcode) { return refusal }
        guard command.sets.allSatisfy({ advertising.sets[$0.handle] != nil }) else {
            return refuse(opcode, .unknownAdvertisingIdentifier)
        }
        guard !command.isEnabled || !command.sets.isEmpty else { return refuse(opcode, .invalidHCICommandParameters) }
        let handles = command.sets.isEmpty ? Array(advertising.sets.keys) : command.sets.map(\.handle)
        let chosen = handles.compactMap { advertising.sets[$0] }
        guard !command.isEnabled || chosen.allSatisfy({ address(of: $0, isLegacy: false) != nil }) else {
            return refuse(opcode, .invalidHCICommandParameters)
        }
        for handle in handles { advertising.sets[handle]?.isEnabled = command.isEnabled }
        return [complete(command), .advertisingChanged]
    }

    /// Removes a set that is off the air.
    private mutating func remove(_ command: LERemoveAdvertisingSet) -> [Action] {
        let opcode = LERemoveAdvertisingSet.opcode
        if let refusal = use(.extended, for: opcode) { return refusal }
        guard let set = advertising.sets[command.set] else { return refuse(opcode, .unknownAdvertisingIdentifier) }
        guard !set.isEnabled else { return refuse(opcode, .commandDisallowed) }
        advertising.sets[command.set] = nil
        return [complete(command)]
    }

    /// Removes all sets, if none is on the air.
    private mutating func clear(_ command: LEClearAdvertisingSets) -> [Action] {
        let opcode = LEClearAdvertisingSets.opcode
        if let refusal = use(.extended, for: opcode) { return refusal }
        guard !advertising.sets.values.contains(where: \.isEnabled) else { return refuse(opcode, .commandDisallowed) }
        advertising.sets = [:]
        return [complete(command)]
    }
}
