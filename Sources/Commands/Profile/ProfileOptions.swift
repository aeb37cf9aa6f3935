// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Terminal
import Toolkit

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
