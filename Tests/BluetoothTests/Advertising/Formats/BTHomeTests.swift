// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

/// The octets and values are those of bthome.io and of the tests of github.com/Bluetooth-Devices/bthome-ble.
@Suite("BTHome")
struct BTHomeTests {
    static let vectors: [(hex: String, text: String)] = [
        ("40 00 09 01 5d 02 5d 09 03 b7 18", "battery 93 %, 23.97 °C, 63.27 %"),
        ("40 02 ca 09 03 bf 13", "25.06 °C, 50.55 %"),
        ("40 04 13 8a 01", "1008.83 hPa"), ("40 05 13 8a 14", "13460.67 lx"), ("40 06 5e 1f", "80.3 kg"),
        ("40 07 3e 1d", "74.86 lb"), ("40 08 ca 06", "dew point 17.38 °C"), ("40 09 60", "count 96"),
        ("40 0a 13 8a 14", "1346.067 kWh"), ("40 0b 02 1b 00", "69.14 W"), ("40 0c 02 0c", "3.074 V"),
        ("40 0f 01", "generic on"), ("40 10 01", "power state on"), ("40 11 00", "opening closed"),
        ("40 2d 01", "window open"), ("40 0d 12 0c 0e 02 1c", "pm2 5 3090 µg/m³, pm10 7170 µg/m³"),
        ("40 12 e2 04", "co2 1250 ppm"), ("40 13 33 01", "tvoc 307 µg/m³"), ("40 14 02 0c", "moisture 30.74 %"),
        ("40 3a 04", "button long press"), ("40 3a 00 3a 01 3a 03", "button none, button press, button triple press"),
        ("40 3a 80", "button hold press"), ("40 3a fe", "button event 254"),
        ("40 3c 01 03", "dimmer rotate left, 3 steps"), ("40 3f 02 0c", "rotation 307.4 °"), ("40 40 0c 00", "12 mm"),
        ("40 41 4e 00", "7.8 m"), ("40 42 4e 34 00", "duration 13.39 s"), ("40 43 4e 34", "13.39 A"),
        ("40 44 4e 34", "133.9 m/s"), ("40 62 40 99 df ff", "-2.123456 m/s"), ("40 45 11 01", "27.3 °C"),
        ("40 46 32", "uv index 5"), ("40 47 87 56", "2215.1 l"), ("40 48 dc 87", "34780 ml"),
        ("40 49 dc 87", "34.78 m³/h"), ("40 4a 02 0c", "307.4 V"), ("40 4b 13 8a 14", "gas 1346.067 m³"),
        ("40 4c 41 01 8a 01", "gas 25821.505 m³"), ("40 4d 12 13 8a 14", "344593.17 kWh"),
        ("40 4e 87 56 2a 01", "19551.879 l"), ("40 4f 87 56 2a 01", "water 19551.879 l"),
        ("44 50 5d 39 61 64", "timestamp 2023-05-14T19:41:17Z"), ("44 51 87 56", "22.151 m/s²"),
        ("40 63 00 57 d0 ff", "-3.123456 m/s²"), ("44 52 87 56", "22.151 °/s"),
        ("44 53 0c 48 65 6c 6c 6f 20 57 6f 72 6c 64 21", "text Hello World!"),
        ("44 54 0c 48 65 6c 6c 6f 20 57 6f 72 6c 64 21", "raw 48656c6c6f20576f726c6421"),
        ("40 55 87 56 2a 01", "volume storage 19551.879 l"), ("40 56 e8 03", "1000 µS/cm"), ("40 57 ea", "-22 °C"),
        ("40 58 ea", "-7.7 °C"), ("40 59 ea", "count -22"), ("40 5a ea ea", "count -5398"),
        ("40 5b ea 02 34 ea", "count -365690134"), ("40 5c 02 fb ff ff", "-12.78 W"), ("40 5d 02 ea", "-5.63 A"),
        ("40 65 ea", "settings revision 234"),
        ("40 3b 21 05 0a 01 5d", "command 050a, battery 93 %"),
        ("40 00 2e 01 64 1e 01 2e 34 45 16 01", "battery 100 %, light detected, 52 %, 27.8 °C"),
        ("40 02 ca 09 02 cf 09", "25.06 °C, 25.11 °C"),
    ]

    @Test("each object has its size, factor and unit", arguments: vectors)
    func object(hex: String, text: String) throws {
        let vector = FormatVector(hex, "16d2fc" + hex, "bthome", "BTHome " + text, ["encrypted": "no", "rest": ""])
        try vector.check()
    }

    @Test("the most significant number of a version comes first in text")
    func version() throws {
        let beacon = try #require(self.beacon("40 f0 01 02 f1 00 01 02 04 f2 00 01 06"))
        #expect(
            beacon.objects.map(\.value) == [
                .number(AdvertisedNumber(0x0201)), .version([4, 2, 1, 0]), .version([6, 1, 0]),
            ]
        )
    }

    @Test("decoding ends with an unknown object, and with one that is cut short")
    func rest() throws {
        let unknown = try #require(beacon("40 01 5d fe 5d 09 03 b7 18"))
        #expect(unknown.objects.map(\.type.name) == ["battery"])
        #expect(unknown.rest == octets("fe 5d 09 03 b7 18"))
        let cut = try #require(beacon("40 02 ca 09 03 bf"))
        #expect(cut.objects.map(\.type.name) == ["temperature"])
        #expect(cut.rest == octets("03 bf"))
        #expect(try #require(beacon("40 53 0c 48")).rest == octets("53 0c 48"))
        #expect(try #require(beacon("40 3c 01")).rest == octets("3c 01"))
    }

    @Test("encrypted objects are named, and kept closed")
    func encrypted() throws {
        try FormatVector(
            "encrypted",
            "16d2fc 41 a4 72 66 c9 5f 73 00 11 22 33 78 23 72 14",
            "bthome",
            "BTHome, encrypted",
            ["encrypted": "yes", "counter": "857870592", "rest": "a47266c95f73"]
        ).check()
        #expect(beacon("41 a4 72 66") == nil)
    }

    @Test("with an address, and by an event")
    func deviceInformation() throws {
        let beacon = try #require(self.beacon("46 b2 18 8d 38 c1 a4 04 13 8a 01"))
        #expect(beacon.address == BluetoothAddress("A4:C1:38:8D:18:B2"))
        #expect(beacon.isTriggered)
        #expect(self.beacon("42 b2 18") == nil)
        #expect(self.beacon("20 02 ca 09") == nil)
    }

    @Test("all numbers of objects are different, and in order within their tables")
    func table() {
        let numbers = BTHomeObjectType.all.map(\.id)
        #expect(Set(numbers).count == numbers.count)
        #expect(numbers.count == 95)
        for id in numbers { #expect(BTHomeObjectType.with(id: id)?.id == id) }
        #expect(BTHomeObjectType.with(id: 0xFE) == nil)
    }

    private func beacon(_ hex: String) -> BTHome? { BTHome(ADServiceData(BTHome.service, octets(hex))) }
}
