// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
public import BluetoothHost

/// A machine with one adapter, `hci0`, in a simulated world.
///
/// Everything goes through the same two byte channels as on real hardware: HCI commands are parsed by a simulated
/// controller, ATT PDUs are answered by the devices' own GATT servers, and each takes the time that it takes on the air.
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

    /// The one adapter, which can be used.
    public func adapters() throws(RadioError) -> [AdapterDescription] { [adapter.description] }

    /// The one adapter, by its name or by none.
    public func radio(named name: String?) throws(RadioError) -> any Radio {
        guard name == nil || name == adapter.description.name else {
            throw RadioError(.adapterNotFound(name ?? ""), during: "simulated adapter")
        }
        return SimulatedRadio(simulated: adapter)
    }

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

    var adapter: AdapterDescription { simulated.description }

    func openHCI() throws(RadioError) -> any HCIChannel { simulated.openHCI() }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        try await simulated.connect(to: device, deadline: deadline)
    }

    func listenATT() throws(RadioError) -> any ATTListener { try simulated.listen() }
}
