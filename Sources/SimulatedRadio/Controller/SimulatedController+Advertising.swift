// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices

extension SimulatedController {
    /// The advertising that the host has configured.
    struct AdvertisingState: Sendable {
        /// The data of a set, or its scan response.
        struct Content: Sendable {
            var octets: [UInt8] = []
            /// Whether no fragment is missing.
            var isWhole = true
        }

        struct AdvertisingSet: Sendable {
            /// The PDUs of the set.
            var kind = DeviceAdvertising.Kind.connectable
            /// Whether scan requests are answered.
            var isScannable = true
            /// The only device that may connect; `nil` for any.
            var target: DeviceAddress?
            /// Whose requests are answered. A set for one device does not look at the accept list.
            var filterPolicy = LEAdvertisingFilterPolicy.all
            /// The time between two advertisements. The default is that of the specification.
            var interval = Duration.milliseconds(1_280)
            var ownAddressType = LEOwnAddressType.public
            var randomAddress: BluetoothAddress?
            /// The power that extended advertisements state, in dBm; `nil` if they do not.
            var txPower: Int8?
            /// The maximum data of its PDUs, in octets.
            var maximumLength = 31
            var data = Content()
            var scanResponse = Content()
            var isEnabled = false

            /// Whether a central can connect through the set.
            var isConnectable: Bool { kind.isConnectable }
            /// Whether any central can, now.
            var isOpenToAll: Bool { isEnabled && isConnectable && target == nil && !filtersCentrals }
            /// Whether only devices of the accept list get an answer to a scan request.
            var filtersScanners: Bool { target == nil && filterPolicy.rawValue & 0x01 != 0 }
            /// Whether only devices of the accept list can connect.
            var filtersCentrals: Bool { target == nil && filterPolicy.rawValue & 0x02 != 0 }
            var isLegacy: Bool { if case .extended = kind { false } else { true } }
            /// Whether only the scan response carries data, as in extended PDUs that can be scanned.
            var hasOnlyScanResponse: Bool { !isLegacy && isScannable }
            /// Whether its PDUs carry data. Spec: Core 5.4, Vol 4, Part E, 7.8.53, Table 7.3
            var takesData: Bool { !hasOnlyScanResponse && !(isLegacy && target != nil) }
            /// Whether nothing is missing that the set needs on the air.
            var isReady: Bool {
                data.isWhole && scanResponse.isWhole && !(hasOnlyScanResponse && scanResponse.octets.isEmpty)
            }
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

        /// Whether a set on the air uses the filter accept list.
        var usesAcceptList: Bool {
            ([legacy] + sets.values).contains { $0.isEnabled && ($0.filtersScanners || $0.filtersCentrals) }
        }

        /// Whether every central in range may connect.
        var isOpenToAll: Bool { legacy.isOpenToAll || sets.values.contains(where: \.isOpenToAll) }
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
                data: set.data.octets,
                scanResponse: set.isScannable ? set.scanResponse.octets : nil,
                txPower: set.txPower,
                target: set.target,
                scanners: set.filtersScanners ? acceptList : nil,
                centrals: set.filtersCentrals ? acceptList : nil
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

    /// Ends the set with the lowest handle that is open to all, because a central has connected through it. Returns the
    /// event that reports it, which exists for extended sets only.
    mutating func connectionTaken(_ connection: ConnectionHandle) -> HCIEventPacket? {
        if advertising.legacy.isOpenToAll { return connectionTaken(connection, through: nil) }
        let connectable = advertising.sets.filter(\.value.isOpenToAll)
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
        case let command as LESetAdvertisingData: setLegacyData(command) { $0.data.octets = command.data }
        case let command as LESetScanResponseData: setLegacyData(command) { $0.scanResponse.octets = command.data }
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
        guard 0x0020...0x4000 ~= command.minimumInterval.rawValue, 0x0020...0x4000 ~= command.maximumInterval.rawValue,
            command.minimumInterval <= command.maximumInterval, !command.channels.isEmpty
        else { return refuse(opcode, .invalidHCICommandParameters) }
        // Refused because it ends by itself after 1.28 s, which no program needs.
        guard command.kind != .directedHighDutyCycle else { return refuse(opcode, .unsupportedFeatureOrParameterValue) }
        switch command.kind {
        case .connectableScannable, .directedLowDutyCycle: advertising.legacy.kind = .connectable
        case .scannable: advertising.legacy.kind = .scannable
        case .nonConnectable, .directedHighDutyCycle: advertising.legacy.kind = .nonConnectable
        }
        advertising.legacy.target = command.kind == .directedLowDutyCycle ? command.peer : nil
        advertising.legacy.filterPolicy = command.filterPolicy
        advertising.legacy.isScannable = command.kind == .connectableScannable || command.kind == .scannable
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

    /// The properties that legacy PDUs can have. Spec: Core 5.4, Vol 4, Part E, 7.8.53, Table 7.2
    private static let legacyProperties: [LESetExtendedAdvertisingParameters.Properties] = [
        [.legacy, .connectable, .scannable], [.legacy, .connectable, .directed],
        [.legacy, .connectable, .directed, .highDutyCycle], [.legacy, .scannable], .legacy,
    ]

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
        let properties = command.properties
        let isLegacy = properties.contains(.legacy)
        // Only a legacy PDU can be connectable and scannable at once, or directed with a high duty cycle.
        let isPossible =
            isLegacy
            ? Self.legacyProperties.contains(properties)
            : !properties.isSuperset(of: [.connectable, .scannable]) && !properties.contains(.highDutyCycle)
        guard command.minimumInterval.rawValue >= 0x20, command.minimumInterval <= command.maximumInterval,
            !command.channels.isEmpty, isPossible, command.sid <= 0x0F
        else { return refuse(opcode, .invalidHCICommandParameters) }
        // As with legacy commands.
        guard !properties.contains(.highDutyCycle) else { return refuse(opcode, .unsupportedFeatureOrParameterValue) }
        if isLegacy {
            set.kind =
                properties.contains(.connectable)
                ? .connectable : properties.contains(.scannable) ? .scannable : .nonConnectable
        } else {
            set.kind = .extended(
                sid: command.sid,
                isConnectable: properties.contains(.connectable),
                primaryPHY: command.primaryPHY,
                secondaryPHY: command.secondaryPHY
            )
        }
        set.isScannable = properties.contains(.scannable)
        set.target = properties.contains(.directed) ? command.peer : nil
        set.filterPolicy = command.filterPolicy
        set.interval = command.maximumInterval.duration
        set.ownAddressType = command.ownAddressType
        set.txPower = properties.contains(.includeTxPower) ? Self.txPower : nil
        set.maximumLength = isLegacy ? 31 : AdvertisingState.maximumDataLength
        // The data that the set has already must fit.
        guard max(set.data.octets.count, set.scanResponse.octets.count) <= set.maximumLength,
            set.takesData || set.data.octets.isEmpty
        else { return refuse(opcode, .invalidHCICommandParameters) }
        advertising.sets[command.set] = set
        return [complete(LESetExtendedAdvertisingParameters.self, .init(selectedTxPower: Self.txPower))]
    }

