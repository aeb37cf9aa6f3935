// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import CommandLineInterface
import FirmwareUpdate
package import Records
package import Toolkit

/// `blectl mcumgr`: the commands of MCUmgr besides updates.
package struct MCUmgrCommand: DeviceCommand {
    package static var commandName: CommandName { .mcumgr }
    package static let recordSchemas: [RecordSchema] = [MCUmgrResult.record.schema]
    package static let foreignNames = ["smp", "smpmgr", "newtmgr", "mcumgr-client"]

    private let order: MCUmgrOrder
    package let target: DeviceOptions

    package init(_ arguments: ParsedArguments) throws(UsageError) {
        order = try MCUmgrOrder(arguments)
        target = try DeviceOptions(arguments, likely: .likely(.mcumgrService), mustBeOnlyOne: true)
    }

    package func action(on found: String?) -> String { "\(order.words) on \(target.text(found))" }

    package func run(in context: CommandContext) async throws {
        let complete = try await context.reading(order.file) { [order] in try order.complete() }
        try await context.run(MCUmgrOperation(order: complete, output: context.output), on: target)
    }
}

extension CommandName {
    package static var mcumgr: CommandName { CommandName("mcumgr", MCUmgrCommand.self) }
}

/// What is asked of the device, completely checked.
enum MCUmgrOrder: Sendable {
    case echo(String)
    case information
    case reset
    case images
    case confirm
    case erase
    case statisticsGroups
    case statistics(String)
    case readSetting(String)
    case writeSetting(String, [UInt8])
    case deleteSetting(String)
    case readFile(String)
    /// The path on the device, and the file here.
    case writeFile(String, from: String)
    /// The same with what is in the file.
    case storeFile(String, [UInt8])
    case shell([String])
    case tasks
    case readTime
    case setTime(String)

    /// The most octets of a file that is written.
    private static let limit = 16 << 20

    init(_ arguments: ParsedArguments) throws(UsageError) {
        let words = arguments[MCUmgrCommand.words]
        let action = arguments[MCUmgrCommand.action]
        switch (action, words.first, words.count) {
        case (.echo, let text?, 1): self = .echo(text)
        case (.info, nil, _): self = .information
        case (.reset, nil, _): self = .reset
        case (.images, nil, _): self = .images
        case (.images, "confirm", 1): self = .confirm
        case (.images, "erase", 1): self = .erase
        case (.stats, nil, _): self = .statisticsGroups
        case (.stats, let name?, 1): self = .statistics(name)
        case (.settings, "get", 2): self = .readSetting(words[1])
        case (.settings, "delete", 2): self = .deleteSetting(words[1])
        case (.settings, "set", 3):
            let digits = words[2].hasPrefix("0x") ? words[2].dropFirst(2) : words[2][...]
            guard let value = Hex.bytes(digits) else {
                let problem = ValueProblem(expectation: "expected octets in hex digits")
                throw arguments.invalid(words[2], of: "'settings set'", problem)
            }
            self = .writeSetting(words[1], value)
        case (.fs, "get", 2): self = .readFile(words[1])
        case (.fs, "put", 3): self = .writeFile(words[1], from: words[2])
        case (.shell, .some, _): self = .shell(words)
        case (.tasks, nil, _): self = .tasks
        case (.datetime, nil, _): self = .readTime
        case (.datetime, let time?, 1):
            guard MCUmgrTime.isValid(time) else {
                let problem = ValueProblem(expectation: "expected a time like 2026-11-29T10:35:00")
                throw arguments.invalid(time, of: "'datetime'", problem)
            }
            self = .setTime(time)
        default: throw arguments.impossible("'\(action.rawValue)' is \(Self.usage(action))")
        }
    }

    private static func usage(_ action: MCUmgrAction) -> String {
        switch action {
        case .echo: "followed by one text"
        case .info, .reset, .tasks: "followed by nothing"
        case .images: "followed by nothing, 'confirm' or 'erase'"
        case .stats: "followed by nothing, or by the name of a group"
        case .settings: "followed by 'get NAME', 'set NAME HEX' or 'delete NAME'"
        case .fs: "followed by 'get PATH' or 'put PATH FILE'"
        case .shell: "followed by a command of the device's shell"
        case .datetime: "followed by nothing, or by a time like 2026-11-29T10:35:00"
        }
    }

    /// The order with what is in a file. The file is read before the device is looked for.
    func complete() throws(BlectlError) -> MCUmgrOrder {
        guard case .writeFile(let path, let file) = self else { return self }
        let octets = try StandardStreams.read(file, limit: Self.limit)
        guard octets.count <= Self.limit else {
            throw BlectlError(.badData, "\(file) has more than \(Self.limit >> 20) MiB")
        }
        return .storeFile(path, octets)
    }

    /// The file that is to be read; `nil` for none.
    fileprivate var file: String? { if case .writeFile(_, let file) = self { file } else { nil } }

    var endsLink: Bool { if case .reset = self { true } else { false } }

    /// The order in words, to follow "cannot".
    var words: String {
        switch self {
        case .echo: "have a text sent back"
        case .information: "ask what runs"
        case .reset: "reset the firmware"
        case .images: "list the images"
        case .confirm: "confirm the image"
        case .erase: "erase the slot"
        case .statisticsGroups: "list the statistics"
        case .statistics(let name): "read the statistics \(name)"
        case .readSetting(let name): "read the setting \(name)"
        case .writeSetting(let name, _): "write the setting \(name)"
        case .deleteSetting(let name): "delete the setting \(name)"
        case .readFile(let path): "read \(path)"
        case .writeFile(let path, _), .storeFile(let path, _): "write \(path)"
        case .shell: "run a command"
        case .tasks: "list the tasks"
        case .readTime: "read the time"
        case .setTime: "set the time"
        }
    }
}
