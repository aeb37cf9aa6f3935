// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost

/// Which adapter is asked for: the one of a name, or any that can be used.
struct AdapterWish: Hashable {
    let name: String?

    /// The adapter of the name, or the first that is up, or else the first; throws why there is none.
    func choice(of adapters: [AdapterDescription]) throws(RadioError) -> AdapterDescription {
        let operation = name ?? "Bluetooth"
        guard let name else {
            guard let adapter = adapters.first(where: { $0.state == .up }) ?? adapters.first else {
                throw RadioError(.noAdapter, during: operation)
            }
            return adapter
        }
        guard let adapter = adapters.first(where: { $0.name == name }) else {
            throw RadioError(adapters.isEmpty ? .noAdapter : .adapterNotFound(name), during: operation)
        }
        return adapter
    }

    /// Where an adapter that was chosen once is now, or who takes its place; throws that it was removed where nobody does.
    ///
    /// One that was plugged in again may have another index. One that is down, or blocked, is waited for.
    func choice(of adapters: [AdapterDescription], after chosen: AdapterDescription) throws(RadioError)
        -> AdapterDescription
    {
        if let same = adapters.first(where: { $0.index == chosen.index && $0.address == chosen.address })
            ?? adapters.first(where: { $0.address == chosen.address })
        {
            return same
        }
        do throws(RadioError) {
            return try choice(of: adapters)
        } catch {
            throw RadioError(.adapterRemoved, during: chosen.name)
        }
    }
}
