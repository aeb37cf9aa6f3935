// SPDX-License-Identifier: MIT

package import Bluetooth

extension Peripheral {
    /// Updates the firmware of the device, by MCUmgr or by Nordic's DFU as the firmware is made for.
    ///
    /// The firmware is sent, started, seen to run, and confirmed. A lost link is made again. If the loop is left or the task
    /// is cancelled, the update ends between two steps: the next one goes on where it can.
    ///
    /// ```swift
    /// for try await step in peripheral.update(to: try Firmware(image: octets)) {
    ///     if let octets = step.octets { print("\\(step.step): \\(octets.done) of \\(octets.total) octets") }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - firmware: What the device is to run.
    ///   - confirmation: When an image for MCUboot is confirmed.
    ///   - resets: Whether the device is told to start an image for MCUboot.
    ///   - name: The name that the device advertises, by which it is found again under another address; `nil` for any device
    ///     with the service, if there is only one.
    /// - Returns: The steps. The sequence throws a `FirmwareUpdateError`, which says what has become of the device.
    public nonisolated func update(
        to firmware: Firmware,
        confirming confirmation: FirmwareConfirmation = .afterwards,
        resets: Bool = true,
        name: String? = nil
    ) -> FirmwareUpdates {
        FirmwareUpdates(
            peripheral: self,
            firmware: firmware,
            confirmation: confirmation,
            resets: resets,
            name: name
        )
    }

    /// The devices that are heard and could be this one under another address: those that advertise a service and, if it is
    /// known, the name. None if this machine cannot listen.
    package nonisolated func lookalikes(offering service: BluetoothUUID, name: String?) async -> [DeviceAddress] {
        var found: [DeviceAddress] = []
        let central = Central(radio, scope: scope, time: time)
        do {
            for try await advertisement in central.scan(for: .seconds(3))
            where advertisement.services.contains(service) && (name == nil || advertisement.name == name) {
                if !found.contains(advertisement.address) { found.append(advertisement.address) }
            }
        } catch {
            return []
        }
        return found
    }
}
