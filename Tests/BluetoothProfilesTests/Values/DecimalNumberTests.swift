// SPDX-License-Identifier: MIT

import BluetoothProfiles
import Testing

@Suite("Exact decimal numbers")
struct DecimalNumberTests {
    @Test(
        "digits and exponent become text without rounding",
        arguments: [
            (0, 0, "0"), (366, -1, "36.6"), (3660, -2, "36.6"), (-5, -2, "-0.05"), (100, -2, "1"), (12, 3, "12000"),
            (-1, 0, "-1"), (1, -12, "0.000000000001"), (15, -20, "1.5e-19"), (1, 30, "1e30"), (25, 29, "2.5e30"),
            (0, -5, "0"), (10, -1, "1"), (123456789, -9, "0.123456789"), (-128, 127, "-1.28e129"),
        ] as [(Int, Int, String)]
    )
    func text(digits: Int, exponent: Int, text: String) {
        #expect(DecimalNumber(digits, exponent: exponent).description == text)
    }

    @Test("numbers that are equal have one form")
    func oneForm() {
        #expect(DecimalNumber(3660, exponent: -2) == DecimalNumber(366, exponent: -1))
        #expect(DecimalNumber(12, exponent: 3) == DecimalNumber(12000))
        #expect(DecimalNumber(0, exponent: 9) == .zero)
        #expect(DecimalNumber(10, exponent: 30) == DecimalNumber(1, exponent: 31))
        #expect(DecimalNumber(isNegative: true, magnitude: 0, exponent: 0) == .zero)
    }

    @Test("powers of two are exact")
    func powersOfTwo() {
        #expect(DecimalNumber(853_000).scaled(byPowerOfTwo: -10).description == "833.0078125")
        #expect(DecimalNumber(1).scaled(byPowerOfTwo: -16).description == "0.0000152587890625")
        #expect(DecimalNumber(65_535).scaled(byPowerOfTwo: -6).description == "1023.984375")
        #expect(DecimalNumber(3).scaled(byPowerOfTwo: 4).description == "48")
    }

    @Test("numbers that do not fit lose their last digits, and nothing traps")
    func extremes() {
        let largest = DecimalNumber(UInt128.max)
        #expect(largest.description == "340282366920938463463374607431768211455")
        #expect(largest.multiplied(by: 10).description == "3.4028236692093846346337460743176821145e39")
        #expect(largest.multiplied(by: .max).description.hasPrefix("6.277101735386680"))
        #expect(largest.scaled(byPowerOfTwo: -127).description.hasPrefix("1.99999999999999999"))
        #expect(DecimalNumber(Int128.min).description == "-170141183460469231731687303715884105728")
    }

    @Test(
        "rounding is to the nearest, halves away from zero",
        arguments: [
            ("833.0078125", 0, "833"), ("0.5", 0, "1"), ("-0.5", 0, "-1"), ("0.49", 0, "0"), ("1.005", 2, "1.01"),
            ("12", 3, "12"), ("99.96", 1, "100"),
        ] as [(String, Int, String)]
    )
    func rounding(number: String, places: Int, expected: String) throws {
        #expect(try #require(DecimalNumber(number)).rounded(toPlaces: places).description == expected)
    }

    @Test(
        "numbers are read as they are written",
        arguments: [
            ("36.6", "36.6"), ("-0.50", "-0.5"), ("+7", "7"), ("1e3", "1000"), ("1.5E-3", "0.0015"), (".5", "0.5"),
            ("5.", "5"), ("007", "7"),
        ]
    )
    func reads(text: String, expected: String) throws {
        #expect(try #require(DecimalNumber(text)).description == expected)
    }

    @Test(
        "other text is refused",
        arguments: [
            "", "-", ".", "1.2.3", "1e", "e3", "0x10", "1 000", "１", "nan", "1e99999", "1e-9223372036854775808", "--1",
            "1e1e1",
        ]
            + [String(repeating: "9", count: 60)]
    )
    func refuses(text: String) {
        #expect(DecimalNumber(text) == nil)
    }

    @Test("floating-point numbers become their shortest decimal form")
    func floats() {
        #expect(DecimalNumber(Float(36.6))?.description == "36.6")
        #expect(DecimalNumber(0.1)?.description == "0.1")
        #expect(DecimalNumber(1e300)?.description == "1e300")
        #expect(DecimalNumber(Double.leastNonzeroMagnitude)?.description == "5e-324")
        #expect(DecimalNumber(-0.0)?.description == "0")
        #expect(DecimalNumber(Double.nan) == nil)
        #expect(DecimalNumber(-Double.infinity) == nil)
    }
}
