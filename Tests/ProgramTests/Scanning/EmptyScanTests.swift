// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Testing

@testable import Commands
@testable import Toolkit

@Suite("A scan that shows nothing")
struct EmptyScanTests {
    /// What is said of a scan that has heard devices with these names, each at -60 dBm.
    private func remark(
        _ names: [String],
        _ filter: ScanFilter = ScanFilter(),
        isActive: Bool = true,
        phy: ScanPHY = .all,
        after time: Duration = .seconds(2)
    ) -> String? {
        var table = AdvertiserTable()
        for (index, name) in names.enumerated() {
            let address = DeviceAddress(BluetoothAddress(rawValue: 0xF0F1_F2F3_F400 + UInt64(index)), .random)
            let data = [UInt8(name.utf8.count + 1), 0x09] + Array(name.utf8)
            let report = AdvertisingReport(address: address, properties: .advInd, rssi: -60, data: data)
            let heard = ScanReport(report, .zero, WallTime(nanosecondsSince1970: 0))
            table.received(heard.report, heard.data, now: .zero)
        }
        let empty = EmptyScan(
            filter: filter,
            isActive: isActive,
            phy: phy,
            deviceCount: names.count,
            heard: table.advertisers
        )
        return empty.remark(after: time)
    }

    @Test func `silence is reported after some time`() {
        #expect(remark([], after: .seconds(4)) == nil)
        #expect(
            remark([], after: .seconds(10))
                == "nothing was heard in 10 s: is a device near and switched on? 'blectl doctor' checks the adapter"
        )
        #expect(
            remark([], phy: .coded, after: .seconds(10))
                == "nothing was heard in 10 s: few devices advertise on LE Coded; "
                + "without --phy, all PHYs are listened to"
        )
    }

    @Test func `filters that hide everything are reported at once`() {
        #expect(remark(["a"], ScanFilter(minimumRSSI: -40)) == "1 device heard, but none passes: --rssi -40")
        let nobody = ScanFilter(names: [Glob("nobody")])
        #expect(remark(["Strap", "Lamp"], nobody) == "2 devices heard, but none passes: --name nobody")
        #expect(
            remark(["Strap"], nobody, isActive: false)
                == "1 device heard, but none passes: --name nobody; "
                + "with --passive, names in scan responses are not heard"
        )
    }

    @Test func `a device with a similar name is suggested if only its name excludes it`() {
        let names = ["Lamp", "Pulse HR"]
        let text = "2 devices heard, but none passes: "
        #expect(
            remark(names, ScanFilter(names: [Glob("Pulse")])) == text + "--name Pulse; did you mean -d 'Pulse HR'?"
        )
        #expect(
            remark(names, ScanFilter(devices: [.name("Lamb")])) == text + "--device Lamb; did you mean -d Lamp?"
        )
        #expect(
            remark(names, ScanFilter(names: [Glob("Pulse")], minimumRSSI: -40))
                == text + "--name Pulse --rssi -40"
        )
        // A name that cannot be typed.
        #expect(
            remark(["Pulse\u{200B}HR"], ScanFilter(names: [Glob("Pulse")]))
                == "1 device heard, but none passes: --name Pulse; did you mean -d F0:F1:F2:F3:F4:00?"
        )
        #expect(
            remark(["-Pulse", "x"], ScanFilter(names: [Glob("Pulse")]))
                == text + "--name Pulse; did you mean -d F0:F1:F2:F3:F4:00?"
        )
    }

    @Test func `the manual has the time after which silence is reported`() {
        #expect(EmptyScan.patience == .seconds(5))
        let text = ScanCommand.spec.discussion.joined(separator: "\n")
        #expect(text.contains("after 5 seconds or more, that nothing was heard"))
    }
}
