// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import CommandLineInterface
import Terminal
import Toolkit

struct WatchOptions: Sendable, Equatable {
    var profiles: [Profile]
    /// The number of measurements, and the time after the last subscription.
    var limits = StopLimits()
    /// The sources that are wanted, by their names; `nil` for all.
    var sensors: [String]?
    /// The time between two values of a sensor whose period can be set, and of values that have to be read.
    var period: Duration?
    var records = RecordAccess.Selection.all
    /// The user's information about the device.
    var settings = MeasurementDecoder.Settings()
    var reconnects = false
    /// Whether values are also taken that cannot be switched on.
    var listens = false
    var serial = SerialOptions()
    /// The programs that run when keys are pressed. Of several for the same key, the last one counts.
    var programs: [KeyHook] = []
    /// The time after which a program is killed.
    var programTimeout = Duration.seconds(10)

    /// The file for a chart; `nil` for none.
    var chart: ChartFile?

    var text: String { Prose.list(profiles.map(\.name), "and") }

    var title: String { profiles.map(\.title).joined(separator: ", ") }

    /// Whether everything is read once, as a table.
    var isSnapshot: Bool { profiles.allSatisfy { $0.mode == .snapshot } }

    /// Where the stored records are that the device is asked for; `nil` if it measures now.
    var storedRecords: RecordAccess? {
        if case .storedRecords(let access) = profiles.first?.mode { access } else { nil }
    }

    private var isSerialPort: Bool {
        if case .serialPort? = profiles.first?.mode { true } else { false }
    }

    private var isKeys: Bool {
        if case .keys? = profiles.first?.mode { true } else { false }
    }

    var likelyDevice: DeviceSelector? {
        if let service = serial.receiver?.service ?? serial.transmitter?.service {
            return .likely([service], names: [])
        }
        guard let first = profiles.first(where: { !$0.services.isEmpty }) else { return nil }
        return .likely(first.services, names: first.deviceNames)
    }
}

extension WatchOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        profiles = try arguments[WatchCommand.profiles].map { word throws(UsageError) in
            do throws(ValueProblem) {
                return try word.profile(in: arguments.formats)
            } catch {
                throw arguments.invalid(WatchCommand.profiles, word.text, error)
            }
        }
        limits = StopLimits(arguments, count: WatchCommand.count, duration: WatchCommand.duration)
        sensors = arguments[WatchCommand.sensors]
        period = arguments[WatchCommand.period]
        records = arguments[WatchCommand.records] ?? .all
        settings.takesFirstForZero = arguments[WatchCommand.zero]
        settings.wheelCircumference = arguments[WatchCommand.wheel] ?? settings.wheelCircumference
        reconnects = arguments[WatchCommand.reconnect]
        listens = arguments[ValueOptions.listen]
        serial.receiver = try arguments.characteristic(WatchCommand.rx)
        serial.transmitter = try arguments.characteristic(WatchCommand.tx)
        serial.newline = arguments[WatchCommand.newline] ?? serial.newline
        serial.isHex = arguments[WatchCommand.hex]
        serial.isReceiveOnly = arguments[WatchCommand.noInput]
        serial.quietTime = arguments[WatchCommand.quietTime]
        programs = arguments[WatchCommand.exec]
        chart = arguments[ValueOptions.chart]
        programTimeout = arguments[WatchCommand.execTimeout]
        try checkCombination(arguments)
        try checkOptions(arguments)
    }

    private func checkCombination(_ arguments: ParsedArguments) throws(UsageError) {
        guard profiles.count > 1, let alone = profiles.first(where: { $0.mode != .stream }) else { return }
        let why =
            switch alone.mode {
            case .snapshot, .storedRecords: "ends after its last value"
            case .stream, .serialPort, .keys: "prints no measurements"
            }
        throw arguments.impossible(
            "\(alone.name) \(why), so it cannot be watched together with others",
            hint: "use a separate command: blectl watch \(alone.name)"
        )
    }

    /// Refuses options that mean nothing for the profiles.
    private func checkOptions(_ arguments: ParsedArguments) throws(UsageError) {
        let sources = profiles.flatMap { $0.sources + $0.variants.flatMap(\.sources) }
        let isOpen = profiles.contains { $0.wholeService != nil }
        let names = profiles.flatMap(\.sourceNames).filter { !$0.isEmpty }
        if let sensors, !isOpen, let unknown = sensors.first(where: { !names.contains($0) }) {
            let expectation =
                names.isEmpty
                ? "\(text) has only one" : "expected some of \(Prose.list(names.map { "'\($0)'" }, "and"))"
            let suggestion = Suggestion.closest(to: unknown, among: names)
            throw arguments.invalid(
                WatchCommand.sensors,
                unknown,
                ValueProblem(expectation: expectation, suggestion: suggestion)
            )
        }
        let isStored = storedRecords != nil
        let canRevolve = sources.contains {
            if case .revolutions? = $0.derivation { true } else { false }
        }
        let useless: (option: String, profiles: String)? =
            if records != .all, !isStored {
                ("--records", "profiles with stored records, such as glucose")
            } else if arguments.isGiven(WatchCommand.wheel), !canRevolve {
                ("--wheel", "cycling-speed and cycling-power")
            } else if settings.takesFirstForZero, !sources.contains(where: { $0.derivation == .axes }) {
                ("--zero", "sensortag")
            } else if period != nil, isStored || isSnapshot {
                ("--period", "profiles that go on, such as sensortag and environment")
            } else if let option = WatchCommand.ofSerialPort.first(where: arguments.isGiven), !isSerialPort {
                ("--\(option.long)", "uart")
            } else if let option = WatchCommand.ofKeys.first(where: arguments.isGiven), !isKeys {
                ("--\(option.long)", "keys")
            } else if chart != nil, isSerialPort || isKeys || isSnapshot {
                ("--chart", "profiles that measure, such as heart-rate")
            } else {
                nil
            }
        guard let useless else { return }
        throw arguments.impossible("\(useless.option) has no meaning for \(text): it is for \(useless.profiles)")
    }
}

extension WatchOptions {
    /// Whether measurements, presses of keys or octets of a serial port come without an end.
    var goesOn: Bool {
        profiles.contains { profile in
            switch profile.mode {
            case .stream, .keys, .serialPort: true
            case .snapshot, .storedRecords: false
            }
        }
    }
}

extension Profile {
    /// The formats of its measurements; `nil` in the place of one that is not known before it comes, or that gets more
    /// fields than the device sends.
    func formats(in formats: FormatCatalogue) -> [CharacteristicFormat?] {
        guard mode == .stream || mode == .snapshot, wholeService == nil else { return [nil] }
        return (sources + variants.flatMap(\.sources)).map { source in
            source.derivation == nil ? source.format ?? formats.format(of: source.characteristic) : nil
        }
    }
}
