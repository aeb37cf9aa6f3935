// SPDX-License-Identifier: MIT

import Bluetooth

/// The octets n that mean 1.1^(n−64) seconds.
///
/// Spec: GATT Specification Supplement, Time Exponential 8
enum ExponentialTime {
    /// The octets with a meaning other than a time.
    static let special: [UInt64: String] = [0xFE: "the life of the device", 0xFF: "not known"]

    /// The seconds of an octet without a special meaning.
    static func seconds(_ octet: UInt8) -> DecimalNumber {
        // 0 means no time at all, and not 1.1^(0−64) seconds.
        if octet == 0 { return .zero }
        var seconds = 1.0
        for _ in 0..<abs(Int(octet) - 64) { seconds = octet < 64 ? seconds / 1.1 : seconds * 1.1 }
        // Three significant digits suffice, because neighbouring values differ by 10 %.
        let places = seconds < 10 ? 4 : seconds < 1_000 ? 2 : 0
        return (DecimalNumber(seconds) ?? .zero).rounded(toPlaces: places)
    }

    /// The octet nearest to a time; `nil` if it is too long, too short or negative.
    static func octet(_ seconds: DecimalNumber) -> UInt8? {
        if seconds == .zero { return 0 }
        let wanted = seconds.approximation
        var power = 1.0
        // The time of octet 1, the shortest one: 1.1^(1−64) seconds.
        for _ in 0..<63 { power /= 1.1 }
        // Half a step around the shortest and the longest time.
        guard wanted > power / 1.05 else { return nil }
        for octet: UInt8 in 1...0xFD {
            if wanted < power * 1.05 { return octet }
            power *= 1.1
        }
        return nil
    }
}

/// Units of time that bits 2 and 3 of the flags select.
///
/// Spec: GATT Specification Supplement, Elapsed Time
enum ElapsedTime {
    /// The power of ten of the unit in seconds.
    static func exponent(flags: UInt64) -> Int { [0, -1, -3, -4][Int(flags.part(2...3))] }
}

/// Seconds since the start of 1900, or of 2000.
struct EpochTime {
    /// The bit of the flags for seconds since 2000.
    static let recentBit = 6

    /// The days from the start of the epoch to 1970-01-01, negative if it began later.
    private let days: Int

    /// - Parameter flags: The flags of the value, one bit of which selects the epoch.
    init(flags: UInt64) { days = flags >> UInt64(Self.recentBit) & 1 == 1 ? -10_957 : 25_567 }

    /// `2024-07-10T12:00:00`
    func text(seconds: Int) -> String {
        let date = CivilDate(daysSinceEpoch: seconds / 86_400 - days)
        let clock = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60].map { CivilDate.padded($0, 2) }
        return "\(date)T\(clock.joined(separator: ":"))"
    }

    /// The seconds of a time; `nil` if it is before the epoch, or more than 32 bits of seconds after it.
    func seconds(_ time: DateTime) -> UInt32? {
        let date = CivilDate(year: Int(time.year), month: Int(time.month), day: Int(time.day))
        let clock = Int(time.hours) * 3_600 + Int(time.minutes) * 60 + Int(time.seconds)
        return UInt32(exactly: (date.daysSinceEpoch + days) * 86_400 + clock)
    }
}
