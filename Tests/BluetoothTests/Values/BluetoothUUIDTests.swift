// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@Suite("UUIDs (Vol 3, Part B, 2.5.1)")
struct BluetoothUUIDTests {
    private let uart = BluetoothUUID(bits128: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E)

    @Test("text of each width")
    func text() {
        #expect("\(BluetoothUUID(0x180D))" == "0x180D")
        #expect("\(BluetoothUUID(bits32: 0x0001_FEAA))" == "0x0001FEAA")
        #expect("\(uart)" == "6e400001-b5a3-f393-e0a9-e50e24dcca9e")
        #expect(BluetoothUUID(0x180D).fullText == "0000180d-0000-1000-8000-00805f9b34fb")
        #expect(BluetoothUUID(bits32: 0x1234_5678).fullText == "12345678-0000-1000-8000-00805f9b34fb")
    }

    @Test("a longer form of a short UUID prints short")
    func shortened() {
        #expect("\(BluetoothUUID(bits32: 0x0000_FEAA))" == "0xFEAA")
        #expect("\(BluetoothUUID(bits128: BluetoothUUID.base | 0x180D << 96))" == "0x180D")
        #expect("\(BluetoothUUID(bits128: BluetoothUUID.base | 0x1234_5678 << 96))" == "0x12345678")
        // A UUID that differs from the base by one bit has no short form.
        #expect(BluetoothUUID(bits128: BluetoothUUID.base + 1).short32 == nil)
    }

    @Test("accepted spellings")
    func typed() {
        let heartRate = BluetoothUUID(0x180D)
        for text in [
            "180D", "180d", "0x180D", "0X180d", "0000180D", "0x0000180d", "0000180d-0000-1000-8000-00805f9b34fb",
            "0000180D-0000-1000-8000-00805F9B34FB", "0000180d00001000800000805f9b34fb", "{180D}", "{0x180d}",
            "{0000180D-0000-1000-8000-00805F9B34FB}",
        ] {
            #expect(BluetoothUUID(text) == heartRate, "\(text)")
        }
        #expect(BluetoothUUID("180D")?.width == .bits16)
        #expect(BluetoothUUID("0000180D")?.width == .bits32)
        #expect(BluetoothUUID("0000180d00001000800000805f9b34fb")?.width == .bits128)
        #expect(BluetoothUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E") == uart)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "0x", "18", "180", "180DA", "180D0", "0x180", "180G", "0000180d-0000-1000-8000-00805f9b34f",
            "0000180d-0000-1000-8000-00805f9b34fbb", "0000180d0000-1000-8000-00805f9b34fb-",
            "000-0180d-0000-1000-800000805f9b34fb", "{0000180d-0000-1000-8000-00805f9b34fb", "heart-rate", " 180D",
            "0x0000180d-0000-1000-8000-00805f9b34fb", "é80D", "{", "}", "{}", "180D}", "{{180D}}", "0x{180D}",
        ]
    )
    func refused(_ text: String) {
        #expect(BluetoothUUID(text) == nil)
    }

    @Test("equality ignores the width, which matters only on the wire")
    func equality() {
        let forms = [
            BluetoothUUID(0x180D), BluetoothUUID(bits32: 0x180D), BluetoothUUID(bits128: BluetoothUUID(0x180D).value),
        ]
        #expect(Set(forms).count == 1)
        #expect(forms.map(\.short16) == [0x180D, 0x180D, 0x180D])
        #expect(BluetoothUUID(0x180D) != BluetoothUUID(0x180F))
        #expect(BluetoothUUID(bits32: 0x0001_180D).short16 == nil)
        #expect(BluetoothUUID(bits32: 0x0001_180D).short32 == 0x0001_180D)
    }

    @Test("ATT carries 16 or 128 bits")
    func attForm() {
        #expect(BluetoothUUID(bits128: BluetoothUUID(0x180D).value).attForm.width == .bits16)
        #expect(BluetoothUUID(bits32: 0x0000_180D).attForm.width == .bits16)
        #expect(BluetoothUUID(bits32: 0x0001_180D).attForm.width == .bits128)
        #expect(BluetoothUUID(bits32: 0x0001_180D).attForm == BluetoothUUID(bits32: 0x0001_180D))
        #expect(uart.attForm.width == .bits128)
    }

    @Test("each width is written in its own octets and read from them")
    func wire() throws {
        let vectors: [(BluetoothUUID, String)] = [
            (0x180D, "0d18"), (BluetoothUUID(bits32: 0x1234_5678), "78563412"),
            (uart, "9ecadc240ee5a9e093f3a3b50100406e"),
        ]
        for (uuid, hex) in vectors {
            #expect(uuid.encoded() == octets(hex))
            #expect(uuid.encodedLength == octets(hex).count)
            var reader = ByteReader(octets(hex))
            let read = try BluetoothUUID(uuid.width, from: &reader, "uuid")
            #expect(read == uuid)
            #expect(read.width == uuid.width)
            #expect(reader.isAtEnd)
            for length in 0..<octets(hex).count {
                var short = ByteReader(Array(octets(hex).prefix(length)))
                #expect(throws: DecodeError.self) { try BluetoothUUID(uuid.width, from: &short, "uuid") }
            }
        }
    }

    @Test("the remaining octets are a UUID only if there are 2 or 16", arguments: 0..<20)
    func rest(_ length: Int) {
        var reader = ByteReader([UInt8](repeating: 1, count: length))
        if length == 2 || length == 16 {
            #expect((try? BluetoothUUID(restOf: &reader, "uuid"))?.encodedLength == length)
        } else {
            #expect(throws: DecodeError("uuid", .inconsistent("a UUID has 2 or 16 octets, not \(length)"))) {
                try BluetoothUUID(restOf: &reader, "uuid")
            }
        }
    }

    @Test("random UUIDs survive formatting and parsing")
    func roundTrip() {
        var generator = SeededGenerator(seed: 0x5555_4944)
        for _ in 0..<2_000 {
            let uuid = BluetoothUUID(bits128: UInt128.random(in: .min ... .max, using: &generator))
            #expect(BluetoothUUID(uuid.fullText) == uuid)
            let short = BluetoothUUID(UInt16.random(in: .min ... .max, using: &generator))
            #expect(BluetoothUUID("\(short)") == short)
        }
    }
}
