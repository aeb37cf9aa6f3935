// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Commands
import SimulatedRadio
import Synchronization

@testable import CommandLineInterface
@testable import ControllerRadio
@testable import Records
@testable import Scripting
@testable import Terminal
@testable import Toolkit

/// Runs a command on a host of our own, whose random numbers are always the same.
enum SessionBench {
    struct End: Sendable {
        /// `nil` if the command has not ended within three hours.
        let status: ExitStatus?
        /// What it has said on standard error.
        let messages: [String]
        /// What the host still has when the command has ended, and when it is shut down: nothing, except for links whose end
        /// the controller has not reported.
        let leftovers: String
        /// The number of those links.
        let links: Int
        let host: WeakHost
    }

    /// Keeps no host alive.
    final class WeakHost: Sendable {
        private let reference: Mutex<Reference>
        private struct Reference { weak var host: ControllerHost? }

        init(_ host: ControllerHost?) { reference = Mutex(Reference(host: host)) }

        var isAlive: Bool { reference.withLock { $0.host != nil } }
    }

    static func run(
        _ words: String,
        at time: any TimeSource,
        in scope: TaskScope,
        over transport: any PacketChannel
    ) async throws -> End {
        let generator = Mutex(SeededGenerator(seed: 1))
        let random = PairingRandom { count in
            generator.withLock { generator in
                (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            }
        }
        let system = ControllerRadioSystem(
            "unix:rig",
            randomAddress: BluetoothAddress(rawValue: 0xC0_00_00_00_00_01),
            random: random,
            scope: scope,
            time: time
        ) { () async throws(RadioError) in transport }
        let (messages, request) = (MessageSink(), try request(words))
        let context = CommandContext(
            commands: .all,
            options: request.global,
            system: system,
            time: time,
            scope: scope,
            output: Output(MessageSink(), isJSON: true, style: .plain),
            diagnostics: Diagnostics(messages, style: .plain, isQuiet: false, verbosity: 0),
            stores: DataStores(bonds: MemoryBonds()),
            simulation: SimulationAccess(devices: {
                (try? SimulatedDevice.builtIn().map { $0.definition(seed: 1) }) ?? []
            })
        )
        let status = try await untilDeadline(time.now + .seconds(3 * 3_600), time) {
            await CommandRunner.run(request, in: context)
        }
        let host = (try? system.radio(named: nil) as? ControllerRadio)?.host
        // Long enough for all that has a time limit.
        if time is VirtualTime { try await time.sleep(for: .seconds(120)) }
        let (leftovers, links) = host?.state.withLock { ($0.leftovers, $0.machine.links.count) } ?? ("", 0)
        await system.shutDown()
        return End(
            status: status,
            messages: messages.lines,
            leftovers: leftovers + (host?.state.withLock(\.leftovers) ?? ""),
            links: links,
            host: WeakHost(host)
        )
    }
}

extension ControllerHost.State {
    /// Those who wait, the channels that are open, and what is left of links that have ended.
    fileprivate var leftovers: String {
        let present = end == nil ? machine.links : [:]
        let counts = [
            ("HCI channels", channels.count), ("management channels", managers.count),
            ("listeners", listener == nil ? 0 : 1), ("attempts", attempts.count), ("services", services.count),
            ("raisings", raisings.count), ("waiters", drainWaiters.count + (readyWaiter == nil ? 0 : 1)),
            ("deliveries", deliveries.count), ("channels of ended links", links.keys.count { present[$0] == nil }),
            ("lines of ended links", lines.keys.count { present[$0] == nil }),
            ("keys of ended links", end == nil ? machine.security.links.keys.count { present[$0] == nil } : 0),
        ]
        return counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
    }
}
