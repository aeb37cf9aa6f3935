// SPDX-License-Identifier: MIT

public import Bluetooth

/// An event of a subscription besides its values.
public enum SubscriptionEvent: Sendable {
    /// The values are switched on, and arrive from now on.
    case subscribed
    /// So many values before the next one were dropped, because they came faster than they were read.
    case dropped(Int)
    /// A value does not have the format of its characteristic, and is left out.
    case malformed([UInt8], DecodeError)
    /// The link was lost and is being made again. Values that the device sends meanwhile are not seen.
    case linkLost(RadioError)
    /// An attempt to make the link again has failed; another one follows after the pause.
    case reconnectionFailed(attempt: Int, any Error, pause: Duration)
    /// The link is up again, with the subscription.
    case linkRestored(after: Duration, attempts: Int)
    /// The device has announced that its database changed. The characteristic was found and subscribed to again.
    case databaseChanged(HandleRange)
}

/// The values that a device sends unasked, see `Characteristic.values`. Each iteration is a separate subscription,
/// which begins with the request for the first element and ends when the loop is left.
///
/// The loss of the link ends the sequence with an error, unless the peripheral was configured to reconnect
/// (`Peripheral.Configuration.reconnection`).
public struct ReceivedValues: AsyncSequence, Sendable {
    public typealias Element = ValueEvent
    public typealias Failure = BluetoothError

    let characteristic: Characteristic
    let limit: Int
    let onEvent: @Sendable (SubscriptionEvent) async -> Void

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Subscribes while it exists.
    public struct Iterator: AsyncIteratorProtocol {
        private let values: ReceivedValues
        private var subscription: Subscription?
        private var lastNumber = 0

        fileprivate init(_ values: ReceivedValues) { self.values = values }

        /// The next value.
        ///
        /// Throws if the device does not send it, if the link is lost for good, and if the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(BluetoothError) -> ValueEvent? {
            do {
                while true {
                    let event = try await observation().next()
                    if let value = await received(event) { return value }
                }
            } catch {
                throw values.characteristic.error(error, doing: "listen to")
            }
        }

        private mutating func observation(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> Observation {
            if let subscription { return subscription.observation }
            let (characteristic, limit) = (values.characteristic, values.limit)
            let new = try await characteristic.peripheral.withTimeout("subscription") {
                Subscription(try await characteristic.observe(limit: limit))
            }
            subscription = new
            await values.onEvent(.subscribed)
            return new.observation
        }

        /// The value of an event; reports an event of another kind, and returns `nil`.
        private mutating func received(
            _ event: ObservationEvent,
            isolation actor: isolated (any Actor)? = #isolation
        ) async -> ValueEvent? {
            switch event.kind {
            case .value(let value, _):
                let number = event.number ?? lastNumber + 1
                let missing = number - lastNumber - 1
                lastNumber = number
                if missing > 0 { await values.onEvent(.dropped(missing)) }
                return value
            case .databaseChanged(let range): await values.onEvent(.databaseChanged(range))
            case .linkLost(let error): await values.onEvent(.linkLost(error))
            case .reconnectionFailed(let attempt, let error, let pause):
                await values.onEvent(.reconnectionFailed(attempt: attempt, error, pause: pause))
            case .linkRestored(let duration, let attempts):
                await values.onEvent(.linkRestored(after: duration, attempts: attempts))
            // The end is thrown by `Observation.next`, and nothing is read through this observation.
            case .read, .ended: break
            }
            return nil
        }
    }
}

/// An observation that ends when its last reference is released.
private final class Subscription: Sendable {
    let observation: Observation

    init(_ observation: Observation) { self.observation = observation }

    deinit {
        let observation = observation
        // After the scope there is no link to unsubscribe on.
        observation.peripheral.scope.spawn { await observation.end() }
    }
}

extension Characteristic {
    /// The values that the device sends from now on.
    public var values: ReceivedValues { values() }

    /// The values that the device sends from now on.
    ///
    /// - Parameters:
    ///   - limit: The number of values that wait for a slow reader; older ones are dropped and reported.
    ///   - onEvent: Called in the task of the reader, between two values, which wait for it.
    public func values(
        limit: Int = Observation.defaultLimit,
        onEvent: @escaping @Sendable (SubscriptionEvent) async -> Void = { _ in }
    ) -> ReceivedValues {
        ReceivedValues(characteristic: self, limit: limit, onEvent: onEvent)
    }
}
