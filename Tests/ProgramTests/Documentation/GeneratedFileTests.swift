// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

@Suite("Files generated from the command table")
struct GeneratedFileTests {
    /// The root of the repository.
    static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    static let folder = "\(root.path)/"

    /// The content that a file of the repository should have.
    static func contents(of file: GeneratedFile) throws -> String {
        try file.contents { path throws(BlectlError) in
            guard let text = try? String(contentsOfFile: folder + path, encoding: .utf8) else {
                throw BlectlError(.cannotOpenInput, "\(path) cannot be read")
            }
            return text
        }
    }

    @Test("the checked-in files equal the table's; if not, run: make man")
    func upToDate() throws {
        for file in GeneratedFile.all(of: .all) {
            let contents = try? String(contentsOf: Self.root.appending(path: file.path), encoding: .utf8)
            let isUpToDate = try contents == Self.contents(of: file)
            #expect(isUpToDate, "\(file.path) differs from the table; run: make man")
        }
    }

    @Test("there are no other files")
    func nothingElse() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(Self.folder)man")
        let generated = GeneratedFile.all(of: .all).map { String($0.path.dropFirst("man/".count)) }
        #expect(names.sorted() == (generated + ["examples", "pages", "rig"]).sorted())
        let pages = try FileManager.default.contentsOfDirectory(atPath: "\(Self.folder)man/pages")
        #expect(pages.sorted() == SharedPage.allCases.map(\.reference.fileName).sorted())
    }

    @Test("a page shows each example", arguments: ["man/examples", "man/rig"])
    func examples(folder: String) throws {
        var sources = ""
        for page in SharedPage.allCases {
            sources += try String(contentsOfFile: "\(Self.folder)man/pages/\(page.reference.fileName)", encoding: .utf8)
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.folder + folder) {
            #expect(sources.contains("\n@file \(folder)/\(name)\n"))
        }
    }

    @Test(
        "a place that has no meaning is an error",
        arguments: ["@table devices", "@tables device", "x @{y} z", "@file man/examples/none.json"]
    )
    func places(line: String) {
        let source = ManualSource(page: .device, commands: CommandSet.all.table) { path throws(BlectlError) in
            guard path == "man/pages/blectl-device.5" else { throw BlectlError(.cannotOpenInput, "no file") }
            return ".Nd x\n\(line)\n.Sh Y\n"
        }
        #expect(throws: BlectlError.self) { try source.text() }
    }

    @Test("all are plain ASCII, name their source, and end with a line break")
    func form() throws {
        for file in GeneratedFile.all(of: .all) {
            let contents = try Self.contents(of: file)
            #expect(contents.utf8.allSatisfy { $0 == 0x0A || (0x20..<0x7F).contains($0) || $0 == 0x09 })
            #expect(contents.contains(Program.notice))
            #expect(contents.hasSuffix("\n") && !contents.hasSuffix("\n\n"))
            #expect(contents.split(separator: "\n").allSatisfy { !$0.hasSuffix(" ") }, "\(file.path)")
        }
    }
}
