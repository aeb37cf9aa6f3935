// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices

/// The commands with which a controller advertises for a device.
public enum AdvertisingMode: String, Sendable, Hashable {
    /// The extended commands, with legacy PDUs for the advertisements that use them.
    case extended
    /// The legacy commands: the controller has no others, or refuses them after a legacy command.
    case legacy
}

/// An event during advertising.
enum AdvertisingNews: Sendable {
    /// A central has connected.
    case connected(ConnectionHandle, DeviceAddress)
    /// A link of the controller has ended, in any role, for that reason.
    case disconnected(ConnectionHandle, HCIStatus)
    /// The encryption of a link has changed, in any role.
    case encrypted(ConnectionHandle)
    /// The private address is another one from now on.
    case address(BluetoothAddress)
    /// A message for the user.
    case remark(String)
}

/// An event for advertising that runs.
enum AdvertisingInput: Sendable {
    /// An event of the controller.
    case event(HCIEvent)
    /// The device leaves, and comes back with `returned`.
    case left
    /// The device is back.
    case returned
    /// The device accepts connections from now on, or no more of them.
    case accepting(Bool)
    /// The lifetime of the private address is over.
    case outlived
}

extension HCIController {
    /// Ends a link. If the link has ended already, this does nothing.
    func disconnect(_ handle: UInt16?) async {
        guard let handle else { return }
        _ = try? await perform(HCIDisconnect(ConnectionHandle(rawValue: handle)))
    }
}

/// The advertising sets of a device on a controller, from the first command to the last one.
struct Advertiser: Sendable {
    /// The started sets, which have to be stopped.
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
    /// The shortest time between two updates of changing data, so that the controller is not flooded with commands.
    private static let shortestRenewal = Duration.seconds(1)

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
    private var ownAddress: LEOwnAddressType {
        privacy != nil || controller.adapter.address.rawValue == 0 ? .random : .public
    }

    /// The set whose random address Linux uses when it computes the confirm values of a pairing. Linux knows the random
    /// address of the controller and those of its own sets, and uses the controller's for set 0.
    ///
    /// Spec: Linux, net/bluetooth/hci_event.c, hci_le_ext_adv_term_evt
    private var pairingSet: Int? {
        privacy == nil || setNumbers != Self.servingNumbers ? nil : sets.firstIndex { $0.isConnectable }
    }

