// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Glibc

extension StateFolder {
    /// What a file holds.
    enum Contents: Equatable {
        /// There is no such file, or none that may be believed.
        case none
        case bytes([UInt8])
        /// It is larger than the limit and was not read.
        case tooLarge

        var bytes: [UInt8]? {
            if case .bytes(let bytes) = self { bytes } else { nil }
        }
    }

    /// A file of the folder, without its content.
    struct Entry {
        let name: String
        let size: Int
        /// When it was written last, in nanoseconds since 1970.
        let modified: Int64
    }

    /// How long to wait for another process that is just replacing the same file.
    private static let patience = Duration.milliseconds(500)

    /// Reads a file of at most `limit` octets.
    func contents(of name: String, limit: Int) -> Contents {
        guard let folder = opened(creating: false) else { return .none }
        do throws(Failure) {
            guard let file = try open(name, O_RDONLY, in: folder) else { return .none }
            return try file.contents(limit: limit, name)
        } catch {
            tell(error)
            return .none
        }
    }

    /// Replaces a file as a whole: it is the old one or the new one, also after a kill. Does nothing where another process is
    /// replacing it at this moment.
    func replace(_ name: String, with bytes: [UInt8]) {
        _ = attempt { folder throws(Failure) in
            guard let successor = try lock(Self.successor(of: name), in: folder) else { return }
            try successor.become(name, with: bytes)
        }
    }

    /// Replaces a file by what `change` makes of it. Of several processes that do this at once, each sees what the one before
    /// has written. Gives up where another one does not get done.
    ///
    /// - Parameter change: Returns `nil` where there is nothing to change.
    func update(
        _ name: String,
        limit: Int,
        time: any TimeSource,
        _ change: (Contents) -> [UInt8]?
    ) async {
        let deadline = time.now + Self.patience
        while true {
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
            // flock(2) tells nobody that a lock is free, and waiting in it would block a thread of the pool. A writer has
            // it for about a millisecond.
            guard time.now < deadline, (try? await time.sleep(for: .milliseconds(5))) != nil else {
                return tell(Failure("another process does not get done with \(name)"))
            }
        }
    }

    /// Locks a file, which is created where it is missing. The kernel drops the lock with the process, however it ends.
    func lock(_ name: String) -> LockOutcome {
        guard let folder = opened(creating: true) else { return .unavailable }
        do throws(Failure) {
            return try lock(name, in: folder).map { .locked($0) } ?? .held
        } catch {
            tell(error)
            return .unavailable
        }
    }

    /// What came of locking a file.
    enum LockOutcome {
        case locked(LockedFile)
        /// Another process has it, or another part of this one.
        case held
        /// There can be no such file; why was reported.
        case unavailable
    }

    /// Removes a file.
    func remove(_ name: String) {
        guard let folder = opened(creating: false) else { return }
        unlinkat(folder.number, name, 0)
    }

    /// The files of the folder, as many as may be looked at.
    func entries(limit: Int = 10_000) -> [Entry] {
        // A descriptor of its own: readdir(3) moves it on, and closedir(3) closes it.
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
            guard fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.isRegular else { continue }
            let modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
            entries.append(Entry(name: name, size: Int(status.st_size), modified: modified))
        }
        return entries
    }

    // MARK: - Opening

    /// The name under which a file is written before it takes the place of the old one. It is one name for all writers: whoever
    /// has it locked writes, and what a killed one has left is used again.
    private static func successor(of name: String) -> String { "\(name).new" }

    private func attempt<Value>(_ body: (StateDescriptor) throws(Failure) -> Value) -> Value? {
        guard let folder = opened(creating: true) else { return nil }
        do throws(Failure) {
            return try body(folder)
        } catch {
            tell(error)
            return nil
        }
    }

    private func lock(_ name: String, in folder: StateDescriptor) throws(Failure) -> LockedFile? {
        // Again where the one who had it has removed or renamed it meanwhile.
        for _ in 0..<16 {
            guard let file = try open(name, O_RDWR | O_CREAT, in: folder) else {
                // Whatever stands in the place of our file and is none goes: the name, never what it leads to.
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

    /// Opens a file; `nil` where there is none, or something that is not a private file of ours.
    private func open(_ name: String, _ flags: Int32, in folder: StateDescriptor) throws(Failure) -> StateDescriptor? {
        guard !name.isEmpty, !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) else {
            throw Failure("no name of a file: \(name)")
        }
        // Whoever opens a FIFO otherwise waits for the other end.
        let common = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        var descriptor = StateDescriptor(openat(folder.number, name, flags | common, 0o600))
        if descriptor == nil, errno == EACCES {
            guard let place = StateDescriptor(openat(folder.number, name, openPath | common)) else { return nil }
            let status = try place.status(name)
            guard status.isPrivateFile else { return nil }
            try place.setMode(0o600, of: status, name)
            descriptor = StateDescriptor(openat(folder.number, name, flags | common, 0o600))
        }
        guard let descriptor else {
            switch errno {
            // Nothing, a symbolic link, a socket.
            case ENOENT, ELOOP, ENXIO: return nil
            default: throw Failure("open", name)
            }
        }
        let status = try descriptor.status(name)
        guard status.isPrivateFile else { return nil }
        // On a file system that is read-only a file has the mode that it has.
        do throws(Failure) {
            try descriptor.setMode(0o600, of: status, name)
        } catch {
            guard errno == EROFS else { throw error }
        }
        return descriptor
    }
}

extension StateDescriptor {
    /// Reads the file from its beginning.
    func contents(limit: Int, _ name: String) throws(StateFolder.Failure) -> StateFolder.Contents {
        let size = Int(try status(name).st_size)
        guard size <= limit else { return .tooLarge }
        var bytes = [UInt8](repeating: 0, count: size)
        var count = 0
        while count < size {
            let step = bytes[count...].withUnsafeMutableBytes { pread(number, $0.baseAddress, $0.count, off_t(count)) }
            if step < 0, errno == EINTR { continue }
            guard step >= 0 else { throw StateFolder.Failure("read", name) }
            // It was made shorter meanwhile.
            if step == 0 { break }
            count += step
        }
        return .bytes(Array(bytes.prefix(count)))
    }

    /// Whether it is still the file of that name.
    fileprivate func isNamed(_ name: String, in folder: StateDescriptor) -> Bool {
        var (mine, named) = (stat(), stat())
        return fstat(number, &mine) == 0 && fstatat(folder.number, name, &named, AT_SYMLINK_NOFOLLOW) == 0
            && mine.st_dev == named.st_dev && mine.st_ino == named.st_ino
    }
}

extension stat {
    fileprivate var isRegular: Bool { st_mode & S_IFMT == S_IFREG }

    /// Whether it is a file that nobody else has put there, and that has no other name.
    fileprivate var isPrivateFile: Bool { isRegular && st_uid == geteuid() && st_nlink == 1 }
}
