// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("Scan commands (Vol 4, Part E, 7.8.10, 11, 64, 65)")
struct ScanCommandTests {
    @Test("LE Set Scan Parameters")
    func parameters() {
        expectWire(
            LESetScanParameters(
                type: .active,
                interval: LEInterval(rawValue: 0x0060),
                window: LEInterval(rawValue: 0x0030),
                ownAddressType: .random,
                filterPolicy: .acceptList
            ),
            "01 6000 3000 01 01"
        )
    }

    @Test("LE Set Scan Enable")
    func enable() {
        expectWire(LESetScanEnable(isEnabled: true, filtersDuplicates: true), "01 01")
        expectWire(LESetScanEnable(isEnabled: false), "00 00")
    }

    @Test("LE Set Extended Scan Parameters, one PHY and two")
    func extendedParameters() {
        let active = LESetExtendedScanParameters.Scan(
            type: .active,
            interval: LEInterval(.milliseconds(60)),
            window: LEInterval(.milliseconds(30))
        )
        let passive = LESetExtendedScanParameters.Scan(
            type: .passive,
            interval: LEInterval(rawValue: 0xFFFF),
            window: LEInterval(rawValue: 0x0004)
        )
        expectWire(LESetExtendedScanParameters(le1M: active), "00 00 01 01 6000 3000")
        expectWire(LESetExtendedScanParameters(le1M: nil, coded: passive), "00 00 04 00 ffff 0400")
        expectWire(
            LESetExtendedScanParameters(ownAddressType: .resolvableOrRandom, le1M: active, coded: passive),
            "03 00 05 01 6000 3000 00 ffff 0400"
        )
    }

    @Test("LE Set Extended Scan Enable")
    func extendedEnable() {
        expectWire(LESetExtendedScanEnable(isEnabled: true), "01 00 0000 0000")
        expectWire(
            LESetExtendedScanEnable(
                isEnabled: true,
                duplicateFilter: .resetEachPeriod,
                duration: LEInterval(.seconds(1)),
                period: LEInterval(rawValue: 2)
            ),
            "01 02 6400 0200"
        )
    }

    struct Malformed: Sendable, CustomTestStringConvertible {
        let type: any HCICommand.Type
        let hex: String

        init(_ type: any HCICommand.Type, _ hex: String) {
            self.type = type
            self.hex = hex
        }

        var testDescription: String { "\(type.name) \(hex)" }
    }

    @Test(
        "values that the specification does not allow are refused",
        arguments: [
            Malformed(LESetScanEnable.self, "02 00"),
            Malformed(LESetScanEnable.self, "01 ff"),
            Malformed(LESetScanParameters.self, "02 1000 1000 00 00"),
            Malformed(LESetScanParameters.self, "00 1000 1000 04 00"),
            Malformed(LESetScanParameters.self, "00 1000 1000 00 04"),
            Malformed(LESetExtendedScanParameters.self, "00 00 02 01 6000 3000"),
            Malformed(LESetExtendedScanParameters.self, "00 00 ff 01 6000 3000"),
            Malformed(LESetExtendedScanParameters.self, "00 00 05 01 6000 3000"),
            Malformed(LESetExtendedScanEnable.self, "01 03 0000 0000"),
        ]
    )
    func malformed(_ vector: Malformed) {
        let packet = HCICommandPacket(vector.type.opcode, parameters: octets(vector.hex))
        #expect(throws: DecodeError.self) { try HCICommandCatalog.command(in: packet) }
        #expect("\(packet)".contains("malformed"))
    }

    @Test("a trace shows the parameters")
    func description() {
        let packet = LESetExtendedScanEnable(isEnabled: true, duration: LEInterval(.seconds(5))).packet
        #expect("\(packet)" == "LE Set Extended Scan Enable: on, duplicate filter off, for 5000 ms")
        #expect("\(LESetScanEnable(isEnabled: false))" == "LE Set Scan Enable: off")
    }
}

@Suite("Times in units")
struct LEIntervalTests {
    @Test("a duration becomes the nearest number of units")
    func rounding() {
        #expect(LEInterval<625>(.milliseconds(100)).rawValue == 160)
        #expect(LEInterval<1250>(.microseconds(7_500)).rawValue == 6)
        #expect(LEInterval<1250>(.microseconds(8_124)).rawValue == 6)
        #expect(LEInterval<1250>(.microseconds(8_125)).rawValue == 7)
        #expect(LEInterval<625>(.seconds(-1)).rawValue == 0)
        #expect(LEInterval<625>(.seconds(Int64.max)).rawValue == .max)
    }

    @Test("units become a duration, and text without needless digits")
    func text() {
        #expect(LEInterval<625>(rawValue: 0x4000).duration == .milliseconds(10_240))
        #expect("\(LEInterval<625>(rawValue: 1))" == "0.625 ms")
        #expect("\(LEInterval<1250>(rawValue: 9))" == "11.25 ms")
        #expect("\(LEInterval<10_000>(rawValue: 42))" == "420 ms")
    }

    @Test("a number too large for its field is written as the largest")
    func clamping() {
        #expect(LEInterval<625>(rawValue: 0x12345).encoded() == [0xFF, 0xFF])
    }
}
