// SPDX-License-Identifier: MIT

import Bluetooth

/// Whether an adapter can be used, in one word.
public enum AdapterState: String, CaseIterable, Hashable, Sendable {
    /// It can be used.
    case on
    /// It is powered off.
    case off
    /// It is coming up, or is reset.
    case starting
    /// rfkill(8) or a switch of the machine blocks it.
    case blocked
    /// Another program uses it exclusively.
    case busy
    /// There is no such adapter.
    case absent
    /// The program lacks the capability to use it.
    case unauthorized
    /// The kernel or the adapter has no support for it.
    case unsupported

    init(_ cause: RadioError.Cause) {
        self =
            switch cause {
            case .adapterDown, .lowEnergyOff: .off
            case .adapterStarting: .starting
            case .radioBlocked: .blocked
            case .adapterBusy: .busy
            case .permissionDenied: .unauthorized
            case .noAdapter, .adapterNotFound, .adapterRemoved: .absent
            default: .unsupported
            }
    }
}

extension RadioSystem {
    /// The present state of an adapter.
    ///
    /// - Parameter adapter: The name of the adapter, such as `hci0`, or its address; `nil` for the first one that can be
    ///   used.
    public func adapterState(named adapter: String? = nil) -> AdapterState {
        do throws(RadioError) {
            let radio = try radio(named: adapter)
            // Only the attempt shows whether the program may use it. A wire to one device has no controller.
            if radio.onlyPeer == nil { try radio.openHCI().close() }
            return .on
        } catch {
            return AdapterState(error.cause)
        }
    }

    /// The states of an adapter: the present one, and then each change.
    ///
    ///     for await state in system.adapterStates() where state == .on { … }
    ///
    /// The sequence ends when the system tells no changes any more: in a kernel without Bluetooth after the first state.
    ///
    /// - Parameter adapter: The name of the adapter, such as `hci0`, or its address; `nil` for the first one that can be
    ///   used.
    public func adapterStates(named adapter: String? = nil) -> AsyncStream<AdapterState> {
        // Whoever reads slowly needs the last states only.
        let (states, continuation) = AsyncStream<AdapterState>.makeStream(bufferingPolicy: .bufferingNewest(16))
        let watch = Task(executorPreference: time.executor) {
            await withTaskScope { scope in await follow(adapter, continuation, scope) }
            continuation.finish()
        }
        continuation.onTermination = { _ in watch.cancel() }
        return states
    }

    /// Reports the states until there are no changes any more.
    private func follow(
        _ adapter: String?,
        _ states: AsyncStream<AdapterState>.Continuation,
        _ scope: TaskScope
    ) async {
        // Observed before the first look, so that no change in between is missed.
        let manager = try? AdapterManager.open(self, scope: scope, time: time)
        let changes = await manager?.changes()
        var last: AdapterState?
        while !Task.isCancelled {
            if let manager { await manager.askToBeTold(of: self) }
            let state = adapterState(named: adapter)
            if state != last { states.yield(state) }
            last = state
            guard let changes else { return }
            do {
                if state == .starting {
                    // The kernel reports no power that comes by ioctl(2) in the first two seconds.
                    try await untilDeadline(time.now + AdapterReadiness.powerTimeout, time) {
                        _ = try await changes.next()
                    }
                } else {
                    _ = try await changes.next()
                }
            } catch {
                break
            }
        }
        await manager?.close()
    }
}

extension AdapterManager {
    /// Names each adapter in a command, because the kernel reports a change of power only for adapters that were named
    /// before.
    fileprivate func askToBeTold(of system: some RadioSystem) async {
        guard let adapters = try? await system.adapters() else { return }
        for adapter in adapters {
            _ = try? await perform(ReadControllerInformation(), on: ManagementIndex(adapter.index))
        }
    }
}
