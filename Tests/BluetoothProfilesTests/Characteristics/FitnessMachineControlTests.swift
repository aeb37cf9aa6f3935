// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles
import Testing

@Suite("Orders to fitness machines, and their reports")
struct FitnessMachineControlTests {
    /// Values with their texts, derived by hand from the Fitness Machine Service 1.0.1, 4.16 and 4.17.
    static let values: [(uuid: BluetoothUUID, bytes: String, text: String)] = [
        (0x2AD9, "00", "op code request control"),
        (0x2AD9, "02 D0 07", "op code set target speed, target speed 20 km/h"),
        (0x2AD9, "03 E2 FF", "op code set target inclination, target inclination -3 %"),
        (0x2AD9, "04 F0", "op code set target resistance, target resistance 24"),
        (0x2AD9, "05 C8 00", "op code set target power, target power 200 W"),
        (0x2AD9, "08 02", "op code stop or pause, action pause"),
        (0x2AD9, "0C 10 27 00", "op code set target distance, target distance 10000 m"),
        (0x2AD9, "0E 2C 01 58 02", "op code set time in two zones, times in zones 300 600 s"),
        (
            0x2AD9,
            "11 18 FC C8 00 28 33",
            "op code set simulation parameters, wind speed -1 m/s, grade 2 %, rolling resistance 0.004, "
                + "wind resistance 0.51 kg/m"
        ),
        (0x2AD9, "12 34 52", "op code set wheel circumference, wheel circumference 2104.4 mm"),
        (0x2AD9, "14 B4 00", "op code set target cadence, target cadence 90 rpm"),
        (0x2AD9, "80 05 01", "op code response, request set target power, response success"),
        (0x2AD9, "80 00 05", "op code response, request request control, response control not permitted"),
        (0x2ADA, "02 01", "op code stopped or paused, stop stopped"),
        (0x2ADA, "04", "op code started"),
        (0x2ADA, "07 23", "op code target resistance, target resistance 3.5"),
        (0x2ADA, "08 C8 00", "op code target power, target power 200 W"),
        (
            0x2ADA,
            "12 00 00 C8 00 28 33",
            "op code simulation parameters, wind speed 0 m/s, grade 2 %, rolling resistance 0.004, "
                + "wind resistance 0.51 kg/m"
        ),
        (0x2ADA, "14 04", "op code spin down, spin down stop pedaling"),
        (0x2ADA, "FF", "op code control lost"),
    ]

    @Test("orders and reports are decoded and encoded", arguments: values.indices)
    func value(_ index: Int) throws {
        let (uuid, bytes, text) = Self.values[index]
        let format = try #require(CharacteristicFormat.of(uuid))
        let value = try format.decode(hex(bytes))
        #expect(value.text == text)
        #expect(value.surplus.isEmpty)
        let octets = try format.encode(value.content)
        #expect(octets == hex(bytes))
    }

    @Test("a resistance may have two octets, because some machines send it so")
    func resistance() throws {
        for uuid: BluetoothUUID in [0x2AD9, 0x2ADA] {
            let code = uuid == 0x2AD9 ? "04" : "07"
            let value = try #require(try CharacteristicValue.decode(hex(code + " E8 03"), of: uuid))
            #expect(value.text.hasSuffix("target resistance 100"))
            #expect(value.surplus.isEmpty)
        }
    }

    @Test("an order is recognised by the member that it needs")
    func order() throws {
        let format = try #require(CharacteristicFormat.of(0x2AD9))
        let content = try format.content(of: ["target-power=200"])
        let octets = try format.encode(content)
        #expect(octets == hex("05 C8 00"))
    }
}
