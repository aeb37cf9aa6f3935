// SPDX-License-Identifier: MIT

import Bluetooth

/// A ride on a bicycle: `bicycle` in a device file. Speed, cadence and power follow from the same legs.
///
/// Spec: Cycling Speed and Cadence Service 1.0, 3.1; Cycling Power Service 1.1, 3.2; Fitness Machine Service 1.0, 4.9
struct BicycleProgram: DeviceProgram {
    /// CSC Measurement, Cycling Power Measurement and Indoor Bike Data.
    static let values = ["revolutions", "power", "data"]

    /// Revolutions, and the time of the last one.
    private struct Shaft {
        /// The revolutions since the start, with the part of the present one.
        private var turned = 0.0
        /// When the last whole revolution was complete.
        private var last = Instant.zero

        /// The whole revolutions.
        var count: Int { Int(turned) }

        mutating func turn(_ rate: Double, from start: Instant, to end: Instant) {
            let seconds = Double((end - start).clampedNanoseconds) / 1e9
            let before = turned
            turned += rate * seconds
            guard count > Int(before), rate > 0 else { return }
            last = end + .nanoseconds(-Int64((turned - Double(count)) / rate * 1e9))
        }

        /// The time of the last revolution in parts of a second.
        func event(_ ticksPerSecond: Int64) -> UInt16 {
            let (seconds, rest) = last.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            // Multiplied in two parts, because nanoseconds times ticks overflow after 52 days. The field wraps around.
            return UInt16(truncatingIfNeeded: seconds * ticksPerSecond + rest * ticksPerSecond / 1_000_000_000)
        }
    }

    /// The circumference of the wheel in metres.
    private static let circumference = 2.105
    /// The revolutions of the wheel for one of the crank.
    private static let gear = 2.6

    private var wheel = Shaft()
    private var crank = Shaft()
    /// When the ride began; `nil` before the first value.
    private var start: Instant?
    /// The moment until which the ride was computed.
    private var now = Instant.zero
    /// When the legs changed their pace last.
    private var lastStep = Instant.zero
    /// In revolutions a minute.
    private var cadence = 82.0
    /// The power at the crank, in watts.
    private var watts = 175.0
    /// The work at the crank since the start.
    private var kilojoules = 0.0

    /// The value at a moment. All three come from the same ride, so that they agree with each other.
    mutating func value(_ name: String, isSent: Bool, now: Instant, _ random: inout SeededGenerator) -> [UInt8] {
        ride(until: now, &random)
        var writer = ByteWriter()
        switch name {
        case "revolutions":
            // Flags: revolutions of the wheel and of the crank.
            writer.uint8(0x03)
            writer.uint32(UInt32(truncatingIfNeeded: wheel.count))
            writer.uint16(wheel.event(1_024))
            writer.uint16(UInt16(truncatingIfNeeded: crank.count))
            writer.uint16(crank.event(1_024))
        case "power":
            // Flags: the balance with the left pedal as reference, revolutions of the wheel and of the crank.
            writer.uint16(0x0033)
            writer.int16(Int16(watts))
            // In half percents: 49.5 % to 50.5 %.
            writer.uint8(UInt8(99 + Int(cadence) % 3))
            writer.uint32(UInt32(truncatingIfNeeded: wheel.count))
            // Cycling Power counts the time of the wheel in 1/2048 s, and that of the crank in 1/1024 s.
            writer.uint16(wheel.event(2_048))
            writer.uint16(UInt16(truncatingIfNeeded: crank.count))
            writer.uint16(crank.event(1_024))
        default:
            // Flags: cadence, distance, power, energy and time. The speed is present because bit 0 is clear.
            writer.uint16(0x0954)
            let revolutions = cadence / 60 * Self.gear
            // Metres per second in units of 0.01 km/h.
            writer.uint16(UInt16(revolutions * Self.circumference * 360))
            writer.uint16(UInt16(cadence * 2))
            let metres = UInt32(Double(wheel.count) * Self.circumference)
            // The field of the distance has 24 bits.
            writer.uint8(UInt8(truncatingIfNeeded: metres))
            writer.uint16(UInt16(truncatingIfNeeded: metres >> 8))
            writer.int16(Int16(watts))
            // Legs turn a quarter of the energy into work, so that a kilojoule of it is about a kilocalorie.
            writer.uint16(UInt16(min(kilojoules, 65_000)))
            // Per hour and per minute, by the same rule. The highest number of a field means that there is no value.
            writer.uint16(UInt16(watts * 3.6))
            writer.uint8(UInt8(min(watts * 0.06, 254)))
            let seconds = (now - (start ?? now)).components.seconds
            writer.uint16(UInt16(clamping: seconds))
        }
        return writer.bytes
    }

    /// The legs get a little faster or slower each second. A pause of more than 5 s between two values is not ridden.
    private mutating func ride(until time: Instant, _ random: inout SeededGenerator) {
        let pause = Duration.seconds(5)
        if start == nil { start = time }
        // The first value, and the first one after a pause, shows one second of the ride.
        if time - now > pause || now == .zero { now = time + .seconds(-1) }
        // Several characteristics ask at the same moment. The first one has moved the ride on.
        guard time > now else { return }
        if time - lastStep >= .seconds(1) {
            lastStep = time
            cadence = min(max(cadence + random.bell() * 1.5, 66), 104)
            watts = min(max(2.2 * cadence - 5 + random.bell() * 8, 60), 400)
        }
        crank.turn(cadence / 60, from: now, to: time)
        wheel.turn(cadence / 60 * Self.gear, from: now, to: time)
        kilojoules += watts * Double((time - now).clampedNanoseconds) / 1e12
        now = time
    }
}
