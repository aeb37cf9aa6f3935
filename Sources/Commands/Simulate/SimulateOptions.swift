// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothDevices
import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import Terminal
import Toolkit

struct SimulateOptions: Sendable, Equatable {
    enum Action: Sendable, Equatable {
        /// Keep a world of these files alive; of the built-in devices if there are none.
        case serve([String], seed: UInt64)
        case ask(WorldRequest)
        /// Change a value of a device to the octets of a file; `-` is standard input. They have to be a value of the
        /// format, unless it is not known.
        case set(file: String, in: CharacteristicFormat?, of: WorldRequest.Target, on: String)
    }

    var socket: String
    var action: Action
}

extension SimulateOptions {
    init(_ arguments: ParsedArguments) throws(UsageError) {
        let action = arguments[SimulateCommand.action]
        let words = arguments[SimulateCommand.arguments]
        socket = try Self.socket(arguments)
        guard !arguments.isGiven(GlobalSpec.simulateSeed), !arguments.isGiven(GlobalSpec.simulateAdapter) else {
            throw arguments.impossible("'--simulate-seed' and '--simulate-adapter' are for a world of one command")
        }
        guard action == .serve || !arguments.isGiven(GlobalSpec.simulateTime) else {
            throw arguments.impossible("the world has the clock that 'blectl simulate serve --simulate-time' gave it")
        }
        if action == .serve {
            let named = arguments.isGiven(SimulateCommand.socket) ? Self.worlds(arguments, besides: socket) : []
            guard words.isEmpty || named.isEmpty else {
                let worlds = (named + words).map(Prose.word).joined(separator: " ")
                throw arguments.impossible(
                    "the world is named twice, by '--simulate' and by '\(words[0])'",
                    hint: "blectl simulate serve --socket PATH \(worlds)"
                )
            }
            self.action = .serve(words + named, seed: arguments[SimulateCommand.seed])
            return
        }
        guard !arguments.isGiven(SimulateCommand.seed) else {
            throw arguments.impossible("'--seed' is for 'blectl simulate serve'")
        }
        guard action.counts.contains(words.count) else {
            throw arguments.impossible(
                words.count < action.counts.lowerBound
                    ? "'\(action.rawValue)' needs more" : "'\(action.rawValue)' takes no more",
                hint: "blectl simulate \(action.rawValue)\(action.synopsis)"
            )
        }
        // Only `list` and `stop` have no words, and they use no device.
        let device = words.first ?? ""
        switch action {
        // `serve` has returned above.
        case .serve, .list: self.action = .ask(.list)
        case .stop: self.action = .ask(.stop)
        case .power: self.action = .ask(.power(try arguments.isOn(device, action)))
        case .fault: self.action = .ask(try arguments.faultRequest(words))
        case .set:
            let target = try arguments.target(words[1], of: "'set'")
            let format = target.typedFormat(in: arguments.formats)
            switch try arguments.value(Array(words[2...]), in: format, of: target.text, doing: "set \(target)") {
            case .file(let file):
                self.action = .set(file: file, in: format, of: WorldRequest.Target(target), on: device)
            case .octets(let value): self.action = .ask(.set(value, of: WorldRequest.Target(target), on: device))
            }
        case .disconnect: self.action = .ask(.disconnect(device))
        case .connectable: self.action = .ask(.connectable(device, try arguments.isOn(words[1], action)))
        case .signal: self.action = .ask(.signal(device, .strength(try arguments.strength(words[1]))))
        case .outOfRange: self.action = .ask(.signal(device, .outOfRange))
        case .inRange: self.action = .ask(.signal(device, .inRange))
        case .pause: self.action = .ask(.pause(device))
        case .release: self.action = .ask(.release(device))
        case .database: self.action = .ask(.database(device, name: words.dropFirst().first))
        }
    }

    /// The devices that `--simulate` names, beside the socket of a world, which `$BLECTL_SIMULATE` may name as well.
    private static func worlds(_ arguments: ParsedArguments, besides socket: String) -> [String] {
        // A name with a slash that does not end in `.json` is the path of a socket.
        (arguments[GlobalSpec.simulate] ?? []).filter { $0 != socket && (!$0.contains("/") || $0.hasSuffix(".json")) }
    }

