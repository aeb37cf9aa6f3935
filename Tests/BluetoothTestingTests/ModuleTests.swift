// SPDX-License-Identifier: MIT

import BluetoothTesting
import Testing

@Suite("Module BluetoothTesting")
struct ModuleTests {
    @Test("one import suffices for a world, its time and a scan")
    func oneImport() throws {
        let time = VirtualTime()
        let names = try time.run { () async throws -> [String] in
            try await withTaskScope { scope in
                let system = SimulatedRadioSystem(try .builtIn(), time: time, scope: scope)
                return try system.adapters().map(\.name)
            }
        }
        #expect(names == ["hci0"])
    }
}
