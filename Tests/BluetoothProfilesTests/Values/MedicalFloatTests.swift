// SPDX-License-Identifier: MIT

import BluetoothProfiles
import Testing

@Suite("IEEE 11073 numbers")
struct MedicalFloatTests {
    @Test(
        "FLOAT: 24 bits of mantissa, 8 of exponent",
        arguments: [
            (0xFF00_016E, "36.6"), (0xFE00_0E4C, "36.6"), (0x0000_0000, "0"), (0xFFFF_FFFF, "-0.1"),
            (0x0000_0072, "114"), (0x7F00_0001, "1e127"), (0x8000_0001, "1e-128"), (0x007F_FFFD, "8388605"),
            (0x0080_0003, "-8388605"),
        ] as [(UInt32, String)]
    )
    func float(raw: UInt32, text: String) {
        #expect(MedicalFloat(float: raw).description == text)
    }

    @Test("FLOAT has five special values")
    func floatSpecials() {
        #expect(MedicalFloat(float: 0x007F_FFFF) == .notANumber)
        #expect(MedicalFloat(float: 0x0080_0000) == .notAtThisResolution)
        #expect(MedicalFloat(float: 0x007F_FFFE) == .positiveInfinity)
        #expect(MedicalFloat(float: 0x0080_0002) == .negativeInfinity)
        #expect(MedicalFloat(float: 0x0080_0001) == .reserved)
        #expect(MedicalFloat.notANumber.number == nil)
        for raw: UInt32 in [0x007F_FFFF, 0x0080_0000, 0x007F_FFFE, 0x0080_0002, 0x0080_0001] {
            #expect(MedicalFloat(float: raw).floatBits == raw)
        }
    }

    @Test("SFLOAT has five special values")
    func sfloatSpecials() {
        #expect(MedicalFloat(sfloat: 0x07FF) == .notANumber)
        #expect(MedicalFloat(sfloat: 0x0800) == .notAtThisResolution)
        #expect(MedicalFloat(sfloat: 0x07FE) == .positiveInfinity)
        #expect(MedicalFloat(sfloat: 0x0802) == .negativeInfinity)
        #expect(MedicalFloat(sfloat: 0x0801) == .reserved)
    }

    @Test(
        "SFLOAT: 12 bits of mantissa, 4 of exponent",
        arguments: [
            (0x0072, "114"), (0xF372, "88.2"), (0xFFFF, "-0.1"), (0x8001, "0.00000001"), (0x7001, "10000000"),
            (0x0803, "-2045"), (0xB0C8, "0.002"),
        ] as [(UInt16, String)]
    )
    func sfloat(raw: UInt16, text: String) {
        #expect(MedicalFloat(sfloat: raw).description == text)
    }

    @Test("every finite SFLOAT is encoded as the same number")
    func sfloatRoundTrip() throws {
        for raw in UInt16.min ... .max {
            guard let number = MedicalFloat(sfloat: raw).number else { continue }
            let encoded = try #require(MedicalFloat.sfloat(number), "\(raw)")
            #expect(MedicalFloat(sfloat: encoded).number == number)
        }
    }

    @Test("numbers are rounded to the digits that fit, once")
    func rounding() throws {
        let precise = try #require(DecimalNumber("36.65499"))
        #expect(MedicalFloat.sfloat(precise).map { MedicalFloat(sfloat: $0).description } == "36.7")
        let long = try #require(DecimalNumber("2044.4999"))
        #expect(MedicalFloat.sfloat(long).map { MedicalFloat(sfloat: $0).description } == "2044")
        let tooLarge = try #require(DecimalNumber("1e12"))
        #expect(MedicalFloat.sfloat(tooLarge) == nil)
        let tooSmall = try #require(DecimalNumber("1e-30"))
        #expect(MedicalFloat.sfloat(tooSmall) == nil)
        #expect(MedicalFloat.float(DecimalNumber(UInt128.max)) != nil)
        #expect(MedicalFloat.float(try #require(DecimalNumber("1e200"))) == nil)
        #expect(MedicalFloat.float(.zero) == 0)
    }
}
