// SPDX-License-Identifier: GPL-2.0-or-later

import BlectlKit
import BluetoothDevices
import BluetoothHost
import LinuxRadio
import SimulatedRadio

/// The answer to a completion script. It reads the state folder and the GATT cache, and starts nothing.
func offers(_ request: CompletionRequest) -> String {
    let time = SystemTimeSource.linux
    let cache = StateFolder.cache(environment: environment) { _ in }
    let sessions = CompletionOffers.Device.held(in: SessionFolder(environment: environment))
    guard request.isSimulated else {
        let known = KnownDevices(in: StateFolder.state(environment: environment) { _ in })
        return CompletionOffers(
            devices: sessions + CompletionOffers.Device.remembered(known),
            databases: cache.map { DatabaseFiles(folder: $0, time: time) }
        ).text(for: request)
    }
    // Offers have no place for an error: the shell would insert its text into the line.
    let devices = (try? SimulatedDevice.builtIn()) ?? []
    return CompletionOffers(
        devices: sessions
            // Any seed will do: it sets the random numbers of a device, and neither its address nor its name.
            + devices.map { $0.definition(seed: 1) }.map { .init(address: $0.address, name: $0.advertisedName) },
        databases: cache.map { DatabaseFiles(folder: $0.subfolder("simulated"), time: time) }
    ).text(for: request)
}
