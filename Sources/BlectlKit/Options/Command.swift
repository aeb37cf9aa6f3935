// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothProfiles

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

    /// Reads a command line. Throws if options contradict each other, or if a name is unknown.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        switch arguments.command {
        case .scan: self = .scan(try ScanOptions(arguments))
        case .inspect: self = try .inspecting(arguments)
        case .read: self = try .reading(arguments)
        case .write: self = try .writing(arguments)
        case .notify: self = try .notifying(arguments)
        case .watch: self = try .watching(arguments)
        case .profile: self = try .usingProfile(arguments)
        case .link: self = try .changingLink(arguments)
        case .serve: self = .serve(try ServeOptions(arguments))
        case .advertise: self = .advertise(try AdvertiseOptions(arguments))
        case .l2cap: self = .l2cap(try L2CAPOptions(arguments))
        case .bench: self = try .measuring(arguments)
        case .device: self = .device(DeviceFileOptions(arguments))
        case .clone: self = try .cloning(arguments)
        case .diff: self = .diff(try DiffOptions(arguments))
        case .simulate: self = .simulate(try SimulateOptions(arguments))
        case .trace: self = .trace(try TraceOptions(arguments))
        case .run: self = .run(try RunOptions(arguments))
        case .session: self = .session(try SessionOptions(arguments))
        case .pair: self = try .pairing(arguments)
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

// The commands on a device. Which one it is may depend on their other options.
extension Command {
    private static func inspecting(_ arguments: ParsedArguments) throws(UsageError) -> Command {
        let device = try DeviceOptions(arguments, operand: arguments[InspectSpec.device], raisesSecurity: false)
        return .inspect(InspectOptions(arguments), on: device)
    }

    private static func reading(_ arguments: ParsedArguments) throws(UsageError) -> Command {
        let options = try ReadOptions(arguments)
        let likely = options.targets.likelyService(in: arguments.formats).map { DeviceSelector.likely($0) }
        return .read(options, on: try DeviceOptions(arguments, likely: likely))
    }

    private static func writing(_ arguments: ParsedArguments) throws(UsageError) -> Command {
        let options = try WriteOptions(arguments)
        let likely = options.target.likelyService(in: arguments.formats).map { DeviceSelector.likely($0) }
        return .write(options, on: try DeviceOptions(arguments, likely: likely, mustBeOnlyOne: true))
    }

    private static func notifying(_ arguments: ParsedArguments) throws(UsageError) -> Command {
        let options = try NotifyOptions(arguments)
        let device = try DeviceOptions(
            arguments,
            likely: options.targets.likelyService(in: arguments.formats).map { .likely($0) },
            reconnects: arguments[NotifySpec.reconnect]
        )
        return .notify(options, on: device)
    }

    private static func watching(_ arguments: ParsedArguments) throws(UsageError) -> Command {
        let options = try WatchOptions(arguments)
        let device = try DeviceOptions(
            arguments,
            likely: options.likelyDevice,
            reconnects: arguments[WatchSpec.reconnect]
        )
        return .watch(options, on: device)
    }

    private static func usingProfile(_ arguments: ParsedArguments) throws(UsageError) -> Command {
        let options = try ProfileOptions(arguments)
        let device = try DeviceOptions(
            arguments,
            likely: options.likelyDevice,
            mustBeOnlyOne: options.action.changesDevice
        )
        return .profile(options, on: device)
    }

    private static func changingLink(_ arguments: ParsedArguments) throws(UsageError) -> Command {
        var device = try DeviceOptions(arguments, operand: arguments[LinkSpec.device], raisesSecurity: false)
        device.connection.observesLink = true
        // The command changes the link itself.
        device.connection.link = nil
        return .link(try LinkOptions(arguments), on: device)
    }

    private static func measuring(_ arguments: ParsedArguments) throws(UsageError) -> Command {
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
        return .bench(options, on: device)
    }

    private static func cloning(_ arguments: ParsedArguments) throws(UsageError) -> Command {
        let device = try DeviceOptions(arguments, operand: arguments[CloneSpec.device], raisesSecurity: false)
        return .clone(CloneOptions(arguments), of: device)
    }

    private static func pairing(_ arguments: ParsedArguments) throws(UsageError) -> Command {
        let device = try DeviceOptions(
            arguments,
            operand: arguments[PairSpec.device],
            mustBeOnlyOne: true,
            raisesSecurity: false,
            isNeeded: arguments[PairSpec.outOfBandOutput] == nil
        )
        return .pair(try PairOptions(arguments), on: device)
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

extension [AttributeTarget] {
    /// The service to search devices by: that of the first target that has one.
    fileprivate func likelyService(in formats: FormatCatalogue) -> BluetoothUUID? {
        lazy.compactMap { $0.likelyService(in: formats) }.first
    }
}
