// SPDX-License-Identifier: MIT

package import BluetoothHost
import Synchronization

/// The facts about the simulated machine outside of its packets.
enum SimulatedMachine {
    /// The daemon of a machine whose adapters are managed.
    static let daemon = MachineFacts.Manager(name: "bluetoothd", process: 612)

    /// The facts, from the traits of the adapter and the present state of its kernel.
    static func facts(_ kernel: SimulatedKernel, adapter: String) -> MachineFacts {
        let traits = kernel.traits
        var facts = MachineFacts(kernel: "a simulated kernel")
        facts.hasBluetoothPart = !traits.contains(.noKernel)
        facts.rights = MachineFacts.Rights(hasNetRaw: kernel.isAuthorized, hasNetAdmin: kernel.isAuthorized)
        if traits.contains(.managed) {
            facts.manager = daemon
            facts.hasSystemd = true
        }
        if traits.contains(.noDriver) { facts.driverless = [device(isSuspended: false)] }
        guard kernel.state != nil else { return facts }
        let isOnUSB = traits.contains(.suspended)
        facts.hasUSBDriver = isOnUSB
        facts.attachments[adapter] = MachineFacts.Attachment(
            driver: isOnUSB ? "btusb" : nil,
            usb: isOnUSB ? device(isSuspended: kernel.isSuspended) : nil
        )
        facts.switches = [
            MachineFacts.RadioSwitch(
                name: adapter,
                isBlockedBySoftware: kernel.isBlocked,
                isBlockedByHardware: traits.contains(.hardBlocked)
            )
        ]
        return facts
    }

    private static func device(isSuspended: Bool) -> MachineFacts.USBDevice {
        // A dongle with the controller of `AdapterTrait.noFirmware`, an RTL8761B.
        MachineFacts.USBDevice(
            place: "1-2",
            identifiers: "0bda:8771",
            isSuspended: isSuspended,
            maySuspend: isSuspended
        )
    }
}

extension SimulatedAdapter {
    func checkKernel() throws(RadioError) {
        let isMissing = world.state.withLock { $0.adapters[number]?.kernel.traits.contains(.noKernel) == true }
        if isMissing { throw RadioError(.noKernelSupport, during: "simulated adapter") }
    }
}

extension SimulatedRadioSystem: InspectedMachine {
    package func facts() -> MachineFacts {
        let kernel = adapter.world.state.withLock { $0.adapters[adapter.number]?.kernel }
        var facts =
            kernel.map { SimulatedMachine.facts($0, adapter: adapter.description.name) }
            ?? MachineFacts(kernel: "a simulated kernel")
        for other in all.dropFirst() {
            facts.attachments[other.description.name] = MachineFacts.Attachment(driver: nil, usb: nil)
        }
        return facts
    }
}
