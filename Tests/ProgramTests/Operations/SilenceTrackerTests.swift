// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Toolkit

@Suite("Silence between values")
struct SilenceTrackerTests {
    private var silence = SilenceTracker(timeout: .seconds(10))

    @Test func `the last value has the whole time, and one before others has half`() {
        #expect(silence.timeLimit(isLast: true) == .seconds(10))
        #expect(silence.timeLimit(isLast: false) == .seconds(5))
    }

    @Test mutating func `two values without an answer take no longer than one`() {
        silence.recordSilence()
        #expect(silence.timeLimit(isLast: true) == .seconds(5))
        #expect(!silence.isDeviceGone)
        silence.recordSilence()
        #expect(silence.isDeviceGone)
        #expect(silence.silenceCount == 2)
    }

    @Test mutating func `an answer shows that the device is there`() {
        silence.recordSilence()
        silence.recordAnswer()
        #expect(silence.timeLimit(isLast: true) == .seconds(10))
        silence.recordSilence()
        #expect(!silence.isDeviceGone)
        #expect(silence.silenceCount == 2)
    }
}
