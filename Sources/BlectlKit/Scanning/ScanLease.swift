// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
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
    private let file: LockedFile?

    /// Runs `body` with the lease for an adapter.
    ///
    /// Without a folder to keep it in, or where a living blectl has the lease, it is one that marks nothing.
    static func held<Value>(
        adapter: String,
        in folder: StateFolder?,
        _ body: (ScanLease) async throws -> Value
    ) async rethrows -> Value {
        guard let folder, case .locked(let file) = folder.lock("scanning-\(adapter)") else {
            return try await body(ScanLease(foundOrphan: false, file: nil))
        }
        // When body has ended the scan is off.
        defer { file.remove() }
        let mark = file.contents()
        return try await body(ScanLease(foundOrphan: !mark.isEmpty && mark == thisBoot, file: file))
    }

    /// Notes whether the scan that is running is ours.
    func note(isOurs: Bool) {
        file?.write(isOurs ? Self.thisBoot : [])
    }

    /// What the kernel calls this boot; a scan does not outlive it.
    static var thisBoot: [UInt8] {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return Array("?".utf8) }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 64)
        return Array(buffer.prefix(max(0, read(descriptor, &buffer, buffer.count))))
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
        try await ScanLease.held(adapter: controller.adapter.name, in: state) { lease in
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
