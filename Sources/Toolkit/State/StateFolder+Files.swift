// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothHost
import Glibc

extension StateFolder {
    package enum Contents: Equatable {
        /// The file does not exist, or cannot be trusted.
        case none
        case bytes([UInt8])
        /// The file is larger than the limit, and was not read.
        case tooLarge

        /// The octets; `nil` if there are none to be trusted.
        package var bytes: [UInt8]? {
            if case .bytes(let bytes) = self { bytes } else { nil }
        }
    }

    package struct Entry {
        package let name: String
        /// The size in octets.
        package let size: Int
        /// The time of the last change, in nanoseconds since 1970.
        let modified: Int64
    }

    /// How often a lock is tried that another process holds, and the time between: half a second on an idle machine.
    /// They are counted, because on a busy machine a process gets few of them in that time, and the holder gets slow as
    /// well.
    private static let attempts = 100
    /// The time between two attempts.
    private static let interval = Duration.milliseconds(5)

    /// Reads a file of at most `limit` octets.
    package func contents(of name: String, limit: Int) -> Contents {
        guard let folder = opened(creating: false) else { return .none }
        do throws(Failure) {
            guard let file = try open(name, O_RDONLY, in: folder) else { return .none }
            return try file.contents(limit: limit, name)
        } catch {
            // The reason is reported, and then a file that cannot be read is like none.
            reportFailure(error)
            return .none
        }
    }

    /// Replaces a file as a whole, so that readers see the old one or the new one, even if this process is killed. Does
    /// nothing if another process is replacing it.
    package func replace(_ name: String, with bytes: [UInt8]) {
        _ = attempt { folder throws(Failure) in
            guard let successor = try lock(Self.successor(of: name), in: folder) else { return }
            try successor.become(name, with: bytes)
        }
    }

    /// Replaces a file by the result of `change`. If several processes do this at the same time, each gets the result
    /// of the one before. Gives up if another process holds the lock too long.
    ///
    /// - Parameter change: Returns the new content, or `nil` to leave the file.
    package func update(
        _ name: String,
        limit: Int,
        time: any TimeSource,
        _ change: (Contents) -> [UInt8]?
    ) async {
        for number in 1...Self.attempts {
            let isDone = attempt { folder throws(Failure) in
                guard let successor = try lock(Self.successor(of: name), in: folder) else { return false }
                let old = try open(name, O_RDONLY, in: folder)?.contents(limit: limit, name) ?? .none
                guard let new = change(old) else {
                    successor.remove()
                    return true
                }
                try successor.become(name, with: new)
                return true
            }
            guard isDone == false else { return }
            // flock(2) cannot wait with a deadline, and would block a thread of Swift's pool. So the lock is polled; a
            // writer holds it for about a millisecond.
            guard number < Self.attempts, (try? await time.sleep(for: Self.interval)) != nil else { break }
        }
        reportFailure(Failure("another process keeps \(name) locked"))
    }

    /// Locks a file, and creates it if necessary. The kernel removes the lock when the process ends in any way.
    package func lock(_ name: String) -> LockOutcome {
        guard let folder = opened(creating: true) else { return .unavailable }
        do throws(Failure) {
            return try lock(name, in: folder).map { .locked($0) } ?? .held
        } catch {
            reportFailure(error)
            return .unavailable
        }
    }

    package enum LockOutcome {
        /// The lock is this process's.
        case locked(LockedFile)
        /// Another process, or another part of this one, holds the lock.
        case held
        /// The file cannot exist; the reason was reported.
        case unavailable
    }

    package func remove(_ name: String) {
        guard let folder = opened(creating: false) else { return }
        // A file that is already gone needs no removal.
        unlinkat(folder.number, name, 0)
    }

