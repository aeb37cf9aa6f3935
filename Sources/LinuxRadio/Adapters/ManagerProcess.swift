// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Glibc

/// The program that manages the adapters. It is searched for among all processes, because the kernel does not name it.
enum ManagerProcess {
    /// Programs that manage adapters through the management interface.
    private static let names = ["bluetoothd", "btmgmt", "bluetooth-meshd"]
    /// The longest name that the kernel keeps (TASK_COMM_LEN without the zero).
    private static let longestName = 15

    /// The name of a running manager; `nil` if none is visible, as when proc(5) hides the processes of other users.
    static func running(proc: String = "/proc") -> String? { find(proc: proc)?.name }

    static func find(proc: String = "/proc") -> MachineFacts.Manager? {
        guard let folder = opendir(proc) else { return nil }
        defer { closedir(folder) }
        var found: [String: Int32] = [:]
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let process = Int32(name), let command = commandName(in: "\(proc)/\(name)/comm") else { continue }
            found[command] = min(process, found[command] ?? process)
        }
        return names.lazy.compactMap { name in
            found[String(name.prefix(longestName))].map { MachineFacts.Manager(name: name, process: $0) }
        }.first
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
