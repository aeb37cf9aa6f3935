// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import FoundationEssentials
import Glibc

/// A mark that this user's blectl is scanning on an adapter, so that a scan which a killed predecessor left running can be
/// told from one that somebody else needs.
///
/// It is a locked file beside the remembered devices. The kernel drops the lock when the process dies, however it dies; the
/// file goes when the scan was switched off. While the scan is ours it names the boot of the machine: such a file without a
/// lock therefore says that since then nobody has switched this scan off, unless another program has by now begun its own.
struct ScanLease: Sendable {
    /// Whether a predecessor died while it was scanning.
    let foundOrphan: Bool
    private let descriptor: Int32?

    /// Runs `body` with the lease for an adapter.
    ///
    /// Without a folder to keep it in, or where a living blectl has the lease, it is one that marks nothing.
    static func held<Value>(
        adapter: String,
        besides knownDevices: String?,
        _ body: (ScanLease) async throws -> Value
    ) async rethrows -> Value {
        let none = ScanLease(foundOrphan: false, descriptor: nil)
        guard let path = path(adapter, knownDevices) else { return try await body(none) }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return try await body(none) }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return try await body(none) }
        // When body has ended the scan is off.
        defer { unlink(path) }
        let mark = contents(of: descriptor)
        let lease = ScanLease(foundOrphan: !mark.isEmpty && mark == thisBoot, descriptor: descriptor)
        return try await body(lease)
    }

    /// Notes whether the scan that is running is ours.
    func note(isOurs: Bool) {
        guard let descriptor else { return }
        ftruncate(descriptor, 0)
        let mark = isOurs ? Self.thisBoot : []
        _ = pwrite(descriptor, mark, mark.count, 0)
    }

    /// What the kernel calls this boot; a scan does not outlive it.
    static var thisBoot: [UInt8] {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return Array("?".utf8) }
        defer { close(descriptor) }
        return contents(of: descriptor)
    }

    private static func contents(of descriptor: Int32) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(0, count)))
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
        try await ScanLease.held(adapter: controller.adapter.name, besides: knownDevicesPath) { lease in
            try await controller.withScan(
                parameters,
                time: time,
                takesOver: lease.foundOrphan,
                onMode: { lease.note(isOurs: $0 != .listeningAlong) }
            ) { scan in
                if scan.mode == .listeningAlong {
                    diagnostics.note("another program is scanning; listening along, with its parameters")
                }
                return try await body(scan)
            }
        }
    }
}
