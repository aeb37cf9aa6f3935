// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
public import BluetoothProfiles

/// A command and its typed options, completely checked.
///
/// `ParsedArguments` has checked each text separately. This value has resolved names and checked combinations; commands
/// do not see the texts.
public struct CommandRequest: Sendable {
    /// The command's name.
    public let name: CommandName
    /// The options that every command accepts.
    public let global: GlobalOptions
    let command: Command

    /// Reads a command line. Throws if options contradict each other, or if a name is unknown.
    ///
    /// - Parameters:
    ///   - formats: The names and formats of private characteristics.
    ///   - hasSessions: Whether there may be sessions; a command that names no device may mean that of one.
    public init(
        _ arguments: ParsedArguments,
        formats: FormatCatalogue = .assigned,
        hasSessions: () -> Bool = { false }
    ) throws(UsageError) {
        var arguments = arguments
        arguments.formats = formats
        name = arguments.command
        global = try GlobalOptions(arguments)
        do throws(UsageError) {
            command = try Command(arguments)
        } catch {
            // Asked only now, because the answer takes a look into the folder of the sessions.
            guard hasSessions() else { throw error }
            arguments.hasSessions = true
            command = try Command(arguments)
        }
        try checkWrittenFiles()
        try checkFields(arguments)
    }
}

extension CommandRequest {
    /// Whether this process uses an adapter, a real or a simulated one. Of `session`, only the process that holds a
    /// link does.
    package var usesRadio: Bool {
        guard case .session(let options) = command else { return name.usesRadio }
        guard case .start(let start, _) = options.action else { return false }
        return start.isForeground
    }

    /// Whether this process holds the link of a session, in real time.
    package var holdsSession: Bool { name == .session && usesRadio && global.radio != .simulation(.virtual) }
}

extension CommandRequest {
    /// The device of a command that works on one; `nil` for every other command.
    var device: DeviceOptions? { command.device }

    /// The names of devices among its words, which redacted errors do not show. A session may be meant by that of its
    /// device.
    var givenNames: [String] {
        switch command {
        case .session(let options):
            switch options.action {
            case .start(_, let device): [device.selector?.givenName].compactMap { $0 }
            case .stop(.named(let name)): [name]
            case .stop, .list: []
            }
        case .pair(_, let device): [device.selector?.givenName].compactMap { $0 }
        case .unpair(.device(.name(let name))), .forget(.device(.name(let name))): [name]
        case .diff(let options): options.givenNames
        default: [command.linkedDevice?.selector?.givenName].compactMap { $0 }
        }
    }
}

extension Command {
    /// The device of a command that works on the attributes of one; `nil` for every other command.
    var device: DeviceOptions? {
        switch self {
        case .inspect(_, let device), .read(_, let device), .write(_, let device), .notify(_, let device),
            .watch(_, let device), .profile(_, let device), .link(_, let device), .clone(_, let device),
            .bench(_, let device):
            device
        default: nil
        }
    }

    /// The device to which the command has a link, also without attributes; `nil` if there is not exactly one.
    var linkedDevice: DeviceOptions? {
        switch self {
        case .pair(let options, let device) where options.outOfBandOutput == nil: device
        case .l2cap(let options): options.device
        default: device
        }
    }
}

/// A command with its options.
enum Command: Sendable {
    case scan(ScanOptions)
    case inspect(InspectOptions, on: DeviceOptions)
    case read(ReadOptions, on: DeviceOptions)
    case write(WriteOptions, on: DeviceOptions)
    case notify(NotifyOptions, on: DeviceOptions)
    case watch(WatchOptions, on: DeviceOptions)
    case profile(ProfileOptions, on: DeviceOptions)
    case link(LinkOptions, on: DeviceOptions)
    case serve(ServeOptions)
    case advertise(AdvertiseOptions)
    case l2cap(L2CAPOptions)
    case bench(BenchOptions, on: DeviceOptions)
    case device(DeviceFileOptions)
    case clone(CloneOptions, of: DeviceOptions)
    case diff(DiffOptions)
    case simulate(SimulateOptions)
    case trace(TraceOptions)
    case run(RunOptions)
    case session(SessionOptions)
    case pair(PairOptions, on: DeviceOptions)
    case unpair(UnpairOptions)
    case bonds(isRevealed: Bool)
    case devices
    case forget(ForgetOptions)
    case decode(DecodeOptions)
    case encode(EncodeOptions)
    case lookup(LookupOptions)
    case adapters
    case adapter(AdapterOptions)
    case doctor
    case shell(ShellOptions)
    case version
    case completion(Shell)
    case help(CommandName?)