    private static func socket(_ arguments: ParsedArguments) throws(UsageError) -> String {
        if let path = arguments[SimulateCommand.socket] { return path }
        let worlds = arguments[GlobalSpec.simulate] ?? []
        guard let path = worlds.first, worlds.count == 1 else {
            throw arguments.impossible(
                worlds.isEmpty ? "no world is given" : "more than one world is given",
                hint: "--socket PATH, or the path in $BLECTL_SIMULATE"
            )
        }
        // The option of the devices of a world has no limit for its path, and it may be that of a socket here.
        guard path.utf8.count <= RadioChoice.maximumPathLength else {
            throw arguments.invalid(
                GlobalSpec.simulate,
                path,
                "expected a path of at most \(RadioChoice.maximumPathLength) octets"
            )
        }
        return path
    }
}

extension SimulateAction {
    /// The number of words after the action.
    fileprivate var counts: ClosedRange<Int> {
        switch self {
        case .serve: 0...Int.max
        case .list, .stop: 0...0
        case .disconnect, .pause, .release, .power, .outOfRange, .inRange: 1...1
        case .fault: 1...3
        case .database: 1...2
        case .connectable, .signal: 2...2
        case .set: 3...Int.max
        }
    }
}

extension WorldRequest.Target {
    fileprivate init(_ target: AttributeTarget) {
        switch target.kind {
        case .handle(let handle): self = .handle(handle)
        case .characteristic(let uuid, let service): self = .characteristic(uuid, service: service)
        case .descriptor(let uuid, let characteristic, let service):
            self = .descriptor(uuid, characteristic: characteristic, service: service)
        }
    }
}

extension ParsedArguments {
    /// The error for a word of an action.
    private func invalid(_ word: String, of action: SimulateAction, _ expectation: String) -> UsageError {
        invalid(word, of: "'\(action.rawValue)'", ValueProblem(expectation: expectation))
    }

    fileprivate func isOn(_ word: String, _ action: SimulateAction) throws(UsageError) -> Bool {
        guard let setting = AdapterSetting(rawValue: word) else {
            throw invalid(word, of: action, "expected 'on' or 'off'")
        }
        return setting == .on
    }

    fileprivate func strength(_ word: String) throws(UsageError) -> Int8 {
        // The range of an RSSI, in which 127 means that it is unknown: Core 5.4, Vol 4, Part E, 7.7.65.2.
        guard let level = Int8(word), (-127...20).contains(level) else {
            throw invalid(word, of: .signal, "expected -127 to 20 dBm")
        }
        return level
    }

    /// The request of `fault`, whose first word may be left out.
    fileprivate func faultRequest(_ words: [String]) throws(UsageError) -> WorldRequest {
        let action = ["add", "list", "clear"].contains(words[0]) ? words[0] : nil
        var rest = words.dropFirst(action == nil ? 0 : 1)
        let isFault = action == nil || action == "add"
        guard rest.count <= (isFault ? 2 : 1), !isFault || !rest.isEmpty else {
            throw impossible(
                rest.isEmpty ? "'fault' needs more" : "'fault' takes no more",
                hint: "blectl simulate fault\(SimulateAction.fault.synopsis)"
            )
        }
        switch action {
        case "list": return .faults(of: rest.first)
        case "clear": return .removeFaults(nil, of: rest.first)
        default: break
        }
        let device = rest.count == 2 ? rest.removeFirst() : nil
        let text = rest.first ?? ""
        var fault: FaultText
        do throws(FaultTextError) {
            fault = try FaultText(parsing: text)
        } catch {
            throw invalid(text, of: .fault, "column \(error.column): \(error.expectation)")
        }
        if let device {
            guard fault.device == nil else {
                throw impossible("the fault names its device, and \(Prose.quoted(device)) is one")
            }
            fault.device = device
        }
        return .addFault(fault)
    }
}

extension SimulateOptions {
    var text: String {
        switch action {
        case .serve: "keep a simulated world at \(socket)"
        case .ask, .set: "ask the simulated world at \(socket)"
        }
    }
}
