// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost

@Suite("How a device takes the exchange of the MTU")
struct MTUExchangeStateTests {
    @Test func `a hang-up without any answer before it is only a suspicion`() {
        var state = MTUExchangeState()
        let isRepeated = state.failed(.hungUp, isProven: false)
        #expect(!isRepeated && !state.isRefused)
        #expect(state.needsProof)
        // The device may have hung up for another reason, such as an earlier client.
        state.exchanged()
        #expect(!state.needsProof && !state.isRefused)
    }

    @Test func `a hang-up after another answer leaves out the exchange`() {
        var state = MTUExchangeState()
        let isRepeated = state.failed(.hungUp, isProven: true)
        #expect(isRepeated && state.isRefused && !state.needsProof)
    }

    @Test func `silence leaves out the exchange, and is confirmed by the first answer without it, once`() {
        var state = MTUExchangeState()
        let early = state.answered()
        let isRepeated = state.failed(.silent(.seconds(4)), isProven: false)
        let confirmations = [state.answered(), state.answered()]
        #expect(!early && isRepeated && confirmations == [true, false])
        var remembered = MTUExchangeState(isRefused: true)
        let isNew = remembered.answered()
        #expect(remembered.isRefused && !isNew)
    }

    // MARK: - With a device

    private static let exchange = "02 0502"
    private static let hangsUp = turn(exchange, reactions: [.end(.closedByPeer(nil))])
    private static let proof = turn("0a 0100", "0b 0018")
    private static let services = turn("10 0100 ffff 0028", "11 06 0100 ffff 0018")

    /// The outcome of the discovery of primary services by a device with these links, the connections, and what was
    /// reported and remembered.
    private static func discover(
        _ links: [Script],
        retries: Int = 2,
        store: RefusalStore = RefusalStore()
    ) throws -> (outcome: String?, links: Int, reports: [String]) {
        let reports = Mutex<[String]>([])
        let (outcome, count) = try inVirtualTime { time, scope in
            let radio = ScriptedRadio(links.map { .connects($0) }, time, scope)
            let peripheral = Peripheral(
                .scripted,
                radio: radio,
                scope: scope,
                time: time,
                configuration: .init(
                    retries: RetryPolicy(retries: retries),
                    store: store,
                    onRetry: { attempt, _, _ in reports.withLock { $0.append("attempt \(attempt)") } },
                    onDiagnostic: { oddity in reports.withLock { $0.append(oddity.text) } }
                )
            )
            let running = Running(scope, time) {
                try await peripheral.exchangeMTU()
                return try await peripheral.perform(DiscoverServices(in: .all, .firstAnswer)).count
            }
            try await time.sleep(for: .seconds(30))
            await peripheral.disconnect()
            return (running.outcome?.description, radio.channels.count)
        }
        return (outcome, count, reports.withLock { $0 })
    }

    @Test func `a device that hangs up on the exchange is used without it, and remembered`() throws {
        let store = RefusalStore()
        let run = try Self.discover([[Self.hangsUp], [Self.proof, Self.hangsUp], [Self.services]], store: store)
        #expect(run.outcome?.hasPrefix("1 at ") == true, "\(run)")
        #expect(run.links == 3)
        #expect(run.reports.first == "attempt 1")
        #expect(run.reports.last?.contains("hung up on the exchange of the MTU") == true, "\(run.reports)")
        #expect(store.devices == [.scripted])
        // The next time nothing of this happens.
        let again = try Self.discover([[Self.services]], store: store)
        #expect(again.outcome?.hasPrefix("1 at ") == true && again.links == 1 && again.reports.isEmpty, "\(again)")
    }

    @Test func `a device that never answers the exchange is used without it, and remembered`() throws {
        let store = RefusalStore()
        let run = try Self.discover([[turn(Self.exchange)], [Self.services]], retries: 0, store: store)
        #expect(run.outcome?.hasPrefix("1 at ") == true && run.links == 2, "\(run)")
        #expect(run.reports.last?.contains("has not answered the exchange of the MTU within 4 s") == true)
        #expect(store.devices == [.scripted])
    }

    @Test func `a device that hangs up on the first client only is asked again for a larger MTU`() throws {
        let store = RefusalStore()
        let answers = turn(Self.exchange, "03 f700")
        let run = try Self.discover([[Self.hangsUp], [Self.proof, answers, Self.services]], store: store)
        #expect(run.outcome?.hasPrefix("1 at ") == true && run.links == 2, "\(run)")
        #expect(run.reports == ["attempt 1"])
        #expect(store.devices.isEmpty)
    }

    @Test func `a device that answers nothing at all is not remembered`() throws {
        let store = RefusalStore()
        let run = try Self.discover([[turn(Self.exchange)], [turn("10 0100 ffff 0028")]], retries: 0, store: store)
        #expect(store.devices.isEmpty && run.links == 2)
    }

    @Test func `a write by handle is sent once, after the exchange has ended a link`() throws {
        let value = [UInt8](repeating: 0x5A, count: 21)
        let first = String(repeating: "5a", count: 18)
        let (outcome, written) = try inVirtualTime { time, scope in
            let parts = [
                turn("16 0300 0000 \(first)", "17 0300 0000 \(first)"),
                turn("16 0300 1200 5a5a5a", "17 0300 1200 5a5a5a"), turn("18 01", "19"),
            ]
            let radio = ScriptedRadio([.connects([turn(Self.exchange)]), .connects(Script(parts))], time, scope)
            let peripheral = Peripheral(.scripted, radio: radio, scope: scope, time: time)
            let running = Running(scope, time) { try await peripheral.attribute(at: 3).write(value) }
            try await time.sleep(for: .seconds(30))
            return (running.outcome?.text, radio.channels.count)
        }
        #expect(outcome == "prepared" && written == 2)
    }
}

/// A store that remembers only which devices take no exchange of the MTU.
private final class RefusalStore: DatabaseStore {
    private let state = Mutex<[DeviceAddress]>([])

    var devices: [DeviceAddress] { state.withLock { $0 } }

    func load(_ device: DeviceAddress) -> StoredDatabase? { nil }
    func save(_ stored: StoredDatabase, of device: DeviceAddress) {}
    func refusesMTUExchange(_ device: DeviceAddress) -> Bool { devices.contains(device) }
    func saveMTUExchangeRefusal(of device: DeviceAddress) { state.withLock { $0.append(device) } }
}
