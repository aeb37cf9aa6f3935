// SPDX-License-Identifier: GPL-2.0-or-later

/// A manual page to which another one refers.
struct ManualReference: Sendable, Hashable {
    /// The title, which is the file's name without its section.
    let title: String
    /// The section of the manual.
    let section: Int

    init(_ title: String, _ section: Int) {
        self.title = title
        self.section = section
    }

    /// The page of a command.
    init(_ command: CommandName) { self.init("\(Program.name)-\(command.rawValue)", 1) }

    /// `blectl-scan(1)`
    var text: String { "\(title)(\(section))" }

    /// `blectl-scan.1`
    var fileName: String { "\(title).\(section)" }

    /// `blectl(1)`
    static let program = ManualReference(Program.name, 1)

    /// Pages in the order of `mdoc(7)`: by their sections, and then by their titles.
    static func sorted(_ pages: [ManualReference]) -> [ManualReference] {
        pages.sorted { ($0.section, $0.title) < ($1.section, $1.title) }
    }
}

/// The manual pages that belong to no single command.
enum SharedPage: String, CaseIterable {
    case device
    case formats
    case script
    case rig

    /// The page.
    var reference: ManualReference { ManualReference("\(Program.name)-\(rawValue)", self == .rig ? 7 : 5) }

    /// The commands whose pages refer to it, and to which it refers.
    var commands: [CommandName] {
        switch self {
        case .device: [.clone, .device, .diff, .serve, .simulate]
        case .formats: [.decode, .encode, .lookup]
        case .script: [.run]
        case .rig: [.run, .session]
        }
    }

    /// What it refers to: blectl, its commands, and further pages.
    func related(_ further: [ManualReference] = []) -> [ManualReference] {
        [.program] + commands.map(ManualReference.init) + further
    }
}

extension CommandSpec {
    /// The pages to which that of the command refers.
    var related: [ManualReference] {
        let shared = SharedPage.allCases.filter { $0.commands.contains(name) }
        return [.program] + seeAlso.map { ManualReference($0) } + shared.map(\.reference)
    }
}
