// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices

// The changes of advertising, from its start to its end.
extension Advertiser {
    /// The shortest time between two updates of changing data, so that the controller is not flooded with commands.
    private static let shortestRenewal = Duration.seconds(1)
    /// How long to wait after a refusal that no end of a connection will lift, and after another program has stopped sets.
    /// The kernel does that before it makes a link, and puts only its own advertising back.
    ///
    /// Spec: Linux, net/bluetooth/hci_sync.c, hci_le_create_conn_sync
    private static let retryPause = Duration.seconds(1)

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
        _ report: (AdvertisingChange) async -> Void
    ) async throws {
        var lifecycle = AdvertisingLifecycle(
            running.mode == .extended ? .extended : .legacy,
            isConnectable: running.sets.map { sets[$0].isConnectable },
            maximumConnections: maximumConnections
        )
        await controller.watchOthers { packet in
            if let input = AdvertisingInput(ofOthers: packet) { inputs.push(input) }
        }
        try await withThrowingDiscardingTaskGroup { retries in
            var isRetrying = false
            var isTakenOver = false
            while true {
                let startable: [Int]
                var isStopped = false
                let input = try await inputs.next()
                // One queue unites controller and device, so that their events keep their order.
                switch input {
                case .event(let event): startable = await received(event, running, &lifecycle, report)
                case .left: startable = try await leave(running, &lifecycle)
                case .returned: startable = lifecycle.returned()
                case .accepting(let isAccepting): startable = try await setAccepting(isAccepting, running, &lifecycle)
                case .outlived: startable = try await changeAddress(running, &lifecycle, report)
                case .stopped(let handles):
                    startable = []
                    let stopped = running.sets.indices.filter { position in
                        handles?.contains(number(running.sets[position])) ?? true
                    }
                    isStopped = lifecycle.stoppedByOthers(stopped)
                    isTakenOver = isTakenOver || isStopped
                case .retrying:
                    isRetrying = false
                    startable = lifecycle.retried()
                }
                let refusal = try await restart(startable, running, &lifecycle, anew: isTakenOver)
                if refusal != nil, isTakenOver || !lifecycle.hasConnections { isStopped = true }
                if !startable.isEmpty, refusal == nil { isTakenOver = false }
                if isStopped, !isRetrying {
                    isRetrying = true
                    retries.addTask {
                        try await time.sleep(for: Self.retryPause)
                        inputs.push(.retrying)
                    }
                }
                guard let refusal else { continue }
                // The usual refusal while there is no room for another link needs no message, and a series only one.
                if case .retrying = input { continue }
                guard refusal != .connectionLimitExceeded else { continue }
                let wait = lifecycle.hasConnections ? "waits for a connection to end" : "is tried again each second"
                await report(.remark("advertising \(wait): the controller refused (\(refusal))"))
            }
        }
    }

    /// Processes an event of the controller. Returns the positions of the sets to restart.
    private func received(
        _ event: HCIEvent,
        _ running: Started,
        _ lifecycle: inout AdvertisingLifecycle,
        _ report: (AdvertisingChange) async -> Void
    ) async -> [Int] {
        switch event {
        case .known(let event as LEConnectionCompleteEvent):
            return await connected(event, &lifecycle, report)
        case .known(let event as LEEnhancedConnectionCompleteEvent):
            return await connected(event.connection, &lifecycle, report)
        case .known(let event as LEAdvertisingSetTerminatedEvent):
            return running.sets.firstIndex { number($0) == event.set }.map { lifecycle.terminated($0) } ?? []
        case .known(let event as DisconnectionCompleteEvent) where event.status == .success:
            await report(.disconnected(event.connection, event.reason))
            return lifecycle.disconnected(event.connection)
        case .known(let event as EncryptionChangeEvent):
            await report(.encrypted(event.connection))
            return []
        default:
            return []
        }
    }

    /// Reports a central. A link in the central role, or a failed one, does not concern advertising.
    private func connected(
        _ event: LEConnectionCompleteEvent,
        _ lifecycle: inout AdvertisingLifecycle,
        _ report: (AdvertisingChange) async -> Void
    ) async -> [Int] {
        guard event.status == .success, event.role == .peripheral else { return [] }
        await report(.connected(event.connection, event.peer))
        return lifecycle.connected(event.connection)
    }

    /// Takes the sets off the air because the device leaves. None is to be restarted.
    private func leave(_ running: Started, _ lifecycle: inout AdvertisingLifecycle) async throws(RadioError) -> [Int] {
        for position in lifecycle.left() { try await silence(running.sets[position], running.mode) }
        return []
    }

    /// Lets the device accept connections, or not. Returns the positions of the sets to restart.
    private func setAccepting(
        _ isAccepting: Bool,
        _ running: Started,
        _ lifecycle: inout AdvertisingLifecycle
    ) async throws(RadioError) -> [Int] {
        let sets = lifecycle.setAccepting(isAccepting)
        for position in sets.stopped { try await silence(running.sets[position], running.mode) }
        for position in sets.changed { try await setParameters(running.sets[position], running.mode, isAccepting) }
        return lifecycle.changed()
    }

    /// Puts another private address in place of the present one. Returns the positions of the sets to restart.
    private func changeAddress(
        _ running: Started,
        _ lifecycle: inout AdvertisingLifecycle,
        _ report: (AdvertisingChange) async -> Void
    ) async throws(RadioError) -> [Int] {
        guard let address = privacy?.make() else { return [] }
        // The controller refuses another address for a connectable set that is on the air.
        for position in lifecycle.paused() { try await silence(running.sets[position], running.mode) }
        if try await setAddress(address, of: running.sets, running.mode) {
            await report(.address(address))
        } else {
            await report(.remark(Self.addressKept))
        }
        return lifecycle.resumed()
    }

    /// Puts sets on the air again. Returns the reason if the controller refuses one, which then waits.
    ///
    /// - Parameter isAnew: Whether another program may have used the set of legacy commands meanwhile.
    private func restart(
        _ positions: [Int],
        _ running: Started,
        _ lifecycle: inout AdvertisingLifecycle,
        anew isAnew: Bool
    ) async throws(RadioError) -> HCIStatus? {
        var refusal: HCIStatus?
        for position in positions {
            do throws(RadioError) {
                if isAnew, running.mode == .legacy {
                    try await setParameters(running.sets[position], .legacy, lifecycle.acceptsConnections)
                    try await setLegacyData(running.sets[position])
                }
                try await enable(running.sets[position], running.mode)
            } catch {
                guard case .commandRejected(let status) = error.cause else { throw error }
                lifecycle.refused(position)
                refusal = status
            }
        }
        return refusal
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

    /// Sets another address of sets that are off the air. Returns whether they have it.
    private func setAddress(
        _ address: BluetoothAddress,
        of started: [Int],
        _ mode: AdvertisingMode
    ) async throws(RadioError) -> Bool {
        let isTaken = mode == .legacy || pairingSet != nil ? try await setControllersAddress(address) : true
        guard mode == .extended else { return isTaken }
        for index in started {
            try await controller.perform(LESetAdvertisingSetRandomAddress(number(index), address))
        }
        return true
    }

    /// Ends the life of each private address until the task is cancelled.
    func outlive(_ privacy: PrivateAddresses, _ inputs: BoundedQueue<AdvertisingInput>) async throws {
        while true {
            try await time.sleep(for: privacy.life)
            inputs.push(.outlived)
        }
    }

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
}
