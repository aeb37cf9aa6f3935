// SPDX-License-Identifier: MIT

import Bluetooth

/// Makes an adapter usable: waits until it is up, and switches Low Energy on.
public struct AdapterReadiness: Sendable {
    /// A message for the user.
    public enum Note: Equatable, Sendable {
        /// The program waits for an adapter because of this error.
        case waiting(RadioError)
        /// Low Energy was off on the adapter with that name, and was switched on.
        case switchedOnLowEnergy(String)
    }

    /// The time to wait for an adapter that is being set up; some load their firmware meanwhile.
    static let setUpTimeout = Duration.seconds(10)
    /// The time to wait for an adapter that was just set up. The kernel keeps it on for two seconds, so that a manager
    /// can power it.
    static let powerTimeout = Duration.seconds(3)
    /// The time to wait for another program that is switching Low Energy on.
    private static let lowEnergyTimeout = Duration.seconds(3)

    private let system: any RadioSystem
    private let scope: TaskScope
    private let time: any TimeSource
    private let onNote: @Sendable (Note) -> Void

    /// Creates the operation. `onNote` receives messages for the user.
    public init(
        _ system: any RadioSystem,
        scope: TaskScope,
        time: any TimeSource,
        onNote: @escaping @Sendable (Note) -> Void
    ) {
        self.system = system
        self.scope = scope
        self.time = time
        self.onNote = onNote
    }

    /// The adapter with that name, or the first one that can be used.
    ///
    /// - Parameters:
    ///   - name: The adapter's name; `nil` for any adapter.
    ///   - timeout: The time to wait for an adapter that is missing, off or blocked; `nil` to wait only for one that
    ///     is coming up, and briefly.
    ///   - isForLinks: Whether connections will be made. The kernel refuses them while Low Energy is off, but
    ///     advertisements are received nevertheless.
    public func radio(named name: String?, timeout: Duration?, isForLinks: Bool) async throws(RadioError) -> any Radio {
        try await system.prepare()
        let radio = try await presentRadio(named: name, timeout: timeout)
        guard isForLinks else { return radio }
        try await switchOnLowEnergy(of: radio.adapter)
        return ReadyRadio(base: radio, readiness: self)
    }

    // MARK: - Waiting

    /// The adapter, or the one that appears in time. Changes are observed before the second look, so that an adapter
    /// that appears in between is not missed.
    private func presentRadio(named name: String?, timeout: Duration?) async throws(RadioError) -> any Radio {
        let problem: RadioError
        do throws(RadioError) {
            return try system.radio(named: name)
        } catch {
            guard isWorthWaiting(for: error, timeout) else { throw error }
            problem = error
        }
        onNote(.waiting(problem))
        let manager = try AdapterManager.open(system, scope: scope, time: time)
        let changes = await manager.changes()
        return try await withCleanup { () async throws(RadioError) in
            try await self.radio(named: name, after: changes, manager, timeout)
        } cleanup: {
            await manager.close()
        }
    }

    /// Tries again after each change of an adapter, until the wait cannot succeed any more.
    private func radio(
        named name: String?,
        after changes: BoundedQueue<AdapterChange>,
        _ manager: AdapterManager,
        _ timeout: Duration?
    ) async throws(RadioError) -> any Radio {
        let start = time.now
        while true {
            if timeout != nil { await askToBeTold(manager) }
            let problem: RadioError
            do throws(RadioError) {
                return try system.radio(named: name)
            } catch {
                problem = error
            }
            var deadline = start + (timeout ?? .zero)
            if problem.cause == .adapterStarting {
                deadline = max(deadline, start + (try await isBeingSetUp() ? Self.setUpTimeout : Self.powerTimeout))
            }
            guard isWorthWaiting(for: problem, timeout), time.now < deadline else { throw problem }
            do {
                // The kernel sends no event if an adapter is powered by ioctl(2) during its first two seconds. So the
                // adapter is checked again after that time.
                let isStarting = problem.cause == .adapterStarting
                let limit = isStarting ? min(deadline, time.now + Self.powerTimeout) : deadline
                _ = try await untilDeadline(limit, time) { try await changes.next() }
            } catch let error as RadioError {
                throw error
            } catch {
                throw RadioError(.cancelled, during: problem.operation)
            }
        }
    }

    private func isWorthWaiting(for error: RadioError, _ timeout: Duration?) -> Bool {
        switch error.cause {
        case .adapterStarting: true
        case .noAdapter, .adapterNotFound, .adapterDown, .adapterRemoved, .radioBlocked, .adapterBusy: timeout != nil
        default: false
        }
    }

