// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

/// What modules import. The compiler also takes a module that is there only because another dependency needs it.
@Suite("Arrows between modules")
struct ModuleArrowsTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardized

    /// The dependencies of each target in `Package.swift`.
    private func dependencies() throws -> [String: Set<String>] {
        let package = try String(contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
        let target =
            /\.(?:target|testTarget|executableTarget)\(\s*name: "(\w+)",(?:\s*path: "[^"]+",)?(?:\s*dependencies: \[([^\]]*)\])?/
        return package.matches(of: target).reduce(into: [:]) { found, match in
            let names = (match.output.2 ?? "").matches(of: /"(\w+)"/).map { String($0.output.1) }
            found[String(match.output.1)] = Set(names)
        }
    }

    /// The modules that the sources of a target import.
    private func imports(of target: String) throws -> Set<String> {
        let folder = Self.root.appending(path: "\(target.hasSuffix("Tests") ? "Tests" : "Sources")/\(target)")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var imported: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let words = line.split(separator: " ")
                guard words.count == 2 || ["@testable", "package", "public"].contains(words[0]), words.count < 4,
                    words.count > 1, words[words.count - 2] == "import"
                else { continue }
                imported.insert(String(words[words.count - 1]))
            }
        }
        return imported
    }

    @Test("a target imports what it depends on, and depends on what it imports")
    func declared() throws {
        let dependencies = try dependencies()
        #expect(dependencies.count > 20)
        let others: Set<String> = ["CProcess", "CBluetoothData", "CSwiftTasks", "TestProcesses"]
        for (target, declared) in dependencies where !others.contains(target) {
            let imported = try imports(of: target)
            #expect(!imported.isEmpty, "\(target) has no sources")
            let own = imported.filter { dependencies[$0] != nil && $0 != target }
            #expect(own.subtracting(declared).isEmpty, "\(target) does not depend on what it imports")
            let modules = declared.filter { dependencies[$0] != nil && $0 != "blectl" }
            #expect(modules.subtracting(own).isEmpty, "\(target) does not import what it depends on")
        }
    }

    @Test("the command line knows no Bluetooth")
    func commandLine() throws {
        #expect(try imports(of: "CommandLineInterface").subtracting(["Glibc", "Synchronization"]) == ["Terminal"])
    }
}
