// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost

/// The user's choice of an adapter: a name or an address, or any adapter that can be used.
struct AdapterSelector: Hashable {
    let name: String?

    /// The adapter with the name or the address; without one the first that is up, or else the first. Throws if there
    /// is none.
    func choice(of adapters: [AdapterDescription]) throws(RadioError) -> AdapterDescription {
        let operation = name ?? "Bluetooth"
        guard let name else {
            guard let adapter = adapters.first(where: { $0.state == .up }) ?? adapters.first else {
                throw RadioError(.noAdapter, during: operation)
            }
            return adapter
        }
        guard let adapter = adapters.first(where: { $0.isMeant(by: name) }) else {
            throw RadioError(adapters.isEmpty ? .noAdapter : .adapterNotFound(name), during: operation)
        }
        return adapter
    }

    /// The chosen adapter as it is now, or its replacement. Throws `adapterRemoved` if there is none.
    ///
    /// The address decides, because an adapter that was plugged in again may have another index. An adapter that is
    /// down or blocked is not replaced: it may come back.
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
