// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
import Glibc
package import Terminal

/// A mark that this user's blectl scans on an adapter. It distinguishes a scan that a killed predecessor has left
/// running from a scan of another program.
///
/// The mark is a locked file beside the remembered devices. The kernel removes the lock when the process ends in any
/// way; the process removes the file when it has switched the scan off. During its own scan, the file contains the
/// number of the machine's boot. A file with this boot's number and without a lock therefore means that the scan was
/// never switched off, unless another program has started a scan since.
package struct ScanLease: Sendable {
    /// Whether a predecessor was killed during its scan.
    let foundOrphan: Bool
    private let file: LockedFile?

    /// Runs `body` with the lease for an adapter.
    ///
    /// Without a folder, or if a running blectl holds the lease, the lease has no effect.
    package static func held<Value>(
        adapter: String,
        in folder: StateFolder?,
        _ body: (ScanLease) async throws -> Value
    ) async rethrows -> Value {
        guard let folder, let name = name(of: adapter), case .locked(let file) = folder.lock(name) else {
            return try await body(ScanLease(foundOrphan: false, file: nil))
        }
        // The scan is off when `body` has ended.
        defer { file.remove() }
        let mark = file.contents()
        // A scan that only listens along leaves an empty mark, and a boot number that cannot be read is empty, too.
        return try await body(ScanLease(foundOrphan: !mark.isEmpty && mark == thisBoot, file: file))
    }

    /// Whether a predecessor was killed during its scan, and its scan still runs on the controller. Leaves the mark
    /// as it is.
    package static func isOrphaned(adapter: String, in folder: StateFolder?) -> Bool {
        guard let folder, let name = name(of: adapter), let mark = folder.contents(of: name, limit: 4_096).bytes,
            !mark.isEmpty, mark == thisBoot,
            // A running blectl holds the lock, and its scan is not orphaned. The lock taken here ends at once.
            case .locked = folder.lock(name)
        else { return false }
        return true
    }

    /// The name of the file; `nil` for a controller that this process has reset, so that no scan was left there.
    private static func name(of adapter: String) -> String? {
        ControllerPlace.isMeant(by: adapter) ? nil : "scanning-\(adapter)"
    }

    /// Records whether the running scan belongs to this process.
    package func note(isOurs: Bool) {
        file?.write(isOurs ? Self.thisBoot : [])
    }

    /// The kernel's identifier of this boot. A scan cannot outlive the boot.
    static var thisBoot: [UInt8] {
        let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return Array("?".utf8) }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 64)
        return Array(buffer.prefix(max(0, read(descriptor, &buffer, buffer.count))))
    }
}

extension HCIController {
    /// Scans while `body` runs. Reports if it uses another program's scan, and takes over a scan that a killed
    /// predecessor has left running.
    ///
    /// - Parameters:
    ///   - state: The folder of the lease; `nil` for none.
    ///   - privacy: The private addresses of this machine; `nil` for its own address.
    package nonisolated func withLeasedScan<Value: Sendable>(
        _ parameters: ScanParameters,
        in state: StateFolder?,
        privacy: PrivateAddresses? = nil,
        time: any TimeSource,
        notes: any NoteSink,
        _ body: @escaping @Sendable (Scan) async throws -> Value
    ) async throws -> Value {
        try await ScanLease.held(adapter: adapter.name, in: state) { lease in
            try await withScan(
                parameters,
                time: time,
                takesOver: lease.foundOrphan,
                privacy: privacy,
                onMode: { lease.note(isOurs: $0 != .listeningAlong) }
            ) { scan in
                if scan.mode == .listeningAlong {
                    notes.note("another program is scanning; listening along, with its parameters")
                }
                return try await body(scan)
            }
        }
    }
}
