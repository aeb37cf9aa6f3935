// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
import CommandLineInterface
import Glibc
import Synchronization

/// The folder of the sockets of a user's sessions: `$XDG_RUNTIME_DIR/blectl`, or `/tmp/blectl-UID` without that
/// variable.
///
/// It belongs to the user and has the mode 0700. The name of a socket contains the session, its device, and the hash of
/// its world or radio: `pulse-hr@C84B1D3A905E-1b2c3d4e`.
package struct SessionFolder: Sendable {
    /// The maximum number of files that are looked at.
    private static let limit = 1_000

    private let folder: StateFolder
    private let problem: FolderProblem

    /// Why the folder cannot be used.
    private final class FolderProblem: Sendable {
        let text = Mutex<String?>(nil)
    }

    /// The folder that the environment names. Opens nothing yet.
    ///
    /// - Parameter environment: Returns the value of a variable; `nil` if it is not set.
    package init(environment: (String) -> String?) {
        let problem = FolderProblem()
        self.problem = problem
        let report: @Sendable (String) -> Void = { text in problem.text.withLock { $0 = $0 ?? text } }
        // The XDG Base Directory Specification wants a relative path to be ignored.
        if let named = environment("XDG_RUNTIME_DIR"), named.hasPrefix("/") {
            folder = StateFolder(base: named, own: ["blectl"], report: report)
        } else {
            folder = StateFolder(base: "/tmp", own: ["blectl-\(geteuid())"], report: report)
        }
    }

    package var path: String { folder.path }

    package var hasSessions: Bool { !entries().isEmpty }

    /// The sockets in it. One that does not exist, or must not be used, has none.
    package func entries() -> [SessionSocket] {
        guard let descriptor = folder.opened(creating: false) else { return [] }
        // A copy, because closedir(3) closes its descriptor, and the folder keeps its own.
        let copy = fcntl(descriptor.number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, let directory = fdopendir(copy) else {
            if copy >= 0 { close(copy) }
            return []
        }
        defer { closedir(directory) }
        // The copy shares its position with the original, which an earlier listing has moved.
        rewinddir(directory)
        var entries: [SessionSocket] = []
        var seen = 0
        while seen < Self.limit, let file = readdir(directory) {
            seen += 1
            let name = withUnsafeBytes(of: &file.pointee.d_name) { octets in
                String(decoding: octets.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let entry = SessionSocket(file: name, in: path) { entries.append(entry) }
        }
        // Sorted, because the order of a folder is that of its file system.
        return entries.sorted { $0.path < $1.path }
    }

    /// Creates the folder, and returns the socket of a new session in it. Throws a `BlectlError` if that is impossible.
    package func entry(_ label: SessionLabel, _ address: BluetoothAddress, world: String) throws(BlectlError)
        -> SessionSocket
    {
        let action = "start a session"
        guard folder.opened(creating: true) != nil else {
            let why = problem.text.withLock { $0 } ?? "the folder \(path) cannot be used"
            throw BlectlError(
                .cannotCreateOutput,
                cannot: action,
                why,
                hint: "XDG_RUNTIME_DIR has to name a folder of this user"
            )
        }
        let digits = address.description.replacing(":", with: "")
        guard let entry = SessionSocket(file: "\(label)@\(digits)-\(world)", in: path) else {
            throw BlectlError(.internalError, cannot: action, "the name of its socket is not valid")
        }
        guard entry.path.utf8.count <= RadioChoice.maximumPathLength else {
            throw BlectlError(
                .configurationError,
                cannot: action,
                "the path of its socket, \(entry.path), is too long",
                hint: "name a shorter folder with XDG_RUNTIME_DIR"
            )
        }
        return entry
    }

    /// Throws a `BlectlError` if there may be sessions that this user may not see.
    package func check() throws(BlectlError) {
        guard folder.opened(creating: false) == nil, let why = problem.text.withLock({ $0 }) else { return }
        throw BlectlError(
            .permissionDenied,
            cannot: "use sessions",
            why,
            hint: "XDG_RUNTIME_DIR has to name a folder of this user"
        )
    }

    /// Takes the lock of the folder, so that two starting sessions see each other. Waits for the present holder.
    ///
    /// - Returns: The holder of the lock, which lasts as long as this object; `nil` if locking is impossible.
    package func lock(_ time: any TimeSource) async throws -> FolderLock? {
        // The holder keeps it while it creates a socket, so that a longer wait would be for a process that hangs.
        let deadline = time.now + .seconds(2)
        guard let lock = FolderLock(path) else { return nil }
        while !lock.isTaken() {
            guard time.now < deadline else { return nil }
            try await time.sleep(for: .milliseconds(10))
        }
        return lock
    }

    /// Removes the socket of a session whose process has ended.
    package func remove(_ entry: SessionSocket) { unlink(entry.path) }
}

/// A lock on a folder (flock(2)), which ends with this value or with the process.
package final class FolderLock: Sendable {
    private let descriptor: Int32

    /// Opens the folder; `nil` if that is impossible.
    fileprivate init?(_ path: String) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    fileprivate func isTaken() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
}

extension GlobalOptions {
    /// The radio or world with the devices of a command, in words.
    package var world: String {
        switch radio {
        case .adapters: return "adapters"
        case .socket(let path): return "unix:\(Self.absolute(path))"
        case .simulation:
            guard !simulatedWorlds.isEmpty else { return "simulated" }
            return "simulated: " + simulatedWorlds.map(Self.absolute).joined(separator: ", ")
        }
    }

    /// The digits that stand for `world` in the names of sockets.
    package var worldDigits: String {
        // FNV-1a of 32 bits. It only has to distinguish the worlds of one user.
        var hash: UInt32 = 0x811C_9DC5
        for octet in world.utf8 { hash = (hash ^ UInt32(octet)) &* 0x0100_0193 }
        return Hex.string(hash, minimumDigits: 8).lowercased()
    }

    /// Whether commands may use sessions: a private simulated world is not that of a session.
    var mayUseSessions: Bool {
        guard usesSessions else { return false }
        return switch radio {
        case .adapters, .socket: true
        case .simulation where !mayShareLinks: false
        case .simulation: privateWorldOption == nil && simulatedAdapter.isEmpty && faults.isEmpty
        }
    }

    private static func absolute(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}
