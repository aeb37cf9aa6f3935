// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost

/// The radio of a controller that this process alone uses.
struct ControllerRadio: Radio {
    let host: ControllerHost
    let adapter: AdapterDescription

    func openHCI() throws(RadioError) -> any HCIChannel { try openHCI(for: .host) }

    func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel { try host.openHCI(for: use) }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        try await host.connect(device, deadline: deadline)
    }

    func listenATT() throws(RadioError) -> any ATTListener { try host.listen() }

    func connectL2CAP(
        to device: DeviceAddress,
        _ request: L2CAPRequest,
        deadline: Instant,
        onFrame: FrameObserver?
    ) async throws(RadioError) -> any L2CAPChannel {
        try await host.connect(to: device, request, deadline: deadline, onFrame: onFrame)
    }

    func listenL2CAP(_ request: L2CAPRequest, onFrame: FrameObserver?) throws(RadioError) -> any L2CAPListener {
        try host.listen(request, onFrame: onFrame)
    }

    func connectedDevice(_ address: BluetoothAddress) -> DeviceAddress? {
        host.connectedDevices.first { $0.address == address }
    }

    func connectedAddresses() -> Set<BluetoothAddress> { Set(host.connectedDevices.map(\.address)) }
}
