// SPDX-License-Identifier: GPL-2.0-or-later

import Terminal
package import Toolkit

/// Reads a script with the files that it includes, and checks all that can be checked without a device.
package struct ScriptReader {
    package static let language = 1

    /// The knowledge before the script runs: variables, formats, and whether a device has to be named.
    package var known: ScriptConstants
    /// Reads a file; a script may include several.
    private let load: (String) throws(BlectlError) -> [UInt8]

    /// - Parameters:
    ///   - commands: The commands of blectl.
    ///   - load: Returns the octets of a file, by its path; `-` is standard input. It need not read more than
    ///   `ScriptLimits.fileSize` and one octet.
    package init(_ commands: CommandSet, load: @escaping (String) throws(BlectlError) -> [UInt8]) {
        known = ScriptConstants(commands: commands)
        self.load = load
    }

    package static func files(_ commands: CommandSet) -> ScriptReader {
        ScriptReader(commands) { path throws(BlectlError) in
            try StandardStreams.read(path, limit: ScriptLimits.fileSize)
        }
    }

    /// Reads a script, and the names of the variables that its text uses or sets. Throws an error with all of its faults,
    /// or the reason why the file cannot be read.
    package func readWithVariables(_ path: String) throws(BlectlError) -> (script: Script, variables: Set<String>) {
        let octets = try load(path)
        do throws(ScriptProblems) {
            let parser = try parsed(path, octets)
            return (parser.script, parser.mentionedVariables)
        } catch {
            throw error.error
        }
    }

    /// Reads a script from the octets of its file. Throws its faults.
    package func read(_ path: String, _ octets: [UInt8]) throws(ScriptProblems) -> Script {
        try parsed(path, octets).script
    }

    private func parsed(_ path: String, _ octets: [UInt8]) throws(ScriptProblems) -> ScriptParser {
        var reading = FileReading(parser: ScriptParser(path, known: known), load: load)
        reading.take(path, octets)
        reading.parser.finish()
        guard reading.parser.problems.isEmpty else { throw reading.problems(of: path) }
        return reading.parser
    }
}

/// The state of reading: the files that are read, and those that include them.
private struct FileReading {
    var parser: ScriptParser
    let load: (String) throws(BlectlError) -> [UInt8]
    private var sources: [String: ScriptSource] = [:]
    /// The files in the order of their first line.
    private var order: [String] = []
    /// The files that are being read, the outermost first.
    private var open: [String] = []
    private var size = 0
    /// The number of includes so far. A file counts each time, because it is read each time.
    private var includes = 0
    /// Whether reading has ended early, because there is too much text or because it is in a later language.
    private var isStopped = false

    init(parser: ScriptParser, load: @escaping (String) throws(BlectlError) -> [UInt8]) {
        self.parser = parser
        self.load = load
    }

    mutating func take(_ path: String, _ octets: [UInt8]) {
        let name = DeviceFiles.name(of: path)
        let start = ScriptPlace(file: name, line: 1)
        size += octets.count
        guard octets.count <= ScriptLimits.fileSize, size <= ScriptLimits.totalSize else {
            let limit = octets.count > ScriptLimits.fileSize ? ScriptLimits.fileSize : ScriptLimits.totalSize
            parser.problems.append(ScriptProblem("more than \(limit >> 20) MiB of text", at: start))
            isStopped = true
            return
        }
        let source = ScriptSource(octets, named: name)
        if sources.updateValue(source, forKey: name) == nil { order.append(name) }
        open.append(Self.normalized(path))
        // The blocks that are open here belong to the including file, and stay open.
        let (outer, blocks) = (parser.outerBlocks, parser.blocks.count)
        parser.outerBlocks = blocks
        readStatements(source, path)
        while parser.blocks.count > blocks {
            guard let block = parser.blocks.popLast() else { break }
            let word = block.statement.head.bare ?? "repeat"
            parser.problems.append(ScriptProblem("'\(word)' has no 'end'", at: block.statement.head))
        }
        parser.outerBlocks = outer
        open.removeLast()
    }

