// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import CommandLineInterface
@testable import Toolkit

@Suite("The adapters of --adapter")
struct AdapterSelectionTests {
    private static func parsed(_ text: String) throws -> AdapterSelection {
        try ValueSyntax<AdapterSelection>.adapters.parse(text)
    }

    private static func adapter(_ index: Int, _ address: UInt64 = 0) -> AdapterDescription {
        let address = BluetoothAddress(rawValue: address)
        return AdapterDescription(name: "hci\(index)", index: index, address: address, state: .up, bus: "usb")
    }

    @Test func `one, several or all`() throws {
        #expect(try Self.parsed("hci0") == .one("hci0"))
        #expect(try Self.parsed("hci1,hci0,hci12") == .several(["hci1", "hci0", "hci12"]))
        #expect(try Self.parsed("all") == .all)
        #expect(!AdapterSelection.first.isSeveral && !AdapterSelection.one("hci0").isSeveral)
        #expect(AdapterSelection.several(["hci0", "hci1"]).isSeveral && AdapterSelection.all.isSeveral)
    }

    @Test(arguments: ["00:1A:7D:DA:71:13", "00-1a-7d-da-71-13", "001a7dda7113"])
    func `an address stands for a name, in any spelling`(text: String) throws {
        #expect(try Self.parsed(text) == .one("00:1A:7D:DA:71:13"))
        #expect(try Self.parsed("hci1,\(text)") == .several(["hci1", "00:1A:7D:DA:71:13"]))
        #expect(throws: ValueProblem.self) { try Self.parsed("\(text),00:1A:7D:DA:71:13") }
    }

    @Test func `controllers stand among adapters, each once`() throws {
        let mixed = try Self.parsed("hci0,serial:/dev/ttyACM0,flow,ssh:rack1/hci0")
        #expect(mixed == .several(["hci0", "serial:/dev/ttyACM0,1000000,flow", "ssh:rack1/hci0"]))
        #expect(mixed.places.count == 2)
        #expect(try Self.parsed("unix:/tmp/a").places.count == 1)
        for text in ["tcp:a:1,tcp:a:1", "serial:a,serial:a,1000000", "ssh:a,all", "hci0,tcp:a", "hci0,ssh:-x"] {
            #expect(throws: ValueProblem.self) { try Self.parsed(text) }
        }
    }

    @Test(arguments: [
        "", ",", "hci0,", ",hci0", "hci0,,hci1", "hci0,hci0", "hci1,hci0,hci1", "all,hci0", "hci0,all", "all,all",
        "hci",
        "hciX", "hc0", "hci0 ", "hci0,hci1 ", "hci-1", "ALL", "00:1A:7D:DA:71", "00:1A:7D:DA:71:1G",
    ])
    func `anything else is a mistake`(text: String) {
        #expect(throws: ValueProblem.self) { try Self.parsed(text) }
    }

    @Test func `which adapters are meant`() {
        let (zeroth, third) = (Self.adapter(0), Self.adapter(3, 0x00_1A_7D_DA_71_13))
        #expect(AdapterSelection.first.contains(third) && AdapterSelection.all.contains(third))
        #expect(AdapterSelection.one("hci3").contains(third) && !AdapterSelection.one("hci3").contains(zeroth))
        #expect(AdapterSelection.several(["hci0", "hci3"]).contains(third))
        #expect(!AdapterSelection.several(["hci0", "hci3"]).contains(Self.adapter(1)))
        #expect(AdapterSelection.one("00:1A:7D:DA:71:13").contains(third))
        #expect(!AdapterSelection.one("00:1A:7D:DA:71:13").contains(zeroth))
        // Adapters without an address all have the same one.
        #expect(!AdapterSelection.one("00:00:00:00:00:00").contains(zeroth))
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

    @Test func `a device heard long ago is forgotten`() {
        var signals = AdapterSignals()
        for _ in 0..<100 { signals.received(-40, by: "hci0") }
        signals.received(-60, by: "hci1")
        for _ in 0..<24 { signals.received(-90, by: "hci0") }
        #expect(signals.best == "hci1")
    }
}
