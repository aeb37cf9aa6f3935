// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@Suite("Long advertisements in fragments")
struct ExtendedReportReassemblerTests {
    private func report(
        _ data: [UInt8],
        _ status: AdvertisingReport.DataStatus,
        address: UInt64 = 1,
        sid: UInt8? = 0,
        type: AddressType = .random,
        rssi: Int8 = -60,
        properties: AdvertisingReport.Properties = []
    ) -> AdvertisingReport {
        AdvertisingReport(
            address: DeviceAddress(BluetoothAddress(rawValue: address), type),
            properties: properties,
            dataStatus: status,
            secondaryPHY: .le1M,
            advertisingSID: sid,
            rssi: rssi,
            data: data
        )
    }

    private let start = Instant.zero

    @Test("complete reports pass through")
    func complete() {
        var reassembler = ExtendedReportReassembler()
        let whole = report([1, 2], .complete)
        #expect(reassembler.received(whole, now: start) == [whole])
        let legacy = report([3], .complete, sid: nil, properties: .advInd)
        #expect(reassembler.received(legacy, now: start) == [legacy])
        #expect(reassembler.flush() == [])
        #expect(reassembler.unfinishedCount == 0)
    }

    @Test("fragments are joined, and the last one has the other fields")
    func fragments() {
        var reassembler = ExtendedReportReassembler()
        #expect(reassembler.received(report([1, 2], .moreToCome), now: start) == [])
        #expect(reassembler.received(report([3], .moreToCome, rssi: -61), now: start) == [])
        #expect(
            reassembler.received(report([4, 5], .complete, rssi: -62), now: start)
                == [report([1, 2, 3, 4, 5], .complete, rssi: -62)]
        )
        #expect(reassembler.flush() == [])
        #expect(reassembler.unfinishedCount == 0)
    }

    @Test("a truncated last fragment also ends an advertisement, which stays truncated")
    func truncated() {
        var reassembler = ExtendedReportReassembler()
        _ = reassembler.received(report([1, 2], .moreToCome), now: start)
        #expect(reassembler.received(report([], .truncated), now: start) == [report([1, 2], .truncated)])
        let alone = report([9], .truncated)
        #expect(reassembler.received(alone, now: start) == [alone])
    }

    @Test("1,650 octets in fragments of 229")
    func longest() throws {
        let data = (0..<1_650).map { UInt8(truncatingIfNeeded: $0) }
        var reassembler = ExtendedReportReassembler()
        var finished: [AdvertisingReport] = []
        for start in stride(from: 0, to: data.count, by: LEExtendedAdvertisingReportEvent.maximumDataLength) {
            let piece = Array(data[start..<min(data.count, start + LEExtendedAdvertisingReportEvent.maximumDataLength)])
            let isLast = start + piece.count == data.count
            let event = LEExtendedAdvertisingReportEvent([report(piece, isLast ? .complete : .moreToCome)])
            guard case .known(let received as LEExtendedAdvertisingReportEvent) = try HCIEvent(event.packet) else {
                Issue.record("another event")
                return
            }
            for report in received.reports { finished += reassembler.received(report, now: .zero) }
        }
        #expect(finished == [report(data, .complete)])
    }

    @Test("interleaved fragments of sets, devices and scan responses are kept apart")
    func interleaved() {
        var reassembler = ExtendedReportReassembler()
        let scanResponse: AdvertisingReport.Properties = [.scannable, .scanResponse]
        _ = reassembler.received(report([1], .moreToCome, sid: 0), now: start)
        _ = reassembler.received(report([11], .moreToCome, sid: 1), now: start)
        _ = reassembler.received(report([21], .moreToCome, address: 2, sid: 0), now: start)
        _ = reassembler.received(report([31], .moreToCome, type: .public), now: start)
        _ = reassembler.received(report([41], .moreToCome, properties: scanResponse), now: start)
        let whole = report([7], .complete, address: 9)
        #expect(reassembler.received(whole, now: start) == [whole])
        #expect(reassembler.received(report([2], .complete, sid: 0), now: start) == [report([1, 2], .complete)])
        #expect(
            reassembler.received(report([12], .complete, sid: 1), now: start) == [report([11, 12], .complete, sid: 1)]
        )
        #expect(
            reassembler.received(report([22], .complete, address: 2), now: start)
                == [report([21, 22], .complete, address: 2)]
        )
        #expect(
            reassembler.received(report([32], .complete, type: .public), now: start)
                == [report([31, 32], .complete, type: .public)]
        )
        #expect(
            reassembler.received(report([42], .complete, properties: scanResponse), now: start)
                == [report([41, 42], .complete, properties: scanResponse)]
        )
        #expect(reassembler.unfinishedCount == 0)
    }

    @Test("anonymous advertisers are told apart by their sets")
    func anonymous() {
        var reassembler = ExtendedReportReassembler()
        _ = reassembler.received(report([1], .moreToCome, address: 0, sid: 3, type: .anonymous), now: start)
        _ = reassembler.received(report([5], .moreToCome, address: 0, sid: 4, type: .anonymous), now: start)
        #expect(
            reassembler.received(report([2], .complete, address: 0, sid: 3, type: .anonymous), now: start)
                == [report([1, 2], .complete, address: 0, sid: 3, type: .anonymous)]
        )
    }

    @Test("after a lost last fragment, an advertisement a second later is a new one")
    func lostLast() {
        var reassembler = ExtendedReportReassembler()
        _ = reassembler.received(report([1, 2], .moreToCome), now: start)
        let next = start + .milliseconds(1_001)
        #expect(reassembler.received(report([1, 2], .moreToCome), now: next) == [report([1, 2], .truncated)])
        #expect(reassembler.received(report([3], .complete), now: next) == [report([1, 2, 3], .complete)])
        #expect(reassembler.unfinishedCount == 1)
    }

    @Test("overdue fragments are delivered with the next report")
    func overdue() {
        var reassembler = ExtendedReportReassembler()
        _ = reassembler.received(report([1], .moreToCome), now: start)
        let other = report([7], .complete, address: 9)
        #expect(
            reassembler.received(other, now: start + .seconds(2)) == [report([1], .truncated), other]
        )
    }

    @Test("a fragment beyond the maximum length is not a continuation")
    func tooLong() {
        var reassembler = ExtendedReportReassembler()
        let most = [UInt8](repeating: 1, count: 1_600)
        _ = reassembler.received(report(most, .moreToCome), now: start)
        let more = [UInt8](repeating: 2, count: 51)
        let apart = [report(most, .truncated), report(more, .complete)]
        #expect(reassembler.received(report(more, .complete), now: start) == apart)
        _ = reassembler.received(report(most, .moreToCome), now: start)
        #expect(reassembler.received(report(more, .moreToCome), now: start) == [report(most, .truncated)])
        #expect(reassembler.received(report([3], .complete), now: start) == [report(more + [3], .complete)])
        #expect(reassembler.unfinishedCount == 2)
    }

    @Test("with too many unfinished advertisements, the oldest is dropped and counted")
    func bounded() {
        var reassembler = ExtendedReportReassembler(limit: 2)
        _ = reassembler.received(report([1], .moreToCome, address: 1), now: start)
        _ = reassembler.received(report([2], .moreToCome, address: 2), now: start)
        #expect(
            reassembler.received(report([3], .moreToCome, address: 3), now: start)
                == [report([1], .truncated, address: 1)]
        )
        #expect(reassembler.unfinishedCount == 1)
        #expect(
            reassembler.received(report([9], .complete, address: 2), now: start)
                == [report([2, 9], .complete, address: 2)]
        )
        #expect(reassembler.flush() == [report([3], .truncated, address: 3)])
        #expect(reassembler.unfinishedCount == 2)
    }

    @Test("a flood of first fragments stays bounded")
    func flood() {
        var reassembler = ExtendedReportReassembler(limit: 8)
        var handedOut = 0
        for address in 0..<10_000 as Range<UInt64> {
            let piece = report([UInt8](repeating: 0, count: 229), .moreToCome, address: address)
            handedOut += reassembler.received(piece, now: start).count
        }
        #expect(handedOut == 9_992)
        #expect(reassembler.unfinishedCount == 9_992)
        #expect(reassembler.flush().count == 8)
    }
}