    /// Reads the statements of a file. A faulty one is skipped, so that one reading finds all faults.
    private mutating func readStatements(_ source: ScriptSource, _ path: String) {
        var lexer = ScriptLexer(source)
        var isFirst = true
        while !parser.isHopeless, !isStopped {
            do throws(ScriptProblem) {
                guard let statement = try lexer.next() else { return }
                defer { isFirst = false }
                parser.mentionVariables(of: statement)
                if isFirst, statement.head.bare == ScriptKeyword.language.rawValue {
                    try checkLanguage(statement)
                } else if statement.head.bare == ScriptKeyword.include.rawValue {
                    try include(statement, from: path)
                } else {
                    parser.read(statement)
                }
            } catch {
                parser.problems.append(error)
            }
        }
    }

    /// `language 1`. A later language is unknown, so the rest is not read.
    private mutating func checkLanguage(_ statement: ScriptStatement) throws(ScriptProblem) {
        guard let token = statement.rest.first, let number = token.bare.flatMap(CountRange.number), number > 0 else {
            throw ScriptProblem("missing NUMBER", at: statement.rest.first?.place ?? statement.end, hint: "language 1")
        }
        try parser.refuse(statement.rest.dropFirst(), .language)
        guard number == ScriptReader.language else {
            isStopped = true
            throw ScriptProblem(
                "the script needs a newer blectl: this one knows the language \(ScriptReader.language)",
                at: token
            )
        }
    }

    /// Reads an included file, relative to the folder of the file that includes it. Tests in it end the setup of the
    /// including script.
    private mutating func include(_ statement: ScriptStatement, from path: String) throws(ScriptProblem) {
        guard let token = statement.rest.first else { throw parser.missing("FILE", statement, .include) }
        if let extra = statement.rest.dropFirst().first {
            throw ScriptProblem("a name of several words is quoted", at: extra, hint: "include \"FILE\"")
        }
        let name = try parser.fixed(token)
        // `load` would take `-` for standard input.
        guard !name.isEmpty, name != "-" else { throw ScriptProblem("'include' needs a file", at: token) }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let target = name.hasPrefix("/") ? name : folder + name
        guard !open.contains(Self.normalized(target)) else {
            throw ScriptProblem("\(Prose.quoted(name)) includes itself", at: token)
        }
        guard open.count < ScriptLimits.includes else {
            throw ScriptProblem("more than \(ScriptLimits.includes) nested files", at: token)
        }
        includes += 1
        guard includes <= ScriptLimits.files else {
            isStopped = true
            throw ScriptProblem("more than \(ScriptLimits.files) files", at: token)
        }
        let octets: [UInt8]
        do throws(BlectlError) {
            octets = try load(target)
        } catch {
            throw ScriptProblem(error.message, at: token)
        }
        let (section, tests) = (parser.section, parser.script.tests.count)
        take(target, octets)
        parser.section = parser.script.tests.count == tests ? section : .afterTests
    }

    /// The path without parts that mean nothing, so that a file that includes itself is noticed.
    private static func normalized(_ path: String) -> String {
        // Symbolic links are not resolved: a circle through them ends at the limit of the depth.
        var parts: [Substring] = []
        for part in path.split(separator: "/") where part != "." {
            if part == "..", let last = parts.last, last != ".." { parts.removeLast() } else { parts.append(part) }
        }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    /// The faults in the order of the text.
    func problems(of path: String) -> ScriptProblems {
        func key(_ problem: ScriptProblem) -> (Int, Int, Int) {
            (order.firstIndex(of: problem.place.file) ?? 0, problem.place.line, problem.place.column)
        }
        // The faults of commands are found at the end, when all variables are known.
        let sorted = parser.problems.sorted { key($0) < key($1) }
        return ScriptProblems(
            script: DeviceFiles.name(of: path),
            problems: Array(sorted.prefix(ScriptLimits.problems)),
            isIncomplete: parser.isHopeless || isStopped,
            sources: sources
        )
    }
}
