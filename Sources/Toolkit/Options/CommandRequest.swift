// SPDX-License-Identifier: GPL-2.0-or-later

package import BluetoothProfiles
package import CommandLineInterface
import Records
import Terminal

/// A command and its typed options, completely checked.
///
/// `ParsedArguments` has checked each text separately. This value has resolved names and checked combinations; commands
/// do not see the texts.
package struct CommandRequest: Sendable {
    package let name: CommandName
    package var global: GlobalOptions
    package let command: any Command

    /// Reads a command line. Throws if options contradict each other, or if a name is unknown.
    ///
    /// - Parameters:
    ///   - formats: The names and formats of private characteristics.
    ///   - hasSessions: Whether there may be sessions; a command that names no device may mean that of one.
    package init(
        _ arguments: ParsedArguments,
        of commands: CommandSet,
        formats: FormatCatalogue = .assigned,
        hasSessions: () -> Bool = { false }
    ) throws(UsageError) {
        var arguments = arguments
        arguments.formats = formats
        name = arguments.command
        global = try GlobalOptions(arguments, of: commands)
        let type = commands.type(of: name)
        do throws(UsageError) {
            command = try type.init(arguments)
        } catch {
            // Asked only now, because the answer takes a look into the folder of the sessions.
            guard hasSessions() else { throw error }
            arguments.hasSessions = true
            command = try type.init(arguments)
        }
        try checkFiles(arguments)
        try checkTemplate(arguments, type)
    }

    /// Whether this process uses an adapter, a real or a simulated one.
    package var usesRadio: Bool { command.usesRadio }

    /// Whether this process holds the link of a session.
    package var holdsSession: Bool { name.has(.holdsLink) && usesRadio && global.mayShareLinks }

    /// Whether the command goes on until a person or a signal ends it, or until the device ends the connection.
    package var isEndless: Bool { global.deadline == nil && command.limits?.isEndless == true }
}

extension CommandRequest {
    /// Throws if two options name the same file: the one that is written last would replace the other. Throws, too, if
    /// one names a file that the command reads, and if standard input would be read twice.
    private func checkFiles(_ arguments: ParsedArguments) throws(UsageError) {
        var files = command.writtenFiles
        if let diagram = global.diagram { files.insert(("--diagram", diagram.path), at: 0) }
        if let capture = global.capture { files.insert(("--capture", capture), at: 0) }
        var options: [FileLocation: String] = [:]
        for (option, path) in files {
            let place = FileLocation(path)
            if case .stream = place { continue }
            guard let first = options.updateValue(option, forKey: place) else { continue }
            let names = first == option ? "two '\(option)'" : "'\(first)' and '\(option)'"
            throw arguments.impossible(
                "\(names) name the same file",
                hint: "give one of them another name: \(option) OTHER"
            )
        }
        let inputs = arguments.files(without: Set(files.map { $0.option }))
        if inputs.count(where: { $0 == "-" }) > 1 {
            throw arguments.impossible("standard input can be read only once", hint: "name a file for the other input")
        }
        guard !options.isEmpty else { return }
        for path in inputs {
            let place = FileLocation(path == "-" ? "/dev/stdin" : path)
            guard case .existing = place, let option = options[place] else { continue }
            throw arguments.impossible(
                "'\(option)' would replace \(path == "-" ? "standard input" : path), which is read",
                hint: "give it another name: \(option) OTHER"
            )
        }
    }

    /// Refuses a template by which no line would be printed: for a kind of records that the run does not have, or that
    /// only a failure has, or with a field that no value of the command can have, where the formats of all its values
    /// are known.
    private func checkTemplate(_ arguments: ParsedArguments, _ type: any Command.Type) throws(UsageError) {
        guard let template = arguments[GlobalSpec.format], let format = global.streams.format else { return }
        if let problem = command.problem(with: format) {
            throw arguments.invalid(GlobalSpec.format, template, problem)
        }
        let absent = command.absentRecords.map(\.type)
        let present = type.recordSchemas.filter { !absent.contains($0.type) }
        if let key = format.key(lackingIn: present) {
            // Failures name their device, for example, and reports of a scan are of it.
            let last = key.split(separator: ".").last.map(String.init)
            let isOwn = present.contains { $0.allKeys.contains { $0.name == last } } && last != key
            throw arguments.invalid(
                GlobalSpec.format,
                template,
                ValueProblem(
                    expectation: "no result of this command has the key '\(key)', and nothing would be printed",
                    suggestion: isOwn ? last : nil
                )
            )
        }
        guard let fields = command.fields(in: arguments.formats),
            let path = format.fieldPaths.first(where: { !fields.haveField(at: $0[...]) })
        else { return }
        let key = ([LineFormat.openKey] + path).joined(separator: ".")
        // The unit at the end of a name may be left out.
        let names = fields.map(\.key).filter { !$0.isEmpty }
        let stems = names.flatMap { name in
            name.indices.filter { name[$0] == "_" }.map { String(name[..<$0]) } + [name]
        }
        let similar = path.first.flatMap { Suggestion.closest(to: $0, among: stems) }
            .flatMap { stem in names.first { stem.means($0) } }
        throw arguments.invalid(
            GlobalSpec.format,
            template,
            ValueProblem(
                expectation: "no value of this command has the key '\(key)'",
                suggestion: path.count == 1 ? similar.map { "\(LineFormat.openKey).\($0)" } : nil
            )
        )
    }
}
