// SPDX-License-Identifier: MIT

import Bluetooth
public import BluetoothDevices
public import BluetoothHost

/// A machine with one adapter, `hci0`, or two in a simulated world, which it may share with others
/// (`RunningWorld.join`).
///
/// Everything goes through the same three byte channels as on real hardware, so that the code above cannot tell the
/// difference: a simulated controller parses HCI commands, a simulated kernel parses management commands, the devices'
/// own GATT servers answer ATT PDUs, and each takes the time that it takes on the air.
public struct SimulatedRadioSystem: RadioSystem {
    /// The adapters. The first one always exists.
    let all: [SimulatedAdapter]
    /// The first one. Copies of this value share it.
    let adapter: SimulatedAdapter

    /// The clock of the world.
    public var time: any TimeSource { adapter.world.time }

    /// Starts a world with this machine alone. Invented centrals connect to the devices that it serves.
    ///
    /// - Parameters:
    ///   - world: The devices, the adapter and the seed.
    ///   - time: The clock of the world: a `VirtualTime`, or the system's clock.
    ///   - scope: The scope of all scans, links and devices; they end with it.
    public init(_ world: SimulatedWorld, time: any TimeSource, scope: TaskScope) {
        self = RunningWorld(world, time: time, scope: scope, hasVisitors: true).join(world.adapter)
    }

    init(_ adapters: [SimulatedAdapter]) {
        all = adapters
        adapter = adapters[0]
    }

    /// The faults of each device of the world that never acted, in the order of the devices.
    public func unmetFaults() async -> [[FaultRule]] { await adapter.world.unmetFaults() }

    /// The control of its world from outside.
    public var control: WorldControl { adapter.world.control }

    /// Takes the machine out of its world: its links, its advertising and its scan end. Nothing can be opened
    /// afterwards. A second call does nothing.
    public func leave() { for adapter in all { adapter.leave() } }

    /// The adapters that are there.
    public func adapters() throws(RadioError) -> [AdapterDescription] {
        try adapter.checkKernel()
        return all.compactMap(\.present)
    }

    /// The adapter with that name or address; without one the first that is up, or else the first.
    public func radio(named name: String?) throws(RadioError) -> any Radio {
        try adapter.checkKernel()
        let present = all.compactMap { adapter in adapter.present.map { (adapter, $0) } }
        guard !present.isEmpty else { throw RadioError(.noAdapter, during: name ?? "simulated adapter") }
        let chosen =
            if let name {
                present.first(where: { $0.1.isMeant(by: name) })
            } else {
                present.first(where: { $0.1.state == .up }) ?? present.first
            }
        guard let (adapter, description) = chosen else {
            throw RadioError(.adapterNotFound(name ?? ""), during: "simulated adapter")
        }
        try description.checkUse()
        return SimulatedRadio(simulated: adapter)
    }

    /// The first adapter, whatever its state is. Its operations throw while it cannot be used.
    public var radio: any Radio { SimulatedRadio(simulated: adapter) }

    /// A channel to the simulated kernel. Throws if the kernel has no Bluetooth.
    public func openManagement() throws(RadioError) -> any ManagementChannel {
        try adapter.checkKernel()
        let channel = SimulatedManagementChannel(all)
        for adapter in all { adapter.openManagement(channel) }
        return channel
    }

    /// Whether a controller is scanning. Tests check that no program leaves a scan behind.
    public var isScanning: Bool { all.contains(where: \.isScanning) }

    /// Whether a controller advertises connectably. Tests check that no program leaves advertising behind.
    public var isAdvertising: Bool { all.contains(where: \.isAdvertising) }

    /// The number of links. Tests check that no program leaves one behind.
    public var linkCount: Int { all.reduce(0) { $0 + $1.linkCount } }
}

/// The adapter of a simulated world, as the host sees it.
struct SimulatedRadio: Radio {
    let simulated: SimulatedAdapter

    /// The adapter as it is now, or as it was before it left the world.
    var adapter: AdapterDescription { simulated.present ?? simulated.description }

    func openHCI() throws(RadioError) -> any HCIChannel { try openHCI(for: .host) }

    /// A channel for a purpose, which decides about the permission that is needed.
    func openHCI(for use: HCIUse) throws(RadioError) -> any HCIChannel { try simulated.openHCI(for: use) }

    /// Connects to a device. Takes the time until its next connectable advertisement.
    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        try await simulated.connect(to: device, deadline: deadline)
    }

    /// Opens a credit-based channel, over a link that there is or over a new one.
    func connectL2CAP(
        to device: DeviceAddress,
        _ request: L2CAPRequest,
        deadline: Instant,
        onFrame: FrameObserver?
    ) async throws(RadioError) -> any L2CAPChannel {
        try await simulated.connect(to: device, request, deadline: deadline, onFrame: onFrame)
    }

    /// Offers a service to all devices that connect.
    func listenL2CAP(_ request: L2CAPRequest, onFrame: FrameObserver?) throws(RadioError) -> any L2CAPListener {
        try simulated.listen(request, onFrame: onFrame)
    }

    /// Waits for centrals. Throws if the adapter serves attributes already.
    func listenATT() throws(RadioError) -> any ATTListener { try simulated.listen() }

    func connectedAddresses() -> Set<BluetoothAddress> { Set(simulated.linkedDevices.map(\.address)) }

    func connectedDevice(_ address: BluetoothAddress) -> DeviceAddress? {
        simulated.linkedDevices.first { $0.address == address }
    }
}
