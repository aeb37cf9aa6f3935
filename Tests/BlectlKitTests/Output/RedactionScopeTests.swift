// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@testable import BlectlKit

@Suite("Names that redacted errors do not show")
struct RedactionScopeTests {
    @Test(arguments: [
        "Pulse HR", "a\u{1B}b", "\u{200B}x", "\u{FE0F}x", "\u{301}x", "line\nbreak", String(repeating: "x", count: 100),
    ])
    func `a name is concealed as it is, escaped, and quoted`(_ name: String) {
        let scope = RedactionScope()
        scope.conceal(name)
        for text in ["'\(name)'", "'\(TerminalText.escaped(name))'", Prose.quoted(name)] {
            #expect(scope.concealing("a device named \(text)") == "a device named '…'")
        }
        let device = DeviceReference(address: DeviceAddress(BluetoothAddress(rawValue: 1), .public), name: name)
        #expect(scope.concealing("use \(device.text)") == "use … (00:00:00:00:00:01)")
    }
}
