// SPDX-License-Identifier: MIT

/// The values that one client did not get, told ever more rarely: after 1, 10, 100 and so on, and at the end.
struct DroppedValues: Sendable {
    private var total = 0
    private var untold = 0
    private var next = 1

    /// Counts values. Returns how many are to be told now; `nil` for none.
    mutating func add(_ count: Int) -> Int? {
        total += count
        untold += count
        guard total >= next else { return nil }
        while total >= next { next *= 10 }
        return rest()
    }

    /// Those that were not told; `nil` for none.
    mutating func rest() -> Int? {
        defer { untold = 0 }
        return untold > 0 ? untold : nil
    }
}
