// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Glibc
import Synchronization

@testable import Commands
@testable import Records
@testable import Terminal
@testable import Toolkit

/// Measures the number of records that one core decodes, renders and writes in a second. Input are the octets from the
/// radio, output is what `blectl` prints. The figures go to standard error.
@main
enum Records {
    private static let count = 200_000

    static func main() async throws {
        for isJSON in [true, false] {
            let form = isJSON ? "JSON" : "text"
            try await measure("advertisement, \(form)", isJSON, advertisement(devices: 100))
            try await measure("advertisement of a new device, \(form)", isJSON, advertisement(devices: .max))
            try await measure("notification, \(form)", isJSON, notification())
        }
    }

    /// The processor time of all threads in seconds, including the writer's.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func measure(
        _ name: String,
        _ isJSON: Bool,
        _ body: (Int, Output) throws -> Void
    ) async throws {
        let writer = StreamWriter()
        let output = Output(writer.sink(.output), isJSON: isJSON, style: .plain)
        var best = Double.infinity
        for _ in 0..<3 {
            let start = processorTime
            for number in 0..<count {
                try body(number, output)
                try await output.room()
            }
            try await output.flush()
            best = min(best, processorTime - start)
        }
        writer.stop()
        let line = "\(name)\t\(Int(Double(count) / best))\t\(Int(best / Double(count) * 1e9))\n"
        try StandardDescriptors.write(line, to: 2)
    }

    // MARK: - Advertisements

    /// A heart rate belt: flags, services, appearance, manufacturer data and a name.
    private static func event(from device: Int) -> [UInt8] {
        HCIPacket.event(
            HCIEvent.known(
                LEExtendedAdvertisingReportEvent([
                    AdvertisingReport(
                        address: DeviceAddress(BluetoothAddress(rawValue: 0xC84B_1D00_0000 + UInt64(device)), .random),
                        properties: [.connectable, .scannable, .legacy],
                        rssi: -60,
                        data: [
                            0x02, 0x01, 0x06, 0x05, 0x03, 0x0D, 0x18, 0x0F, 0x18, 0x05, 0xFF, 0x6B, 0x00, 0x01, 0x02,
                            0x09, 0x09, 0x50, 0x75, 0x6C, 0x73, 0x65, 0x20, 0x48, 0x52,
                        ]
                    )
                ])
            ).packet
        ).encoded()
    }

    /// Devices that advertise in turn: their records differ from the last ones only in time; or ever new ones.
    private static func advertisement(devices count: Int) -> (Int, Output) throws -> Void {
        let events = (0..<min(count, Self.count)).map { event(from: $0) }
        let session = Mutex(AdvertiserTable())
        return { number, output in
            if count > events.count, number == 0 { session.withLock { $0 = AdvertiserTable() } }
            guard case .event(let packet) = try HCIPacket(decoding: events[number % events.count]),
                case .known(let reports as LEExtendedAdvertisingReportEvent) = try HCIEvent(packet)
            else { return }
            for report in reports.reports {
                let (instant, wall) = moment(number)
                let scanned = ScanReport(report, instant, wall)
                let device = session.withLock { $0.received(scanned.report, scanned.data, now: instant) }
                try output.put(AdvertisementResult(report: scanned, device: device))
            }
        }
    }

    private static func moment(_ number: Int) -> (Instant, WallTime) {
        let nanoseconds = Int64(number) * 5_000
        return (
            Instant(nanoseconds: nanoseconds), WallTime(nanosecondsSince1970: 1_704_067_200_000_000_000 + nanoseconds)
        )
    }

    // MARK: - Notifications

    private static func notification() -> (Int, Output) throws -> Void {
        let pdu: [UInt8] = [0x1B, 0x10, 0x00, 0x16, 0x48, 0x34, 0x03]
        let references = AttributeReferences()
        let device = DeviceReference(
            address: DeviceAddress(BluetoothAddress(rawValue: 0xC84B_1D3A_905E), .random),
            name: "Pulse HR"
        )
        return { number, output in
            guard case .server(.notification(let value)) = try ATTPDU(decoding: pdu) else { return }
            let attribute = references.reference("heart-rate-measurement", value.handle) {
                AttributeReference(
                    device: device,
                    target: "heart-rate-measurement",
                    handle: value.handle,
                    service: 0x180D,
                    characteristic: 0x2A37,
                    descriptor: nil
                )
            }
            let (instant, wall) = moment(number)
            let result = ValueResult(
                attribute: attribute,
                presentation: try ValuePresentation(value.value, of: attribute, format: nil),
                origin: .notification(sequence: number + 1),
                timestamp: Timestamp(wall: wall, monotonic: instant),
                isLabelled: false
            )
            try output.put(result)
        }
    }
}
