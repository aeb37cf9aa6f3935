// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

extension SimulatedController {
    /// The advertising that the host has configured.
    struct AdvertisingState: Sendable {
        /// One advertising set.
        struct AdvertisingSet: Sendable {
            var isConnectable = true
            /// The maximum data of its PDUs, in octets.
            var maximumLength = 31
            var dataLength = 0
            var isEnabled = false
        }

        /// The maximum number of sets.
        static let maximumSets = 4
        /// The maximum data of a set, in octets.
        static let maximumDataLength = 1_650

        /// The set that legacy commands configure.
        var legacy = AdvertisingSet()
        /// The sets that extended commands configure.
        var sets: [LEAdvertisingHandle: AdvertisingSet] = [:]

        /// Whether a central that hears the adapter may connect.
        var isConnectable: Bool {
            legacy.isEnabled && legacy.isConnectable
                || sets.values.contains { $0.isEnabled && $0.isConnectable }
        }
    }

    /// Ends a connectable set because a central has connected through it. Returns the event that reports it, which
    /// exists for extended sets only.
    mutating func connectionTaken(_ connection: ConnectionHandle) -> HCIEventPacket? {
        if advertising.legacy.isEnabled, advertising.legacy.isConnectable {
            advertising.legacy.isEnabled = false
            return nil
        }
        let connectable = advertising.sets.filter { $0.value.isEnabled && $0.value.isConnectable }
        guard let set = connectable.keys.min(by: { $0.rawValue < $1.rawValue }) else { return nil }
        advertising.sets[set]?.isEnabled = false
        return LEAdvertisingSetTerminatedEvent(status: .success, set, connection: connection).packet
    }

    /// Commands about advertising; `nil` for other commands.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.5 to 7.8.9 and 7.8.52 to 7.8.60
    mutating func advertise(_ command: any HCICommand) -> [Action]? {
        switch command {
        case let command as LESetAdvertisingParameters: set(command)
        case let command as LESetAdvertisingData: setLegacyData(command)
        case let command as LESetScanResponseData: setLegacyData(command)
        case let command as LESetAdvertisingEnable: enable(command)
        case is LEReadAdvertisingPhysicalChannelTxPower:
            use(.legacy, for: LEReadAdvertisingPhysicalChannelTxPower.opcode)
                ?? [complete(LEReadAdvertisingPhysicalChannelTxPower.self, .init(power: Self.txPower))]
        default: advertiseExtended(command)
        }
    }

    private mutating func advertiseExtended(_ command: any HCICommand) -> [Action]? {
        switch command {
        case let command as LESetExtendedAdvertisingParameters: set(command)
        case let command as LESetExtendedAdvertisingData: set(command.fragment, command)
        case let command as LESetExtendedScanResponseData: set(command.fragment, command)
        case let command as LESetExtendedAdvertisingEnable: enable(command)
        case let command as LESetAdvertisingSetRandomAddress:
            use(.extended, for: LESetAdvertisingSetRandomAddress.opcode)
                ?? (advertising.sets[command.set] == nil
                    ? refuse(LESetAdvertisingSetRandomAddress.opcode, .unknownAdvertisingIdentifier)
                    : [complete(command)])
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
        advertising.legacy.isConnectable = command.kind == .connectableScannable
        return [complete(command)]
    }

    private mutating func setLegacyData<Command: HCICommand>(_ command: Command) -> [Action]
    where Command.ReturnParameters == HCINoReturnParameters {
        use(.legacy, for: Command.opcode) ?? [complete(command)]
    }

    private mutating func enable(_ command: LESetAdvertisingEnable) -> [Action] {
        if let refusal = use(.legacy, for: LESetAdvertisingEnable.opcode) { return refusal }
        advertising.legacy.isEnabled = command.isEnabled
        return [complete(command), .advertisingChanged]
    }

    // MARK: - Extended

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
        let isBoth = command.properties.isSuperset(of: [.connectable, .scannable])
        guard command.minimumInterval.rawValue >= 0x20, command.minimumInterval <= command.maximumInterval,
            !command.channels.isEmpty, isLegacy || !isBoth, command.sid <= 0x0F
        else { return refuse(opcode, .invalidHCICommandParameters) }
        set.isConnectable = command.properties.contains(.connectable)
        set.maximumLength = isLegacy ? 31 : AdvertisingState.maximumDataLength
        advertising.sets[command.set] = set
        return [complete(LESetExtendedAdvertisingParameters.self, .init(selectedTxPower: Self.txPower))]
    }

    private mutating func set<Command: HCICommand>(
        _ fragment: LEAdvertisingDataFragment,
        _ command: Command
    ) -> [Action] where Command.ReturnParameters == HCINoReturnParameters {
        if let refusal = use(.extended, for: Command.opcode) { return refusal }
        guard var set = advertising.sets[fragment.set] else {
            return refuse(Command.opcode, .unknownAdvertisingIdentifier)
        }
        let isWhole = fragment.operation == .complete || fragment.operation == .unchanged
        guard !set.isEnabled || isWhole else { return refuse(Command.opcode, .commandDisallowed) }
        let isFirst = fragment.operation == .complete || fragment.operation == .first
        set.dataLength = (isFirst ? 0 : set.dataLength) + fragment.data.count
        guard set.dataLength <= set.maximumLength else {
            return refuse(Command.opcode, .invalidHCICommandParameters)
        }
        advertising.sets[fragment.set] = set
        return [complete(command)]
    }

    private mutating func enable(_ command: LESetExtendedAdvertisingEnable) -> [Action] {
        let opcode = LESetExtendedAdvertisingEnable.opcode
        if let refusal = use(.extended, for: opcode) { return refusal }
        guard command.sets.allSatisfy({ advertising.sets[$0.handle] != nil }) else {
            return refuse(opcode, .unknownAdvertisingIdentifier)
        }
        guard !command.isEnabled || !command.sets.isEmpty else { return refuse(opcode, .invalidHCICommandParameters) }
        let handles = command.sets.isEmpty ? Array(advertising.sets.keys) : command.sets.map(\.handle)
        for handle in handles { advertising.sets[handle]?.isEnabled = command.isEnabled }
        return [complete(command), .advertisingChanged]
    }

    private mutating func remove(_ command: LERemoveAdvertisingSet) -> [Action] {
        let opcode = LERemoveAdvertisingSet.opcode
        if let refusal = use(.extended, for: opcode) { return refusal }
        guard let set = advertising.sets[command.set] else { return refuse(opcode, .unknownAdvertisingIdentifier) }
        guard !set.isEnabled else { return refuse(opcode, .commandDisallowed) }
        advertising.sets[command.set] = nil
        return [complete(command)]
    }

    private mutating func clear(_ command: LEClearAdvertisingSets) -> [Action] {
        let opcode = LEClearAdvertisingSets.opcode
        if let refusal = use(.extended, for: opcode) { return refusal }
        guard !advertising.sets.values.contains(where: \.isEnabled) else { return refuse(opcode, .commandDisallowed) }
        advertising.sets = [:]
        return [complete(command)]
    }
}
