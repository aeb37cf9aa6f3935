// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices

/// The advertising sets of a device on a controller, from the first command to the last one.
struct Advertiser: Sendable {
    struct Started: Sendable {
        /// The commands that were used, with which the sets have to be stopped.
        let mode: AdvertisingMode
        /// The indices of the sets on the air.
        var sets: [Int]
        /// The turn at the legacy commands, which know only one set.
        var turn: (any Turn)?
        /// The private address; `nil` without privacy.
        var address: BluetoothAddress?
    }

    /// The set numbers of the program that serves. No other program is likely to use them: the kernel counts its own
    /// from 0 or 1. The maximum is 0xEF.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.53
    static let servingNumbers: ClosedRange<UInt8> = 0xE0...0xEF

    let radio: any Radio
    /// The controller, which is shared with the observers of its events.
    let controller: HCIController
    let sets: [DeviceAdvertising]
    /// The numbers by which the controller knows the sets.
    var setNumbers = Self.servingNumbers
    /// The address to use if the adapter has no public one.
    let randomAddress: BluetoothAddress?
    /// The private addresses to use in place of the adapter's own; `nil` for none.
    var privacy: PrivateAddresses?
    /// The clock of changing data, and of private addresses.
    let time: any TimeSource

    /// The type of the address in advertisements. An adapter without a public address has address zero.
    var ownAddress: LEOwnAddressType {
        privacy != nil || controller.adapter.address.rawValue == 0 ? .random : .public
    }

    /// The set whose random address Linux uses when it computes the confirm values of a pairing. Linux knows the random
    /// address of the controller and those of its own sets, and uses the controller's for set 0.
    ///
    /// Spec: Linux, net/bluetooth/hci_event.c, hci_le_ext_adv_term_evt
    var pairingSet: Int? {
        privacy == nil || setNumbers != Self.servingNumbers ? nil : sets.firstIndex { $0.isConnectable }
    }

    /// The number by which the controller knows a set.
    func number(_ index: Int) -> LEAdvertisingHandle {
        if index == pairingSet { return LEAdvertisingHandle(rawValue: 0) }
        return LEAdvertisingHandle(rawValue: UInt8(clamping: Int(setNumbers.lowerBound) + index))
    }

    // MARK: - Start

    /// Starts as many sets as the controller has room for.
    func start(_ remark: (String) -> Void) async throws(RadioError) -> Started {
        let address = privacy?.make()
        if try await hasExtendedCommands, let sets = try await startExtended(address ?? randomAddress) {
            return Started(mode: .extended, sets: sets, address: address)
        }
        let turn = try await radio.takeTurn(.legacyAdvertising, by: time.now) { _ in }
        do throws(RadioError) {
            let (set, hasAddress) = try await startLegacy(address, remark)
            return Started(mode: .legacy, sets: [set], turn: turn, address: hasAddress ? address : nil)
        } catch {
            turn.end()
            throw error
        }
    }

    /// Whether there are extended commands. A controller that does not know the question has none.
    private var hasExtendedCommands: Bool {
        get async throws(RadioError) {
            do throws(RadioError) {
                let commands = try await controller.perform(HCIReadLocalSupportedCommands())
                return commands.contains(LESetExtendedAdvertisingParameters.self)
                    && commands.contains(LESetExtendedAdvertisingEnable.self)
            } catch {
                guard case .commandRejected = error.cause else { throw error }
                return false
            }
        }
    }

    /// The indices of the started sets; `nil` if the controller does not accept the extended commands any more.
    private func startExtended(_ address: BluetoothAddress?) async throws(RadioError) -> [Int]? {
        try await checkLengths()
        if let address, pairingSet != nil { try await setControllersAddress(address) }
        var started: [Int] = []
        var refusal: RadioError?
        for index in sets.indices.prefix(setNumbers.count) {
            do throws(RadioError) {
                try await setExtended(index, address)
                try await enable(index, .extended)
                started.append(index)
            } catch {
                // The controller has no room for the set; or it got legacy commands before, and refuses all extended
                // ones.
                guard case .commandRejected = error.cause else {
                    // A controller that did not answer in time may advertise nevertheless.
                    await stop(Started(mode: .extended, sets: started + [index]))
                    throw error
                }
                refusal = error
                _ = try? await controller.perform(LERemoveAdvertisingSet(number(index)))
            }
        }
        guard started.isEmpty, let refusal else { return started }
        // Only a controller that got legacy commands before accepts those.
        guard refusal.cause == .commandRejected(.commandDisallowed), sets.contains(where: { $0.legacyKind != nil })
        else { throw refusal }
        return nil
    }

    /// Compares the data of extended PDUs with the maximum length of the controller, which would only answer that the
    /// parameters are invalid.
    private func checkLengths() async throws(RadioError) {
        let longest = sets.lazy.filter { $0.legacyKind == nil }.map {
            max($0.data(.start).count, $0.response(.start).count)
        }
        guard let length = longest.max(), length > LESetAdvertisingData.maximumLength else { return }
        let limit: Int
        do throws(RadioError) {
            limit = Int(try await controller.perform(LEReadMaximumAdvertisingDataLength()).length)
        } catch {
            guard case .commandRejected = error.cause else { throw error }
            return
        }
        guard length <= limit else {
            throw RadioError(.packetTooLong(length, limit: limit), during: "advertising on \(controller.adapter.name)")
        }
    }

