// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Foundation
import Synchronization
import TestProcesses
import Testing

@testable import Toolkit

@Suite("StateFolder: the files that blectl keeps")
struct StateFolderTests {
    /// The reports of a folder.
    private final class Reports: Sendable {
        let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
    }

    /// Something in the place of a file.
    enum Obstacle: String, CaseIterable, Sendable {
        case symbolicLink, danglingLink, hardLink, fifo, socket, foreignFile
    }

    /// A clock whose pauses take no time, and on which nothing else takes any.
    private final class SteppingClock: TimeSource {
        private let elapsed = Mutex(Instant.zero)
        var now: Instant { elapsed.withLock { $0 } }
        var wallClock: WallTime { WallTime(nanosecondsSince1970: 0) }
        func sleep(until deadline: Instant) async throws(CancellationError) {
            elapsed.withLock { $0 = max($0, deadline) }
        }
    }

    static let old = Array("old".utf8)
    static let new = Array("new".utf8)
    static let precious = Array("precious".utf8)
    private let time = SystemTimeSource { WallTime(nanosecondsSince1970: 0) }
    private let reports = Reports()

    private func place(_ url: URL, own: [String] = ["blectl"]) -> StateFolder {
        let reports = reports
        return StateFolder(base: "/", shared: Array(url.pathComponents.dropFirst()), own: own) { text in
            reports.texts.withLock { $0.append(text) }
        }
    }

