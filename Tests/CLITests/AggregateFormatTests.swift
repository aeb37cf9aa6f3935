// SPDX-License-Identifier: GPL-2.0-or-later

import Commands
import Foundation
import TestProcesses
import Testing

@Suite("Formats that a device declares for its values", .startsPrograms())
struct AggregateFormatTests {
    /// A characteristic of a private type: degrees Celsius in hundredths, and percent.
    private static let device = """
        {
          "schema": "blectl-device/1",
          "advertising": [{"data": {"name": "weather"}}],
          "services": [{
            "uuid": "0xFFF0", "handle": "0x0040",
            "characteristics": [{
              "uuid": "0xFFF1", "handle": "0x0041", "value_handle": "0x0042", "properties": ["read"],
              "value": "0x660857",
              "descriptors": [
                {"uuid": "0x2904", "handle": "0x0043", "value": "0x0efe2f27010000"},
                {"uuid": "0x2904", "handle": "0x0044", "value": "0x0400ad27010000"},
                {"uuid": "0x2905", "handle": "0x0045", "value": "0x43004400"}
              ]
            }]
          }]
        }
        """

    @Test func `an aggregate format joins several, in 'inspect --values' and later commands`() async throws {
        try await TemporaryFolder.use { folder in
            let file = folder.appending(path: "weather.json")
            try Data(Self.device.utf8).write(to: file)
            let simulate = ["--simulate=\(file.path)", "--simulate-time", "virtual"]
            let inspected = try await Blectl.run(simulate + ["inspect", "weather", "--values"])
            #expect(inspected.status == 0, "\(inspected.stderr)")
            #expect(inspected.stdout.contains("= 21.5 °C, 87 %"), "\(inspected.stdout)")
            #expect(inspected.stdout.contains("= 0x0043 + 0x0044"))
        }
    }
}
