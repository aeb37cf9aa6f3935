// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import FoundationEssentials
import Glibc

/// A mark that this user's blectl is scanning on an adapter, so that a scan which a killed predecessor left running can be
/// told from one that somebody else needs.
///
/// It is a locked file beside the remembered devices. The kernel drops the lock when the process dies, however it dies; the
/// file goes when the scan was switched off. A file without a lock therefore says: nobody has switched this scan off.
enum ScanLease {
    /// Runs `body` with the lease for an adapter, and tells it whether a predecessor died while it was scanning.
    ///
    /// Without a folder to keep it in, or where a living blectl has the lease, `body` runs without.
    static func held<Value>(
        adapter: String,
        besides knownDevices: String?,
        _ body: (_ foundOrphan: Bool) async throws -> Value
    ) async rethrows -> Value {
        guard let path = path(adapter, knownDevices) else { return try await body(false) }
        let isLeftOver = access(path, F_OK) == 0
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return try await body(false) }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return try await body(false) }
        // When body has ended the scan is off.
        defer { unlink(path) }
        return try await body(isLeftOver)
    }

    private static func path(_ adapter: String, _ knownDevices: String?) -> String? {
        guard let knownDevices, let slash = knownDevices.lastIndex(of: "/"), !adapter.contains("/") else { return nil }
        let folder = String(knownDevices[..<slash])
        try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return "\(folder)/scanning-\(adapter)"
    }
}

extension CommandContext {
    /// Scans while `body` runs. Says where another program's scan is listened along with, and takes over one that a
    /// predecessor left running when it was killed.
    func withScan<Value: Sendable>(
        _ controller: HCIController,
        _ parameters: ScanParameters,
        _ body: @escaping @Sendable (Scan) async throws -> Value
    ) async throws -> Value {
        try await ScanLease.held(adapter: controller.adapter.name, besides: knownDevicesPath) { foundOrphan in
            try await controller.withScan(parameters, time: time, takesOver: foundOrphan) { scan in
                if scan.mode == .listeningAlong {
                    diagnostics.note("another program is scanning; listening along, with its parameters")
                }
                return try await body(scan)
            }
        }
    }
}
