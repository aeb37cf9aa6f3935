// SPDX-License-Identifier: MIT

import Bluetooth

/// Collects all that is known about a system's adapters.
public struct AdapterSurvey: Sendable {
    private let system: any RadioSystem
    private let scope: TaskScope
    private let time: any TimeSource

    /// Creates a survey. It opens channels in the scope only while it runs.
    public init(_ system: any RadioSystem, scope: TaskScope, time: any TimeSource) {
        self.system = system
        self.scope = scope
        self.time = time
    }

    /// Every adapter, with the data of its controller and of the kernel. Unavailable data stay `nil`.
    public func adapters() async throws(RadioError) -> [AdapterDescription] {
        var adapters = try await system.adapters()
        for index in adapters.indices {
            if adapters[index].state == .up { await ask(&adapters[index]) }
            adapters[index].isLowEnergyOn = await isLowEnergyOn(adapters[index])
        }
        return adapters
    }

    /// Asks the controller of an adapter that is up. The kernel passes the version command of every process, but the
    /// LE features command only with `CAP_NET_RAW`, so that either may be missing.
    private func ask(_ adapter: inout AdapterDescription) async {
        // A wire to one device has no controller that could be asked.
        guard let radio = try? system.radio(named: adapter.name), radio.onlyPeer == nil,
            let controller = try? HCIController.open(radio, for: .questions, scope: scope, time: time)
        else { return }
        if let version = try? await controller.perform(HCIReadLocalVersionInformation()) {
            adapter.hciVersion = version.hciVersion
            adapter.manufacturer = version.company
        }
        if let features = try? await controller.perform(LEReadLocalSupportedFeatures()) {
            adapter.leFeatures = features
        }
        await controller.close()
    }

    /// Asks the kernel, but only about dual-mode adapters: a command that names an unmanaged adapter makes it managed,
    /// and on adapters with Low Energy only it is always on.
    private func isLowEnergyOn(_ adapter: AdapterDescription) async -> Bool? {
        guard adapter.isDualMode else { return adapter.isLowEnergyOnly == true ? true : nil }
        guard let manager = try? AdapterManager.open(system, scope: scope, time: time) else { return nil }
        let information = try? await manager.perform(ReadControllerInformation(), on: ManagementIndex(adapter.index))
        await manager.close()
        return information?.currentSettings.contains(.lowEnergy)
    }
}
