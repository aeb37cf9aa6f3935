// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost
@testable import RadioSharing

@Suite("A link that is kept")
struct LinkKeeperTests {
    private static let readPHY = "01 3020 02 4000"
    private static let setPHY = "01 3220 07 4000 00 01 01 0000"
    private static let is1M = "04 0e 08 01 3020 00 4000 01 01"

    @Test func `a failed preparation is repeated on the present link`() throws {
        try inVirtualTime { time, scope in
            let prepared: Script = [
                turn(Self.readPHY, Self.is1M),
                turn(Self.setPHY, reactions: [.packet("04 0f 04 00 01 3220"), .packet("04 3e 06 0c 00 4000 01 01")]),
            ]
            // The PHY is known already when the second link is prepared.
            let first = prepared + [turn(Self.setPHY, reactions: [.end(.adapterDown)])]
            let second = prepared
            let radio = ScriptedRadio([.connects([]), .connects([])], hci: [first, second], time, scope)
            var request = LinkRequest()
            request.phy = LinkRequest.PHY(.le1M)
            var configuration = Peripheral.Configuration()
            configuration.link = request
            let peripheral = Peripheral(
                .scripted,
                radio: radio,
                scope: scope,
                time: time,
                configuration: configuration
            )
            let news = Mutex<[String]>([])
            let keeping = scope.spawnCancellable {
                try? await LinkKeeper(peripheral, time: time).keep(whenReady: {}) { event in
                    let name =
                        switch event {
                        case .lost: "lost"
                        case .failed: "failed"
                        case .restored: "restored"
                        }
                    news.withLock { $0.append(name) }
                }
            }
            try await time.sleep(for: .seconds(1))
            radio.channels.first?.end(.linkLost(nil))
            try await time.sleep(for: .seconds(10))
            #expect(news.withLock { $0 } == ["lost", "failed", "restored"])
            #expect(radio.channels.count == 2)
            keeping.cancel()
        }
    }
}
