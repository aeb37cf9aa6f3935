// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@testable import BlectlKit

@Suite("The adapters of --adapter")
struct AdapterSelectionTests {
    private static func parsed(_ text: String) throws -> AdapterSelection {
        try ValueSyntax<AdapterSelection>.adapters.parse(text)
    }

    @Test func `one, several or all`() throws {
        #expect(try Self.parsed("hci0") == .one("hci0"))
        #expect(try Self.parsed("hci1,hci0,hci12") == .several(["hci1", "hci0", "hci12"]))
        #expect(try Self.parsed("all") == .all)
        #expect(!AdapterSelection.first.isSeveral && !AdapterSelection.one("hci0").isSeveral)
        #expect(AdapterSelection.several(["hci0", "hci1"]).isSeveral && AdapterSelection.all.isSeveral)
    }

    @Test(arguments: [
        "", ",", "hci0,", ",hci0", "hci0,,hci1", "hci0,hci0", "hci1,hci0,hci1", "all,hci0", "hci0,all", "all,all",
        "hci",
        "hciX", "hc0", "hci0 ", "hci0,hci1 ", "hci-1", "ALL",
    ])
    func `anything else is a mistake`(text: String) {
        #expect(throws: ValueProblem.self) { try Self.parsed(text) }
    }

    @Test func `which adapters are meant`() {
        #expect(AdapterSelection.first.contains("hci3") && AdapterSelection.all.contains("hci3"))
        #expect(AdapterSelection.one("hci3").contains("hci3") && !AdapterSelection.one("hci3").contains("hci0"))
        #expect(AdapterSelection.several(["hci0", "hci3"]).contains("hci3"))
        #expect(!AdapterSelection.several(["hci0", "hci3"]).contains("hci1"))
    }
}

@Suite("How strongly several adapters hear a device")
struct AdapterSignalsTests {
    @Test func `the strongest mean is the best, and of equal ones the lower number`() {
        var signals = AdapterSignals()
        #expect(signals.best == nil)
        signals.received(nil, by: "hci10")
        #expect(signals.best == "hci10" && signals.strength(at: "hci10") == nil)
        signals.received(-60, by: "hci2")
        signals.received(-60, by: "hci10")
        #expect(signals.best == "hci2")
        signals.received(-50, by: "hci10")
        #expect(signals.best == "hci10")
        #expect(signals.strength(at: "hci10") == -55)
        #expect(signals.contains("hci2") && !signals.contains("hci0"))
    }

    @Test func `what was heard long ago is forgotten`() {
        var signals = AdapterSignals()
        for _ in 0..<100 { signals.received(-40, by: "hci0") }
        signals.received(-60, by: "hci1")
        for _ in 0..<24 { signals.received(-90, by: "hci0") }
        #expect(signals.best == "hci1")
    }
}
