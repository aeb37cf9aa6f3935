// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import SimulatedRadio
import Testing

@testable import Commands
@testable import Records
@testable import Toolkit

@Suite("Messages about unusable adapters")
struct AdapterErrorTests {
    @Test("The hint names the adapter of the error, which may differ from the first one")
    func hints() {
        func hint(_ cause: RadioError.Cause, _ adapter: String?) -> String? {
            // The operation names another adapter, because the hint must not be derived from its text.
            BlectlError(RadioError(cause, during: "connection by hci9", on: adapter), doing: "read").hint
        }
        #expect(hint(.adapterDown, nil) == "sudo blectl adapter power on")
        #expect(hint(.adapterDown, "hci0") == "sudo blectl adapter power on")
        #expect(hint(.adapterDown, "hci1") == "sudo blectl adapter power on --adapter hci1")
        #expect(hint(.lowEnergyOff, "hci2") == "sudo blectl adapter le on --adapter hci2")
        #expect(hint(.controllerSilent, "hci1") == "sudo blectl adapter reset --adapter hci1")
        #expect(hint(.adapterStarting, nil) == "sudo blectl adapter power on")
    }

    @Test("A refused switch of Low Energy is a missing permission")
    func lowEnergy() {
        let error = BlectlError(RadioError(.lowEnergyOff, during: "hci1", on: "hci1"), doing: "use Bluetooth")
        #expect(error.status == .permissionDenied)
        #expect(
            error.message
                == "cannot use Bluetooth: Low Energy is off on hci1, and switching it on needs CAP_NET_ADMIN"
        )
    }

    @Test("The simulated adapter has every state that the command line can ask for")
    func states() {
        #expect(SimulatedAdapterChoice.allCases.map(\.rawValue) == AdapterTrait.allCases.map(\.rawValue))
    }

    @Test("One table of versions: HCI names are used everywhere")
    func versions() {
        func version(_ number: UInt8) -> JSONValue? {
            let address = BluetoothAddress(rawValue: 1)
            var adapter = AdapterDescription(name: "hci0", index: 0, address: address, state: .up, bus: "usb")
            adapter.hciVersion = BluetoothVersion(rawValue: number)
            let timestamp = Timestamp(wall: WallTime(nanosecondsSince1970: 0), monotonic: .zero)
            return record(AdapterResult(adapter: adapter, timestamp: timestamp))["hci_version"]
        }
        #expect(version(0x0D) == .string("5.4"))
        #expect(version(0x10) == .string("6.2"))
        #expect(version(0x42) == .string("unknown (0x42)"))
    }
}
