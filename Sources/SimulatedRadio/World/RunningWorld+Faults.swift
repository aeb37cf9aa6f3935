// SPDX-License-Identifier: MIT

import Bluetooth
public import BluetoothDevices
import BluetoothHost
import Synchronization

// The faults of devices that the radio shows: those of advertisements, connections, disconnections and signals.
extension RunningWorld {
    enum ConnectFault {
        /// It fails after a time, with a status.
        case refused(after: Duration?, HCIStatus)
        /// It is made later; `nil` for never.
        case late(Instant?)
        /// It waits until the fault is taken away, or until then.
        case paused(FaultRule, until: Instant?)
    }

    /// The faults of each device that never acted, in the order of the devices.
    public func unmetFaults() async -> [[FaultRule]] {
        let stations = state.withLock { $0.stations }
        var unmet: [[FaultRule]] = []
        for station in stations {
            let ofLinks = await station.peripheral.unmetFaults
            unmet.append(station.faults.unmet + ofLinks)
        }
        return unmet
    }

    /// The faults of a device: those that the radio shows, then those of its links.
    func faults(of station: Int) async -> [(rule: FaultRule, hasActed: Bool)] {
        let own = state.withLock { $0.stations[station] }
        return own.faults.rules + (await own.peripheral.faultRules)
    }

    /// Takes the last of the equal faults of a device away, or all. Returns those that were there.
    func removeFaults(_ fault: FaultRule?, of station: Int) async -> [(rule: FaultRule, hasActed: Bool)] {
        var removed: [(rule: FaultRule, hasActed: Bool)] = []
        // Connections that such a fault has paused are made now.
        change(station) { removed = $0.faults.remove(fault) }
        return removed + (await state.withLock { $0.stations[station].peripheral }.removeFaults(fault))
    }

    /// Adds a fault to a device while the world runs.
    func add(_ fault: FaultRule, to station: Int) async {
        guard fault.isOfRadio else { return await state.withLock { $0.stations[station].peripheral }.add(fault) }
        state.withLock { $0.stations[station].faults.add(fault) }
    }

    /// The fault of an event of a device, for which only the counts matter.
    func fault(_ operation: FaultRule.Operation, of station: Int) -> FaultMachine.Verdict? {
        state.withLock { $0.fault(operation, of: station, now: time.now) }
    }
}

extension RunningWorld.State {
    /// The maximum number of advertisements that are on their way at once; further ones are lost.
    private static let lateLimit = 4_096

    /// The fault that an event of a device meets.
    mutating func fault(
        _ operation: FaultRule.Operation,
        of station: Int,
        now: Instant
    ) -> FaultMachine.Verdict? {
        guard !stations[station].faults.isEmpty else { return nil }
        return stations[station].faults.decide(operation, now: .zero + (now - start))
    }

    /// The fault that a connection to a device meets; `nil` if the connection is made.
    mutating func connectFault(of station: Int, now: Instant) -> RunningWorld.ConnectFault? {
        guard let verdict = fault(.connect, of: station, now: now) else { return nil }
        switch verdict.effect {
        case .error(let code, let delay):
            let status = code.map { HCIStatus(rawValue: $0) } ?? .connectionFailedToBeEstablished
            return .refused(after: delay > .zero ? delay : nil, status)
        case .delay(let delay):
            return .late(now + delay)
        case .pause:
            return .paused(verdict.rule, until: verdict.pauseEnd.map { start + ($0 - .zero) })
        case .noAnswer:
            return .late(nil)
        default:
            return nil
        }
    }

    /// The advertisements that are received at once in place of one.
    mutating func faulty(_ transmission: Transmission) -> [Transmission] {
        guard
            case .device(let station) = transmission.sender,
            let verdict = fault(.scan, of: station, now: transmission.instant)
        else { return [transmission] }
        var changed = transmission
        switch verdict.effect {
        case .duplicate: return [transmission, transmission]
        case .truncate(let length): changed.data = Array(transmission.data.prefix(length))
        case .report(let strength): changed.reportedStrength = strength
        case .delay(let delay):
            postpone(transmission, until: transmission.instant + delay)
            return []
        case .pause:
            if let end = verdict.pauseEnd { postpone(transmission, until: start + (end - .zero)) }
            return []
        default:
            return []
        }
        return [changed]
    }

    private mutating func postpone(_ transmission: Transmission, until due: Instant) {
        guard late.count < Self.lateLimit else { return }
        var changed = transmission
        changed.instant = due
        // After those that are due at the same time, so that they keep their order.
        let index = late.firstIndex { $0.due > due } ?? late.count
        late.insert(LateTransmission(due: due, transmission: changed), at: index)
    }

    /// Takes the next advertisement that was late and is due.
    mutating func takeLate(now: Instant) -> Transmission? {
        guard let first = late.first, first.due <= now else { return nil }
        return late.removeFirst().transmission
    }
}
