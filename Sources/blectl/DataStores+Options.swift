// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import LinuxRadio
import Terminal
import Toolkit

extension DataStores {
    /// The stores of a command with these options. They depend on its radio.
    init(_ options: GlobalOptions, _ time: any TimeSource, _ diagnostics: Diagnostics) {
        // One for all, because each opens its path folder by folder.
        let isReported = options.radio == .adapters
        let folder = StateFolder.state(environment: environment) { if isReported { diagnostics.detail($0) } }
        self.init(
            state: Self.state(folder, options, diagnostics),
            databases: Self.databases(options, time, diagnostics),
            bonds: Self.bonds(folder, options, time),
            identities: Self.identities(folder, options, time),
            controllers: { ControllerAddresses(time)?.names ?? [:] },
            formats: { () throws(BlectlError) in try FormatFiles.configuration(environment) }
        )
    }

    /// The folder for data that are kept between runs; `nil` for simulated devices and sockets, because only real
    /// devices are remembered.
    private static func state(
        _ folder: StateFolder?,
        _ options: GlobalOptions,
        _ diagnostics: Diagnostics
    ) -> StateFolder? {
        guard options.radio == .adapters else { return nil }
        if folder == nil { diagnostics.detail("nothing is remembered: neither HOME nor XDG_STATE_HOME names a folder") }
        return folder
    }

    /// The bonds of the user. Simulated devices have bonds of their own, which virtual time forgets with the process,
    /// because each run must be independent of earlier ones.
    private static func bonds(
        _ folder: StateFolder?,
        _ options: GlobalOptions,
        _ time: any TimeSource
    ) -> (any BondStore)? {
        switch options.radio {
        case .adapters: return folder.map { BondFiles(folder: $0, time: time, onKeys: ProcessMemory.hide) }
        case .simulation(.real):
            return folder.map { BondFiles(folder: $0.subfolder("simulated"), time: time, onKeys: ProcessMemory.hide) }
        // A socket has no pairing, so that nothing needs to be kept for it.
        case .simulation(.virtual), .socket: return MemoryBonds()
        }
    }

    /// The keys of this machine's private addresses, which are kept where bonds are.
    private static func identities(
        _ folder: StateFolder?,
        _ options: GlobalOptions,
        _ time: any TimeSource
    ) -> (any IdentityKeyStore)? {
        switch options.radio {
        case .adapters: return folder.map { IdentityFiles(folder: $0, time: time, onKeys: ProcessMemory.hide) }
        case .simulation(.real):
            return folder.map {
                IdentityFiles(folder: $0.subfolder("simulated"), time: time, onKeys: ProcessMemory.hide)
            }
        case .simulation(.virtual), .socket: return MemoryIdentities(seed: options.simulationSeed)
        }
    }

    /// The GATT cache. Simulated devices have a cache of their own. Virtual time has none, because each run must be
    /// independent of earlier ones.
    private static func databases(
        _ options: GlobalOptions,
        _ time: any TimeSource,
        _ diagnostics: Diagnostics
    ) -> DatabaseFiles? {
        guard let folder = StateFolder.cache(environment: environment, report: { diagnostics.detail($0) }) else {
            return nil
        }
        switch options.radio {
        case .adapters, .socket: return DatabaseFiles(folder: folder, time: time)
        case .simulation(.real): return DatabaseFiles(folder: folder.subfolder("simulated"), time: time)
        case .simulation(.virtual): return nil
        }
    }
}
