// SPDX-License-Identifier: GPL-2.0-or-later

package import CommandLineInterface
import Records
import Toolkit

/// `blectl serve`: is a device.
struct ServeCommand: Command {
    static var commandName: CommandName { .serve }
    static let recordSchemas: [RecordSchema] = [
        ServingResult.record.schema,
        PrivateAddressResult.record.schema,
        ConnectedResult.record.schema,
        SecuredResult.record.schema,
        BearerResult.record.schema,
        DisconnectedResult.record.schema,
        RequestResult.record.schema,
        PairingStepResult.record.schema,
        PairedResult.record.schema,
    ]
    static let foreignNames = ["peripheral", "periph", "server", "emulate"]

    let options: ServeOptions

    init(_ arguments: ParsedArguments) throws(UsageError) {
        options = try ServeOptions(arguments)
    }

    var limits: StopLimits? { options.limits }

    var writtenFiles: [(option: String, path: String)] { options.pairing?.writtenFiles ?? [] }

    static let stepRefusal: String? = "it goes on until it is interrupted: run it beside the script"

    static func takesOperand(likeWorld word: String) -> Bool { true }

    func run(in context: CommandContext) async throws {
        try await ServeRun(options: options, context: context).run()
    }
}

extension CommandName {
    package static var serve: CommandName { CommandName("serve", ServeCommand.self) }
}

struct ServeOptions: Sendable, Equatable {
    /// The name of the device, or its advertised name.
    var device: String
    /// The number of ended connections, and the time after the start.
    var limits = StopLimits()
    /// The maximum number of centrals that may be connected at once; `nil` for as many as the device says.
    var maximumCentrals: Int?
    /// Whether to wait for another blectl that serves on the adapter.
    var waitsForOthers = true
    /// The programs that answer for characteristics.
    var hooks = HookOptions()
    /// How centrals pair; `nil` leaves that to the kernel and to other programs.
    var pairing: PairOptions?
    /// Whether each central without a bond is asked to pair.
    var asksToPair = false
}

extension ServeOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        device = arguments[ServeCommand.device]
        limits = StopLimits(arguments, count: ServeCommand.count, duration: ServeCommand.duration)
        maximumCentrals = arguments[ServeCommand.centrals]
        waitsForOthers = !arguments[ServeCommand.noWait]
        hooks = HookOptions(
            hooks: arguments[ServeCommand.exec],
            timeout: arguments[ServeCommand.execTimeout],
            isRaw: arguments[ServeCommand.execRaw],
            formats: arguments.formats
        )
        pairing = try PairOptions.served(arguments)
        asksToPair = arguments[ServeCommand.securityRequest]
    }
}
