// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Synchronization

/// A private folder for the files that blectl keeps: remembered devices, the GATT cache, leases.
///
/// All these files are opened, read and replaced here. The folder is opened once and not through a symbolic link; it
/// must belong to the user, and gets the mode 0700. Files must be regular, belong to the user and have one link; they
/// get the mode 0600 under any umask. The files are a convenience, so a failure is reported once and never makes a
/// command fail.
package final class StateFolder: Sendable {
    /// The reason why files cannot be kept.
    package struct Failure: Error, Equatable {
        package let text: String
        /// Whether the folder cannot be used, so that nothing is known of the file.
        package var isOfFolder = false
        /// Whether a folder on the way belongs to another user.
        var isForeign = false
        /// Whether the disk is full, or the user's share of it.
        var isOfFullDisk = false

        init(_ text: String, isForeign: Bool = false) {
            self.text = text
            self.isForeign = isForeign
        }

        /// The failure of a system call, with the text of `errno`.
        init(_ call: String, _ path: String) {
            let code = errno
            text = "\(call) \(path): \(String(cString: strerror(code)))"
            isOfFullDisk = code == ENOSPC || code == EDQUOT
        }
    }

    private enum State {
        /// Not opened yet, or not existing yet.
        case missing
        /// The folder, open for the rest of the process.
        case open(StateDescriptor)
        /// The folder must not be used; that does not change while the process runs.
        case refused(Failure)
    }

    /// The part of the path that must exist.
    private let base: String
    /// The folders below it that other programs use as well, and that may be symbolic links.
    private let shared: [String]
    /// The folders below these that belong to blectl.
    private let own: [String]
    /// Called with the reason if files cannot be stored.
    private let report: @Sendable (String) -> Void
    private let hasReported = Mutex(false)
    /// Opened by the first access.
    private let state = Mutex(State.missing)

    /// Creates a reference to a folder. Opens nothing yet.
    ///
    /// - Parameters:
    ///   - base: An absolute path, which is never created.
    ///   - shared: Folders below `base` that other programs use as well.
    ///   - own: Folders below these that only blectl uses; the last one is this folder.
    ///   - report: Called at most once, with the reason why files cannot be kept.
    package init(
        base: String,
        shared: [String] = [],
        own: [String],
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.base = base
        self.shared = shared
        self.own = own
        self.report = report
    }

    /// The folder's path, for messages.
    package var path: String { path(to: own) }

    /// The path of the outermost folder that belongs to blectl.
    var rootPath: String { path(to: Array(own.prefix(1))) }

    /// A path below the shared folders. It is joined as octets, because names need not be valid Unicode.
    private func path(to own: [String]) -> String {
        var octets = Array(base.utf8)
        for part in shared + own {
            if octets.last != UInt8(ascii: "/") { octets.append(UInt8(ascii: "/")) }
            octets += part.utf8
        }
        return String(decoding: octets, as: UTF8.self)
    }

    package func subfolder(_ name: String) -> StateFolder {
        StateFolder(base: base, shared: shared, own: own + [name], report: report)
    }

    /// Reports the reason why files cannot be kept, the first time only.
    func reportFailure(_ failure: Failure) {
        let isFirst = hasReported.withLock { hasReported in
            defer { hasReported = true }
            return !hasReported
        }
        if isFirst { report("cannot keep files in \(path): \(failure.text)") }
    }

    /// The open folder; `nil` if it does not exist and is not to be created, or if it must not be used.
    package func opened(creating: Bool) -> StateDescriptor? {
        state.withLock { state in
            switch state {
            case .open(let descriptor): return descriptor
            case .refused: return nil
            case .missing:
                do throws(Failure) {
                    guard let descriptor = try walk(creating: creating) else { return nil }
                    state = .open(descriptor)
                    // Kept open: a folder that is renamed later is still the one that was checked.
                    return descriptor
                } catch {
                    state = .refused(error)
                    reportFailure(error)
                    return nil
                }
            }
        }
    }

    /// The reason why the folder must not be used, if `opened` has found one.
    var refusal: Failure? {
        state.withLock { state in if case .refused(let failure) = state { failure } else { nil } }
    }

    /// The reason why nothing can be written here, also where the folder is still to be created. Creates nothing.
    package var obstacle: Failure? {
        do throws(Failure) {
            guard let folder = try walk(creating: false, isTrial: true) else { return nil }
            try folder.checkIsWritable("write to", path)
            return nil
        } catch {
            return error
        }
    }

    // MARK: - Opening the path

    /// Walks the path from the root, folder by folder, so that no step follows a link that was not checked. A trial
    /// throws what would keep a missing folder from being created.
    private func walk(creating: Bool, isTrial: Bool = false) throws(Failure) -> StateDescriptor? {
        // A system call ends a path at a zero octet, and would use another folder.
        guard base.hasPrefix("/"), !path.utf8.contains(0) else { throw Failure("not an absolute path") }
        guard var here = StateDescriptor(open("/", openPath | O_DIRECTORY | O_CLOEXEC)) else {
            throw Failure("open", "/")
        }
        // Links are usual above the home, for example where homes lie on another disk.
        for name in base.split(separator: "/") where name != "." {
            guard let next = try enter(String(name), in: here, mayBeLink: true, creating: false) else {
                if creating || isTrial { throw Failure("there is no \(base)") }
                return nil
            }
            here = next
        }
        for name in shared {
            guard let next = try enter(name, in: here, mayBeLink: true, creating: creating, isTrial) else { return nil }
            here = next
        }
        for name in own {
            guard let next = try enter(name, in: here, mayBeLink: false, creating: creating, isTrial) else {
                return nil
            }
            let status = try next.status(name)
            guard status.st_uid == geteuid() else {
                throw Failure("\(name) belongs to another user (uid \(status.st_uid))", isForeign: true)
            }
            try next.setMode(0o700, of: status, name)
            here = next
        }
        // Opened again with the right to list it, which a descriptor with O_PATH does not have.
        guard let folder = StateDescriptor(openat(here.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else {
            throw Failure("open", path)
        }
        return folder
    }

    /// Opens a folder in a folder; `nil` if it does not exist and is not to be created.
    private func enter(
        _ name: String,
        in parent: StateDescriptor,
        mayBeLink: Bool,
        creating: Bool,
        _ isTrial: Bool = false
    ) throws(Failure) -> StateDescriptor? {
        let flags = openPath | O_DIRECTORY | O_CLOEXEC
        if let folder = StateDescriptor(openat(parent.number, name, flags | O_NOFOLLOW)) { return folder }
        // With O_DIRECTORY, openat(2) reports a link that it does not follow as ENOTDIR.
        if errno == ENOTDIR || errno == ELOOP {
            guard mayBeLink else { throw Failure("\(name) is a link or a file, not a folder") }
            // The owner of a link decides where files go, so only links of the user and of root are followed.
            var status = stat()
            guard fstatat(parent.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw Failure("stat", name) }
            guard isTrusted(status.st_uid) else {
                throw Failure("\(name) is a link of another user (uid \(status.st_uid))")
            }
            if let folder = StateDescriptor(openat(parent.number, name, flags)) { return folder }
        }
        guard errno == ENOENT else { throw Failure("open", name) }
        guard creating || isTrial else { return nil }
        // A program run by root with a user's HOME would leave folders there that the user cannot use.
        let status = try parent.status(name)
        guard isTrusted(status.st_uid) else {
            throw Failure("the folder above \(name) belongs to another user (uid \(status.st_uid))", isForeign: true)
        }
        guard creating else {
            try parent.checkIsWritable("create", name)
            return nil
        }
        // Another process may have created it just now.
        guard mkdirat(parent.number, name, 0o700) == 0 || errno == EEXIST else { throw Failure("create", name) }
        guard let folder = StateDescriptor(openat(parent.number, name, flags | O_NOFOLLOW)) else {
            throw Failure("open", name)
        }
        // The umask may have removed rights of the user.
        let created = try folder.status(name)
        if created.st_uid == geteuid(), created.st_mode & 0o700 != 0o700 {
            try folder.setMode(0o700, of: created, name)
        }
        return folder
    }

    /// Whether links and folders of a user may decide where files go: those of root and of the user.
    private func isTrusted(_ user: uid_t) -> Bool { user == 0 || user == geteuid() }
}