    /// Configures an extended set: parameters first, because the other commands need the set to exist.
    private func setExtended(_ index: Int, _ address: BluetoothAddress?) async throws(RadioError) {
        let set = sets[index]
        let parameters = set.extendedParameters(number(index), ownAddress)
        do throws(RadioError) {
            try await controller.perform(parameters)
        } catch {
            // An earlier process was killed and has left the set on the air.
            guard error.cause == .commandRejected(.commandDisallowed) else { throw error }
            try await disable(index, .extended)
            try await controller.perform(parameters)
        }
        if ownAddress == .random, let address {
            try await controller.perform(LESetAdvertisingSetRandomAddress(number(index), address))
        }
        // A directed set has no data, and only one that can be scanned has a response: a controller refuses other ones.
        if !set.hasOnlyScanResponse, set.target == nil { try await setData(set.data(.start), index, .extended) }
        let response = set.response(.start)
        if parameters.properties.contains(.scannable), !response.isEmpty {
            for fragment in LEAdvertisingDataFragment.fragments(of: response, set: number(index)) {
                try await controller.perform(LESetExtendedScanResponseData(fragment))
            }
        }
    }

    /// Starts one set, since legacy commands know no more: the first connectable one, or else the first one. Returns
    /// also whether it has the address.
    private func startLegacy(
        _ address: BluetoothAddress?,
        _ remark: (String) -> Void
    ) async throws(RadioError) -> (set: Int, hasAddress: Bool) {
        let legacy = sets.indices.filter { sets[$0].legacyKind != nil }
        guard let index = legacy.first(where: { sets[$0].isConnectable }) ?? legacy.first,
            let parameters = sets[index].legacyParameters(ownAddress)
        else { throw RadioError(.unsupported, during: "advertising on \(controller.adapter.name)") }
        do throws(RadioError) {
            try await controller.perform(parameters)
        } catch {
            guard error.cause == .commandRejected(.commandDisallowed) else { throw error }
            try await controller.perform(LESetAdvertisingEnable(isEnabled: false))
            try await controller.perform(parameters)
            remark("\(controller.adapter.name) was already advertising; that advertising was stopped")
        }
        let hasAddress = if let address { try await setControllersAddress(address) } else { true }
        if !hasAddress { remark(Self.addressKept) }
        try await setLegacyData(index)
        do throws(RadioError) {
            try await enable(index, .legacy)
        } catch {
            if error.cause == .controllerSilent { await stop(Started(mode: .legacy, sets: [index])) }
            throw error
        }
        return (index, hasAddress)
    }

    static let addressKept = "the controller keeps its private address while a program scans or connects"

    /// Sets the address that legacy advertising and scanning share. While a program scans or connects, the controller
    /// keeps the present one, which is the kernel's private address then. Returns whether it has the new one.
    @discardableResult
    func setControllersAddress(_ address: BluetoothAddress) async throws(RadioError) -> Bool {
        do throws(RadioError) {
            try await controller.perform(LESetRandomAddress(address))
            return true
        } catch {
            guard error.cause == .commandRejected(.commandDisallowed) else { throw error }
            return false
        }
    }

    /// Sets the data and the scan response of the set of legacy commands.
    func setLegacyData(_ index: Int) async throws(RadioError) {
        try await setData(sets[index].data(.start), index, .legacy)
        if let response = LESetScanResponseData(sets[index].response(.start)) {
            try await controller.perform(response)
        }
    }

    /// Sets the data of a set. Extended data that are too long for one command are sent in fragments.
    func setData(_ data: [UInt8], _ index: Int, _ mode: AdvertisingMode) async throws(RadioError) {
        switch mode {
        case .extended:
            for fragment in LEAdvertisingDataFragment.fragments(of: data, set: number(index)) {
                try await controller.perform(LESetExtendedAdvertisingData(fragment))
            }
        case .legacy:
            guard let command = LESetAdvertisingData(data) else {
                throw RadioError(
                    .packetTooLong(data.count, limit: LESetAdvertisingData.maximumLength),
                    during: "advertising on \(controller.adapter.name)"
                )
            }
            try await controller.perform(command)
        }
    }

    func enable(_ index: Int, _ mode: AdvertisingMode) async throws(RadioError) {
        switch mode {
        case .extended: try await perform(isEnabled: true, index)
        case .legacy: try await controller.perform(LESetAdvertisingEnable(isEnabled: true))
        }
    }

    func disable(_ index: Int, _ mode: AdvertisingMode) async throws(RadioError) {
        switch mode {
        case .extended: try await perform(isEnabled: false, index)
        case .legacy: try await controller.perform(LESetAdvertisingEnable(isEnabled: false))
        }
    }

    /// Switches an extended set on or off.
    private func perform(isEnabled: Bool, _ index: Int) async throws(RadioError) {
        let set = LESetExtendedAdvertisingEnable.AdvertisingSet(number(index))
        guard let command = LESetExtendedAdvertisingEnable(isEnabled: isEnabled, sets: [set]) else { return }
        try await controller.perform(command)
    }

    // MARK: - End

    /// Stops the sets. Errors are ignored, because a controller that is gone does not advertise any more.
    func stop(_ started: Started) async {
        for index in started.sets {
            try? await disable(index, started.mode)
            if started.mode == .extended { _ = try? await controller.perform(LERemoveAdvertisingSet(number(index))) }
        }
        started.turn?.end()
    }
}