    fileprivate init(_ arguments: ParsedArguments) throws(UsageError) {
        switch arguments.command {
        case .scan: self = .scan(try ScanOptions(arguments))
        case .inspect:
            let device = try DeviceOptions(
                arguments,
                operand: arguments[InspectSpec.device],
                raisesSecurity: false
            )
            self = .inspect(InspectOptions(arguments), on: device)
        case .read:
            let options = try ReadOptions(arguments)
            let likely = options.targets.likelyService(in: arguments.formats).map { DeviceSelector.likely($0) }
            self = .read(options, on: try DeviceOptions(arguments, likely: likely))
        case .write:
            let options = try WriteOptions(arguments)
            let likely = options.target.likelyService(in: arguments.formats).map { DeviceSelector.likely($0) }
            self = .write(options, on: try DeviceOptions(arguments, likely: likely, mustBeOnlyOne: true))
        case .notify:
            let options = try NotifyOptions(arguments)
            let device = try DeviceOptions(
                arguments,
                likely: options.targets.likelyService(in: arguments.formats).map { .likely($0) },
                reconnects: arguments[NotifySpec.reconnect]
            )
            self = .notify(options, on: device)
        case .watch:
            let options = try WatchOptions(arguments)
            let device = try DeviceOptions(
                arguments,
                likely: options.likelyDevice,
                reconnects: arguments[WatchSpec.reconnect]
            )
            self = .watch(options, on: device)
        case .profile:
            let options = try ProfileOptions(arguments)
            let device = try DeviceOptions(
                arguments,
                likely: options.likelyDevice,
                mustBeOnlyOne: options.action.changesDevice
            )
            self = .profile(options, on: device)
        case .link:
            var device = try DeviceOptions(arguments, operand: arguments[LinkSpec.device], raisesSecurity: false)
            device.connection.observesLink = true
            // The command changes the link itself.
            device.connection.link = nil
            self = .link(try LinkOptions(arguments), on: device)
        case .serve: self = .serve(try ServeOptions(arguments))
        case .advertise: self = .advertise(try AdvertiseOptions(arguments))
        case .l2cap: self = .l2cap(try L2CAPOptions(arguments))
        case .bench:
            let options = try BenchOptions(arguments)
            let isUsual = arguments[BenchSpec.target] == nil
            let service = isUsual ? BuiltInDevice.benchService : options.target?.likelyService(in: arguments.formats)
            var device = try DeviceOptions(
                arguments,
                likely: service.map { .likely($0) },
                mustBeOnlyOne: options.changesDevice
            )
            if options.target == nil {
                device.usesSessions = false
                if let missing = device.missing { throw arguments.impossible(missing.message, hint: missing.hint) }
            }
            self = .bench(options, on: device)
        case .device: self = .device(DeviceFileOptions(arguments))
        case .clone:
            let device = try DeviceOptions(
                arguments,
                operand: arguments[CloneSpec.device],
                raisesSecurity: false
            )
            self = .clone(CloneOptions(arguments), of: device)
        case .diff: self = .diff(try DiffOptions(arguments))
        case .simulate: self = .simulate(try SimulateOptions(arguments))
        case .trace: self = .trace(try TraceOptions(arguments))
        case .run: self = .run(try RunOptions(arguments))
        case .session: self = .session(try SessionOptions(arguments))
        case .pair:
            let device = try DeviceOptions(
                arguments,
                operand: arguments[PairSpec.device],
                mustBeOnlyOne: true,
                raisesSecurity: false,
                isNeeded: arguments[PairSpec.outOfBandOutput] == nil
            )
            self = .pair(try PairOptions(arguments), on: device)
        case .unpair: self = .unpair(try UnpairOptions(arguments))
        case .bonds: self = .bonds(isRevealed: arguments[BondsSpec.revealKeys])
        case .devices: self = .devices
        case .forget: self = .forget(try ForgetOptions(arguments))
        case .decode: self = .decode(try DecodeOptions(arguments))
        case .encode: self = .encode(try EncodeOptions(arguments))
        case .lookup: self = .lookup(try LookupOptions(arguments))
        case .adapters: self = .adapters
        case .adapter: self = .adapter(try AdapterOptions(arguments))
        case .doctor: self = .doctor
        case .shell: self = .shell(try ShellOptions(arguments))
        case .version: self = .version
        case .completion: self = .completion(arguments[CompletionSpec.shell])
        case .help: self = .help(arguments[HelpSpec.topic])
        }
    }
}

extension [AttributeTarget] {
    /// The service to search devices by: that of the first target that has one.
    fileprivate func likelyService(in formats: FormatCatalogue) -> BluetoothUUID? {
        lazy.compactMap { $0.likelyService(in: formats) }.first
    }
}
