// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Toolkit

struct DecodeOptions: Sendable, Equatable {
    enum Source: Sendable, Equatable {
        /// The command line.
        case values([Value])
        /// A file, or standard input for `-`, with one value in each line.
        case lines(String)
    }

    enum Value: Sendable, Equatable {
        case octets([UInt8])
        case file(String)
    }

    let type: ValueType
    let source: Source
}

extension DecodeOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        type = try arguments.valueType(arguments[DecodeCommand.type], of: DecodeCommand.type)
        let texts = arguments[DecodeCommand.values]
        if arguments[DecodeCommand.lines] {
            guard let file = try arguments.file(of: texts) else {
                throw arguments.impossible(
                    "--lines reads the values from one file, or from standard input",
                    hint: "blectl decode \(type.text) --lines @FILE, or - in the place of @FILE"
                )
            }
            source = .lines(file)
            return
        }
        var values: [Value] = []
        for text in texts {
            if let file = try arguments.file(of: [text]) {
                values.append(.file(file))
                continue
            }
            do throws(ValueFormatError) {
                values.append(.octets(try ValueFormat.encode(text)))
            } catch {
                throw UsageError(.badData("cannot decode: \(error)"), command: arguments.command)
            }
        }
        source = .values(values)
    }
}
