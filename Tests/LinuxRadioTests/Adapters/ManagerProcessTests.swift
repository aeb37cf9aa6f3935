// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Testing

@testable import LinuxRadio

@Suite("The program that manages the adapters")
struct ManagerProcessTests {
    /// Runs a test with a folder that looks like /proc and contains these files.
    private func withProc(_ files: [(folder: String, name: String)], _ body: (String) -> Void) throws {
        var template = Array("/tmp/blectl-proc-XXXXXX".utf8CString)
        let root = try #require(mkdtemp(&template).map { String(cString: $0) })
        var created = [root]
        defer { for path in created.reversed() { remove(path) } }
        for (folder, name) in files {
            created.append("\(root)/\(folder)")
            mkdir("\(root)/\(folder)", 0o700)
            created.append("\(root)/\(folder)/comm")
            let file = try OwnedFileDescriptor { open("\(root)/\(folder)/comm", O_WRONLY | O_CREAT, 0o600) }
            #expect(write(file.rawValue, name, name.utf8.count) == name.utf8.count)
        }
        body(root)
    }

    @Test("A process with a manager's name is found among others")
    func found() throws {
        try withProc([("1", "init\n"), ("77", "bluetoothd\n")]) {
            #expect(ManagerProcess.running(proc: $0) == "bluetoothd")
        }
        // The kernel keeps only fifteen octets of a name.
        try withProc([("9", "bluetooth-meshd\n")]) { #expect(ManagerProcess.running(proc: $0) == "bluetooth-meshd") }
    }

    @Test("Without a process of that name there is no manager")
    func none() throws {
        try withProc([("1", "init\n"), ("2", "bluetoothd2\n")]) { #expect(ManagerProcess.running(proc: $0) == nil) }
        try withProc([("net", "bluetoothd\n")]) { #expect(ManagerProcess.running(proc: $0) == nil) }
        #expect(ManagerProcess.running(proc: "/nowhere") == nil)
    }
}
