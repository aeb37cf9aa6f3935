// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Testing

@testable import LinuxRadio

@Suite("The choice of the adapter")
struct AdapterWishTests {
    private static func adapter(
        _ index: Int,
        _ address: UInt64 = 0xA0,
        _ state: AdapterDescription.State = .up
    ) -> AdapterDescription {
        let address = BluetoothAddress(rawValue: address)
        return AdapterDescription(name: "hci\(index)", index: index, address: address, state: state, bus: "usb")
    }

    struct Choice: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var name: String?
        let adapters: [AdapterDescription]
        let expected: Result<Int, RadioError>
    }

    private static let choices = [
        Choice(testDescription: "the only one", adapters: [adapter(3)], expected: .success(3)),
        Choice(
            testDescription: "the first that is up",
            adapters: [adapter(0, 1, .down), adapter(1, 2), adapter(2, 3)],
            expected: .success(1)
        ),
        Choice(
            testDescription: "the first, where none is up",
            adapters: [adapter(0, 1, .down), adapter(1, 2, .inUse)],
            expected: .success(0)
        ),
        Choice(
            testDescription: "the one of the name, even if it is down",
            name: "hci1",
            adapters: [adapter(0, 1), adapter(1, 2, .down)],
            expected: .success(1)
        ),
        Choice(
            testDescription: "none of the name",
            name: "hci7",
            adapters: [adapter(0)],
            expected: .failure(RadioError(.adapterNotFound("hci7"), during: "hci7"))
        ),
        Choice(
            testDescription: "the one of the address, whatever its name is",
            name: "00:00:00:00:00:02",
            adapters: [adapter(0, 1), adapter(1, 2, .down)],
            expected: .success(1)
        ),
        Choice(
            testDescription: "none of the address",
            name: "00:00:00:00:00:07",
            adapters: [adapter(0, 1)],
            expected: .failure(RadioError(.adapterNotFound("00:00:00:00:00:07"), during: "00:00:00:00:00:07"))
        ),
        Choice(
            testDescription: "none of the name, for there is none at all",
            name: "hci7",
            adapters: [],
            expected: .failure(RadioError(.noAdapter, during: "hci7"))
        ),
        Choice(
            testDescription: "none at all",
            adapters: [],
            expected: .failure(RadioError(.noAdapter, during: "Bluetooth"))
        ),
    ]

    @Test("The first choice", arguments: choices)
    func first(_ choice: Choice) {
        let outcome = Self.outcome { () throws(RadioError) in
            try AdapterSelector(name: choice.name).choice(of: choice.adapters)
        }
        #expect(outcome == choice.expected)
    }

    private static let removed = RadioError(.adapterRemoved, during: "hci0")
    private static let later = [
        Choice(testDescription: "still there", adapters: [adapter(0), adapter(1, 2)], expected: .success(0)),
        Choice(
            testDescription: "there, and down: it is waited for",
            adapters: [adapter(0, 0xA0, .down), adapter(1, 2)],
            expected: .success(0)
        ),
        Choice(
            testDescription: "under another index",
            adapters: [adapter(0, 2), adapter(1)],
            expected: .success(1)
        ),
        Choice(
            testDescription: "named, and under another index",
            name: "hci0",
            adapters: [adapter(0, 2), adapter(1)],
            expected: .success(1)
        ),
        Choice(
            testDescription: "still there, beside one of the same address",
            adapters: [adapter(1), adapter(0)],
            expected: .success(0)
        ),
        Choice(testDescription: "gone, and another is there", adapters: [adapter(4, 2)], expected: .success(4)),
        Choice(
            testDescription: "named, gone, and another has the name",
            name: "hci0",
            adapters: [adapter(0, 2)],
            expected: .success(0)
        ),
        Choice(
            testDescription: "named and gone: no other is taken",
            name: "hci0",
            adapters: [adapter(1, 2)],
            expected: .failure(removed)
        ),
        Choice(
            testDescription: "wished by its address: another with its number is not taken",
            name: "00:00:00:00:00:A0",
            adapters: [adapter(0, 2)],
            expected: .failure(removed)
        ),
        Choice(testDescription: "gone, and none is there", adapters: [], expected: .failure(removed)),
    ]

    @Test("The choice after hci0", arguments: later)
    func afterwards(_ choice: Choice) {
        let outcome = Self.outcome { () throws(RadioError) in
            try AdapterSelector(name: choice.name).choice(of: choice.adapters, after: Self.adapter(0))
        }
        #expect(outcome == choice.expected)
    }

    private static func outcome(
        _ choose: () throws(RadioError) -> AdapterDescription
    ) -> Result<Int, RadioError> {
        do throws(RadioError) {
            return .success(try choose().index)
        } catch {
            return .failure(error)
        }
    }
}
