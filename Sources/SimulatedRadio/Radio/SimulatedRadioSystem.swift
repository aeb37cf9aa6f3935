// SPDX-License-Identifier: MIT

import Bluetooth
public import BluetoothDevices
public import BluetoothHost

/// A machine with one adapter, `hci0`, in a simulated world, which it may share with others (`RunningWorld.join`).
///
/// Everything goes through the same three byte channels as on real hardware, so that the code above cannot tell the
/// difference: a simulated controller parses HCI commands, a simulated kernel parses management commands, the devices'
/// own GATT servers answer ATT PDUs, and each takes the time that it takes on the air.
public struct SimulatedRadioSystem: RadioSystem {
    let adapter: SimulatedAdapter

    /// The clock of the world.
    public var time: any TimeSource { adapter.world.time }

    /// Starts a world with this machine alone. Invented centrals connect to what it serves.
    ///
    /// - Parameters:
    ///   - world: The devices, the adapter and the seed.
    ///   - time: The clock of the world: a `VirtualTime`, or the system's clock.
    ///   - scope: The scope of all scans, links and devices; they end with it.
    public init(_ world: SimulatedWorld, time: any TimeSource, scope: TaskScope) {
        self = RunningWorld(world, time: time, scope: scope, hasGuests: true).join(world.adapter)
    }

    /// A machine with that adapter.
    init(_ adapter: SimulatedAdapter) { self.adapter = adapter }

    /// The faults of each device of the world that never acted, in the order of the devices.
    public func unmetFaults() async -> [[FaultRule]] { await adapter.world.unmetFaults() }

    /// Takes the machine out of its world: its links, its advertising and its scan end. Nothing can be opened
    /// afterwards. A second call does nothing.
    public func leave() { adapter.leave() }

    /// The world's adapter; empty if it is missing.
    public func adapters() throws(RadioError) -> [AdapterDescription] {
        try adapter.checkKernel()
        return adapter.present.map { [$0] } ?? []
    }

    /// The world's adapter, by its name or without one.
    public func radio(named name: String?) throws(RadioError) -> any Radio {
        try adapter.checkKernel()
        guard let present = adapter.present else { throw RadioError(.noAdapter, during: name ?? "simulated adapter") }
        guard name == nil || name == present.name else {
            throw RadioError(.adapterNotFound(name ?? ""), during: "simulated adapter")
        }
        try present.checkUse()
        return SimulatedRadio(simulated: adapter)
    }

    /// The world's adapter, whatever its state is. Its operations throw while it cannot be used.
    public var radio: any Radio { SimulatedRadio(simulated: adapter) }

    public func openManagement() throws(RadioError) -> any ManagementChannel {
        try adapter.checkKernel()
        return adapter.openManagement()
    }

    /// Whether the controller is scanning. Tests check that no program leaves a scan behind.
    public var isScanning: Bool { adapter.isScanning }

    /// Whether the controller advertises connectably. Tests check that no program leaves advertising behind.
    public var isAdvertising: Bool { adapter.isAdvertising }

    /// The number of links. Tests check that no program leaves one behind.
    public var linkCount: Int { adapter.linkCount }
}

/// The adapter of a simulated world, as the host sees it.
struct SimulatedRadio: Radio {
    let simulated: SimulatedAdapter

    var adapter: AdapterDescription { simulated.present ?? simulated.description }

    func openHCI() throws(RadioError) -> any HCIChannel { try openHCI(for: .host) }

    func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel { try simulated.openHCI(for: use) }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        try await simulated.connect(to: device, deadline: deadline)
    }

    func connectL2CAP(
        to device: DeviceAddress,
        _ request: L2CAPRequest,
        deadline: Instant,
        onFrame: FrameObserver?
    ) async throws(RadioError) -> any L2CAPChannel {
        try await simulated.connect(to: device, request, deadline: deadline, onFrame: onFrame)
    }

    func listenL2CAP(_ request: L2CAPRequest, onFrame: FrameObserver?) throws(RadioError) -> any L2CAPListener {
        try simulated.listen(request, onFrame: onFrame)
    }

    func listenATT() throws(RadioError) -> any ATTListener { try simulated.listen() }
}
