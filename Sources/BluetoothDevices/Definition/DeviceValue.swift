// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothProfiles

/// The value of a characteristic: octets, or a source of octets for each read and each notification.
public indirect enum DeviceValue: Hashable, Sendable {
    /// Constant octets.
    case octets([UInt8])
    /// One number in a format: `u16`, `f32`, `medfloat16`.
    case number(NumberSource, ValueFormat)
    /// Several values, one after the other.
    case sequence([DeviceValue])
    /// The fields of an assigned characteristic, encoded by its format.
    case fields(BluetoothUUID, FieldTemplate)
    /// Recorded values, one after the other.
    case replay(ValueReplay)
    /// A value that a named program makes.
    case program(ProgramReference)

    /// Whether it is always the same, so that the server itself can hold it.
    public var isConstant: Bool {
        switch self {
        case .octets: true
        case .number(let source, _): source.isConstant
        case .sequence(let values): values.allSatisfy(\.isConstant)
        case .fields(_, let template): template.isConstant
        case .replay, .program: false
        }
    }
}

/// The fields of an assigned characteristic, some of which change.
///
/// It has the shape of `DecodedValue.Content`; numbers may be generated.
public indirect enum FieldTemplate: Hashable, Sendable {
    /// Absent.
    case null
    /// True or false.
    case bool(Bool)
    /// A number.
    case number(NumberSource)
    /// Text, or the name of a choice.
    case string(String)
    /// Several values of the same kind.
    case array([FieldTemplate])
    /// Members by their keys, in order.
    case object([Member])

    /// One member of an object.
    public struct Member: Hashable, Sendable {
        /// The key: `heart_rate_bpm`.
        public var key: String
        /// The member's value.
        public var value: FieldTemplate

        /// Creates a member.
        public init(_ key: String, _ value: FieldTemplate) {
            self.key = key
            self.value = value
        }
    }

    /// Whether no part of it changes.
    public var isConstant: Bool {
        switch self {
        case .null, .bool, .string: true
        case .number(let source): source.isConstant
        case .array(let elements): elements.allSatisfy(\.isConstant)
        case .object(let members): members.allSatisfy(\.value.isConstant)
        }
    }
}

/// A number, or a generator of numbers.
public enum NumberSource: Hashable, Sendable {
    /// Always the same.
    case constant(DecimalNumber)
    /// Another one at each look.
    case generated(NumberGenerator)

    /// Whether it is always the same.
    public var isConstant: Bool {
        switch self {
        case .constant: true
        case .generated: false
        }
    }
}

/// A source of numbers that change. Time counts from the start of the device, or from its last restart.
///
/// A walk, a counter, random numbers and steps without a time advance at each notification, or at each read of a value
/// without a stream. A read of a streamed value returns the number that was sent last.
public enum NumberGenerator: Hashable, Sendable {
    /// From one number to another in a time, evenly. Afterwards it stays there, or begins again if it repeats.
    case ramp(from: DecimalNumber, to: DecimalNumber, over: Duration, repeats: Bool)
    /// A sine between two numbers with a period. It begins in the middle, rising.
    case sine(low: DecimalNumber, high: DecimalNumber, period: Duration)
    /// A random walk between two numbers: at each look it moves by at most the step. `nil` starts it in the middle.
    case walk(low: DecimalNumber, high: DecimalNumber, step: DecimalNumber, start: DecimalNumber?)
    /// Any number between two, each as likely.
    case random(low: DecimalNumber, high: DecimalNumber)
    /// One number after the other, and then from the beginning; with a time, the next one only when that has passed,
    /// otherwise at each look.
    case steps([DecimalNumber], every: Duration?)
    /// Numbers at moments; between them the earlier one counts. After the last one it begins again if it repeats.
    case timetable([TimedNumber], repeats: Bool)
    /// Grows by the step at each look, and begins again above the limit, and above the largest number of its format or
    /// field.
    case counter(from: DecimalNumber, step: DecimalNumber, limit: DecimalNumber?)
    /// The whole units that have passed since the start of the device. It begins again at 0 above the largest number of
    /// its format or field.
    case clock(unit: Duration)
    /// The number that another characteristic has, or one that moves towards it.
    case follower(NumberFollower)

    /// A number and the moment from which it counts.
    public struct TimedNumber: Hashable, Sendable {
        /// The time after the start of the device.
        public var at: Duration
        /// The number.
        public var number: DecimalNumber

        /// Creates an entry.
        public init(at: Duration, _ number: DecimalNumber) {
            self.at = at
            self.number = number
        }
    }
}

/// Values that were recorded, to be sent again with their timing.
public struct ValueReplay: Hashable, Sendable {
    /// A recorded value.
    public struct Sample: Hashable, Sendable {
        /// The time after the subscription.
        public var at: Duration
        /// The value.
        public var value: [UInt8]

        /// Creates a sample.
        public init(at: Duration, _ value: [UInt8]) {
            self.at = at
            self.value = value
        }
    }

    /// The values, the earliest first.
    public var samples: [Sample]
    /// The time after which they begin again; `nil` if they do not.
    public var period: Duration?

    /// Creates a replay.
    public init(_ samples: [Sample], period: Duration? = nil) {
        self.samples = samples
        self.period = period
    }
}

/// The times at which a value is sent to subscribed clients.
public struct DeviceStream: Hashable, Sendable {
    /// The time between two values.
    public enum Period: Hashable, Sendable {
        /// Always the same.
        case fixed(Duration)
        /// The number in another characteristic, little-endian and unsigned, times a unit.
        case value(of: CharacteristicReference, unit: Duration)
    }

    /// A state in which the stream runs.
    public struct Condition: Hashable, Sendable {
        /// The characteristic with the state.
        public var characteristic: CharacteristicReference
        /// The value with which the stream runs.
        public var value: [UInt8]

        /// Creates a condition.
        public init(_ characteristic: CharacteristicReference, is value: [UInt8]) {
            self.characteristic = characteristic
            self.value = value
        }
    }

    /// The time between two values; `nil` for a replay, which contains its own times.
    public var period: Period?
    /// Whether only values that differ from the last one are sent.
    public var onlyChanges: Bool
    /// The states in which it runs, all of them at once; none for always. Otherwise the characteristic has its
    /// `idleValue`.
    public var conditions: [Condition]
    /// The value while the conditions are not met; `nil` for the usual one.
    public var idleValue: [UInt8]?

    /// Creates a stream.
    public init(
        every period: Period?,
        onlyChanges: Bool = false,
        while conditions: [Condition] = [],
        idleValue: [UInt8]? = nil
    ) {
        self.period = period
        self.onlyChanges = onlyChanges
        self.conditions = conditions
        self.idleValue = idleValue
    }
}

/// A value or a command of a named program: `heart.measurement`.
public struct ProgramReference: Hashable, Sendable, CustomStringConvertible {
    /// The name of the program.
    public var program: String
    /// The name of the value or command.
    public var member: String

    /// Creates a reference.
    public init(_ program: String, _ member: String) {
        self.program = program
        self.member = member
    }

    public var description: String { "\(program).\(member)" }
}