    /// The files of the folder, at most `limit`.
    package func entries(limit: Int = 10_000) -> [Entry] {
        // A new descriptor, because readdir(3) moves its position and closedir(3) closes it.
        guard let folder = opened(creating: false) else { return [] }
        let own = openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard own >= 0, let list = fdopendir(own) else { return [] }
        defer { closedir(list) }
        var entries: [Entry] = []
        while entries.count < limit, let next = readdir(list) {
            let name = withUnsafeBytes(of: &next.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            var status = stat()
            // Symbolic links and folders are not listed, because nothing here makes them.
            guard fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.isRegular else { continue }
            // A file system may state any time, so that the arithmetic must not trap.
            let modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
            entries.append(Entry(name: name, size: Int(status.st_size), modified: modified))
        }
        return entries
    }

    // MARK: - Files that must not be lost

    /// How often the lock of a file that must not be lost is tried: for five seconds on an idle machine.
    private static let manyAttempts = 1_000

    /// Reads a file that must not be lost; `nil` if there is none. Throws if it cannot be read or trusted.
    func requiredContents(of name: String, limit: Int) throws(Failure) -> [UInt8]? {
        guard let folder = try required(creating: false) else { return nil }
        return try requiredContents(of: name, limit: limit, in: folder)
    }

    /// Replaces a file that must not be lost by the result of `change`, on the disk when this returns. Waits for other
    /// processes that do the same. Throws if the old file cannot be read or trusted, or if the new one cannot be
    /// written.
    ///
    /// - Parameter change: Returns the new content for the old one, which is `nil` if there is none.
    func replaceDurably(
        _ name: String,
        limit: Int,
        time: any TimeSource,
        _ change: ([UInt8]?) throws -> [UInt8]
    ) async throws {
        guard let folder = try required(creating: true) else { throw Failure("there is no \(path)") }
        for _ in 1...Self.manyAttempts {
            if let successor = try lock(Self.successor(of: name), in: folder) {
                let new: [UInt8]
                do {
                    new = try change(try requiredContents(of: name, limit: limit, in: folder))
                } catch {
                    successor.remove()
                    throw error
                }
                // A file that could not be read again would be lost.
                guard new.count <= limit else {
                    successor.remove()
                    throw Failure("\(name) would be too large")
                }
                return try successor.become(name, with: new, isDurable: true)
            }
            // Polled, as in `update`.
            try await time.sleep(for: Self.interval)
        }
        throw Failure("another process keeps \(name) locked")
    }

    /// How much `checkIsWritable` writes: more than a small change of a file needs.
    static let probeSize = 16_384

    /// Throws the reason if a file that must not be lost could not be replaced now: the folder cannot be used, the file
    /// system is read-only or full. Changes nothing.
    package func checkIsWritable(_ name: String) throws(Failure) {
        guard let folder = try required(creating: true) else { throw Failure("there is no \(path)") }
        // Another process that has the lock shows that it can be had.
        guard let successor = try lock(Self.successor(of: name), in: folder) else { return }
        defer { successor.remove() }
        try successor.probe(Self.probeSize)
    }

    /// The folder. Throws the reason if it must not be used, and returns `nil` if it does not exist.
    private func required(creating: Bool) throws(Failure) -> StateDescriptor? {
        if let folder = opened(creating: creating) { return folder }
        guard var refusal else { return nil }
        refusal.isOfFolder = true
        throw refusal
    }

    /// Reads a file that must not be lost. A file that exists but cannot be trusted is an error, and not the
    /// same as none.
    private func requiredContents(
        of name: String,
        limit: Int,
        in folder: StateDescriptor
    ) throws(Failure) -> [UInt8]? {
        var status = stat()
        guard fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw Failure("stat", name)
        }
        guard let file = try open(name, O_RDONLY, in: folder) else {
            switch status.st_mode & S_IFMT {
            case S_IFREG: throw Failure("\(name) is not a file that only this user can change")
            case S_IFDIR: throw Failure("\(name) is a folder, and not a file")
            case S_IFLNK: throw Failure("\(name) is a link, which blectl does not follow")
            default: throw Failure("\(name) is not a regular file")
            }
        }
        switch try file.contents(limit: limit, name) {
        case .bytes(let bytes): return bytes
        case .none: return nil
        case .tooLarge: throw Failure("\(name) is larger than any that blectl writes")
        }
    }

    // MARK: - Opening

    /// The name under which a file is written before it replaces the old one. All writers use the same name: its lock
    /// serialises them, and the leftover of a killed writer is used again.
    private static func successor(of name: String) -> String { "\(name).new" }

