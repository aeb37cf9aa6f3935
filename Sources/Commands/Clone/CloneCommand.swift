// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl clone`: writes a device as a device file, even if a part of it could not be read.
struct CloneCommand: DeviceCommand {
    static var commandName: CommandName { .clone }
    static let recordSchemas: [RecordSchema] = [CloneResult.record.schema]

    let options: CloneOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        target = try DeviceOptions(
            arguments,
            operand: arguments[DeviceSpec.operand],
            raisesSecurity: false,
            isNeeded: arguments[Self.capture] == nil
        )
        options = CloneOptions(arguments)
        guard options.hint == nil || options.capture != nil else {
            throw arguments.impossible("'--gatt' is for '--from CAPTURE'")
        }
    }

    var isForItsOutput: Bool { options.output == nil }

    func action(on found: String?) -> String { "clone \(target.text(found))" }

    func run(in context: CommandContext) async throws {
        // Before a long recording, which would be lost if the file could not be created.
        let file = try options.output.map { path throws(BlectlError) in try OutputFile(path) }
        // A clone that is incomplete is a result as well; its failure is thrown when the file is written.
        var (result, failure) = try await clone(in: context)
        for remark in result.remarks { context.diagnostics.note(remark) }
        if let file {
            try file.write(Array(result.file.utf8))
            result.path = file.path
        }
        try await context.output.emit(result)
        context.diagnostics.note(result.words)
        if let failure { throw failure }
    }

    private func clone(in context: CommandContext) async throws -> (result: CloneResult, failure: (any Error)?) {
        guard let capture = options.capture else {
            return try await DeviceCloner(options: options, device: target, context: context).clone()
        }
        return try await CaptureCloner(file: capture, selector: target.selector, hint: options.hint, context: context)
            .clone()
    }
}

extension CommandName {
    static var clone: CommandName { CommandName("clone", CloneCommand.self) }
}
