// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

@testable import BlectlKit

@Suite("Files generated from the command table")
struct GeneratedFileTests {
    /// The root of the repository.
    static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    @Test("the checked-in files equal the table's; if not, run: make man")
    func upToDate() throws {
        for file in GeneratedFile.all {
            let contents = try? String(contentsOf: Self.root.appending(path: file.path), encoding: .utf8)
            #expect(contents == file.contents, "\(file.path) differs from the table; run: make man")
        }
    }

    @Test("there are no other files", arguments: ["man", "man/rig"])
    func nothingElse(folder: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: folder).path)
        let paths = GeneratedFile.all.map(\.path).filter { $0.hasPrefix("\(folder)/") }
        let expected = paths.compactMap { $0.dropFirst(folder.count + 1).split(separator: "/").first }
        #expect(Set(names) == Set(expected.map(String.init)))
    }

    @Test("all are plain ASCII, name their source, and end with a line break")
    func form() {
        for file in GeneratedFile.all {
            #expect(file.contents.utf8.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) || $0 == 0x09 })
            #expect(file.contents.contains(GeneratedFile.notice))
            #expect(file.contents.hasSuffix("\n") && !file.contents.hasSuffix("\n\n"))
            #expect(file.contents.split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") }, "\(file.path)")
        }
    }
}
