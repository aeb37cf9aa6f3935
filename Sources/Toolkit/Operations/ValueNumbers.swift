// SPDX-License-Identifier: GPL-2.0-or-later

/// The numbers of the values that an operation passes on, from the numbers that the observation gives to sent values.
struct ValueNumbers {
    /// The number of the last value that was passed on or dropped; 0 before the first one.
    private(set) var sequence = 0
    /// The number that the observation gave to the last sent value, dropped values included.
    private var last = 0

    /// Counts the values that were dropped before a sent value, and returns how many they are.
    ///
    /// - Parameter number: The number of the sent value; `nil` if it has none, and follows the last one.
    package mutating func dropped(before number: Int?) -> Int {
        let dropped = max(0, (number ?? last + 1) - last - 1)
        sequence += dropped
        last += dropped
        return dropped
    }

    @discardableResult
    package mutating func sent() -> Int {
        last += 1
        sequence += 1
        return sequence
    }

    /// Counts a value that was read, which has no number from the observation. Returns its number.
    @discardableResult
    package mutating func read() -> Int {
        sequence += 1
        return sequence
    }

    /// Counts a sent value that is not passed on. A gap before it is one before the next value that is.
    package mutating func skipped() { last += 1 }
}
