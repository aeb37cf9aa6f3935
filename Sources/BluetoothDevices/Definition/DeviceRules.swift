// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothProfiles

/// The effect of a write to a characteristic under a condition.
public struct WriteRule: Hashable, Sendable {
    /// The conditions, which must all be met; without one the rule always applies.
    public var conditions: [WriteCondition]
    /// The actions, in order.
    public var actions: [DeviceAction]

    /// Creates a rule.
    public init(_ conditions: [WriteCondition] = [], _ actions: [DeviceAction]) {
        self.conditions = conditions
        self.actions = actions
    }
}

/// A condition on a written value.
public enum WriteCondition: Hashable, Sendable {
    /// The value is this one.
    case equals([UInt8])
    /// The value begins with these octets.
    case starts([UInt8])
    /// The number of octets is in the range.
    case length(ClosedRange<Int>)
    /// The value as a number in a format is in the range; a value of another length is not.
    case number(ClosedRange<Int64>, ValueFormat)
    /// The bits of the mask are those of the value, octet by octet; a value of another length does not match.
    case bits(mask: [UInt8], value: [UInt8])
    /// The condition is not met.
    indirect case not(WriteCondition)
}

/// An action that a rule or the timeline makes the device take.
public enum DeviceAction: Hashable, Sendable {
    /// Stores the written value, as without a rule.
    case store
    /// Refuses the write with an error.
    case refuse(ATTErrorCode)
    /// Never answers the write.
    case silence
    /// Answers the write after a delay.
    case delay(Duration)
    /// Sends a value to the clients that are subscribed to a characteristic.
    case send(CharacteristicReference, Payload)
    /// Replaces the value of a characteristic, and sends it to the subscribed clients.
    case set(CharacteristicReference, Payload)
    /// Appends to the value of a characteristic, and sends the new value to the subscribed clients. Octets beyond 512
    /// are dropped.
    case append(CharacteristicReference, Payload)
    /// Gives the command of a named program the written value.
    case run(ProgramReference)
    /// Disconnects all centrals.
    case disconnect
    /// Goes out of range for a time: links are lost, and nothing is advertised. A real adapter stops advertising and
    /// disconnects.
    case leave(Duration)
    /// Disconnects all centrals, and restarts: with the first database, the values and the time of the start.
    case restart
    /// Accepts connections, or no more of them.
    case connectable(Bool)
    /// Puts a database of the definition in the place of the present one; `nil` means the first one. Subscribed clients
    /// get Service Changed.
    case database(String?)
    /// Does something later.
    indirect case after(Duration, DeviceAction)

    /// The value that an action uses.
    public enum Payload: Hashable, Sendable {
        /// The value that was written; on the timeline the present value of the characteristic.
        case written
        /// A value.
        case value(DeviceValue)
    }
}

/// A scheduled action.
public struct TimelineEntry: Hashable, Sendable {
    /// The moment from which the time counts.
    public enum Origin: Hashable, Sendable {
        /// The start of the device, or its last restart.
        case start
        /// Each connection; ends with it.
        case connection
        /// The first subscription to a characteristic; ends with the last one.
        case subscription(CharacteristicReference)
    }

    /// The time after the origin.
    public var at: Duration
    /// The moment from which the time counts.
    public var origin: Origin
    /// The time after which it happens again; `nil` if it happens once.
    public var every: Duration?
    /// The actions, in order.
    public var actions: [DeviceAction]

    /// Creates an entry.
    public init(at: Duration, since origin: Origin = .start, every: Duration? = nil, _ actions: [DeviceAction]) {
        self.at = at
        self.origin = origin
        self.every = every
        self.actions = actions
    }
}
