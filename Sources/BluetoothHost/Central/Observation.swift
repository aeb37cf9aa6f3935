// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// What an observer of characteristics sees, and when it happened.
public struct ObservationEvent: Sendable {
    /// What has happened.
    public enum Kind: Sendable {
        /// A value came by itself.
        case value(ValueEvent, of: Characteristic)
        /// A value was read, because the observer wanted that.
        case read(AttributeValue, of: Characteristic)
        /// The device has said that its database changed in a range. What is subscribed to was found anew, and subscribed
        /// to again.
        case databaseChanged(HandleRange)
        /// The link was lost. It is made again; values that the device sends meanwhile are not seen.
        case linkLost(RadioError)
        /// An attempt to make the link again has failed, and another follows after the pause.
        case reconnectionFailed(attempt: Int, any Error, pause: Duration)
        /// The link is there again, and all is subscribed to again. Values of the new link come behind it, also those
        /// that the device has sent before it answered.
        case linkRestored(after: Duration, attempts: Int)
        /// It is over: no link any more, or what was subscribed to is not there any more.
        case ended(any Error)
    }

    /// What has happened.
    public let kind: Kind
    /// When, on the monotonic clock.
    public let instant: Instant
    /// When, on the wall clock.
    public let wall: WallTime
    /// Of a value: which one it is of those that came for the observer, from 1. Those that were dropped are counted: a number
    /// that is left out is a gap in this place.
    public var number: Int?
}

/// One observer of characteristics of a device: one stream, in the order in which things happen.
///
/// Several observers may see the same characteristic: it is subscribed to by the first and given up by the last. One
/// observer sees each value once, under the first of the names by which it has subscribed.
///
/// Where the link has flow control a slow reader holds the device back, and with it all other observers of the device: an
/// observation that nobody reads any more is to be ended. Between two events its reader may wait for any answer of the device.
public struct Observation: Sendable {
    /// How many events wait for a slow reader unless somebody says otherwise.
    public static let defaultLimit = 4_096

    let id: Int
    let queue: ObservationQueue
    let peripheral: Peripheral

    /// Subscribes to a characteristic; its values come from now on, even before this returns.
    ///
    /// Throws `NotObservable` where it sends nothing by itself.
    public func subscribe(to characteristic: Characteristic) async throws {
        try await peripheral.subscribe(id, to: characteristic.selector)
    }

    /// Reads a characteristic, whose value then takes its place in the stream: after a gap the device does not repeat what
    /// it has sent meanwhile.
    public func read(_ characteristic: Characteristic) async throws {
        try await peripheral.read(characteristic, for: id)
    }

    /// The next event. Throws why it is over: a `RadioError`, a `MissingAttribute`, or `CancellationError`.
    public func next() async throws -> ObservationEvent {
        do {
            let event = try await queue.events.next()
            if case .ended(let error) = event.kind { throw error }
            return event
        } catch let error as RadioError where error.cause == .cancelled {
            throw CancellationError()
        }
    }

    /// How many events were dropped because the reader was slow.
    public var droppedCount: Int { queue.events.droppedCount }

    /// Ends the observation: gives up what nobody else observes. What the device answers to that is waited for as long as
    /// for any request; a caller who has less time may be cancelled, and it is done nevertheless.
    public func end() async { await peripheral.endObservation(id) }
}

/// A characteristic does not send values by itself.
public struct NotObservable: Error, Hashable, Sendable {
    /// What it does instead.
    public let properties: CharacteristicProperties
}
