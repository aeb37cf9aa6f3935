// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Toolkit

@Suite("The numbers of values")
struct ValueNumbersTests {
    @Test func `dropped values leave a gap, and read values have numbers, too`() {
        var numbers = ValueNumbers()
        #expect(numbers.dropped(before: 1) == 0)
        #expect(numbers.sent() == 1)
        #expect(numbers.read() == 2)
        #expect(numbers.dropped(before: 5) == 3)
        #expect(numbers.sequence == 5)
        #expect(numbers.sent() == 6)
        #expect(numbers.dropped(before: nil) == 0)
        #expect(numbers.sent() == 7)
    }

    @Test func `a value that is skipped was not dropped`() {
        var numbers = ValueNumbers()
        numbers.skipped()
        #expect(numbers.dropped(before: 2) == 0)
        #expect(numbers.sent() == 1)
        // The values 3 and 5 were dropped, and 4 is skipped.
        numbers.skipped()
        #expect(numbers.dropped(before: 6) == 2)
        #expect(numbers.sent() == 4)
    }
}
