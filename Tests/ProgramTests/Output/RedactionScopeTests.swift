// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Testing

@testable import Commands
@testable import Scripting
@testable import Terminal
@testable import Toolkit

@Suite("Names that redacted errors hide")
struct RedactionScopeTests {
    @Test(arguments: [
        "Pulse HR", "a\u{1B}b", "\u{200B}x", "\u{FE0F}x", "\u{301}x", "line\nbreak", String(repeating: "x", count: 100),
    ])
    func `a name is concealed plain, escaped and quoted`(_ name: String) {
        let scope = RedactionScope()
        scope.conceal(name)
        for text in ["'\(name)'", "'\(TerminalText.escaped(name))'", Prose.quoted(name)] {
            #expect(scope.concealing("a device named \(text)") == "a device named '…'")
        }
        let device = DeviceReference(address: DeviceAddress(BluetoothAddress(rawValue: 1), .public), name: name)
        #expect(scope.concealing("use \(device.text)") == "use … (00:00:00:00:00:01)")
    }

    @Test func `a redacted error has neither names nor details, and keeps the rest`() {
        let redacted = Diagnostics(MessageSink(), style: .plain, isQuiet: false, verbosity: 0, isRedacted: true)
        redacted.conceal("Anna")
        let address = DeviceAddress(BluetoothAddress(rawValue: 1), .public)
        let device = DeviceReference(address: address, name: "Pulse HR")
        let error = BlectlError(
            .notFound,
            cannot: "read from \(device.text)",
            "Anna has it",
            hint: "-d Anna",
            attError: 3
        )
        .with(details: ["57"])
        .about(device: device, adapter: "hci0")
        let shown = redacted.redacted(error)
        #expect(shown.message == "cannot read from … (00:00:00:00:00:01): … has it")
        #expect(shown.action == "read from … (00:00:00:00:00:01)")
        #expect(shown.reason == "… has it" && shown.hint == "-d …" && shown.details.isEmpty)
        #expect(shown.subject.device?.name == "…" && shown.subject.device?.address == address)
        #expect(shown.subject.adapter == "hci0" && shown.attError == 3 && shown.status == .notFound)
        let faulty = BlectlError(.badData, cannot: "run x", "it has 1 fault")
            .with(details: ["x:2:8: no Anna"], places: ["x:2:8"])
        #expect(redacted.redacted(faulty).details == ["x:2:8"])
        redacted.conceal("read")
        #expect(redacted.redacted(BlectlError(.notFound, "gone").about(command: .read)).action == "read")
        let open = Diagnostics(MessageSink(), style: .plain, isQuiet: false, verbosity: 0)
        #expect(open.redacted(error) == error)
    }
}
