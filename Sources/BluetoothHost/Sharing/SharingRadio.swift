// SPDX-License-Identifier: MIT

package import Bluetooth

/// A radio for the owner of a shared link: each link that it makes is shared.
package struct SharingRadio: Radio {
    private let base: any Radio
    private let link: SharedLink

    /// Wraps a radio. Its links are those of `link`, one after the other.
    package init(_ base: any Radio, sharing link: SharedLink) {
        self.base = base
        self.link = link
    }

    package var adapter: AdapterDescription { base.adapter }
    package var onlyPeer: DeviceAddress? { base.onlyPeer }

    package func openHCI() throws(RadioError) -> any HCIChannel { try base.openHCI() }
    package func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel { try base.openHCI(for: use) }

    package func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        link.begin(try await base.connectATT(to: device, deadline: deadline))
        return try link.join(isGuest: false)
    }

    package func takeTurn(
        _ subject: TurnSubject,
        by deadline: Instant,
        onWait: @escaping @Sendable (ProgramReference?) -> Void
    ) async throws(RadioError) -> any Turn {
        try await base.takeTurn(subject, by: deadline, onWait: onWait)
    }

    package func connectedDevice(_ address: BluetoothAddress) -> DeviceAddress? { base.connectedDevice(address) }
    package func connectedAddresses() -> Set<BluetoothAddress> { base.connectedAddresses() }
    package func listenATT() throws(RadioError) -> any ATTListener { try base.listenATT() }
}

/// The radio of the guests: it reaches one device, over the link that is held.
struct SharedRadio: Radio {
    let adapter: AdapterDescription
    let link: SharedLink

    func openHCI() throws(RadioError) -> any HCIChannel {
        throw RadioError(.noController, during: adapter.name, on: adapter.name)
    }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        try await link.join(device, by: deadline)
    }

    func listenATT() throws(RadioError) -> any ATTListener {
        throw RadioError(.noController, during: adapter.name, on: adapter.name)
    }
}

/// The system of the guests.
package struct SharedRadioSystem: RadioSystem {
    package let time: any TimeSource
    private let adapter: AdapterDescription
    private let link: SharedLink

    /// Offers a link to guests.
    package init(_ link: SharedLink, on adapter: AdapterDescription, time: any TimeSource) {
        self.link = link
        self.adapter = adapter
        self.time = time
    }

    package func adapters() -> [AdapterDescription] { [adapter] }
    package func radio(named name: String?) -> any Radio { SharedRadio(adapter: adapter, link: link) }
}
