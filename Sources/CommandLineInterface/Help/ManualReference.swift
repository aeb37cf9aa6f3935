// SPDX-License-Identifier: GPL-2.0-or-later

package struct ManualReference: Sendable, Hashable {
    /// The title, which is the file's name without its section.
    package let title: String
    package let section: Int

    package init(_ title: String, _ section: Int) {
        self.title = title
        self.section = section
    }

    package init(command word: String) { self.init("\(Program.name)-\(word)", 1) }

    /// `blectl-scan(1)`
    package var text: String { "\(title)(\(section))" }

    /// `blectl-scan.1`
    package var fileName: String { "\(title).\(section)" }

    /// `blectl(1)`
    package static let program = ManualReference(Program.name, 1)

    /// Pages in the order of `mdoc(7)`: by their sections, and then by their titles.
    package static func sorted(_ pages: [ManualReference]) -> [ManualReference] {
        pages.sorted { ($0.section, $0.title) < ($1.section, $1.title) }
    }
}

/// The manual pages that belong to no single command.
package enum SharedPage: String, CaseIterable {
    case device
    case formats
    case script
    case captures
    case rig

    package var reference: ManualReference { ManualReference("\(Program.name)-\(rawValue)", section) }

    private var section: Int {
        switch self {
        case .device, .formats, .script: 5
        case .captures, .rig: 7
        }
    }

    /// The commands whose pages refer to it, and to which it refers.
    package var commands: [String] {
        switch self {
        case .device: ["clone", "device", "diff", "serve", "simulate"]
        case .formats: ["decode", "encode", "lookup"]
        case .script: ["run"]
        case .captures: ["clone", "extcap", "trace"]
        case .rig: ["run", "session"]
        }
    }

    /// What it refers to: blectl, its commands, and further pages.
    package func related(_ further: [ManualReference] = []) -> [ManualReference] {
        [.program] + commands.map { ManualReference(command: $0) } + further
    }
}

extension CommandSpec {
    package var related: [ManualReference] {
        let shared = SharedPage.allCases.filter { $0.commands.contains(name.rawValue) }
        return [.program] + seeAlso.map { ManualReference(command: $0) } + shared.map(\.reference)
    }
}
