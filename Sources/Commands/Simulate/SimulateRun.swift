// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
package import BluetoothHost
import BluetoothProfiles
import CommandLineInterface
import RadioSharing
import Records
import Terminal
import Toolkit

/// `blectl simulate`: keeps a world alive, or touches one that another process keeps alive.
struct SimulateRun {
    let options: SimulateOptions
    let context: CommandContext

    func run() async throws {
        guard let connector = context.simulation.connector, let serveWorld = context.simulation.serve else {
            throw BlectlError(RadioError(.unsupported, during: "simulate"), doing: "use a shared world")
        }
        switch options.action {
        case .serve(let files, let seed): try await serve(files, seed, serveWorld)
        case .ask(let request): try await ask(request, connector(options.socket))
        case .set(let file, let format, let target, let device):
            let action = "set a value of \(device)"
            let value = try await context.reading(file) { try StandardStreams.readValue(file, doing: action) }
            if let format { try StandardStreams.check(value, in: format, doing: action) }
            try await ask(.set(value, of: target, on: device), connector(options.socket))
        }
    }

    // MARK: - Serving

    /// Serves a world until it is stopped, and reports when it begins and when it ends. A script can wait for the first
    /// record: processes can join then.
    private func serve(_ files: [String], _ seed: UInt64, _ serveWorld: SimulationAccess.Server) async throws {
        let socket = options.socket
        let (output, time) = (context.output, context.time)
        do {
            try await serveWorld(socket, files, seed) { devices in
                try await output.announce(
                    WorldResult(socket: socket, state: .running, devices: devices, timestamp: Timestamp(time))
                )
            }
        } catch let error as RadioError {
            throw BlectlError(error, doing: "serve a world at \(socket)")
        }
        // Another process has ended it, and nobody may read what this one still says.
        output.hurry(.stalled)
        try await output.report(WorldResult(socket: socket, state: .stopped, devices: nil, timestamp: Timestamp(time)))
    }

    // MARK: - Asking

    /// Sends a request to the process that keeps the world alive, and prints its answers.
    private func ask(_ request: WorldRequest, _ connector: any RemoteConnector) async throws {
        let client = WorldClient(connector, time: context.time)
        let action = request == .stop ? "stop the world" : "touch the world"
        let answers: [WorldAnswer]
        do {
            answers = try await answer(request, context.caller.world ?? { try await client.answers(to: $0) })
        } catch let error as RadioError {
            throw BlectlError(joining: options.socket, error, doing: action)
        } catch let problem as WorldProblem {
            let device = request.device ?? ""
            let error = BlectlError(problem, to: request)
            guard problem == .noAttribute, context.caller.world == nil, request.device != nil else { throw error }
            throw error.with(hint: await inspection(of: device, client))
        } catch is DecodeError {
            let error = RadioError(.system(call: "receive", errno: "EPROTO"), during: "shared world")
            throw BlectlError(error, doing: action)
        }
        let now = Timestamp(context.time)
        for answer in answers {
            switch answer {
            case .device(let device): try await context.output.emit(WorldDeviceResult(device: device, timestamp: now))
            case .adapter(let adapter):
                try await context.output.emit(WorldAdapterResult(adapter: adapter, timestamp: now))
            case .fault(let fault): try await context.output.emit(WorldFaultResult(fault: fault, timestamp: now))
            case .done, .failed: break
            }
        }
        // Without a machine in the world there was nothing to show, but the request has had an effect.
        if case .power(let isOn) = request, answers.allSatisfy({ $0 == .done }), context.caller.world == nil {
            context.diagnostics.note(
                "no command has joined \(options.socket); the adapters of those that join are \(isOn ? "on" : "off")"
            )
        }
        // The answer to a request to stop has nothing to show.
        guard request == .stop else { return }
        try await context.output.emit(
            WorldResult(socket: options.socket, state: .stopped, devices: nil, timestamp: now)
        )
    }
}

extension SimulateRun {
    /// The answers to a request. A characteristic that no device calls so may be one that the formats of the user name.
    private func answer(_ request: WorldRequest, _ world: WorldAccess) async throws -> [WorldAnswer] {
        do {
            return try await world(request)
        } catch WorldProblem.noAttribute {
            guard case .addFault(var fault) = request, case .label(let label)? = fault.rule.target,
                let own = context.options.formats.uuids(named: label, among: [.characteristic]).first
            else { throw WorldProblem.noAttribute }
            fault.rule.target = .uuid(own.uuid, service: nil)
            return try await world(.addFault(fault))
        }
    }

    /// The command that shows the attributes of a device of the world.
    private func inspection(of device: String, _ client: WorldClient) async -> String {
        var name = device
        // Commands that connect do not know the names of devices in blectl.
        for case .device(let found) in (try? await client.answers(to: .list)) ?? [] where found.name == device {
            name = found.advertisedName ?? "\(found.address.address)"
        }
        return "blectl --simulate=\(Prose.word(options.socket)) inspect \(Prose.word(name))"
    }
}

extension BlectlError {
    /// The failure to reach a world that another process should keep alive.
    package init(joining socket: String, _ error: RadioError, doing action: String) {
        let serve = "blectl simulate serve --socket \(Prose.word(socket))"
        switch error.cause {
        case .socket(_, .nobodyListens), .closedByPeer:
            self.init(.bluetoothUnavailable, cannot: action, "no process serves a world at \(socket)", hint: serve)
        case .socket(_, .noFile):
            self.init(.cannotOpenInput, cannot: action, "there is no socket \(socket)", hint: serve)
        case .socket(_, .notASocket):
            self.init(.cannotOpenInput, cannot: action, "\(socket) is not the socket of a world", hint: serve)
        case .controllerSilent:
            self.init(.timedOut, cannot: action, "the world at \(socket) does not answer")
        default:
            self.init(error, doing: action)
        }
    }

    fileprivate init(_ problem: WorldProblem, to request: WorldRequest) {
        let device = request.device ?? ""
        switch problem {
        case .noDevice(let name, let names):
            self.init(
                .notFound,
                "there is no device '\(name)' in the world",
                hint: names.isEmpty ? nil : Self.listed(names)
            )
        case .severalDevices(let name, let addresses):
            self.init(
                .notFound,
                "several devices are called '\(name)'",
                hint: "name one by its address: \(Prose.list(addresses, "or"))"
            )
        case .noAttribute where request.device == nil:
            self.init(.notFound, "no device has such an attribute")
        case .noAttribute:
            self.init(.notFound, "'\(device)' has no such attribute")
        case .notSettable:
            self.init(
                .badData,
                "the attribute cannot have that value: it is too long, it is no value at all, or no client could see it"
            )
        case .noDatabase(let name, let names):
            self.init(
                .notFound,
                "'\(device)' has no database '\(name)'",
                hint: names.isEmpty ? nil : "it has \(Prose.list(names.map { "'\($0)'" }, "and"))"
            )
        case .malformed:
            self.init(
                .internalError,
                "the world did not understand the request",
                hint: "is it another version of blectl?"
            )
        }
    }

    /// The devices that there are, as a hint; the first of them if there are many.
    private static func listed(_ names: [String]) -> String {
        let shown = names.prefix(16).map { "'\(TerminalText.escaped($0))'" }
        let others = names.count - shown.count
        // An answer has at most 32 names, so that there may be more others than these.
        let rest = names.count < 32 ? "\(count: others, "other")" : "others"
        let all = others > 0 ? shown + [rest] : shown
        return "there \(names.count == 1 ? "is" : "are") \(Prose.list(all, "and"))"
    }
}
