// SPDX-License-Identifier: MIT

import Bluetooth
import FirmwareUpdate
import Synchronization

/// The steps of an update, see `Peripheral.update`. Each iteration is an update of its own.
public struct FirmwareUpdates: AsyncSequence, Sendable {
    public typealias Element = FirmwareUpdateEvent
    public typealias Failure = FirmwareUpdateError

    let peripheral: Peripheral
    let firmware: Firmware
    let confirmation: FirmwareConfirmation
    let resets: Bool
    let name: String?

    public func makeAsyncIterator() -> Iterator { Iterator(run: FirmwareUpdateRun(self)) }

    /// Updates the device while it exists.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let run: FirmwareUpdateRun

        /// The next step; `nil` when all is done.
        ///
        /// Throws why the update has ended, with the state of the device.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(FirmwareUpdateError) -> FirmwareUpdateEvent? {
            run.begin()
            do throws(RadioError) {
                return try await run.events.next()
            } catch {
                if let failure = run.failure { throw failure }
                guard error == FirmwareUpdateRun.done else {
                    throw FirmwareUpdateError(error, FirmwareUpdateState.untouched)
                }
                return nil
            }
        }
    }
}

/// The update of an iterator. It is cancelled when its last reference is released.
private final class FirmwareUpdateRun: Sendable {
    /// The number of steps that wait for a slow reader. There is one for each packet at most.
    private static let limit = 1 << 20
    static let done = RadioError(.closedLocally, during: "update")

    let events = BoundedQueue<FirmwareUpdateEvent>(limit: limit, overflow: .dropOldest)
    private let sequence: FirmwareUpdates
    private let state = Mutex(State())

    private struct State {
        var hasBegun = false
        var task: ScopedTask?
        var failure: FirmwareUpdateError?
    }

    init(_ sequence: FirmwareUpdates) { self.sequence = sequence }

    deinit { state.withLock { $0.task }?.cancel() }

    /// Why the update has ended; `nil` if it has not failed.
    var failure: FirmwareUpdateError? { state.withLock { $0.failure } }

    /// Starts the update, once.
    func begin() {
        state.withLock { state in
            guard !state.hasBegun else { return }
            state.hasBegun = true
            // Weak, because the end of this object ends the task.
            let task = sequence.peripheral.scope.spawnCancellable { [sequence, events, weak self] in
                let failure = await Self.failure(of: sequence, into: events)
                self?.state.withLock { $0.failure = failure }
                events.finish(Self.done)
            }
            state.task = task
            if !task.isStarted { events.finish(RadioError(.cancelled, during: "update")) }
        }
    }

    private static func failure(
        of sequence: FirmwareUpdates,
        into events: BoundedQueue<FirmwareUpdateEvent>
    ) async -> FirmwareUpdateError? {
        do {
            // An earlier one whose loop was left may still be ending, and the device answers one at a time.
            return try await sequence.peripheral.updates.withLock { await update(as: sequence, into: events) }
        } catch {
            return FirmwareUpdateError(error, .untouched)
        }
    }

    private static func update(
        as sequence: FirmwareUpdates,
        into events: BoundedQueue<FirmwareUpdateEvent>
    ) async -> FirmwareUpdateError? {
        let environment = LibraryEnvironment(
            peripheral: sequence.peripheral,
            timeout: await sequence.peripheral.configuration.timeout,
            name: sequence.name,
            events: events
        )
        var device = sequence.peripheral
        if case .packages = sequence.firmware.content {
            // What is known of its attributes may be those of another program at the same address.
            await device.abandonLink()
            device = await device.sibling(at: device.address, connectTimeout: nil)
        }
        var updater = FirmwareUpdater(
            device,
            environment,
            confirmation: sequence.confirmation,
            resets: sequence.resets
        )
        var failure: FirmwareUpdateError?
        do {
            try await updater.update(to: sequence.firmware)
        } catch {
            failure = FirmwareUpdateError(error, updater.state)
        }
        // The device was found under another address, or as another program: nobody else has that link.
        if updater.peripheral !== sequence.peripheral { await updater.peripheral.disconnect() }
        return failure
    }
}

/// The environment of an update that an app has asked for.
private struct LibraryEnvironment: UpdateEnvironment {
    let peripheral: Peripheral
    let timeout: Duration
    let name: String?
    let events: BoundedQueue<FirmwareUpdateEvent>

    var time: any TimeSource { peripheral.time }

    func withTimeout<Value: Sendable>(
        _ step: String,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value { try await withDeadline(time.now + timeout, time, operation: step, body) }

    func addresses(offering service: BluetoothUUID) async -> [DeviceAddress] {
        await peripheral.lookalikes(offering: service, name: name)
    }

    func happened(_ event: FirmwareUpdateEvent) async throws { events.push(event) }

    func noted(_ note: FirmwareUpdateNote) {}
}

extension FirmwareUpdateError {
    fileprivate init(_ error: any Error, _ state: FirmwareUpdateState) {
        switch error {
        case let error as FirmwareUpdateError: self = error
        case let refusal as MCUmgrRefusal: self.init(.refused, "the device answers: \(refusal)")
        case let refusal as DFURefusal: self.init(.refused, "the boot loader answers: \(refusal)")
        default: self.init(.failed, BluetoothError.from(error, doing: "update the device").reason)
        }
        cause = cause ?? error
        self.state = state
    }
}
