// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@testable import Toolkit

@Suite("ADDRESS|NAME")
struct DeviceIdentifierTests {
    private static let address = BluetoothAddress(rawValue: 0xC84B_1D3A_905E)

    @Test(arguments: [
        "C8:4B:1D:3A:90:5E", "c8:4b:1d:3a:90:5e", "C8-4B-1D-3A-90-5E", "c8-4B-1d-3A-90-5e", "C8_4B_1D_3A_90_5E",
        "C84B1D3A905E", "c84b1d3a905e", "dev_C8_4B_1D_3A_90_5E", "/org/bluez/hci0/dev_C8_4B_1D_3A_90_5E",
    ])
    func `an address is taken in every common spelling`(_ text: String) throws {
        #expect(try DeviceIdentifier(text) == .address(Self.address))
    }

    @Test(arguments: [
        "C8:4B:1D:3A:90:5G", "C8:4B:1D:3A:90", "C8:4B:1D:3A:90:5E:11", "C8:4B:1D:3A:90:5", "C8:4B:1D:3A:90:",
        "C8:4B:1D:3A:90:5E1", "C8-4B-1D-3A-90", "c8_4b_1d_3a_90_5x", "dev_C8_4B_1D_3A_90", "CB:4B:1D:3A:9O:5G",
    ])
    func `a malformed address is not a name`(_ text: String) {
        let problem = #expect(throws: DeviceIdentifier.Problem.self) { try DeviceIdentifier(text) }
        #expect(problem?.expectation.contains("six octets") == true)
        #expect(problem?.expectation.contains("--name") == true)
    }

    @Test(arguments: [
        "Thermo 1", "Pulse HR", "A-B-C-D", "LE-Bose 12", "Lamp: desk", "AA-BB", "10:30", "DEADBEEF", "C84B1D3A905",
        "[TV]",
        "what?", "-", "/", "dev_", "a:b:c:d:e:f", "1-2-3-4-5-6", "C8:4B:1D Lamp", "\u{1F4A1}",
    ])
    func `other text is a name`(_ text: String) throws {
        #expect(try DeviceIdentifier(text) == .name(text))
    }

    @Test func `a pattern points to --name`() {
        let problem = #expect(throws: DeviceIdentifier.Problem.self) { try DeviceIdentifier("Thermo*") }
        #expect(problem?.expectation.contains("--name 'Thermo*'") == true)
    }

    @Test func `the case of letters in a name does not matter`() throws {
        let thermo = try DeviceIdentifier("thermo 1")
        #expect(thermo.selects(Self.address, name: "Thermo 1"))
        #expect(thermo.selects(Self.address, name: "THERMO 1"))
        #expect(!thermo.selects(Self.address, name: "Thermo 10"))
        #expect(!thermo.selects(Self.address, name: nil))
        #expect(try DeviceIdentifier("c84b1d3a905e").selects(Self.address, name: nil))
        #expect(try DeviceIdentifier("\u{C4}rger").selects(Self.address, name: "\u{E4}RGER"))
    }
}
