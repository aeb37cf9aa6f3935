// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc

/// The kernel's switches for radios, as sysfs shows them.
enum RFKill {
    /// The kind of switch that keeps a radio off.
    enum Block: Equatable, Sendable {
        /// A software block: `rfkill block`, or a desktop's flight mode.
        case software
        /// A switch on the machine, which no program can change.
        case hardware
    }

    /// The block of an adapter; `nil` if there is none. Hardware comes first, because lifting the software block would
    /// not help.
    static func block(ofAdapter index: Int, sysfs: String = "/sys") -> Block? {
        let switches = paths(matching: "\(sysfs)/class/bluetooth/hci\(index)/rfkill*")
        if switches.contains(where: { isSet("\($0)/hard") }) { return .hardware }
        return switches.contains(where: { isSet("\($0)/soft") }) ? .software : nil
    }

    private static func paths(matching pattern: String) -> [String] {
        var matches = glob_t()
        defer { globfree(&matches) }
        guard glob(pattern, 0, nil, &matches) == 0 else { return [] }
        return (0..<Int(matches.gl_pathc)).compactMap { matches.gl_pathv[$0].map { String(cString: $0) } }
    }

    /// Whether an attribute's text begins with `1`.
    private static func isSet(_ path: String) -> Bool {
        do throws(Errno) {
            let file = try OwnedFileDescriptor { open(path, O_RDONLY | O_CLOEXEC) }
            var character: UInt8 = 0
            let count = try systemCall { read(file.rawValue, &character, 1) }
            return count == 1 && character == UInt8(ascii: "1")
        } catch {
            return false
        }
    }
}
