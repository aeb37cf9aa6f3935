// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// Finds out all that can be known of the adapters of a system.
public struct AdapterSurvey: Sendable {
    private let system: any RadioSystem
    private let scope: TaskScope
    private let time: any TimeSource

    /// A survey of a system; channels are open in the scope only as long as it lasts.
    public init(_ system: any RadioSystem, scope: TaskScope, time: any TimeSource) {
        self.system = system
        self.scope = scope
        self.time = time
    }

    /// Every adapter, with what its controller and the kernel tell. What is not told stays unknown.
    public func adapters() async throws(RadioError) -> [AdapterDescription] {
        var adapters = try await system.adapters()
        for index in adapters.indices {
            if adapters[index].state == .up { await ask(&adapters[index]) }
            adapters[index].isLowEnergyOn = await isLowEnergyOn(adapters[index])
        }
        return adapters
    }

    /// Asks the controller of an adapter that is up. The kernel lets everyone ask for the version, but only who has
    /// `CAP_NET_RAW` for LE features.
    private func ask(_ adapter: inout AdapterDescription) async {
        guard let radio = try? system.radio(named: adapter.name), radio.onlyPeer == nil,
            let controller = try? HCIController.open(radio, for: .questions, scope: scope, time: time)
        else { return }
        if let version = try? await controller.perform(HCIReadLocalVersionInformation()) {
            adapter.hciVersion = version.hciVersion
            adapter.manufacturer = version.company
        }
        if let features = try? await controller.perform(LEReadLocalSupportedFeatures()) {
            adapter.leFeatures = features.features
        }
        await controller.close()
    }

    /// The kernel is asked only where the controller has Basic Rate, too: naming an adapter that is not managed makes it managed,
    /// and one with Low Energy only has it on.
    private func isLowEnergyOn(_ adapter: AdapterDescription) async -> Bool? {
        guard adapter.isDualMode else { return adapter.isLowEnergyOnly == true ? true : nil }
        guard let manager = try? AdapterManager.open(system, scope: scope, time: time) else { return nil }
        let information = try? await manager.perform(ReadControllerInformation(), on: ManagementIndex(adapter.index))
        await manager.close()
        return information?.currentSettings.contains(.lowEnergy)
    }
}
