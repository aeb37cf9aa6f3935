// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import BlectlKit

@Suite("Numbers of scripts")
struct ScriptNumberTests {
    @Test(
        "whole numbers may have one sign",
        arguments: [("-5", -5), ("+0x10", 16), ("-0x7fffffffffffffff", -Int64.max), ("-9223372036854775808", .min)]
    )
    func whole(text: String, number: Int64) {
        #expect(ScriptNumber(text) == .whole(number))
    }

    // A text of a device is compared like any other: none of it may end the program.
    @Test(
        "a text with a sign inside is none",
        arguments: [
            "0x-5", "0x+5", "-0x-5", "-0x-8000000000000000", "0x-8000000000000000", "--5", "0x8000000000000000",
        ]
    )
    func none(text: String) {
        #expect(ScriptNumber(text) == nil)
    }
}
