// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

/// An observer that records its events with their times.
final class Witness: Sendable {
    let observation: Observation
    private let lines = Mutex<[String]>([])

    init(_ peripheral: Peripheral, _ scope: TaskScope, _ time: VirtualTime) async {
        observation = await peripheral.observation()
        scope.spawn { await self.look(time) }
    }

    private func look(_ time: VirtualTime) async {
        while true {
            do {
                note(try await observation.next())
            } catch {
                lines.withLock { $0.append("\(Running.name(of: error)) at \(time.now.milliseconds)") }
                return
            }
        }
    }

    /// The recorded events.
    var seen: [String] { lines.withLock { $0 } }

    private func note(_ event: ObservationEvent) { lines.withLock { $0.append(Self.line(event)) } }

    /// An event as short text, for comparison.
    static func line(_ event: ObservationEvent) -> String {
        let text =
            switch event.kind {
            case .value(let value, let of):
                "\(name(of.selector)) \(Hex.string(value.value))\(value.mayBeCut ? " cut?" : "")"
            case .read(let value, let of): "\(name(of.selector)) reads \(Hex.string(value.value))"
            case .databaseChanged(let range): "changed \(range)"
            case .linkLost(let error): "lost: \(error.cause)"
            case .reconnectionFailed(let attempt, let error, let pause):
                "failed \(attempt): \(Running.name(of: error)), \(pause)"
            case .linkRestored(let gap, let attempts): "restored after \(gap), attempt \(attempts)"
            case .ended(let error): "ended: \(error)"
            }
        return "\(text) at \(event.instant.milliseconds)"
    }

    private static func name(_ selector: CharacteristicSelector) -> String {
        switch selector {
        case .uuid(let uuid, _, _): "\(uuid)"
        case .handle(let handle): "\(handle)"
        }
    }
}

/// A device with a characteristic that notifies, over scripted links.
struct ObservedDevice: Sendable {
    let radio: ScriptedRadio
    let peripheral: Peripheral
    let time: VirtualTime
    let scope: TaskScope

    init(
        _ attempts: [ScriptedRadio.Attempt],
        _ time: VirtualTime,
        _ scope: TaskScope,
        reconnection: RetryPolicy? = nil,
        retries: Int = 0,
        store: (any DatabaseStore)? = nil,
        hasFlowControl: Bool = false,
        route: (@Sendable () async -> PeripheralRoute?)? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        radio = ScriptedRadio(
            attempts,
            hasFlowControl: hasFlowControl,
            time,
            scope,
            sourceLocation: sourceLocation
        )
        var configuration = Peripheral.Configuration(
            retries: RetryPolicy(retries: retries),
            reconnection: reconnection,
            store: store
        )
        configuration.chooseRoute = route
        peripheral = Peripheral(.scripted, radio: radio, scope: scope, time: time, configuration: configuration)
        self.time = time
        self.scope = scope
    }

    /// The characteristic that all witnesses observe.
    var level: Characteristic { peripheral.characteristic(0x2A19) }

    func witness() async -> Witness { await Witness(peripheral, scope, time) }

    /// A witness that is subscribed.
    func subscribedWitness() async throws -> Witness {
        let witness = await witness()
        try await witness.observation.subscribe(to: level)
        return witness
    }

    /// Channel number `index` (from 0), which must exist.
    func channel(_ index: Int) throws -> ScriptedChannel {
        try #require(radio.channels.indices.contains(index) ? radio.channels[index] : nil)
    }

    /// Whether every packet of every script was sent.
    var isPlayed: Bool { radio.channels.allSatisfy(\.isPlayed) }

    func sleep(_ duration: Duration) async throws { try await time.sleep(for: duration) }

    // MARK: - The device's packets

    static let mtu = turn("02 0502", "03 1700")
    /// Service Changed at 3, the observed value at 8.
    static let characteristics = turn("08 0100 ffff 0328", "09 07 0200 20 0300 052a 0700 12 0800 192a")
    static let descriptors = turn("04 0900 ffff", "05 01 0900 0229")
    static let on = turn("12 0900 0100", "13")
    static let off = turn("12 0900 0000", "13")

    /// The packets of the first subscription to an unknown characteristic.
    static let subscribing: Script = [mtu, characteristics, descriptors, on]

    /// The packets that follow five seconds later.
    static let serviceChanged: Script = [turn("04 0400 0600", "05 01 0400 0229"), turn("12 0400 0200", "13")]
    static let readsLevel = turn("0a 0800", "0b 64")

    /// The same with all handles two higher.
    static let moved: Script = [
        turn("1e"), turn("08 0600 ffff 0328", "09 07 0900 12 0a00 192a"), turn("04 0b00 ffff", "05 01 0b00 0229"),
        turn("12 0b00 0100", "13"),
    ]
    static let hasMoved = "1d 0300 0600 ffff"
}
