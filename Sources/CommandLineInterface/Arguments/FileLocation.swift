// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// The place of a file, whatever its path is called: `a`, `./a` and a symbolic link to it are one place.
package enum FileLocation: Hashable {
    case existing(device: UInt64, inode: UInt64)
    /// A pipe or a device, such as `/dev/null`, in which nothing is replaced. It has as many writers as there are options.
    case stream(path: String)
    /// A file that does not exist yet, in a folder that does.
    case new(device: UInt64, inode: UInt64, name: String)
    /// A file without a folder, which nothing can be written to.
    case nowhere(path: String)

    /// The maximum number of symbolic links that lead to one file, as in Linux.
    private static let linkLimit = 40

    /// The place that a path leads to now.
    package init(_ path: String) { self.init(path, links: Self.linkLimit) }

    private init(_ path: String, links: Int) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                self = .stream(path: path)
                return
            }
            self = .existing(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
            return
        }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        // A link to a file that does not exist: opening it for writing creates that file.
        if links > 0, let target = Self.target(of: path) {
            self.init(target.hasPrefix("/") ? target : "\(folder)/\(target)", links: links - 1)
            return
        }
        guard stat(folder, &status) == 0 else {
            self = .nowhere(path: path)
            return
        }
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        self = .new(device: UInt64(status.st_dev), inode: UInt64(status.st_ino), name: name)
    }

    /// The path in a symbolic link; `nil` if there is no link.
    private static func target(of path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = bytes.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { readlink(path, $0.assumingMemoryBound(to: CChar.self), buffer.count) } ?? -1
        }
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
