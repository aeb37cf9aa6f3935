// SPDX-License-Identifier: MIT

public import Bluetooth

/// An event in the stream of an observer, with the time at which it happened.
public struct ObservationEvent: Sendable {
    /// The kinds of events.
    public enum Kind: Sendable {
        /// The device sent a value unasked.
        case value(ValueEvent, of: Characteristic)
        /// A value was read at the request of the observer.
        case read(AttributeValue, of: Characteristic)
        /// The device has announced that its database changed in a range. The observed characteristics were found and
        /// subscribed to again.
        case databaseChanged(HandleRange)
        /// The link was lost and is being made again. Values that the device sends meanwhile are not seen.
        case linkLost(RadioError)
        /// An attempt to make the link again has failed; another one follows after the pause.
        case reconnectionFailed(attempt: Int, any Error, pause: Duration)
        /// The link is up again, with all subscriptions. Values of the new link follow, including those that the
        /// device sent before it answered.
        case linkRestored(after: Duration, attempts: Int)
        /// The observation is over: the link, or an observed characteristic, is not there any more.
        case ended(any Error)
    }

    /// The event.
    public let kind: Kind
    /// The time on the monotonic clock.
    public let instant: Instant
    /// The time on the wall clock.
    public let wall: WallTime
    /// The number of a value among those that came for the observer, from 1. Dropped values are counted, so a missing
    /// number is a gap in this place.
    public var number: Int?
}

/// An observer of characteristics of a device: one stream of events, in the order in which they happen.
///
/// Several observers may observe the same characteristic: the first one causes the subscription, and the last one its
/// end. An observer gets each value once, under the first of the names by which it has subscribed.
///
/// If the link has flow control, a slow reader holds the device back, and with it all other observers. An observation
/// that is not read any more therefore has to be ended. Between two events its reader may wait for any answer of the
/// device.
public struct Observation: Sendable {
    /// The number of events that wait for a slow reader by default.
    public static let defaultLimit = 4_096

    let id: Int
    let queue: ObservationQueue
    let peripheral: Peripheral

    /// Subscribes to a characteristic. Its values arrive from now on, even before this returns.
    ///
    /// Throws `NotObservable` if it neither notifies nor indicates.
    public func subscribe(to characteristic: Characteristic) async throws {
        try await peripheral.subscribe(id, to: characteristic.selector)
    }

    /// Subscribes to a characteristic if that is possible, and otherwise listens to the values that the device sends
    /// without being asked: some devices have no Client Characteristic Configuration, or refuse the write to it, and
    /// send nevertheless.
    ///
    /// - Returns: Why it only listens: a `MissingAttribute`, a `NotObservable` or a `GATTError`; `nil` if it has
    ///   subscribed.
    public func listen(to characteristic: Characteristic) async throws -> (any Error)? {
        try await peripheral.subscribe(id, to: characteristic.selector, mayListen: true)
    }

    /// Reads a characteristic; the value becomes an event of the stream. It is meant for the time after a gap, because
    /// the device does not repeat the values that it sent during the gap.
    public func read(_ characteristic: Characteristic) async throws {
        try await peripheral.read(characteristic, for: id)
    }

    /// The next event. Throws the reason of the end: a `RadioError`, a `MissingAttribute`, or `CancellationError`.
    public func next() async throws -> ObservationEvent {
        do {
            let event = try await queue.next()
            if case .ended(let error) = event.kind { throw error }
            return event
        } catch let error as RadioError where error.cause == .cancelled {
            throw CancellationError()
        }
    }

    /// The number of values that were dropped because the reader was slow.
    public var droppedCount: Int { queue.droppedCount }

    /// Ends the observation, and unsubscribes from characteristics without another observer. This waits for the answers
    /// of the device; if the caller is cancelled, the work continues without it.
    public func end() async { await peripheral.endObservation(id) }
}

/// The characteristic neither notifies nor indicates.
public struct NotObservable: Error, Hashable, Sendable {
    /// The properties that the device has instead.
    public let properties: CharacteristicProperties

    /// Why it cannot be observed, in a person's words.
    public var reason: String { "it neither notifies nor indicates, only: \(properties)" }
}
