// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Testing

@testable import LinuxRadio

@Suite("Blocks of an adapter by rfkill")
struct RFKillTests {
    /// Runs a test with a folder that looks like /sys for an adapter with these switches, as (soft, hard).
    private func withSysfs(_ switches: [(String, String)], _ body: (String) throws -> Void) throws {
        var template = Array("/tmp/blectl-sysfs-XXXXXX".utf8CString)
        let root = try #require(mkdtemp(&template).map { String(cString: $0) })
        var created = [root]
        defer { for path in created.reversed() { remove(path) } }
        for folder in ["class", "class/bluetooth", "class/bluetooth/hci1"] {
            created.append("\(root)/\(folder)")
            mkdir("\(root)/\(folder)", 0o700)
        }
        for (index, (soft, hard)) in switches.enumerated() {
            let folder = "\(root)/class/bluetooth/hci1/rfkill\(index + 7)"
            created.append(folder)
            mkdir(folder, 0o700)
            for (name, text) in [("soft", soft), ("hard", hard)] {
                let file = try OwnedFileDescriptor { open("\(folder)/\(name)", O_WRONLY | O_CREAT, 0o600) }
                created.append("\(folder)/\(name)")
                #expect(write(file.rawValue, text, text.utf8.count) == text.utf8.count)
            }
        }
        try body(root)
    }

    @Test("A block by software or by hardware is found; the hardware takes precedence")
    func blocks() throws {
        try withSysfs([("0\n", "0\n")]) { #expect(RFKill.block(ofAdapter: 1, sysfs: $0) == nil) }
        try withSysfs([("1\n", "0\n")]) { #expect(RFKill.block(ofAdapter: 1, sysfs: $0) == .software) }
        try withSysfs([("0\n", "1\n")]) { #expect(RFKill.block(ofAdapter: 1, sysfs: $0) == .hardware) }
        try withSysfs([("1\n", "1\n")]) { #expect(RFKill.block(ofAdapter: 1, sysfs: $0) == .hardware) }
        try withSysfs([("0\n", "0\n"), ("1\n", "0\n")]) { #expect(RFKill.block(ofAdapter: 1, sysfs: $0) == .software) }
    }

    @Test("Without a switch, or for another adapter, nothing blocks")
    func none() throws {
        try withSysfs([]) { #expect(RFKill.block(ofAdapter: 1, sysfs: $0) == nil) }
        try withSysfs([("1\n", "1\n")]) { #expect(RFKill.block(ofAdapter: 11, sysfs: $0) == nil) }
    }
}
