// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import BluetoothHost
import CommandLineInterface
import Commands
import LinuxRadio
import SimulatedRadio
import Toolkit

/// The answer to a completion script. It reads the state folder and the GATT cache, and starts nothing.
func offers(_ request: CompletionRequest) -> String {
    let isSimulated = request.isGiven(GlobalSpec.simulate.spec)
    let cache = StateFolder.cache(environment: environment) { _ in }
    let folder = isSimulated ? cache?.subfolder("simulated") : cache
    return CompletionOffers(
        known: {
            let sessions = CompletionOffers.Device.held(in: SessionFolder(environment: environment))
            return sessions + (isSimulated ? simulatedDevices() : rememberedDevices())
        },
        databases: folder.map { DatabaseFiles(folder: $0, time: SystemTimeSource.linux) },
        adapters: {
            let place = "/sys/class/bluetooth/"
            return FileNames.beginning(with: "\(place)hci").map { String($0.dropFirst(place.count)) }
        }
    ).text(for: request)
}

private func rememberedDevices() -> [CompletionOffers.Device] {
    CompletionOffers.Device.remembered(KnownDevices(in: StateFolder.state(environment: environment) { _ in }))
}

private func simulatedDevices() -> [CompletionOffers.Device] {
    // Offers have no place for an error: the shell would insert its text into the line.
    let devices = (try? SimulatedDevice.builtIn()) ?? []
    // Any seed will do: it sets the random numbers of a device, and neither its address nor its name.
    return devices.map { $0.definition(seed: 1) }.map { .init(address: $0.address, name: $0.advertisedName) }
}
