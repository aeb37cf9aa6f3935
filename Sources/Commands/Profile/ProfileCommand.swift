// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Records
import Terminal
import Toolkit

/// `blectl profile`: does what a profile can do.
struct ProfileCommand: DeviceCommand {
    static var commandName: CommandName { .profile }
    static let recordSchemas: [RecordSchema] = [ActionResult.record.schema]

    static let profile = Argument(
        required: .actionProfile,
        summary: "the profile",
        details: "Unless a device is named, those that advertise its service are searched for."
    )

    static let action = Argument(
        required: .text("ACTION", completion: .profileAction),
        summary: "what to do",
        details: "One of those listed with the profile."
    )

    static let records = Argument(
        optional: .records,
        summary: "which stored records, for `count` and `delete`",
        details: "`all` (default), `first`, `last`, or the number of the first record."
    )

    static let spec = CommandSpec(
        commandName,
        [.deviceCommand, .changesDevice],
        summary: "do what a profile lets clients do: reset, alert, set a clock",
        discussion: [
            """
            Writes what the specification of the profile says, waits for an answer where there is one, and prints what \
            has happened. A refusal, or an answer with a failure, is status 76; no answer is 124.
            """,
            """
            `time sync` writes the local time of this machine, and its offset from UTC as a time zone without daylight \
            saving. `fitness-machine` asks for control before each order. `sensortag calibrate` shows the numbers by \
            which `watch sensortag` computes the pressure.
            """,
            """
            An action that changes something needs a single device: if several advertise the service, they are listed; \
            name one by `-d`.
            """,
        ],
        arguments: [profile.spec, action.spec, records.spec],
        groups: [.device, .link, .global],
        examples: [
            "blectl profile heart-rate reset-energy -d 'Pulse HR'": "count the energy from zero",
            "blectl profile time sync -d 'Desk Clock'": "set a clock",
            "blectl profile glucose count last": "ask a glucose meter for a number",
            "blectl profile alert high -d 'Desk Clock'": "let a device ring",
        ],
        seeAlso: ["watch", "write"]
    )

    let options: ProfileOptions
    let target: DeviceOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let options = try ProfileOptions(arguments)
        target = try DeviceOptions(
            arguments,
            likely: options.likelyDevice,
            mustBeOnlyOne: options.action.changesDevice
        )
        self.options = options
    }

    static func choices(of argument: ArgumentSpec, after operands: [String]) -> [String] {
        let choices = argument.value.choices.map(\.word)
        guard choices.isEmpty, let word = operands.first, let profile = ProfileCommand.profileName(word) else {
            return choices
        }
        return ProfileAction.all.filter { $0.profile == profile }.map(\.name)
    }

    func action(on found: String?) -> String { "do \(options.text) on \(target.text(found))" }

    func run(in context: CommandContext) async throws {
        try await context.run(ProfileActionOperation(options: options, zone: context.process.zone), on: target)
    }
}

extension CommandName {
    static var profile: CommandName { CommandName("profile", ProfileCommand.self) }
}

extension ProfileCommand {
    static func actions(of word: String) -> [Choice] {
        guard let profile = profileName(word) else { return [] }
        return ProfileAction.all.filter { $0.profile == profile }.map { Choice(word: $0.name, summary: $0.summary) }
    }

    /// The profile with actions that a word means; `nil` if there is none.
    ///
    /// `watch` accepts a profile in several spellings, and `profile` accepts the same ones.
    static func profileName(_ text: String) -> String? {
        let name = Profile.named(text)?.name ?? text.lowercased()
        let known = name == Profile.currentTime.name ? "time" : name
        return ProfileAction.profiles.contains(known) ? known : nil
    }
}

extension ValueSyntax where Value == String {
    fileprivate static var actionProfile: ValueSyntax {
        ValueSyntax(
            name: "PROFILE",
            choices: {
                ProfileAction.profiles.map { name in
                    let actions = ProfileAction.all.filter { $0.profile == name }.map(\.name)
                    return Choice(word: name, summary: Prose.list(actions))
                }
            }
        ) { text throws(ValueProblem) in
            guard let known = ProfileCommand.profileName(text) else {
                let names = ProfileAction.profiles
                throw ValueProblem(
                    expectation: "expected \(Prose.list(names.map { "'\($0)'" }))",
                    suggestion: Suggestion.closest(to: text, among: names)
                )
            }
            return known
        }
    }
}

struct ProfileOptions: Sendable, Equatable {
    var action: ProfileAction
    var records = RecordAccess.Selection.all

    /// The action in words: `heart-rate reset-energy`.
    var text: String { "\(action.profile) \(action.name)" }

    var likelyDevice: DeviceSelector {
        let names = Profile.named(action.profile)?.deviceNames ?? []
        return .likely([action.service], names: names)
    }
}

extension ProfileOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        let profile = arguments[ProfileCommand.profile]
        let actions = ProfileAction.all.filter { $0.profile == profile }
        let name = arguments[ProfileCommand.action].lowercased()
        guard let action = actions.first(where: { $0.name == name }) else {
            let names = actions.map(\.name)
            let problem = ValueProblem(
                expectation: "\(profile) can \(Prose.list(names.map { "'\($0)'" }))",
                // The only action is in the sentence already.
                suggestion: names.count > 1 ? Suggestion.closest(to: name, among: names) : nil
            )
            throw arguments.invalid(ProfileCommand.action, name, problem)
        }
        self.action = action
        let records = arguments[ProfileCommand.records]
        guard records == nil || action.argument == .records else {
            throw arguments.impossible("\(profile) \(name) takes no records")
        }
        self.records = records ?? .all
    }
}
