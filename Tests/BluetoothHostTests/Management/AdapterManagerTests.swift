// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Testing

@Suite("Management of adapters")
struct AdapterManagerTests {
    private func cause(_ body: () async throws -> Void) async -> RadioError.Cause? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? RadioError)?.cause
        }
    }

    @Test("A refused command names the capability or the missing adapter, and the next one is answered")
    func refused() {
        let time = VirtualTime()
        let (causes, isPowered) = time.run { () async -> ([RadioError.Cause?], Bool?) in
            await withTaskScope { scope in
                let world = SimulatedWorld(adapter: [.unauthorized], devices: [])
                let system = SimulatedRadioSystem(world, time: time, scope: scope)
                guard let manager = try? AdapterManager.open(system, scope: scope, time: time) else { return ([], nil) }
                let adapter = ManagementIndex(0)
                let causes = [
                    await cause { try await manager.perform(SetPowered(false), on: adapter) },
                    await cause { try await manager.perform(SetLowEnergy(false), on: adapter) },
                    await cause { try await manager.perform(ReadControllerInformation(), on: ManagementIndex(7)) },
                ]
                let information = try? await manager.perform(ReadControllerInformation(), on: adapter)
                return (causes, information?.currentSettings.contains(.powered))
            }
        }
        let denied = RadioError.Cause.permissionDenied(capability: "CAP_NET_ADMIN")
        #expect(causes == [denied, denied, .adapterRemoved])
        #expect(isPowered == true)
    }
}
