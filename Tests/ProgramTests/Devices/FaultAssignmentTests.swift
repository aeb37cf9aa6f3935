// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothProfiles
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

@Suite("Faults of the command line")
struct FaultAssignmentTests {
    @Test func `a characteristic has its name from a format file`() throws {
        let image = try #require(BuiltInDevice.named("uart-echo")).definition().image()
        let input = try #require(BluetoothUUID("6e400002-b5a3-f393-e0a9-e50e24dcca9e"))
        let formats = FormatCatalogue(characteristics: [.init(input, "Acme Input")])
        let fault = try FaultText(parsing: "write acme-input: lose")
        let faults = try FaultAssignment([fault], to: [image], of: .read, formats: formats)
        let rules = faults.rules(ofDevice: 0)
        #expect(rules.map(\.target) == [.uuid(input, service: nil)])
        #expect(faults.remarks(unmet: [rules]) == ["the fault 'write acme-input: lose' never acted"])
        #expect(throws: UsageError.self) { try FaultAssignment([fault], to: [image], of: .read) }
    }
}
