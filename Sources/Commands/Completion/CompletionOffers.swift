// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
package import CommandLineInterface
import Toolkit

/// The words that a shell offers: those of the command table, and those that depend on the stored data of this machine.
/// The radio is not used.
package struct CompletionOffers: Sendable {
    /// The devices; with what is typed, those whose address begins with it have it offered besides their name.
    let devices: @Sendable (_ typed: String) -> [Choice]
    /// The attributes of a device, as far as they are known. The device is that of the line, as typed.
    let database: @Sendable (_ device: String?) -> DiscoveredDatabase?
    var adapters: @Sendable () -> [String] = { [] }

    /// What stands before the path of a controller.
    private static let placesOfFiles = ["unix:", "serial:"]

    /// The answer to the question of a completion script; empty if nothing can stand at the cursor.
    package func text(for request: CompletionRequest) -> String { answer(to: request)?.text ?? "" }

    /// What can stand at the cursor; `nil` for nothing.
    func answer(to request: CompletionRequest) -> CompletionAnswer? {
        func answer(_ name: String, _ words: [Choice]) -> CompletionAnswer {
            CompletionAnswer(before: request.before, typed: request.typed, name: name, words: words)
        }
        switch request.subject {
        case nil: return nil
        case .command:
            return answer("command", request.commands.map { Choice(word: $0.rawValue, summary: $0.spec.summary) })
        case .option(let options):
            let words = options.flatMap { option in option.forms.map { Choice(word: $0, summary: option.summary) } }
            return answer("option", words)
        case .value(let value):
            var answer = answer(value.name, value.choices)
            add(value.completion, to: &answer, for: request.text(of: DeviceSpec.device.spec), behind: request.operands)
            return answer
        }
    }

    private func add(
        _ completion: Completion,
        to answer: inout CompletionAnswer,
        for device: String?,
        behind operands: ArraySlice<String>
    ) {
        let listed = Set(answer.words.map(\.word))
        answer.words += completion.described.filter { !listed.contains($0.word) }
        switch completion {
        case .nothing, .command, .format, .advertisedForm: break
        case .file, .servedDevice: answer.files = ""
        case .fileEnding(let ending): answer.files = ending
        case .fileBehindAt:
            guard answer.typed.hasPrefix("@") else {
                answer.words += operands.first.map(Self.values) ?? []
                break
            }
            answer.keep(1)
            answer.files = ""
        case .fileBehind(let words):
            guard let word = words.first(where: { answer.typed.hasPrefix($0.word) }) else {
                return answer.words += words
            }
            answer.keep(word.word.count)
            answer.files = ""
        case .profileAction: answer.words += operands.first.map { ProfileCommand.actions(of: $0) } ?? []
        case .adapter:
            let given = answer.typed.split(separator: ",", omittingEmptySubsequences: false).dropLast()
            answer.keep(given.reduce(0) { $0 + $1.count + 1 })
            if let place = Self.placesOfFiles.first(where: { answer.typed.hasPrefix($0) }) {
                answer.keep(place.count)
                answer.files = ""
                break
            }
            let names =
                adapters().filter { !given.contains($0[...]) } + (given.isEmpty ? [AdapterSelection.allWord] : [])
            answer.words += names.map { Choice(word: $0, summary: "") }
        case .device: answer.words += devices(answer.typed)
        case .serviceName: answer.words += completion.words.map { Choice(word: $0, summary: "") }
        case .target:
            let parts = answer.typed.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            answer.keep(parts.reduce(0) { $0 + $1.count + 1 })
            let words = TargetOffers(database: database(device)).words(after: Array(parts))
            answer.words += words.map { Choice(word: $0, summary: "") }
        }
    }

    /// The words that a value for a target can be: the names that the only field can have, or the fields of several, each
    /// with an equals sign.
    private static func values(for target: String) -> [Choice] {
        guard let format = (try? AttributeTarget(target))?.typedFormat(in: .assigned) else { return [] }
        let fields = format.possibleFields.filter { !$0.isOfEarlierEdition }
        guard let field = fields.first else { return [] }
        guard fields.count > 1 else {
            return (field.choices + field.special).map { Choice(word: $0, summary: "") }
        }
        return fields.map {
            Choice(word: "\($0.key)=", summary: $0.choices.isEmpty ? $0.unit : $0.choices.joined(separator: ", "))
        }
    }
}

extension Completion {
    /// The words to offer with their meanings; empty if they have none.
    var described: [Choice] {
        switch self {
        case .command: CommandSet.all.table.commands.map { Choice(word: $0.name.rawValue, summary: $0.summary) }
        case .format: ValueFormat.names.map { Choice(word: $0, summary: (try? ValueFormat($0))?.summary ?? "") }
        case .servedDevice: ServeCommand.devices
        case .advertisedForm: AdvertisedForm.allCases.map { Choice(word: $0.rawValue, summary: $0.summary) }
        default: []
        }
    }

    /// The words to offer, if they are known in advance.
    var words: [String] {
        switch self {
        case .nothing, .file, .fileEnding, .fileBehindAt, .adapter, .device, .fileBehind, .profileAction: []
        case .command, .format, .servedDevice, .advertisedForm: described.map(\.word)
        case .serviceName: AssignedNumbers.slugs([.service])
        case .target: AssignedNumbers.slugs([.characteristic])
        }
    }
}
