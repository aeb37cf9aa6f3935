// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import CommandLineInterface
import Testing

@testable import Toolkit

@Suite("The hint for a world that cannot be opened")
struct MissingWorldTests {
    private static let serve = "keep a shared world alive: blectl simulate serve --socket PATH"

    @Test(
        arguments: [
            ("pulse-strop", "did you mean --simulate=pulse-strap?"),
            ("a.json,b.json", "each file has an option: --simulate=a.json --simulate=b.json"),
            ("typo.json", nil), ("folder/typo.json", nil),
            ("secuirty", "did you mean --simulate=security?"),
            ("/nonexistent/world", serve), ("1", "--simulate alone has the devices of blectl; \(serve)"),
        ] as [(String, String?)]
    )
    func `it fits the probable intention`(_ world: String, _ hint: String?) throws {
        let error = #expect(throws: BlectlError.self) { try DeviceFiles.world([world]) }
        #expect(error?.status == .cannotOpenInput && error?.hint == nil)
        #expect(error?.opening(worlds: [world]).hint == hint)
        #expect(error?.opening(worlds: ["security", world]).hint == hint)
    }

    @Test(arguments: BuiltInDevice.all + BuiltInDevice.apart)
    func `every device of blectl is one by its label`(_ device: BuiltInDevice) throws {
        #expect(try DeviceFiles.world([device.label]).devices.map(\.label) == [device.label])
    }

    @Test func `several devices of blectl are one world`() throws {
        let world = try DeviceFiles.world(["pulse-strap", "mcuboot-board", "security"])
        #expect(world.devices.prefix(2).map(\.label) == ["pulse-strap", "mcuboot-board"] && world.devices.count > 2)
        #expect(throws: BlectlError.self) { try DeviceFiles.world(["ibeacon", "ibeacon"]) }
    }

    @Test func `another failure keeps its hint`() {
        let error = BlectlError(.badData, "cannot open x: it is wrong", hint: "other")
        #expect(error.opening(worlds: ["x"]) == error)
    }
}
