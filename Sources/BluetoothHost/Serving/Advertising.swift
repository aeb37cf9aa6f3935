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
    /// A message for the user.
    case remark(String)
}

/// What happens to advertising while it runs.
enum AdvertisingInput: Sendable {
    /// An event of the controller.
    case event(HCIEvent)
    /// The device leaves, and comes back with `returned`.
    case left
    /// The device is back.
    case returned
    /// The device accepts connections from now on, or no more of them.
    case accepting(Bool)
}

extension HCIController {
    /// Ends a link. A link that has ended already is no error.
    func disconnect(_ handle: UInt16?) async {
        guard let handle else { return }
        _ = try? await perform(HCIDisconnect(ConnectionHandle(rawValue: handle)))
    }
}

/// The advertising sets of a device on a controller, from the first command to the last one.
struct Advertiser: Sendable {
    /// What was started, and has to be stopped.
    struct Started: Sendable {
        let mode: AdvertisingMode
        /// The indices of the sets on the air.
        var sets: [Int]
        /// The turn at the legacy commands, which know only one set.
        var turn: (any Turn)?
    }

    /// The set numbers of the program that serves. No other program is likely to use them: the kernel counts its own
    /// from 0 or 1. The maximum is 0xEF.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.53
    static let servingNumbers: ClosedRange<UInt8> = 0xE0...0xEF
    /// The shortest time between two updates of changing data, so that the controller is not flooded with commands.
    private static let shortestRenewal = Duration.seconds(1)

    let radio: any Radio
    let controller: HCIController
    let sets: [DeviceAdvertising]
    /// The numbers by which the controller knows the sets.
    var setNumbers = Self.servingNumbers
    /// The address to use if the adapter has no public one.
    let randomAddress: BluetoothAddress?
    let time: any TimeSource

    private var ownAddress: LEOwnAddressType { controller.adapter.address.rawValue == 0 ? .random : .public }

    private func number(_ index: Int) -> LEAdvertisingHandle {
        LEAdvertisingHandle(rawValue: UInt8(clamping: Int(setNumbers.lowerBound) + index))
    }

    // MARK: - Start

