// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// A radio that is another one, except for what a test replaces.
protocol ForwardingRadio: Radio {
    var base: any Radio { get }
}

extension ForwardingRadio {
    var adapter: AdapterDescription { base.adapter }

    func openHCI() throws(RadioError) -> any HCIChannel { try base.openHCI() }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        try await base.connectATT(to: device, deadline: deadline)
    }

    func takeTurn(
        _ subject: TurnSubject,
        by deadline: Instant,
        onWait: @escaping @Sendable (BluetoothHost.ProgramReference?) -> Void
    ) async throws(RadioError) -> any Turn {
        try await base.takeTurn(subject, by: deadline, onWait: onWait)
    }

    func connectedDevice(_ address: BluetoothAddress) -> DeviceAddress? { base.connectedDevice(address) }
    func connectedAddresses() -> Set<BluetoothAddress> { base.connectedAddresses() }
    func listenATT() throws(RadioError) -> any ATTListener { try base.listenATT() }
}
