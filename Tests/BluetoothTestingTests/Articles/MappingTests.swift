// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The tables that map the calls of other libraries to those of this package.
@Suite("Tables of other libraries' calls")
struct MappingTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardized

    private static let articles = [
        "Sources/BluetoothHost/BluetoothHost.docc/ComingFromOtherLibraries.md",
        "Sources/BluetoothTesting/BluetoothTesting.docc/ComingFromRZMockBluetooth.md",
    ]

    /// Words of the tables' code that are not of the API: the names of modules, and of the reader's own types.
    private static let others: Set<String> = ["MyService", "X", "BluetoothProfiles", "BluetoothDevices"]

    /// All words of a text that are names of types, or members behind a full stop.
    private static func names(in code: Substring) -> [String] {
        code.matches(of: /(\.)?([A-Za-z_][A-Za-z_0-9]*)/).compactMap { match in
            let word = String(match.output.2)
            return match.output.1 != nil || word.first?.isUppercase == true ? word : nil
        }
    }

    /// The code in the last column of each row.
    private static func code(of article: String) -> [Substring] {
        article.split(separator: "\n").filter { $0.hasPrefix("| ") }.flatMap { row -> [Substring] in
            let column = row.dropLast(2).split(separator: " | ").last ?? ""
            return column.matches(of: /`+([^`]+)`+/).map(\.output.1)
        }
    }

    private static func api() throws -> Set<String> {
        let lists = root.appending(path: "Tests/API")
        let files = try FileManager.default.contentsOfDirectory(atPath: lists.path()).filter { $0.hasSuffix(".txt") }
        return try files.reduce(into: []) { names, file in
            let text = try String(contentsOf: lists.appending(path: file), encoding: .utf8)
            for match in text.matches(of: /[A-Za-z_][A-Za-z_0-9]*/) { names.insert(String(match.output)) }
        }
    }

    @Test("every name in the tables is public", arguments: articles)
    func names(article: String) throws {
        let text = try String(contentsOf: Self.root.appending(path: article), encoding: .utf8)
        let known = try Self.api().union(Self.others).union(["self", "hasPrefix", "min"])
        let used = Self.code(of: text).flatMap(Self.names)
        #expect(used.count > 60)
        let unknown = Set(used).subtracting(known).sorted()
        #expect(unknown.isEmpty, "not in Tests/API: \(unknown.joined(separator: ", "))")
    }

    @Test("a name that is not public is reported")
    func unknown() throws {
        let code = Self.code(of: "| theirs | `Central.fly()`, and ``Simulation/current`` |\n")
        #expect(code == ["Central.fly()", "Simulation/current"])
        #expect(code.flatMap(Self.names) == ["Central", "fly", "Simulation"])
        #expect(try !Self.api().contains("fly"))
    }
}
