// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// The program that manages the adapters. It is searched for among all processes, because the kernel does not name it.
enum ManagerProcess {
    /// Programs that manage adapters through the management interface.
    private static let names = ["bluetoothd", "btmgmt", "bluetooth-meshd"]
    /// The longest name that the kernel keeps (TASK_COMM_LEN without the zero).
    private static let longestName = 15

    /// The name of a running manager; `nil` if none is visible, as when proc(5) hides the processes of other users.
    static func running(proc: String = "/proc") -> String? {
        guard let folder = opendir(proc) else { return nil }
        defer { closedir(folder) }
        var found: Set<String> = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name.utf8.first.map({ (0x30...0x39).contains($0) }) == true else { continue }
            if let command = commandName(in: "\(proc)/\(name)/comm") { found.insert(command) }
        }
        return names.first { found.contains(String($0.prefix(longestName))) }
    }

    private static func commandName(in path: String) -> String? {
        do throws(Errno) {
            let file = try OwnedFileDescriptor { open(path, O_RDONLY | O_CLOEXEC) }
            let bytes = try withUnsafeTemporaryAllocation(byteCount: longestName + 1, alignment: 1) {
                buffer throws(Errno) in
                let count = try systemCall { read(file.rawValue, buffer.baseAddress, longestName + 1) }
                return [UInt8](UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            return String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
        } catch {
            return nil
        }
    }
}