    private func mode(_ url: URL) -> mode_t {
        var status = stat()
        return lstat(url.path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    // MARK: - Files

    @Test("written text is read again; a file that is too large is not")
    func roundTrip() async throws {
        try await TemporaryFolder.use { url in
            let folder = place(url)
            #expect(folder.contents(of: "a", limit: 10) == .none)
            #expect(!FileManager.default.fileExists(atPath: folder.path), "reading creates nothing")
            folder.replace("a", with: Self.old)
            #expect(folder.contents(of: "a", limit: 3) == .bytes(Self.old))
            #expect(folder.contents(of: "a", limit: 2) == .tooLarge)
            folder.replace("a", with: Self.new)
            #expect(place(url).contents(of: "a", limit: 3) == .bytes(Self.new))
            #expect(folder.entries().map(\.name) == ["a"])
            folder.remove("a")
            #expect(folder.contents(of: "a", limit: 3) == .none)
            #expect(reports.all.isEmpty)
        }
    }

    @Test("an object in a file's place is neither read nor written through", arguments: Obstacle.allCases)
    func obstacles(_ obstacle: Obstacle) async throws {
        if obstacle == .foreignFile, geteuid() != 0 { return }
        try await TemporaryFolder.use { url in
            let folder = place(url)
            folder.replace("other", with: Self.old)
            let target = url.appendingPathComponent("target")
            try Data(Self.precious).write(to: target)
            for name in ["a", "a.new", "lease"] {
                let path = url.appendingPathComponent("blectl/\(name)").path
                switch obstacle {
                case .symbolicLink: #expect(symlink(target.path, path) == 0)
                case .danglingLink: #expect(symlink(url.appendingPathComponent("nothing").path, path) == 0)
                case .hardLink: #expect(link(target.path, path) == 0)
                case .fifo: #expect(mkfifo(path, 0o600) == 0)
                case .socket: try bindSocket(path)
                case .foreignFile:
                    try Data(Self.precious).write(to: URL(fileURLWithPath: path))
                    #expect(chown(path, 65_534, 65_534) == 0)
                }
            }
            #expect(folder.contents(of: "a", limit: 100) == .none)
            folder.replace("a", with: Self.new)
            #expect(folder.contents(of: "a", limit: 100) == .bytes(Self.new))
            guard case .locked(let lease) = folder.lock("lease") else {
                Issue.record("no lease: \(reports.all)")
                return
            }
            #expect(lease.contents().isEmpty)
            lease.write(Self.new)
            #expect(try Array(Data(contentsOf: target)) == Self.precious)
            #expect(!FileManager.default.fileExists(atPath: url.appendingPathComponent("nothing").path))
            #expect(reports.all.isEmpty)
        }
    }

    @Test("a folder in a file's place is left alone, and reported once")
    func folderInPlace() async throws {
        try await TemporaryFolder.use { url in
            let folder = place(url)
            let obstacle = url.appendingPathComponent("blectl/a")
            try FileManager.default.createDirectory(at: obstacle, withIntermediateDirectories: true)
            #expect(folder.contents(of: "a", limit: 100) == .none)
            folder.replace("a", with: Self.new)
            folder.replace("a", with: Self.new)
            #expect(folder.entries().isEmpty, "nor is anything left behind")
            #expect(reports.all.count == 1)
            guard case .unavailable = folder.lock("a") else {
                Issue.record("locked a folder")
                return
            }
        }
    }

    @Test("files and folders become private, even existing ones", arguments: [0o777, 0o755, 0o000] as [mode_t])
    func existingModes(_ wide: mode_t) async throws {
        try await TemporaryFolder.use { url in
            place(url, own: ["blectl", "gatt"]).replace("a", with: Self.old)
            let (outer, inner) = (url.appendingPathComponent("blectl"), url.appendingPathComponent("blectl/gatt"))
            let file = inner.appendingPathComponent("a")
            for item in [file, inner, outer] { #expect(chmod(item.path, wide) == 0) }
            #expect(place(url, own: ["blectl", "gatt"]).contents(of: "a", limit: 100) == .bytes(Self.old))
            #expect(mode(outer) == 0o700 && mode(inner) == 0o700 && mode(file) == 0o600)
        }
    }

    @Test("a file is private whatever the umask is", arguments: [0o000, 0o022, 0o077, 0o777] as [UInt32])
    func umasks(_ mask: UInt32) async throws {
        // In a process of its own, because the umask belongs to the process.
        await #expect(processExitsWith: .success) { [mask] in
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("blectl-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(at: url) }
            umask(mask)
            let folder = StateFolder(
                base: url.path,
                shared: ["share", "state"],
                own: ["blectl", "gatt"]
            )
            folder.replace("a", with: StateFolderTests.new)
            let lease = folder.lock("lease")
            for (path, expected) in [
                ("share", 0o700), ("share/state", 0o700), ("share/state/blectl", 0o700),
                ("share/state/blectl/gatt", 0o700), ("share/state/blectl/gatt/a", 0o600),
                ("share/state/blectl/gatt/lease", 0o600),
            ] as [(String, mode_t)] {
                var status = stat()
                guard lstat(url.appendingPathComponent(path).path, &status) == 0,
                    status.st_mode & 0o7777 == expected
                else { preconditionFailure("\(path): \(String(status.st_mode, radix: 8))") }
            }
            guard case .locked = lease, folder.contents(of: "a", limit: 9) == .bytes(StateFolderTests.new) else {
                preconditionFailure("not readable")
            }
        }
    }

    // MARK: - Folders

    @Test("a link in place of blectl's folder is not followed; one above it, of the user, is")
    func linkedFolder() async throws {
        try await TemporaryFolder.use { url in
            let elsewhere = url.appendingPathComponent("elsewhere")
            try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: false)
            #expect(symlink(elsewhere.path, url.appendingPathComponent("blectl").path) == 0)
            place(url).replace("a", with: Self.new)
            #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path).isEmpty)
            #expect(reports.all.count == 1)
            #expect(symlink(elsewhere.path, url.appendingPathComponent("state").path) == 0)
            let folder = StateFolder(base: url.path, shared: ["state"], own: ["blectl"])
            folder.replace("a", with: Self.new)
            #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path) == ["blectl"])
        }
    }

    @Test("root touches nothing in another user's home", .enabled(if: geteuid() == 0))
    func foreignHome() async throws {
        try await TemporaryFolder.use { url in
            let home = url.appendingPathComponent("home")
            let theirs = home.appendingPathComponent(".local/state/blectl")
            try FileManager.default.createDirectory(at: theirs, withIntermediateDirectories: true)
            let file = theirs.appendingPathComponent("devices.json")
            try Data(Self.precious).write(to: file)
            for item in [".", ".local", ".local/state", ".local/state/blectl", ".local/state/blectl/devices.json"] {
                #expect(chown(home.appendingPathComponent(item).path, 65_534, 65_534) == 0)
            }
            #expect(chmod(theirs.path, 0o755) == 0)
            let environment = ["HOME": home.path]
            let reports = reports
            let state = try #require(
                StateFolder.state(environment: { environment[$0] }) { text in
                    reports.texts.withLock { $0.append(text) }
                }
            )
            #expect(state.contents(of: "devices.json", limit: 100) == .none)
            state.replace("devices.json", with: Self.new)
            #expect(try Array(Data(contentsOf: file)) == Self.precious)
            #expect(mode(theirs) == 0o755)
            #expect(reports.all.count == 1 && reports.all[0].contains("belongs to another user (uid 65534)"))
            // Nothing is created there, and nothing of the other user is followed.
            let cache = try #require(StateFolder.cache(environment: { environment[$0] }))
            cache.replace("a", with: Self.new)
            let mine = url.appendingPathComponent("mine")
            try FileManager.default.createDirectory(at: mine, withIntermediateDirectories: false)
            let link = home.appendingPathComponent(".cache")
            #expect(symlink(mine.path, link.path) == 0 && lchown(link.path, 65_534, 65_534) == 0)
            StateFolder.cache(environment: { environment[$0] })?.replace("a", with: Self.new)
            #expect(try FileManager.default.contentsOfDirectory(atPath: mine.path).isEmpty)
            #expect(Set(try FileManager.default.contentsOfDirectory(atPath: home.path)) == [".local", ".cache"])
        }
    }

    @Test(
        "an impossible place is no failure, and is reported once",
        arguments: [
            "/proc", "/dev/null", "/no-such-folder", "/a\0b", "relative", "/tmp/\n\u{1B}[31m\(UUID().uuidString)",
        ]
    )
    func impossible(base: String) async {
        let reports = reports
        let folder = StateFolder(base: base, own: ["blectl"]) { text in reports.texts.withLock { $0.append(text) } }
        #expect(folder.contents(of: "a", limit: 100) == .none)
        folder.replace("a", with: Self.new)
        await folder.update("a", limit: 100, time: time) { _ in Self.new }
        guard case .unavailable = folder.lock("a") else {
            Issue.record("locked")
            return
        }
        #expect(folder.entries().isEmpty)
        #expect(reports.all.count == 1, "\(reports.all)")
    }

    @Test("a name that leads elsewhere is refused", arguments: ["../a", "a/b", "", "a\0b"])
    func names(name: String) async throws {
        try await TemporaryFolder.use { (url: URL) async throws in
            place(url).replace(name, with: Self.new)
            #expect(try FileManager.default.contentsOfDirectory(atPath: url.path) == ["blectl"])
            #expect(place(url).entries().isEmpty)
        }
    }

    @Test("a full disk leaves only the old file")
    func fullDisk() async throws {
        // With a limit on file sizes, write(2) fails as on a full disk.
        await #expect(processExitsWith: .success) {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("blectl-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(at: url) }
            let folder = StateFolder(base: url.path, own: ["blectl"])
            folder.replace("a", with: StateFolderTests.old)
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 1_000, rlim_max: rlim_t.max)
            setrlimit(__rlimit_resource_t(1), &limit)
            folder.replace("a", with: [UInt8](repeating: 1, count: 5_000))
            guard folder.contents(of: "a", limit: 9_000) == .bytes(StateFolderTests.old),
                folder.entries().map(\.name) == ["a"]
            else { preconditionFailure("\(folder.entries())") }
        }
    }

    @Test("the place comes from the environment")
    func environment() {
        func state(_ variables: [String: String]) -> String? { StateFolder.state { variables[$0] }?.path }
        func cache(_ variables: [String: String]) -> String? { StateFolder.cache { variables[$0] }?.path }
        #expect(state(["XDG_STATE_HOME": "/x"]) == "/x/blectl")
        #expect(state(["HOME": "/h"]) == "/h/.local/state/blectl")
        #expect(state(["HOME": "/h", "XDG_STATE_HOME": "relative"]) == "/h/.local/state/blectl")
        #expect(state([:]) == nil && state(["HOME": "h"]) == nil)
        #expect(cache(["XDG_CACHE_HOME": "/x"]) == "/x/blectl/gatt")
        #expect(cache(["HOME": "/h", "XDG_CACHE_HOME": "x"]) == "/h/.cache/blectl/gatt")
        #expect(cache([:]) == nil)
    }

    // MARK: - Several processes at once

    @Test("many writers of a file each see the changes of the one before")
    func updates() async throws {
        try await TemporaryFolder.use { url in
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let folder = self.place(url)
                        for _ in 0..<25 {
                            await folder.update("count", limit: 10_000, time: PatientClock()) { ($0.bytes ?? []) + [1] }
                        }
                    }
                }
            }
            #expect(reports.all.isEmpty)
            #expect(place(url).contents(of: "count", limit: 10_000).bytes?.count == 200)
        }
    }

    @Test("a reader finds the old file or the new one while others replace it")
    func readers() async throws {
        try await TemporaryFolder.use { url in
            place(url).replace("a", with: Self.old)
            let missed = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        for _ in 0..<2_000 { self.place(url).replace("a", with: Self.new) }
                        return 0
                    }
                    group.addTask {
                        let folder = self.place(url)
                        return (0..<10_000).count { _ in folder.contents(of: "a", limit: 10) == .none }
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(missed == 0)
            #expect(reports.all.isEmpty)
        }
    }

    @Test("the wait for a stuck writer is short", .timeLimit(.minutes(15)))
    func stuckWriter() async throws {
        try await TemporaryFolder.use { url in
            guard case .locked(let stuck) = place(url).lock("a.new") else {
                Issue.record("not locked")
                return
            }
            let clock = SteppingClock()
            await place(url).update("a", limit: 100, time: clock) { _ in Self.new }
            #expect(clock.now <= .zero + .milliseconds(510))
            place(url).replace("a", with: Self.new)
            #expect(place(url).contents(of: "a", limit: 100) == .none)
            #expect(
                reports.all == ["cannot keep files in \(place(url).path): another process keeps a locked"]
            )
            stuck.remove()
        }
    }

    @Test("one process at a time has a lock, and removing the file frees it")
    func locks() async throws {
        try await TemporaryFolder.use { url in
            var first: LockedFile?
            if case .locked(let file) = place(url).lock("lease") { first = file }
            try #require(first != nil)
            guard case .held = place(url).lock("lease") else {
                Issue.record("locked twice")
                return
            }
            first?.remove()
            guard case .locked = place(url).lock("lease") else {
                Issue.record("still held")
                return
            }
        }
    }

    @Test("a kill at any moment leaves the old file or the new one, whole", arguments: 0..<12)
    func kills(round: Int) async throws {
        try await TemporaryFolder.use { url in
            place(url).replace("a", with: [UInt8](repeating: 0, count: 1_000))
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = url.path as String, round] in
                let folder = StateFolder(base: path, own: ["blectl"])
                // A timer of the kernel, which a blocked process cannot delay.
                signal(SIGALRM) { _ in kill(getpid(), SIGKILL) }
                var interval = itimerval()
                interval.it_value.tv_usec = 20_000 + round * 1_700
                setitimer(0, &interval, nil)
                while true {
                    for octet in UInt8(0)..<250 {
                        folder.replace("a", with: [UInt8](repeating: octet, count: 1_000 + Int(octet) * 100))
                    }
                }
            }
            let folder = place(url)
            let bytes = try #require(folder.contents(of: "a", limit: 100_000).bytes)
            #expect(Set(bytes).count == 1 && bytes.count == 1_000 + Int(bytes[0]) * 100)
            // The next process writes as usual.
            folder.replace("a", with: Self.new)
            #expect(folder.contents(of: "a", limit: 100) == .bytes(Self.new))
            #expect(folder.entries().map(\.name) == ["a"])
        }
    }

    private func bindSocket(_ path: String) throws {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // The path may be too long for a socket's address, so it leads through the folder's descriptor.
        let folder = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY)
        defer { close(folder) }
        let short = "/proc/self/fd/\(folder)/\(URL(fileURLWithPath: path).lastPathComponent)"
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: short.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(result == 0)
    }
}