    private func isBeingSetUp() async throws(RadioError) -> Bool {
        try await system.adapters().contains { $0.state == .starting(isSetUp: false) }
    }

    /// Names each adapter in a command, because the kernel reports a change of power only for adapters that were named
    /// before.
    private func askToBeTold(_ manager: AdapterManager) async {
        guard let adapters = try? await system.adapters() else { return }
        for adapter in adapters where adapter.state != .up {
            _ = try? await manager.perform(ReadControllerInformation(), on: ManagementIndex(adapter.index))
        }
    }

    /// The adapter with that name as it is now; `nil` if there is none.
    fileprivate func adapter(named name: String?) async throws(RadioError) -> AdapterDescription? {
        try await system.adapters().first { $0.name == name }
    }

    // MARK: - Low Energy

    /// Switches Low Energy on if it is off. Only dual-mode adapters are asked: a command that names an unmanaged
    /// adapter makes it managed, and on adapters with Low Energy only it is always on.
    fileprivate func switchOnLowEnergy(of adapter: AdapterDescription) async throws(RadioError) {
        guard adapter.isDualMode else { return }
        let manager: AdapterManager
        do throws(RadioError) {
            manager = try AdapterManager.open(system, scope: scope, time: time)
        } catch {
            // A connection attempt will show whether Low Energy is off.
            return
        }
        let changes = await manager.changes()
        let wasOff = try await withCleanup { () async throws(RadioError) in
            try await self.switchOnLowEnergy(of: adapter, manager, changes)
        } cleanup: {
            await manager.close()
        }
        if wasOff { onNote(.switchedOnLowEnergy(adapter.name)) }
    }

    /// Returns `true` if Low Energy was off.
    private func switchOnLowEnergy(
        of adapter: AdapterDescription,
        _ manager: AdapterManager,
        _ changes: BoundedQueue<AdapterChange>
    ) async throws(RadioError) -> Bool {
        let index = ManagementIndex(adapter.index)
        // A failure is ignored here: the connection will report that Low Energy is off.
        guard let information = try? await manager.perform(ReadControllerInformation(), on: index),
            information.supportedSettings.contains(.lowEnergy), !information.currentSettings.contains(.lowEnergy)
        else { return false }
        do throws(RadioError) {
            try await manager.perform(SetLowEnergy(true), on: index)
            return true
        } catch {
            switch error.cause {
            case .permissionDenied: throw RadioError(.lowEnergyOff, during: adapter.name, on: adapter.name)
            // Another program is switching it on: another blectl, if several start at the same time.
            case .managementRejected(.busy): try await othersAreDone(with: index, changes, adapter.name)
            default: throw error
            }
        }
        return false
    }

    /// Waits until another program has switched Low Energy on, because the kernel refuses a second such command while
    /// the first one runs.
    private func othersAreDone(
        with index: ManagementIndex,
        _ changes: BoundedQueue<AdapterChange>,
        _ name: String
    ) async throws(RadioError) {
        let isOn = try? await untilDeadline(time.now + Self.lowEnergyTimeout, time) {
            while true {
                let change = try await changes.next()
                guard change.adapter == index, case .known(let event as NewSettingsEvent) = change.event
                else { continue }
                if event.settings.contains(.lowEnergy) { return true }
            }
        }
        guard isOn == true else { throw RadioError(.managementRejected(.busy), during: name, on: name) }
    }
}

/// A radio that switches Low Energy on again when needed, because an adapter that was pulled out forgets the setting.
private struct ReadyRadio: ForwardingRadio {
    let base: any Radio
    let readiness: AdapterReadiness

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        do throws(RadioError) {
            return try await base.connectATT(to: device, deadline: deadline)
        } catch {
            try await mend(error)
            return try await base.connectATT(to: device, deadline: deadline)
        }
    }

    func connectL2CAP(
        to device: DeviceAddress,
        _ request: L2CAPRequest,
        deadline: Instant,
        onFrame: FrameObserver?
    ) async throws(RadioError) -> any L2CAPChannel {
        do throws(RadioError) {
            return try await base.connectL2CAP(to: device, request, deadline: deadline, onFrame: onFrame)
        } catch {
            try await mend(error)
            return try await base.connectL2CAP(to: device, request, deadline: deadline, onFrame: onFrame)
        }
    }

    /// Switches Low Energy on if the error is about that; otherwise throws the error.
    private func mend(_ error: RadioError) async throws(RadioError) {
        guard error.cause == .lowEnergyOff else { throw error }
        // The connection was tried on the adapter that is present now, which may be another one than at the start.
        let present = try await readiness.adapter(named: error.adapter) ?? adapter
        try await readiness.switchOnLowEnergy(of: present)
    }
}
