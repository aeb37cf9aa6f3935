// SPDX-License-Identifier: MIT

public import Bluetooth

/// A characteristic whose values are measurements of a profile.
public struct ProfileSource: Hashable, Sendable {
    /// How its values arrive.
    public enum Delivery: Hashable, Sendable {
        /// The device sends them unasked.
        case sent
        /// The value is read once, and then the device sends it unasked. If it does not, the value is read
        /// periodically.
        case readThenSent
        /// The device sends them unasked. If it does not, they are read periodically.
        case sentOrRead
        /// The value is read once, because it does not change while the device runs: for a profile that has an end.
        case readOnce
    }

    /// A write to another characteristic of the same service.
    public struct Write: Hashable, Sendable {
        /// The characteristic.
        public let characteristic: BluetoothUUID
        /// The octets.
        public let value: [UInt8]

        /// Creates a write.
        public init(_ value: [UInt8], to characteristic: BluetoothUUID) {
            self.characteristic = characteristic
            self.value = value
        }
    }

    /// The numbers that a client needs to understand the values: how a device is asked for them, and where they are.
    public struct Calibration: Hashable, Sendable {
        /// The write that makes the numbers readable.
        public let request: Write
        /// The characteristic with the numbers.
        public let characteristic: BluetoothUUID
    }

    /// A characteristic with the time between two values.
    public struct Period: Hashable, Sendable {
        /// The characteristic, an octet.
        public let characteristic: BluetoothUUID
        /// The milliseconds of one unit.
        public let unit: Int
        /// The numbers that the device accepts.
        public let range: ClosedRange<Int>

        /// The octet for a period, the nearest one that the device accepts.
        public func octet(milliseconds: Int) -> UInt8 {
            let wanted = (milliseconds + unit / 2) / unit
            return UInt8(clamping: min(max(wanted, range.lowerBound), range.upperBound))
        }
    }

    /// The meaning of a value together with others of the same characteristic.
    public enum Derivation: Hashable, Sendable {
        /// Revolutions and times of events, from which speed and cadence follow.
        case revolutions(RevolutionCounter.Layout)
        /// Raw numbers of a barometer, which its calibration explains.
        case barometer
        /// Three axes, whose first values may serve as zero.
        case axes
        /// Light as a mantissa of 12 bits and an exponent of 4.
        case light
    }

    /// The service of the characteristic; `nil` for any.
    public let service: BluetoothUUID?
    /// The characteristic.
    public let characteristic: BluetoothUUID
    /// The name in front of the values, and on the command line: `accelerometer`.
    public let name: String
    /// How its values arrive.
    public let delivery: Delivery
    /// The format of the values where it is not that of the characteristic.
    public internal(set) var format: CharacteristicFormat?
    /// The meaning of the values together with others; `nil` if each value stands alone.
    public internal(set) var derivation: Derivation?
    /// The numbers that explain the values.
    public internal(set) var calibration: Calibration?
    /// The writes that switch the source on, after the subscription.
    public internal(set) var start: [Write] = []
    /// The writes that switch the source off at the end.
    public internal(set) var stop: [Write] = []
    /// The time between two values, if it can be set.
    public internal(set) var period: Period?

    /// Creates a source.
    public init(
        _ characteristic: BluetoothUUID,
        in service: BluetoothUUID?,
        as name: String,
        _ delivery: Delivery = .sent
    ) {
        self.service = service
        self.characteristic = characteristic
        self.name = name
        self.delivery = delivery
    }

    /// The source, whose values mean more together with others.
    func deriving(_ derivation: Derivation) -> Self {
        var source = self
        source.derivation = derivation
        return source
    }

    func formatted(_ format: CharacteristicFormat) -> Self {
        var source = self
        source.format = format
        return source
    }

    /// The source, which a write switches on and another one off.
    func switched(on: [UInt8], off: [UInt8] = [0], at characteristic: BluetoothUUID) -> Self {
        var source = self
        source.start = [Write(on, to: characteristic)]
        source.stop = [Write(off, to: characteristic)]
        return source
    }

    func timed(_ characteristic: BluetoothUUID, unit: Int, _ range: ClosedRange<Int>) -> Self {
        var source = self
        source.period = Period(characteristic: characteristic, unit: unit, range: range)
        return source
    }

    func calibrated(by request: [UInt8], to control: BluetoothUUID, at characteristic: BluetoothUUID) -> Self {
        var source = self
        source.calibration = Calibration(request: Write(request, to: control), characteristic: characteristic)
        return source
    }
}
