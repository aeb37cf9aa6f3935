// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
public import BluetoothHost

/// A machine with one adapter, `hci0`, in a simulated world.
///
/// Everything goes through the same three byte channels as on real hardware: HCI commands are parsed by a simulated
/// controller, management commands by a simulated kernel, ATT PDUs are answered by the devices' own GATT servers, and each
/// takes the time that it takes on the air.
public struct SimulatedRadioSystem: RadioSystem {
    private let adapter: SimulatedAdapter

    /// Brings a world to life.
    ///
    /// - Parameters:
    ///   - world: What there is on the air.
    ///   - time: The clock of the world: a `VirtualTime`, or the system's.
    ///   - scope: Where scans, links and devices run; all of them end with it.
    public init(_ world: SimulatedWorld, time: any TimeSource, scope: TaskScope) {
        adapter = SimulatedAdapter(world, time: time, scope: scope)
    }

    /// The one adapter, if it is there.
    public func adapters() throws(RadioError) -> [AdapterDescription] { adapter.present.map { [$0] } ?? [] }

    /// The one adapter, by its name or by none.
    public func radio(named name: String?) throws(RadioError) -> any Radio {
        guard let present = adapter.present else { throw RadioError(.noAdapter, during: name ?? "simulated adapter") }
        guard name == nil || name == present.name else {
            throw RadioError(.adapterNotFound(name ?? ""), during: "simulated adapter")
        }
        try present.checkUse()
        return SimulatedRadio(simulated: adapter)
    }

    public func openManagement() throws(RadioError) -> any ManagementChannel { adapter.openManagement() }

    /// Whether the controller is scanning: what a program must not leave behind.
    public var isScanning: Bool { adapter.isScanning }

    /// Whether the controller advertises something that can be connected to: what a program must not leave behind.
    public var isAdvertising: Bool { adapter.isAdvertising }

    /// How many links there are: what a program must not leave behind.
    public var linkCount: Int { adapter.linkCount }
}

/// The one adapter of a simulated world.
struct SimulatedRadio: Radio {
    let simulated: SimulatedAdapter

    var adapter: AdapterDescription { simulated.present ?? simulated.description }

    func openHCI() throws(RadioError) -> any HCIChannel { try openHCI(for: .host) }

    func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel { try simulated.openHCI(for: use) }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        try await simulated.connect(to: device, deadline: deadline)
    }

    func listenATT() throws(RadioError) -> any ATTListener { try simulated.listen() }
}