    /// Starts as many sets as the controller has room for.
    func start(_ remark: (String) -> Void) async throws(RadioError) -> Started {
        if try await hasExtendedCommands, let sets = try await startExtended() {
            return Started(mode: .extended, sets: sets)
        }
        let turn = try await radio.takeTurn(.legacyAdvertising, by: time.now) { _ in }
        do throws(RadioError) {
            return Started(mode: .legacy, sets: [try await startLegacy(remark)], turn: turn)
        } catch {
            turn.end()
            throw error
        }
    }

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
    private func startExtended() async throws(RadioError) -> [Int]? {
        try await checkLengths()
        var started: [Int] = []
        var refusal: RadioError?
        for index in sets.indices.prefix(setNumbers.count) {
            do throws(RadioError) {
                try await setExtended(index)
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

    /// Compares the data of extended PDUs with the room of the controller, whose own answer would only be that the
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

    private func setExtended(_ index: Int) async throws(RadioError) {
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
        if ownAddress == .random, let randomAddress {
            try await controller.perform(LESetAdvertisingSetRandomAddress(number(index), randomAddress))
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
    private func startLegacy(_ remark: (String) -> Void) async throws(RadioError) -> Int {
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

    private func enable(_ index: Int, _ mode: AdvertisingMode) async throws(RadioError) {
        switch mode {
        case .extended: try await perform(isEnabled: true, index)
        case .legacy: try await controller.perform(LESetAdvertisingEnable(isEnabled: true))
        }
    }

    private func disable(_ index: Int, _ mode: AdvertisingMode) async throws(RadioError) {
        switch mode {
        case .extended: try await perform(isEnabled: false, index)
        case .legacy: try await controller.perform(LESetAdvertisingEnable(isEnabled: false))
        }
    }

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
        _ tell: (AdvertisingNews) async -> Void
    ) async throws {
        let (mode, started) = (running.mode, running.sets)
        var lifecycle = AdvertisingLifecycle(
            mode == .extended ? .extended : .legacy,
            isConnectable: started.map { sets[$0].isConnectable },
            maximumConnections: maximumConnections
        )
        while true {
            let startable: [Int]
            switch try await inputs.next() {
            case .event(.leConnectionComplete(let event)):
                startable = await connected(event, &lifecycle, tell)
            case .event(.leEnhancedConnectionComplete(let event)):
                startable = await connected(event.connection, &lifecycle, tell)
            case .event(.leAdvertisingSetTerminated(let event)):
                startable = started.firstIndex { number($0) == event.set }.map { lifecycle.terminated($0) } ?? []
            case .event(.disconnectionComplete(let event)) where event.status == .success:
                await tell(.disconnected(event.connection, event.reason))
                startable = lifecycle.disconnected(event.connection)
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
            }
            for position in startable {
                do throws(RadioError) {
                    try await enable(started[position], mode)
                } catch {
                    guard case .commandRejected(let status) = error.cause else { throw error }
                    lifecycle.refused(position)
                    if status != .connectionLimitExceeded {
                        await tell(
                            .remark("advertising waits for a connection to end: the controller refused (\(status))")
                        )
                    }
                }
            }
        }
    }

    /// Takes a set off the air. It may have ended by itself at the very moment.
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

    private func connected(
        _ event: LEConnectionCompleteEvent,
        _ lifecycle: inout AdvertisingLifecycle,
        _ tell: (AdvertisingNews) async -> Void
    ) async -> [Int] {
        guard event.status == .success, event.role == .peripheral else { return [] }
        await tell(.connected(event.connection, event.peer))
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

extension DeviceAdvertising {
    /// The kind of advertisement in legacy commands; `nil` if only the extended ones support it.
    fileprivate var legacyKind: LESetAdvertisingParameters.Kind? {
        switch kind {
        case .connectable where target != nil: .directedLowDutyCycle
        case .connectable: .connectableScannable
        case .scannable: .scannable
        case .nonConnectable: .nonConnectable
        case .extended: nil
        }
    }

    /// Whether nothing but the scan response carries data, as in extended PDUs that can be scanned.
    fileprivate var hasOnlyScanResponse: Bool { legacyKind == nil && !isConnectable && scanResponse != nil }

    /// The same set, without accepting connections.
    fileprivate var refusing: DeviceAdvertising {
        var set = self
        set.target = nil
        switch kind {
        case .connectable: set.kind = scanResponse == nil ? .nonConnectable : .scannable
        case .extended(let sid, _, let primaryPHY, let secondaryPHY):
            set.kind = .extended(sid: sid, isConnectable: false, primaryPHY: primaryPHY, secondaryPHY: secondaryPHY)
            // An extended set that can be scanned has no data.
            set.scanResponse = nil
        case .scannable, .nonConnectable: break
        }
        return set
    }

    /// The address parameters of a set without a target are ignored.
    private var peer: DeviceAddress {
        target.map { DeviceAddress($0.address, $0.type.connectionType) }
            ?? DeviceAddress(BluetoothAddress(rawValue: 0), .public)
    }

    fileprivate func legacyParameters(_ ownAddress: LEOwnAddressType) -> LESetAdvertisingParameters? {
        legacyKind.map { kind in
            LESetAdvertisingParameters(
                minimumInterval: LEInterval(interval),
                maximumInterval: LEInterval(interval),
                kind: kind,
                ownAddressType: ownAddress,
                peer: peer
            )
        }
    }

    fileprivate func extendedParameters(
        _ set: LEAdvertisingHandle,
        _ ownAddress: LEOwnAddressType
    ) -> LESetExtendedAdvertisingParameters {
        var properties: LESetExtendedAdvertisingParameters.Properties
        var sid: UInt8 = 0
        var secondaryPHY = LEPHY.le1M
        switch kind {
        case .connectable: properties = target == nil ? [.legacy, .connectable, .scannable] : [.legacy, .connectable]
        case .scannable: properties = [.legacy, .scannable]
        case .nonConnectable: properties = .legacy
        case .extended(let number, let isConnectable, _, let phy):
            properties = isConnectable ? .connectable : hasOnlyScanResponse ? .scannable : []
            sid = number
            secondaryPHY = phy
        }
        if target != nil { properties.insert(.directed) }
        return LESetExtendedAdvertisingParameters(
            set: set,
            properties: properties,
            minimumInterval: LEInterval(interval),
            maximumInterval: LEInterval(interval),
            ownAddressType: ownAddress,
            peer: peer,
            txPower: txPower,
            primaryPHY: primaryPHY,
            secondaryPHY: secondaryPHY,
            sid: sid
        )
    }
}
