// SPDX-License-Identifier: MIT

/// A date in the proleptic Gregorian calendar: the one date arithmetic of characteristics and of the wall clock.
package struct CivilDate: Hashable, Sendable, CustomStringConvertible {
    /// The year; 0 is 1 BC.
    package let year: Int
    /// The month, from 1.
    package let month: Int
    /// The day of the month, from 1.
    package let day: Int

    /// Puts a date together. Devices send dates that do not exist: nothing is checked.
    package init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The date that many days after 1970-01-01, or before it.
    ///
    /// It counts eras of 400 years, after which the calendar repeats, and years that begin in March, because the leap
    /// day is then the last day of its year.
    package init(daysSinceEpoch days: Int) {
        // From 0000-03-01 to 1970-01-01 there are 719,468 days, and in 400 years 146,097. The corrections take the leap
        // days out: one in 1,460 days, except once in a century (36,524), except once in an era (146,096). Five months
        // from March on have 153 days.
        let (era, dayOfEra) = floorDivision(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The days since 1970-01-01, negative before it: the inverse of `init(daysSinceEpoch:)`.
    package var daysSinceEpoch: Int {
        let yearFromMarch = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = floorDivision(yearFromMarch, 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// ISO 8601: `2026-11-20`.
    package var description: String {
        "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
    }

    /// A number with at least so many digits.
    package static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

/// The quotient rounded towards minus infinity, and the remainder, which is never negative. The divisor is above zero.
@inlinable
package func floorDivision<Integer: FixedWidthInteger>(
    _ value: Integer,
    _ divisor: Integer
) -> (quotient: Integer, remainder: Integer) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}