    /// Does something in the folder, and reports the reason if that fails.
    private func attempt<Value>(_ body: (StateDescriptor) throws(Failure) -> Value) -> Value? {
        guard let folder = opened(creating: true) else { return nil }
        do throws(Failure) {
            return try body(folder)
        } catch {
            reportFailure(error)
            return nil
        }
    }

    /// Locks a file. `nil` if another process has the lock.
    private func lock(_ name: String, in folder: StateDescriptor) throws(Failure) -> LockedFile? {
        // Tried again if the previous holder has removed or renamed the file between open(2) and flock(2).
        for _ in 0..<16 {
            guard let file = try open(name, O_RDWR | O_CREAT, in: folder) else {
                // Something other than a private file has the name. unlinkat(2) removes the name, never the target of a
                // link.
                guard unlinkat(folder.number, name, 0) == 0 || errno == ENOENT else { throw Failure("remove", name) }
                continue
            }
            guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK else { throw Failure("lock", name) }
                return nil
            }
            if file.isNamed(name, in: folder) { return LockedFile(file, name, folder) }
        }
        return nil
    }

    /// Opens a file; `nil` if there is none, or if it is not a private file of this user.
    private func open(_ name: String, _ flags: Int32, in folder: StateDescriptor) throws(Failure) -> StateDescriptor? {
        // A name comes from an address or from the user, and must not lead out of the folder.
        guard !name.isEmpty, !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) else {
            throw Failure("not a file name: \(name)")
        }
        // Without O_NONBLOCK, opening a FIFO would wait for its other end.
        let common = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        var descriptor = StateDescriptor(openat(folder.number, name, flags | common, 0o600))
        // A file without the right to read, for example after a change of the umask: its mode is mended first.
        if descriptor == nil, errno == EACCES {
            guard let place = StateDescriptor(openat(folder.number, name, openPath | common)) else { return nil }
            let status = try place.status(name)
            guard status.isPrivateFile else { return nil }
            try place.setMode(0o600, of: status, name)
            descriptor = StateDescriptor(openat(folder.number, name, flags | common, 0o600))
        }
        guard let descriptor else {
            switch errno {
            // Missing, a symbolic link, or a socket.
            case ENOENT, ELOOP, ENXIO: return nil
            default: throw Failure("open", name)
            }
        }
        let status = try descriptor.status(name)
        guard status.isPrivateFile else { return nil }
        // On a read-only file system the mode cannot be changed, and the file is still of use.
        do throws(Failure) {
            try descriptor.setMode(0o600, of: status, name)
        } catch {
            guard errno == EROFS else { throw error }
        }
        return descriptor
    }
}

extension StateDescriptor {
    package func contents(limit: Int, _ name: String) throws(StateFolder.Failure) -> StateFolder.Contents {
        let size = Int(try status(name).st_size)
        guard size <= limit else { return .tooLarge }
        // Other processes may write meanwhile; the size at the beginning bounds the read.
        var bytes = [UInt8](repeating: 0, count: size)
        var count = 0
        while count < size {
            let step = bytes[count...].withUnsafeMutableBytes { pread(number, $0.baseAddress, $0.count, off_t(count)) }
            if step < 0, errno == EINTR { continue }
            guard step >= 0 else { throw StateFolder.Failure("read", name) }
            // The file became shorter meanwhile.
            if step == 0 { break }
            count += step
        }
        return .bytes(Array(bytes.prefix(count)))
    }

    fileprivate func isNamed(_ name: String, in folder: StateDescriptor) -> Bool {
        var (mine, named) = (stat(), stat())
        return fstat(number, &mine) == 0 && fstatat(folder.number, name, &named, AT_SYMLINK_NOFOLLOW) == 0
            && mine.st_dev == named.st_dev && mine.st_ino == named.st_ino
    }
}

extension stat {
    /// Whether it is a file, and no folder, link, pipe or device.
    fileprivate var isRegular: Bool { st_mode & S_IFMT == S_IFREG }

    /// Whether this user owns the file and it has no other name, so that no other user can have placed it there. It has
    /// no name at all if it was replaced since it was opened.
    fileprivate var isPrivateFile: Bool { isRegular && st_uid == geteuid() && st_nlink <= 1 }
}
