// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothDevices
package import BluetoothProfiles
package import CommandLineInterface

/// The hooks of `blectl serve`.
package struct HookOptions: Sendable, Equatable {
    /// The hooks; of those for the same request, the last one counts.
    package var hooks: [Hook] = []
    /// The time after which a program is killed.
    package var timeout = Duration.seconds(10)
    /// Whether a program writes the octets of a value, and not a text that means it.
    package var isRaw = false
    /// The formats of private characteristics, beside the assigned ones.
    package var formats = FormatCatalogue.assigned

    package init(
        hooks: [Hook] = [],
        timeout: Duration = Duration.seconds(10),
        isRaw: Bool = false,
        formats: FormatCatalogue = FormatCatalogue.assigned
    ) {
        self.hooks = hooks
        self.timeout = timeout
        self.isRaw = isRaw
        self.formats = formats
    }
}

/// A program that answers for a characteristic: `--exec 'read battery-level=cat level'`.
package struct Hook: Sendable, Equatable {
    package var operations: DeviceHooks.Operations
    package var place: DeviceHooks.Place
    /// The characteristic as typed.
    package var text: String
    /// The program and its arguments, at least the program.
    package var words: [String]

    init(_ text: String) throws(ValueProblem) {
        // The first one, because the command may contain others.
        guard let equals = text.firstIndex(of: "=") else {
            throw ValueProblem(expectation: "expected a characteristic, '=' and a command: battery-level='cat level'")
        }
        var reference = text[..<equals].drop { $0 == " " }
        while reference.last == " " { reference.removeLast() }
        operations = [.read, .write]
        for (word, operation) in [("read ", DeviceHooks.Operations.read), ("write ", .write)]
        where reference.hasPrefix(word) {
            operations = operation
            reference = reference.dropFirst(word.count).drop { $0 == " " }
        }
        self.text = String(reference)
        do throws(AttributeTarget.Problem) {
            switch try AttributeTarget(self.text).kind {
            case .handle(let handle): place = .handle(handle)
            case .characteristic(let uuid, let service): place = .characteristic(uuid, service: service)
            case .descriptor: throw AttributeTarget.Problem(expectation: "expected a characteristic, not a descriptor")
            }
        } catch {
            throw ValueProblem(expectation: error.expectation)
        }
        words = try CommandWords.split(text[text.index(after: equals)...])
        guard let program = words.first, !program.isEmpty else {
            throw ValueProblem(expectation: "expected a command after the '='")
        }
    }

    func isFor(_ question: HookQuestion) -> Bool {
        guard operations.contains(question.written == nil ? .read : .write) else { return false }
        switch place {
        case .handle(let handle): return question.handle == handle
        case .characteristic(let uuid, let service):
            return question.uuid == uuid && (service == nil || service == question.service)
        }
    }

    /// The error for an exit status: the ATT error of that number. Unlikely Error, if a server may not choose that
    /// error, or if the status is 1, which programs use for any failure.
    package static func error(ofStatus status: Int32) -> ATTErrorCode {
        switch status {
        // The errors of ATT, of applications, and of common profiles and services. Spec: Core 5.4, Vol 3, Part F,
        // 3.4.1.1
        case 0x02...0x14, 0x80...0x9F, 0xE0...0xFF: ATTErrorCode(UInt8(truncatingIfNeeded: status))
        default: .unlikelyError
        }
    }
}

/// The words of a command, split as a shell does it, and without anything else that a shell does.
package enum CommandWords {
    /// Splits at blanks. Text in single quotes is taken as it is; in double quotes and outside, a backslash takes away
    /// the meaning of the next character.
    package static func split(_ text: some StringProtocol) throws(ValueProblem) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in text {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
                // Quotation marks make a word even if nothing is between them.
                word = word ?? ""
            } else if quote == nil, character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if let quote { throw ValueProblem(expectation: "the quotation mark \(quote) is not closed") }
        if isEscaped { throw ValueProblem(expectation: "nothing follows the backslash at the end") }
        return words + (word.map { [$0] } ?? [])
    }
}
