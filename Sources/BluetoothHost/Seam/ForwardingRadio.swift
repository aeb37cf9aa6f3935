// SPDX-License-Identifier: MIT

package import Bluetooth

/// A radio that does by another one what it does not do itself.
package protocol ForwardingRadio: Radio {
    var base: any Radio { get }
}

// All members, also turns and connected devices: the defaults of `Radio` are those of a radio that no other program shares.
extension ForwardingRadio {
    package var adapter: AdapterDescription { base.adapter }
    package var onlyPeer: DeviceAddress? { base.onlyPeer }

    package func openHCI() throws(RadioError) -> any HCIChannel { try openHCI(for: .host) }
    package func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel { try base.openHCI(for: use) }
    package func listenATT() throws(RadioError) -> any ATTListener { try base.listenATT() }
    package func connectedDevice(_ address: BluetoothAddress) -> DeviceAddress? { base.connectedDevice(address) }
    package func connectedAddresses() -> Set<BluetoothAddress> { base.connectedAddresses() }

    package func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        try await base.connectATT(to: device, deadline: deadline)
    }

    package func takeTurn(
        _ subject: TurnSubject,
        by deadline: Instant,
        onWait: @escaping @Sendable (ProcessReference?) -> Void
    ) async throws(RadioError) -> any Turn {
        try await base.takeTurn(subject, by: deadline, onWait: onWait)
    }

    package func connectL2CAP(
        to device: DeviceAddress,
        _ request: L2CAPRequest,
        deadline: Instant,
        onFrame: FrameObserver?
    ) async throws(RadioError) -> any L2CAPChannel {
        try await base.connectL2CAP(to: device, request, deadline: deadline, onFrame: onFrame)
    }

    package func listenL2CAP(
        _ request: L2CAPRequest,
        onFrame: FrameObserver?
    ) throws(RadioError) -> any L2CAPListener {
        try base.listenL2CAP(request, onFrame: onFrame)
    }
}
