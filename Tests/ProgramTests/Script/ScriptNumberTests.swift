// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import Scripting

@Suite("Numbers of scripts")
struct ScriptNumberTests {
    @Test(
        "whole numbers may have one sign",
        arguments: [
            ("-5", -5), ("+0x10", 16), ("-0x7fffffffffffffff", -Int128(Int64.max)),
            ("-9223372036854775808", Int128(Int64.min)), ("0x8000000000000000", Int128(Int64.max) + 1),
            ("-0x8000000000000000", Int128(Int64.min)), ("18446744073709551615", Int128(UInt64.max)),
        ]
    )
    func whole(text: String, number: Int128) throws {
        let read = try #require(ScriptNumber(text))
        guard case .whole(number) = read else {
            Issue.record("\(read)")
            return
        }
    }

    /// Numbers in their order: no two of them are equal, although many are equal as `Double`.
    private static let inOrder = [
        "-99999999999999999999999999999999999999999999", "-340282366920938463463374607431768211456",
        "-340282366920938463463374607431768211455", "-170141183460469231731687303715884105728", "-1.5", "-1", "0",
        "0.5", "9007199254740992", "9007199254740993", "18446744073709551614", "0xffffffffffffffff",
        "18446744073709551616",
        "170141183460469231731687303715884105727", "170141183460469231731687303715884105728",
        "0xfffffffffffffffffffffffffffffffe", "340282366920938463463374607431768211455",
        "340282366920938463463374607431768211456", "99999999999999999999999999999999999999999999",
    ]

    @Test func `numbers of any length are compared exactly`() throws {
        let numbers = try Self.inOrder.map { try #require(ScriptNumber($0), "\($0)") }
        for (first, left) in numbers.enumerated() {
            for (second, right) in numbers.enumerated() {
                #expect((left == right) == (first == second), "\(Self.inOrder[first]) \(Self.inOrder[second])")
                #expect((left < right) == (first < second), "\(Self.inOrder[first]) \(Self.inOrder[second])")
            }
        }
    }

    @Test(arguments: [
        ("7", "7.0"), ("-0", "0"), ("0007", "7"), ("1e3", "1000"),
        ("0xffffffffffffffffffffffffffffffff", "340282366920938463463374607431768211455"),
        ("00340282366920938463463374607431768211456", "340282366920938463463374607431768211456"),
    ])
    func `notations of a number are equal`(_ one: String, _ other: String) throws {
        let (one, other) = (try #require(ScriptNumber(one)), try #require(ScriptNumber(other)))
        #expect(one == other && !(one < other) && !(other < one))
    }

    // A text of a device is compared like any other, and must not end the program.
    @Test(
        "a text with an inner sign is not a number",
        arguments: [
            "0x-5", "0x+5", "-0x-5", "-0x-8000000000000000", "0x-8000000000000000", "--5", "+-5", "-", "0x", "1e999",
            "0x100000000000000000000000000000000",
        ]
    )
    func none(text: String) {
        #expect(ScriptNumber(text) == nil)
    }
}
