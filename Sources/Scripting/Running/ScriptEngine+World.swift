// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Terminal
import Toolkit

/// The steps that touch the simulated world of the run.
extension ScriptEngine {
    /// The longest time after which a link is lost.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.12
    private static let longestSupervision = Duration.seconds(32)
    /// How long to wait for the adapter after its power was switched on.
    private static let powerTimeout = Duration.seconds(3)

    /// The world as a step reaches it; `nil` on the air.
    var worldOfSteps: WorldAccess? {
        guard let world = context.simulation.world else { return nil }
        return { request in
            let links = request.endsLinks ? await self.connections() : [:]
            let answers = try await world(request)
            await self.touched(by: request, answers, links)
            return answers
        }
    }

    /// The connections of the devices that have links.
    private func connections() async -> [String: ATTConnection] {
        var connections: [String: ATTConnection] = [:]
        // Sorted, so that a run in virtual time can be repeated.
        for name in devices.keys.sorted() {
            guard let held = devices[name], await held.isConnected else { continue }
            connections[name] = try? await held.connect().peripheral.connection()
        }
        return connections
    }

    /// Notes a fault, which lasts until the end of the test, and the links that a request was to end.
    private func touched(
        by request: WorldRequest,
        _ answers: [WorldAnswer],
        _ links: [String: ATTConnection]
    ) async {
        switch request {
        case .addFault(let fault): addedFaults.append((fault, currentTest))
        case .removeFaults(nil, let device): addedFaults.removeAll { device == nil || $0.fault.device == device }
        case .power(true): await awaitPower()
        case .power(false): await end(links)
        case .disconnect, .signal(_, .outOfRange):
            for case .device(let device) in answers { await end(links.filter { $0.value.peer == device.address }) }
        default: break
        }
    }

    /// Waits until the adapter can be used: in a shared world this process hears of it later than its request is answered.
    private func awaitPower() async {
        let readiness = AdapterReadiness(context.system, scope: context.scope, time: context.time) { _ in }
        _ = try? await readiness.radio(named: nil, timeout: Self.powerTimeout, isForLinks: false)
    }

    /// Links end because a step wants it: what fails with them has not failed. Waits until they have ended on this side, too,
    /// so that the next step does not use one that is lost.
    private func end(_ links: [String: ATTConnection]) async {
        for (name, link) in links.sorted(by: { $0.key < $1.key }) {
            linkedDevices.remove(name)
            for (stream, running) in streams where running.device == name { streams[stream]?.isExcused = true }
            guard link.end == nil else { continue }
            try? await untilDeadline(context.time.now + Self.longestSupervision, context.time) {
                _ = await link.untilEnded()
            }
        }
    }

    /// Takes the faults away that a test has added; `nil` for all that are left.
    func removeFaults(of test: Int?) async {
        guard let world = context.simulation.world else { return }
        let own = addedFaults.filter { test == nil || $0.test == test }
        addedFaults.removeAll { test == nil || $0.test == test }
        // The last one first, because equal ones are taken away in that order.
        for (fault, _) in own.reversed() {
            let answers = (try? await world(.removeFaults(fault.rule, of: fault.device))) ?? []
            let found = answers.compactMap { if case .fault(let found) = $0 { found.hasActed } else { nil } }
            // Nothing is found of a fault that a step has taken away.
            if !found.isEmpty, !found.contains(true) {
                context.diagnostics.note(FaultAssignment.remark(unmet: fault.description))
            }
        }
    }
}

extension WorldRequest {
    fileprivate var endsLinks: Bool {
        switch self {
        case .power(false), .disconnect, .signal(_, .outOfRange): true
        default: false
        }
    }
}
