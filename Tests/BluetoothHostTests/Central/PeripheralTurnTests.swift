// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

@Suite("Peripheral: its turn at the device")
struct PeripheralTurnTests {
    /// A radio that other programs share: a device has one turn at a time.
    private final class SharedRadio: Radio {
        private final class DeviceTurn: Turn {
            private let radio: SharedRadio

            init(_ radio: SharedRadio) { self.radio = radio }

            func end() { radio.isTaken.withLock { $0 = false } }
        }

        private let base: ScriptedRadio
        private let isTaken = Mutex(false)

        init(_ base: ScriptedRadio) { self.base = base }

        var adapter: AdapterDescription { base.adapter }

        /// Whether another program would get the turn.
        var isFree: Bool { isTaken.withLock { !$0 } }

        /// The channel of the last link.
        var channel: ScriptedChannel? { base.channels.last }

        func openHCI() throws(RadioError) -> any HCIChannel { try base.openHCI() }

        func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
            try await base.connectATT(to: device, deadline: deadline)
        }

        func takeTurn(
            _ subject: TurnSubject,
            by deadline: Instant,
            onWait: @escaping @Sendable (ProcessReference?) -> Void
        ) async throws(RadioError) -> any Turn {
            let isRefused = isTaken.withLock { isTaken in
                defer { isTaken = true }
                return isTaken
            }
            if isRefused { throw subject.busyError(nil, during: "script") }
            return DeviceTurn(self)
        }

        func listenATT() throws(RadioError) -> any ATTListener { try base.listenATT() }
    }

    @Test("the turn lasts as long as the link, even if no operation runs")
    func endOfLink() throws {
        let isFree = try inVirtualTime { time, scope in
            let radio = SharedRadio(ScriptedRadio([.connects([])], time, scope))
            let peripheral = Peripheral(.scripted, radio: radio, scope: scope, time: time)
            _ = try await peripheral.connection()
            try await time.sleep(for: .seconds(1))
            let before = radio.isFree
            radio.channel?.end(.closedByPeer(nil))
            try await time.sleep(for: .seconds(1))
            return [before, radio.isFree]
        }
        #expect(isFree == [false, true])
    }

    @Test("a link that ended before it was watched ends the turn, too")
    func endedBefore() throws {
        let (outcome, isFree) = try inVirtualTime { time, outer in
            // The attempt succeeds after the scope of the connection has ended, so the link is closed as it begins.
            let radio = SharedRadio(ScriptedRadio([.dawdles([])], time, outer))
            let caller = await withTaskScope { scope in
                let peripheral = Peripheral(.scripted, radio: radio, scope: scope, time: time)
                let caller = Running(outer, time) { try await peripheral.connection().end?.cause == .closedLocally }
                try? await time.sleep(for: .seconds(1))
                return caller
            }
            try await time.sleep(for: .seconds(1))
            return (caller.outcome?.description, radio.isFree)
        }
        #expect(outcome == "true at 1100 ms")
        #expect(isFree)
    }
}
