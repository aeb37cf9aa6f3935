// SPDX-License-Identifier: MIT

import Testing

@testable import BluetoothDevices

@Suite("Numbers in device files that are usually written in hexadecimal")
struct NumeralReaderTests {
    private static func device(_ member: String, _ number: String) throws -> DeviceDefinition {
        let text = "{\"schema\": \"blectl-device/1\", \(member.replacing("#", with: number))}"
        return try DeviceFile.read(Array(text.utf8), named: "x")
    }

    @Test(
        arguments: [
            (#""channels": [{"psm": #, "does": "echo"}]"#, "129", "0x81"),
            (#""services": [{"uuid": "{180F}", "handle": #}]"#, "64", "0x0040"),
            (
                #""services": [{"uuid": "180F", "characteristics": [{"uuid": "2A19", "value_handle": #}]}]"#,
                "64", "0x40"
            ),
            (#""advertising": [{"data": {"manufacturer": [{"company": #, "data": "01"}]}}]"#, "76", "0x4C"),
            (#""advertising": [{"data": {"ibeacon": {"uuid": "180F", "minor": #}}}]"#, "1024", "0X400"),
            (#""pairing": {"refuses": #}"#, "144", "0x90"),
            (#""faults": [{"on": "read", "do": {"error": #}}]"#, "128", "0x80"),
        ]
    )
    func `a number may be a text`(member: String, decimal: String, hexadecimal: String) throws {
        let device = try Self.device(member, decimal)
        #expect(try Self.device(member, "\"\(decimal)\"") == device)
        #expect(try Self.device(member, "\"\(hexadecimal)\"") == device)
    }

    @Test(
        arguments: [
            ("\"0x100\"", "a number from 0x01 to 0xff, found '0x100'"),
            ("\"81 \"", "a number from 0x01 to 0xff, found '81 '"),
            ("0", "a whole number from 1 to 255, found 0"),
            ("true", "a number from 0x01 to 0xff or a whole number from 1 to 255, found true"),
        ]
    )
    func `another text is refused`(number: String, fault: String) {
        let errors = #expect(throws: DeviceFileErrors.self) {
            try Self.device(#""channels": [{"psm": #, "does": "echo"}]"#, number)
        }
        #expect(errors.map { "\($0)" }?.hasSuffix("channels[0].psm: expected \(fault)") == true)
    }
}