    /// The number by which the controller knows a set.
    private func number(_ index: Int) -> LEAdvertisingHandle {
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
            let set = try await startLegacy(address, remark)
            return Started(mode: .legacy, sets: [set], turn: turn, address: address)
        } catch {
            turn.end()
            throw error
        }
    }

    /// Whether there are extended commands. A controller that does not know the question has none.
    private var hasExtendedCommands: Bool {
        get async throws(RadioError) {
            do throws(RadioError) {
                let commands = try await controller.perform(HCIReadLocalSupportedCommands()).commands
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
        if !set.hasOnlyScanResponse { try await setData(set.data(.start), index, .extended) }
        let response = set.response(.start)
        if !response.isEmpty {
            for fragment in LEAdvertisingDataFragment.fragments(of: response, set: number(index)) {
                try await controller.perform(LESetExtendedScanResponseData(fragment))
            }
        }
    }

    /// Starts one set, since legacy commands know no more: the first connectable one, or else the first one.
    private func startLegacy(_ address: BluetoothAddress?, _ remark: (String) -> Void) async throws(RadioError) -> Int {
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
        if let address { try await setControllersAddress(address) }
        try await setData(sets[index].data(.start), index, .legacy)
        if let response = LESetScanResponseData(sets[index].response(.start)) {
            try await controller.perform(response)
        }
        do throws(RadioError) {
            try await enable(index, .legacy)
        } catch {
            if error.cause == .controllerSilent { await stop(Started(mode: .legacy, sets: [index])) }
            throw error
        }
        return index
    }

    /// Sets the address that legacy advertising and scanning share. While a program scans or connects, the controller
    /// keeps the present one, which is the kernel's private address then.
    private func setControllersAddress(_ address: BluetoothAddress) async throws(RadioError) {
        do throws(RadioError) {
            try await controller.perform(LESetRandomAddress(address))
        } catch {
            guard error.cause == .commandRejected(.commandDisallowed) else { throw error }
        }
    }

    /// Sets the data of a set. Extended data that are too long for one command are sent in fragments.
    private func setData(_ data: [UInt8], _ index: Int, _ mode: AdvertisingMode) async throws(RadioError) {
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

    /// Puts a set on the air.
    private func enable(_ index: Int, _ mode: AdvertisingMode) async throws(RadioError) {
        switch mode {
        case .extended: try await perform(isEnabled: true, index)
        case .legacy: try await controller.perform(LESetAdvertisingEnable(isEnabled: true))
        }
    }

    /// Takes a set off the air.
    private func disable(_ index: Int, _ mode: AdvertisingMode) async throws(RadioError) {
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

    // MARK: - Running

    /// Moves the controller's events to the other inputs, until the controller is gone or the task is cancelled.
    func pass(_ events: BoundedQueue<HCIEvent>, to inputs: BoundedQueue<AdvertisingInput>) async throws {
        do throws(RadioError) {
            while true { inputs.push(.event(try await events.next())) }
        } catch {
            inputs.finish(error)
            throw error
        }
    }

    /// Processes inputs, stops sets and restarts them, until the controller is gone or the task is cancelled.
    func follow(
        _ inputs: BoundedQueue<AdvertisingInput>,
        _ running: Started,
        maximumConnections: Int,
        _ report: (AdvertisingNews) async -> Void
    ) async throws {
        let (mode, started) = (running.mode, running.sets)
        var lifecycle = AdvertisingLifecycle(
            mode == .extended ? .extended : .legacy,
            isConnectable: started.map { sets[$0].isConnectable },
            maximumConnections: maximumConnections
        )
        while true {
            let startable: [Int]
            // One queue unites controller and device, so that their events keep their order.
            switch try await inputs.next() {
            case .event(.leConnectionComplete(let event)):
                startable = await connected(event, &lifecycle, report)
            case .event(.leEnhancedConnectionComplete(let event)):
                startable = await connected(event.connection, &lifecycle, report)
            case .event(.leAdvertisingSetTerminated(let event)):
                startable = started.firstIndex { number($0) == event.set }.map { lifecycle.terminated($0) } ?? []
            case .event(.disconnectionComplete(let event)) where event.status == .success:
                await report(.disconnected(event.connection, event.reason))
                startable = lifecycle.disconnected(event.connection)
            case .event(.encryptionChange(let event)):
                await report(.encrypted(event.connection))
                continue
            case .event:
                continue
            case .left:
                for position in lifecycle.left() { try await silence(started[position], mode) }
                continue
            case .returned:
                startable = lifecycle.returned()
            case .accepting(let isAccepting):
                let sets = lifecycle.setAccepting(isAccepting)
                for position in sets.stopped { try await silence(started[position], mode) }
                for position in sets.changed { try await setParameters(started[position], mode, isAccepting) }
                startable = lifecycle.changed()
            case .outlived:
                guard let address = privacy?.make() else { continue }
                // The controller refuses another address for a connectable set that is on the air.
                for position in lifecycle.paused() { try await silence(started[position], mode) }
                try await setAddress(address, of: started, mode)
                await report(.address(address))
                startable = lifecycle.resumed()
            }
            for position in startable {
                do throws(RadioError) {
                    try await enable(started[position], mode)
                } catch {
                    guard case .commandRejected(let status) = error.cause else { throw error }
                    lifecycle.refused(position)
                    // The usual refusal while there is no room for another link needs no message.
                    if status != .connectionLimitExceeded {
                        await report(
                            .remark("advertising waits for a connection to end: the controller refused (\(status))")
                        )
                    }
                }
            }
        }
    }

    /// Takes a set off the air. The set may have ended just before.
    private func silence(_ index: Int, _ mode: AdvertisingMode) async throws(RadioError) {
        do throws(RadioError) {
            try await disable(index, mode)
        } catch {
            guard case .commandRejected = error.cause else { throw error }
        }
    }

    /// Changes a set that is off the air, so that it accepts connections or not.
    private func setParameters(_ index: Int, _ mode: AdvertisingMode, _ isAccepting: Bool) async throws(RadioError) {
        let set = isAccepting ? sets[index] : sets[index].refusing
        switch mode {
        case .extended: try await controller.perform(set.extendedParameters(number(index), ownAddress))
        case .legacy:
            guard let parameters = set.legacyParameters(ownAddress) else { return }
            try await controller.perform(parameters)
        }
    }

    /// Sets another address of sets that are off the air.
    private func setAddress(
        _ address: BluetoothAddress,
        of started: [Int],
        _ mode: AdvertisingMode
    ) async throws(RadioError) {
        if mode == .legacy || pairingSet != nil { try await setControllersAddress(address) }
        guard mode == .extended else { return }
        for index in started {
            try await controller.perform(LESetAdvertisingSetRandomAddress(number(index), address))
        }
    }

    /// Ends the life of each private address until the task is cancelled.
    func outlive(_ privacy: PrivateAddresses, _ inputs: BoundedQueue<AdvertisingInput>) async throws {
        while true {
            try await time.sleep(for: privacy.life)
            inputs.push(.outlived)
        }
    }

    /// Reports a central. A link in the central role, or a failed one, does not concern advertising.
    private func connected(
        _ event: LEConnectionCompleteEvent,
        _ lifecycle: inout AdvertisingLifecycle,
        _ report: (AdvertisingNews) async -> Void
    ) async -> [Int] {
        guard event.status == .success, event.role == .peripheral else { return [] }
        await report(.connected(event.connection, event.peer))
        return lifecycle.connected(event.connection)
    }

    /// The sets whose data change.
    func changing(_ started: Started) -> [Int] { started.sets.filter { !sets[$0].isConstant } }

    /// Updates the data of sets until the task is cancelled.
    func renew(_ mode: AdvertisingMode, _ changing: [Int]) async throws {
        let start = time.now
        let period = changing.map { sets[$0].interval }.reduce(Self.shortestRenewal, max)
        var event: UInt64 = 0
        while true {
            event += 1
            try await time.sleep(for: period)
            for index in changing {
                let moment = DeviceAdvertising.Moment(uptime: time.now - start, event: event)
                do throws(RadioError) {
                    try await setData(sets[index].data(moment), index, mode)
                } catch {
                    // A connection has just ended the set; the next update will succeed.
                    guard case .commandRejected = error.cause else { throw error }
                }
            }
        }
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
