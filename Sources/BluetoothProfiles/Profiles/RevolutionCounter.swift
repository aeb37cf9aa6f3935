// SPDX-License-Identifier: MIT

public import Bluetooth

/// Speed and cadence from the revolutions that a sensor on a bicycle counts.
///
/// Each measurement has the number of revolutions and the time of the last one. The quotient of the differences of two
/// measurements is the frequency. Both numbers begin again at zero when they overflow: the time each 64 s, or 32 s for
/// the wheel of a power meter.
///
/// Spec: Cycling Speed and Cadence Profile 1.0, 4.4; Cycling Power Profile 1.1, 4.5
public struct RevolutionCounter: Hashable, Sendable {
    /// The characteristic whose layout holds the numbers.
    public enum Layout: Hashable, Sendable {
        /// CSC Measurement.
        case cyclingSpeed
        /// Cycling Power Measurement.
        case cyclingPower
    }

    struct Count: Hashable, Sendable {
        var revolutions: UInt32
        /// In parts of a second, `Shaft.ticksPerSecond` of them.
        var event: UInt16
    }

    /// Revolutions, and the time that they took.
    struct Pace: Hashable, Sendable {
        let revolutions: Int
        let ticks: Int
    }

    /// A wheel or a crank.
    struct Shaft: Hashable, Sendable {
        let ticksPerSecond: Int
        let bits: Int
        private var last: Count?
        private var lastChange = Instant.zero
        /// The last known pace; `nil` if none is known yet.
        private(set) var pace: Pace?

        /// The longest time without a revolution that is not a standstill: 2.5 km/h with the usual wheel.
        private static let standstillTime = Duration.seconds(3)
        /// The maximum number of revolutions in a second, 758 km/h with the usual wheel. If the count has risen faster,
        /// the wheel has turned back, or the sensor has restarted.
        private static let fastest = 100

        init(ticksPerSecond: Int, bits: Int) {
            self.ticksPerSecond = ticksPerSecond
            self.bits = bits
        }

        mutating func received(_ count: Count, at now: Instant) {
            guard let before = last else {
                last = count
                lastChange = now
                return
            }
            // Wrapping, because the counts begin again at zero. That of a crank does so at 16 of its 32 bits here.
            let difference = count.revolutions &- before.revolutions
            let revolutions = Int(bits == 16 ? difference & 0xFFFF : difference)
            let elapsed = now - lastChange
            guard revolutions > 0 else {
                // Between two revolutions the last pace holds. Without another revolution the shaft stands still. The
                // pace then has one tick, because the ticks are a divisor.
                if elapsed > Self.standstillTime { pace = Pace(revolutions: 0, ticks: 1) }
                return
            }
            last = count
            lastChange = now
            let ticks = Int(count.event &- before.event)
            // After a longer time the time of the events has overflowed an unknown number of times.
            let isCertain = elapsed < .seconds(0x1_0000 / ticksPerSecond)
            let isPossible = ticks > 0 && revolutions * ticksPerSecond <= Self.fastest * ticks
            pace = isCertain && isPossible ? Pace(revolutions: revolutions, ticks: ticks) : nil
        }

        /// Tenths of revolutions in a minute; `nil` if they are not known yet.
        var decirevolutionsPerMinute: Int? {
            pace.map { ($0.revolutions * ticksPerSecond * 600 + $0.ticks / 2) / $0.ticks }
        }

        /// Tenths of kilometres in an hour; `nil` if they are not known yet.
        ///
        /// - Parameter circumference: In millimetres; 1 mm/s is 0.0036 km/h.
        func decikilometresPerHour(circumference: Int) -> Int? {
            pace.map {
                ($0.revolutions * circumference * ticksPerSecond * 36 + $0.ticks * 500) / ($0.ticks * 1_000)
            }
        }
    }

    /// The circumference of a wheel in millimetres that most road bicycles have: 700 × 25C.
    public static let usualCircumference = 2_105

    private let layout: Layout
    /// The circumference of the wheel in millimetres.
    private let circumference: Int
    private var wheel: Shaft
    private var crank = Shaft(ticksPerSecond: 1_024, bits: 16)

    /// Creates a counter.
    public init(_ layout: Layout, circumference: Int) {
        self.layout = layout
        self.circumference = min(max(circumference, 1), 10_000)
        wheel = Shaft(ticksPerSecond: layout == .cyclingPower ? 2_048 : 1_024, bits: 32)
    }

    /// Takes a measurement and returns speed and cadence; empty if it has neither. A measurement that is too short
    /// changes nothing.
    public mutating func received(_ bytes: [UInt8], at now: Instant) -> [DecodedValue.Member] {
        guard let (wheelCount, crankCount) = try? counts(bytes) else { return [] }
        var members: [DecodedValue.Member] = []
        if let wheelCount {
            wheel.received(wheelCount, at: now)
            let speed = wheel.decikilometresPerHour(circumference: circumference)
            members.append(.init("speed_kmh", speed.map { .number(DecimalNumber($0, exponent: -1)) } ?? .null))
        }
        if let crankCount {
            crank.received(crankCount, at: now)
            let cadence = crank.decirevolutionsPerMinute
            members.append(.init("cadence_rpm", cadence.map { .number(DecimalNumber($0, exponent: -1)) } ?? .null))
        }
        return members
    }

    /// The counts in a measurement. Flags say which counts it has; fields before them are skipped by their lengths.
    private func counts(_ bytes: [UInt8]) throws(DecodeError) -> (wheel: Count?, crank: Count?) {
        var reader = ByteReader(bytes)
        let hasWheel: Bool
        let hasCrank: Bool
        switch layout {
        case .cyclingSpeed:
            let flags = try reader.uint8("flags")
            hasWheel = flags & 1 != 0
            hasCrank = flags & 2 != 0
        case .cyclingPower:
            let flags = try reader.uint16("flags")
            hasWheel = flags & 1 << 4 != 0
            hasCrank = flags & 1 << 5 != 0
            _ = try reader.uint16("power")
            if flags & 1 << 0 != 0 { _ = try reader.uint8("pedal power balance") }
            if flags & 1 << 2 != 0 { _ = try reader.uint16("accumulated torque") }
        }
        var wheel: Count?
        if hasWheel {
            wheel = Count(
                revolutions: try reader.uint32("wheel revolutions"),
                event: try reader.uint16("last wheel event")
            )
        }
        var crank: Count?
        if hasCrank {
            crank = Count(
                revolutions: UInt32(try reader.uint16("crank revolutions")),
                event: try reader.uint16("last crank event")
            )
        }
        return (wheel, crank)
    }
}
