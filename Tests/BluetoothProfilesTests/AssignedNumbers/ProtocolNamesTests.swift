// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothProfiles

@Suite("ProtocolNames")
struct ProtocolNamesTests {
    @Test("every group of commands has its names, and where the handle of a connection is")
    func commands() {
        let samples: [(UInt16, String, takes: Bool, returns: Bool)] = [
            (0x0401, "Inquiry", false, false), (0x0405, "Create Connection", false, false),
            (0x0406, "Disconnect", true, false), (0x0428, "Setup Synchronous Connection", true, false),
            (0x0445, "Remote OOB Extended Data Request Reply", false, false), (0x0803, "Sniff Mode", true, false),
            (0x0809, "Role Discovery", true, true), (0x080D, "Write Link Policy Settings", true, true),
            (0x0C03, "Reset", false, false), (0x0C13, "Write Local Name", false, false),
            (0x0C53, "Refresh Encryption Key", true, false),
            (0x0C7C, "Write Authenticated Payload Timeout", true, true),
            (0x0C84, "Set Min Encryption Key Size", false, false), (0x1009, "Read BD_ADDR", false, false),
            (0x100F, "Read Local Supported Controller Delay", false, false), (0x1405, "Read RSSI", true, true),
            (0x180A, "Write Secure Connections Test Mode", true, true), (0x2013, "LE Connection Update", true, false),
            (0x2019, "LE Enable Encryption", true, false), (0x201A, "LE Long Term Key Request Reply", true, true),
            (0x2025, "LE Read Local P-256 Public Key", false, false), (0x2064, "LE Create CIS", false, false),
            (0x206E, "LE Setup ISO Data Path", true, true),
            (0x2085, "LE Extended Create Connection [v2]", false, false),
            (0x2093, "LE CS Set Procedure Parameters", true, true), (0x209D, "LE Frame Space Update", true, false),
        ]
        for (opcode, name, takes, returns) in samples {
            let expected = ProtocolNames.HCICommand(name: name, isOfConnection: takes, returnsConnection: returns)
            #expect(ProtocolNames.hciCommand(opcode) == expected, "\(Hex.string(opcode, minimumDigits: 4))")
        }
        #expect(ProtocolNames.hciCommand(0x0000) == nil && ProtocolNames.hciCommand(0xFC01) == nil)
    }

    @Test("events and LE events have their names, and where the handle of a connection is")
    func events() {
        let samples: [(UInt8, UInt8?, String, Int?, Bool)] = [
            (0x03, nil, "Connection Complete", 1, true), (0x05, nil, "Disconnection Complete", 1, false),
            (0x0E, nil, "Command Complete", nil, false), (0x14, nil, "Mode Change", 1, false),
            (0x1B, nil, "Max Slots Change", 0, false), (0x22, nil, "Inquiry Result with RSSI", nil, false),
            (0x2C, nil, "Synchronous Connection Complete", 1, true),
            (0x57, nil, "Authenticated Payload Timeout Expired", 0, false),
            (0x59, nil, "Encryption Change [v2]", 1, false), (0x3E, nil, "LE Meta", nil, false),
            (0x3E, 0x05, "LE Long Term Key Request", 0, false), (0x3E, 0x12, "LE Advertising Set Terminated", 2, true),
            (0x3E, 0x1A, "LE CIS Request", 0, false), (0x3E, 0x29, "LE Enhanced Connection Complete [v2]", 1, true),
            (0x3E, 0x31, "LE CS Subevent Result", 0, false), (0x3E, 0x35, "LE Frame Space Update Complete", 1, false),
        ]
        for (code, subevent, name, offset, needsSuccess) in samples {
            let expected = ProtocolNames.HCIEvent(name: name, connectionOffset: offset, needsSuccess: needsSuccess)
            #expect(ProtocolNames.hciEvent(code, subevent: subevent) == expected, "\(name)")
        }
        #expect(
            ProtocolNames.hciEvent(0xFF, subevent: nil) == nil && ProtocolNames.hciEvent(0x3E, subevent: 0xEE) == nil
        )
        // LE events are not among the others.
        #expect(ProtocolNames.hciEvent(0x00, subevent: nil) == nil)
    }

    @Test("commands and events of the management interface have their names")
    func management() {
        let commands: [(UInt16, String)] = [
            (0x0001, "Read Management Version Information"), (0x0006, "Set Discoverable"), (0x0012, "Load Link Keys"),
            (0x0023, "Start Discovery"), (0x002A, "Set BR/EDR"), (0x0033, "Add Device"), (0x004F, "Get Device Flags"),
            (0x0056, "Add Advertisement Patterns Monitor With RSSI Threshold"), (0x0059, "Transmit Mesh Packet"),
        ]
        for (code, name) in commands { #expect(ProtocolNames.managementCommand(code) == name) }
        let events: [(UInt16, String)] = [
            (0x0001, "Command Complete"), (0x0007, "Class Of Device Changed"), (0x0012, "Device Found"),
            (0x0013, "Discovering"), (0x001A, "Device Added"), (0x002A, "Device Flags Changed"),
            (0x0032, "Mesh Packet Transmit Complete"),
        ]
        for (code, name) in events { #expect(ProtocolNames.managementEvent(code) == name) }
        #expect(ProtocolNames.managementCommand(0x0000) == nil && ProtocolNames.managementEvent(0x1000) == nil)
    }

    @Test("what the package decodes has the same name here")
    func decoders() {
        for command in HCICommandCatalog.all {
            #expect(ProtocolNames.hciCommand(command.opcode.rawValue)?.name == command.name)
        }
        // Zeros are valid parameters of most events; enough of them for each.
        var count = 0
        for code in UInt8.min...UInt8.max {
            let zeros = [UInt8](repeating: 0, count: 100)
            if let event = try? HCIEvent(HCIEventPacket(HCIEventCode(rawValue: code), parameters: zeros)).parameters {
                count += 1
                #expect(ProtocolNames.hciEvent(code, subevent: nil)?.name == type(of: event).name)
            }
            if let event = try? HCIEvent(HCIEventPacket(.leMeta, parameters: [code] + zeros)).parameters {
                count += 1
                #expect(ProtocolNames.hciEvent(0x3E, subevent: code)?.name == type(of: event).name)
            }
        }
        #expect(count >= 22)
    }
}
