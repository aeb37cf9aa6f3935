// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Toolkit

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