    /// Sets the data or the scan response of a set, as a whole or in fragments. Fragments are only taken while
    /// the set is off the air.
    private mutating func set<Command: HCICommand>(
        _ fragment: LEAdvertisingDataFragment,
        _ command: Command,
        _ field: WritableKeyPath<AdvertisingState.AdvertisingSet, AdvertisingState.Content>
    ) -> [Action] where Command.ReturnParameters == HCINoReturnParameters {
        if let refusal = use(.extended, for: Command.opcode) { return refusal }
        guard var set = advertising.sets[fragment.set] else {
            return refuse(Command.opcode, .unknownAdvertisingIdentifier)
        }
        if let status = set.refusal(of: fragment, isResponse: field == \.scanResponse) {
            return refuse(Command.opcode, status)
        }
        // An "unchanged" fragment only renews the identifier of the data, which is not simulated.
        guard fragment.operation != .unchanged else { return [complete(command)] }
        let isFirst = fragment.operation == .complete || fragment.operation == .first
        let octets = (isFirst ? [] : set[keyPath: field].octets) + fragment.data
        // Data that are too long are discarded as a whole.
        let fits = octets.count <= set.maximumLength
        set[keyPath: field].octets = fits ? octets : []
        set[keyPath: field].isWhole = !fits || fragment.operation == .complete || fragment.operation == .last
        advertising.sets[fragment.set] = set
        guard fits else { return refuse(Command.opcode, .memoryCapacityExceeded) }
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
        let handles = command.sets.isEmpty ? Array(advertising.sets.keys) : command.sets.map(\.handle)
        guard Set(handles).count == handles.count else { return refuse(opcode, .invalidHCICommandParameters) }
        if command.isEnabled {
            let chosen = command.sets.compactMap { advertising.sets[$0.handle] }
            guard chosen.allSatisfy(\.isReady) else { return refuse(opcode, .commandDisallowed) }
            guard !chosen.isEmpty, chosen.allSatisfy({ address(of: $0, isLegacy: false) != nil }) else {
                return refuse(opcode, .invalidHCICommandParameters)
            }
            // Refused because no program needs an end, and a set that went on would be another one than was ordered.
            guard command.sets.allSatisfy({ $0.duration.rawValue == 0 && $0.maximumEvents == 0 }) else {
                return refuse(opcode, .unsupportedFeatureOrParameterValue)
            }
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

extension SimulatedController.AdvertisingState.AdvertisingSet {
    /// The status with which data are refused because of the set's PDUs or of its state; `nil` if they are taken.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.54 and 7.8.55
    fileprivate func refusal(of fragment: LEAdvertisingDataFragment, isResponse: Bool) -> HCIStatus? {
        // A set that cannot be scanned takes an empty response all the same.
        let hasPlace = isResponse ? isScannable || fragment.data.isEmpty : takesData
        let isTaken: Bool
        switch fragment.operation {
        case .complete:
            // On the air, a set that has only its scan response cannot be without.
            let isNeeded = isResponse && hasOnlyScanResponse && isEnabled
            isTaken = (!isLegacy || fragment.data.count <= maximumLength) && !(isNeeded && fragment.data.isEmpty)
        case .unchanged: isTaken = !isResponse && isEnabled && !isLegacy && !data.octets.isEmpty
        case .first, .intermediate, .last:
            if isEnabled { return .commandDisallowed }
            isTaken = !isLegacy && !fragment.data.isEmpty
        }
        return hasPlace && isTaken ? nil : .invalidHCICommandParameters
    }
}
