// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("Numbers of 128 bits in two words")
struct UInt128WordsTests {
    @Test(arguments: [0, 1, UInt128.max, 1 << 64, 0x0000_180D_0000_1000_8000_0080_5F9B_34FB] as [UInt128])
    func `a number is restored unchanged`(number: UInt128) {
        #expect(UInt128Words(number).value == number)
    }

    /// The compiler fails on an alignment of 16 octets; see `UInt128Words`.
    @Test func `UUIDs are aligned like any other value`() {
        #expect(MemoryLayout<BluetoothUUID>.alignment <= 8)
        #expect(MemoryLayout<ADPairingValue>.alignment <= 8)
    }

    @Test func `an async closure can capture several UUIDs`() async {
        let first: BluetoothUUID = 0x180D
        let second = BluetoothUUID(bits128: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E)
        let found = await Self.call { number in
            await Task.yield()
            return [first, second, first][number]
        }
        #expect(found == second)
        let both = await Task { [await Self.later(first), await Self.later(second)] }.value
        #expect(both == [first, second])
    }

    private static func call(_ body: @escaping @Sendable (Int) async -> BluetoothUUID) async -> BluetoothUUID {
        await body(1)
    }

    private static func later(_ uuid: BluetoothUUID) async -> BluetoothUUID {
        await Task.yield()
        return uuid
    }
}
