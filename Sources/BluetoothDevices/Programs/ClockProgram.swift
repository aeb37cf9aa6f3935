// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

/// A clock that runs from the start of 2026 until a client sets it: `clock` in a device file.
///
/// Spec: Current Time Service 1.1, 3.1
struct ClockProgram: DeviceProgram {
    static let values = ["time"]
    /// A write of Current Time.
    static let commands = ["set"]

    /// Seconds since 1970-01-01 at a moment.
    private var seconds: Int64 = 1_767_225_600
    /// The moment that `seconds` belongs to.
    private var moment = Instant.zero
    /// Why it was adjusted: a manual time update after it was set.
    private var reason: UInt8 = 0

    /// Current Time: date and time, day of the week, 256ths of a second, and the reason of the last adjustment.
    mutating func value(_ name: String, isSent: Bool, now: Instant, _ random: inout SeededGenerator) -> [UInt8] {
        let time = now - moment
        let (whole, attoseconds) = time.components
        let (days, ofDay) = floorDivision(seconds + whole, 86_400)
        let date = CivilDate(daysSinceEpoch: Int(days))
        var writer = ByteWriter()
        DateTime(
            year: UInt16(clamping: date.year),
            month: UInt8(clamping: date.month),
            day: UInt8(clamping: date.day),
            hours: UInt8(clamping: ofDay / 3_600),
            minutes: UInt8(clamping: ofDay / 60 % 60),
            seconds: UInt8(clamping: ofDay % 60)
        ).encode(into: &writer)
        // 1970-01-01 was a Thursday; Monday is 1.
        writer.uint8(UInt8(floorDivision(days + 3, 7).remainder + 1))
        // Divided first, because attoseconds times 256 overflow.
        writer.uint8(UInt8(clamping: attoseconds / 1_000_000_000 * 256 / 1_000_000_000))
        writer.uint8(reason)
        return writer.bytes
    }

    /// Sets the clock. An invalid time is refused with the service's error for a field that is ignored.
    mutating func run(_ command: String, _ written: [UInt8], now: Instant) -> [DeviceAction] {
        var reader = ByteReader(written)
        // The format also has parts that are unknown and years from 1582 on, to which a clock cannot be set.
        guard written.count == 10, let time = try? DateTime(from: &reader), (1_970...9_999).contains(time.year),
            (1...12).contains(time.month), (1...31).contains(time.day), time.hours < 24, time.minutes < 60,
            time.seconds < 60
        else { return [.refuse(ATTErrorCode(0x80))] }  // data field ignored
        let days = Int64(CivilDate(year: Int(time.year), month: Int(time.month), day: Int(time.day)).daysSinceEpoch)
        let ofDay = Int64(time.hours) * 3_600 + Int64(time.minutes) * 60 + Int64(time.seconds)
        seconds = days * 86_400 + ofDay
        moment = now
        reason = 1
        return []
    }
}
