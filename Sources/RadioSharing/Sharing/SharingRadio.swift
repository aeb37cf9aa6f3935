// SPDX-License-Identifier: MIT

package import Bluetooth
package import BluetoothHost

/// A radio for the owner of a shared link: each link that it makes is shared.
package struct SharingRadio: ForwardingRadio {
    package let base: any Radio
    private let link: SharedLink

    /// Wraps a radio. Its links are those of `link`, one after the other.
    package init(_ base: any Radio, sharing link: SharedLink) {
        self.base = base
        self.link = link
    }

    /// A channel for a purpose. Its events about the link are kept for guests.
    package func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel {
        let channel = try base.openHCI(for: use)
        guard use == .host else { return channel }
        return ObservedPacketChannel(channel) { [news = link.news] direction, packet in
            if direction == .received { news.received(packet) }
        }
    }

    /// Makes a link, which becomes the shared one, and returns the owner's channel on it.
    package func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        link.begin(try await base.connectATT(to: device, deadline: deadline))
        return try link.join(isGuest: false)
    }
}

/// The radio of the guests: it reaches one device, over the link that is held.
struct SharedRadio: Radio {
    let adapter: AdapterDescription
    let link: SharedLink
    /// The radio of the owner, whose controller guests ask about the link; `nil` if they cannot.
    var controller: (any Radio)?
    /// The adapters of the owner, if guests may see the Security Manager's traffic; `nil` if not.
    var owner: (any RadioSystem)?

    func openHCI() throws(RadioError) -> any HCIChannel { try openHCI(for: .host) }

    /// A channel for commands about the link, or to the packets of the Security Manager where guests may pair.
    func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel {
        if use != .securityManager, let controller {
            return SharedHCIChannel(try controller.openHCI(for: use), of: link)
        }
        guard use == .securityManager, let owner else {
            throw RadioError(.noController, during: adapter.name, on: adapter.name)
        }
        return try owner.radio(named: adapter.name).openHCI(for: use)
    }

    /// A channel on the link. If the link is being made again, it waits for that.
    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        try await link.join(device, by: deadline)
    }

    /// A channel beside the attributes, over the link that is held: nobody else can open one where the owner is the host
    /// of the controller.
    func connectL2CAP(
        to device: DeviceAddress,
        _ request: L2CAPRequest,
        deadline: Instant,
        onFrame: FrameObserver?
    ) async throws(RadioError) -> any L2CAPChannel {
        let operation = "channel \(request.spsm) to \(device.address)"
        guard let controller else { throw RadioError(.noController, during: operation, on: adapter.name) }
        guard link.peer?.address == device.address else { throw RadioError(.linkLost(nil), during: operation) }
        let guest = link.use()
        do throws(RadioError) {
            let channel = try await controller.connectL2CAP(to: device, request, deadline: deadline, onFrame: onFrame)
            return shared(channel, by: guest)
        } catch {
            link.leave(guest)
            throw error
        }
    }

    private func shared(_ channel: some L2CAPChannel, by guest: SharedLink.ClientID) -> any L2CAPChannel {
        SharedL2CAPChannel(channel: channel, guest: guest, link: link)
    }

    /// Throws: guests share a link, and not the controller.
    func listenATT() throws(RadioError) -> any ATTListener {
        throw RadioError(.noController, during: adapter.name, on: adapter.name)
    }
}

/// A credit-based channel of a guest, which counts as a use of the link.
private struct SharedL2CAPChannel<Carrier: L2CAPChannel>: L2CAPChannel, ForwardingChannel {
    let channel: Carrier
    let guest: SharedLink.ClientID
    let link: SharedLink

    var peer: DeviceAddress { channel.peer }
    var connectionHandle: UInt16? { channel.connectionHandle }
    var spsm: SPSM { channel.spsm }
    var receiveMTU: UInt16 { channel.receiveMTU }
    var sendMTU: UInt16 { channel.sendMTU }
    var unsentOctets: Int { channel.unsentOctets }

    func close() {
        channel.close()
        link.leave(guest)
    }
}

/// The system of the guests.
package struct SharedRadioSystem: RadioSystem {
    /// The clock of the process that holds the link.
    package let time: any TimeSource
    private let adapter: AdapterDescription
    private let link: SharedLink
    /// The radio of the owner; `nil` if guests cannot ask its controller.
    private let controller: (any Radio)?
    /// The adapters of the owner; `nil` if guests may not pair.
    private let owner: (any RadioSystem)?

    /// Offers a link to guests.
    ///
    /// - Parameters:
    ///   - link: The link.
    ///   - adapter: The adapter that has it.
    ///   - controller: The radio of the owner, if guests may read and change the properties of the link; `nil` if not.
    ///   - owner: The adapters of the owner, if guests may pair over the link, which they do through the management
    ///     channel; `nil` if not: a guest may lack the privilege of this process.
    ///   - time: The clock of all deadlines.
    package init(
        _ link: SharedLink,
        on adapter: AdapterDescription,
        controlledBy controller: (any Radio)? = nil,
        managedBy owner: (any RadioSystem)? = nil,
        time: any TimeSource
    ) {
        self.link = link
        self.adapter = adapter
        self.controller = controller
        self.owner = owner
        self.time = time
    }

    package func adapters() -> [AdapterDescription] { [adapter] }
    package func radio(named name: String?) -> any Radio {
        SharedRadio(adapter: adapter, link: link, controller: controller, owner: owner)
    }

    package func openManagement() throws(RadioError) -> any ManagementChannel {
        guard let owner else { throw RadioError(.noController, during: "management of adapters") }
        return try owner.openManagement()
    }
}
