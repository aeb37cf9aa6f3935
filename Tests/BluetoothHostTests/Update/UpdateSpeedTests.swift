// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import FirmwareUpdate
import SimulatedRadio
import Testing

@Suite("How fast new firmware is sent")
struct UpdateSpeedTests {
    private static let length = 500_000

    /// Octets in a second of the upload, from its first part on. Flash that is slower than the link would hide it.
    private static func speed(buffers: Int, phy: LEPHY, dataLength: Int) throws -> Double {
        let speed = Record<Double>()
        try UpdateBench.run(.mcumgr) {
            $0.updateServer?.slotSize = 1 << 20
            $0.updateServer?.buffers = .init(size: 2_475, count: buffers)
            $0.updateServer?.writeTime = .milliseconds(4)
            $0.limits.connectionInterval = .milliseconds(30)
            $0.limits.dataLength = dataLength
            // As many as an event on LE 1M has room for: 2.5 ms for 251 octets, 0.68 ms for 27, each with its answer.
            $0.limits.packetsPerEvent = dataLength > 27 ? 12 : 40
        } _: { bench in
            var configuration = Peripheral.Configuration()
            configuration.link = LinkRequest()
            configuration.link?.phy = .init(phy)
            if dataLength > 27 { configuration.link?.dataLength = UInt16(dataLength) }
            let peripheral = bench.central.peripheral(try await bench.address(), configuration: configuration)
            let firmware = try UpdateBench.firmware(.mcumgr, length: length)
            var first: (instant: Instant, octets: Int)?
            for try await event in peripheral.update(to: firmware, resets: false) where event.step == .progress {
                guard let octets = event.octets, octets.done > 0 else { continue }
                guard let begin = first else {
                    first = (event.instant, octets.done)
                    continue
                }
                if octets.done == octets.total {
                    speed.add(Double(octets.done - begin.octets) / ((event.instant - begin.instant) / .seconds(1)))
                }
            }
            await peripheral.abandonLink()
        }
        return try #require(speed.all.last)
    }

    @Test("several requests at once are 100 kB/s, and 2.5 times as fast as one")
    func several() throws {
        let several = try Self.speed(buffers: 4, phy: .le2M, dataLength: 251)
        let one = try Self.speed(buffers: 1, phy: .le2M, dataLength: 251)
        print("2M: \(Int(several / 1_000)) kB/s with four buffers, \(Int(one / 1_000)) kB/s with one")
        #expect(several >= 100_000)
        #expect(several >= 2.5 * one)
    }

    @Test("without 2M and the extension of the data length it is 20 kB/s")
    func slow() throws {
        let slow = try Self.speed(buffers: 4, phy: .le1M, dataLength: 27)
        print("1M: \(Int(slow / 1_000)) kB/s with four buffers")
        #expect(slow >= 20_000)
    }
}
