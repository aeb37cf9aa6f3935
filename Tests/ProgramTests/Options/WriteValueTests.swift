// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import BluetoothProfiles
import Testing
import Toolkit

@testable import CommandLineInterface
@testable import Commands

@Suite("The value of write as it is typed")
struct WriteValueTests {
    @Test(
        arguments: [
            ("0x2A37/cccd notifications", [0x01, 0x00]), ("0x2A37/cccd indications", [0x02, 0x00]),
            ("heart-rate/0x2A37/cccd none", [0x00, 0x00]), ("0x2A37/cccd configuration=notifications", [0x01, 0x00]),
            ("0x2A37/cccd 0x0200", [0x02, 0x00]), ("0x2A37/cccd 1", [0x01, 0x00]), ("0x2A37/cccd u16:1", [0x01, 0x00]),
            ("0x2A37/cud hello", [0x68, 0x65, 0x6C, 0x6C, 0x6F]),
        ] as [(String, [UInt8])]
    )
    func `a descriptor takes the names and fields of lookup and encode`(
        _ words: String,
        _ octets: [UInt8]
    ) throws {
        guard let options = (try request("write \(words) -d Lamp").command as? Commands.WriteCommand)?.options else {
            throw WrongCommand(.write)
        }
        #expect(options.source == .octets(octets))
    }

    @Test(arguments: [
        ("battery-level battery-level=300", "battery-level"),
        ("battery/battery-level battery-level=300", "battery-level"),
        ("battery/0x2A19 battery-level=300", "0x2A19"), ("0x2A37/cccd wrong", "cccd"),
        ("heart-rate/0x2A37/0x2902 wrong", "0x2902"),
    ])
    func `the hint has the type in lookup's spelling`(_ words: String, _ type: String) throws {
        let error = #expect(throws: UsageError.self) { try request("write \(words) -d Lamp") }
        #expect(error?.hint == "its fields: blectl lookup \(type)")
        #expect(error?.exitStatus == .badData)
    }

    @Test(
        arguments: [
            ("0x2A37/cccd notifications", [0x01, 0x00]), ("0x2A19 12", [0x0C]), ("0x2A37/0x2909 12", [0x0C]),
        ] as [(String, [UInt8])]
    )
    func `a simulated value is typed as for write, and that of a numeric characteristic as a number`(
        _ words: String,
        _ octets: [UInt8]
    ) throws {
        guard let options = (try request("simulate set Lamp \(words) --socket s").command as? SimulateCommand)?.options,
            case .ask(.set(let value, of: _, on: _)) = options.action
        else { throw WrongCommand(.simulate) }
        #expect(value == octets)
    }
}
