// SPDX-License-Identifier: MIT

import BluetoothHost
import Testing

@Suite("durations as text")
struct DurationTextTests {
    @Test(
        "a short duration is never nothing",
        arguments: [
            (.seconds(10), "10 s"), (.milliseconds(1_500), "1.5 s"), (.milliseconds(1_005), "1.005 s"),
            (.milliseconds(200), "200 ms"), (.milliseconds(1), "1 ms"), (.microseconds(999), "999 us"),
            (.nanoseconds(1_000), "1 us"), (.nanoseconds(999), "999 ns"), (.zero, "0 ms"),
        ] as [(Duration, String)]
    )
    func text(_ duration: Duration, _ expected: String) {
        #expect(duration.text == expected)
    }
}
