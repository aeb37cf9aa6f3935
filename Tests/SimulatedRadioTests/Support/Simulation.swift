// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

@testable import SimulatedRadio

/// Runs a test in its own world, in virtual time.
func simulate<Value: Sendable>(
    _ world: SimulatedWorld,
    _ body: @escaping @Sendable (SimulatedRadioSystem, VirtualTime) async throws -> Value
) throws -> Value {
    let time = VirtualTime()
    return try time.run { () async throws -> Value in
        try await withTaskScope { scope in
            try await body(SimulatedRadioSystem(world, time: time, scope: scope), time)
        }
    }
}

/// A report with the time of its event.
struct TimedReport: Hashable, Sendable {
    let instant: Instant
    let report: AdvertisingReport
}

/// The packets of an HCI channel, with their times.
struct Transcript: Hashable, Sendable {
    struct Line: Hashable, Sendable, CustomStringConvertible {
        let instant: Instant
        let bytes: [UInt8]

        var description: String { "\(instant.nanoseconds) \(Hex.string(bytes))" }
    }

    var lines: [Line] = []

    /// The decoded events.
    var events: [HCIEvent] {
        lines.compactMap { line in
            guard case .event(let packet)? = try? HCIPacket(decoding: line.bytes) else { return nil }
            return try? HCIEvent(packet)
        }
    }

    /// All advertising reports, from both kinds of events.
    var reports: [TimedReport] {
        lines.flatMap { line -> [TimedReport] in
            guard
                case .event(let packet)? = try? HCIPacket(decoding: line.bytes),
                let event = try? HCIEvent(packet)
            else { return [] }
            switch event {
            case .known(let event as LEAdvertisingReportEvent):
                return event.reports.map { TimedReport(instant: line.instant, report: $0) }
            case .known(let event as LEExtendedAdvertisingReportEvent):
                return event.reports.map { TimedReport(instant: line.instant, report: $0) }
            default:
                return []
            }
        }
    }
}

extension HCIChannel {
    /// Sends a command.
    func send(_ command: some HCICommand) throws(RadioError) {
        try send(HCIPacket.command(command.packet).encoded())
    }

    /// All packets up to a time.
    func transcript(until end: Instant, _ time: any TimeSource) async -> Transcript {
        await withTaskGroup(of: Transcript?.self) { group in
            group.addTask {
                var transcript = Transcript()
                while let bytes = try? await receive() {
                    transcript.lines.append(Transcript.Line(instant: time.now, bytes: bytes))
                }
                return transcript
            }
            group.addTask {
                try? await time.sleep(until: end)
                return nil
            }
            var result = Transcript()
            for await value in group {
                if let value { result = value }
                group.cancelAll()
            }
            return result
        }
    }

    /// Sends a command, and returns the status of its answer.
    func status(of command: some HCICommand) async throws -> HCIStatus? {
        try send(command)
        return try await status()
    }

    /// The status in the next answer to a command.
    ///
    /// Skips everything else: another program may have links on the adapter, whose events come at any time, and the
    /// commands of other programs are shown to this one.
    func status() async throws -> HCIStatus? {
        while true {
            guard case .event(let packet) = try HCIPacket(decoding: try await receive()) else { continue }
            switch try HCIEvent(packet) {
            case .known(let event as CommandCompleteEvent): return event.status
            case .known(let event as CommandStatusEvent): return event.status
            default: continue
            }
        }
    }
}

/// The parameters of a test's scan.
struct ScanSettings: Sendable {
    var isExtended = true
    var isActive = true
    var filtersDuplicates = false
    var interval = Duration.milliseconds(60)
    var window = Duration.milliseconds(60)
    var phys: LEPHYSet = .le1M

    /// Scans for a while, and returns everything that was received.
    func scan(
        _ system: SimulatedRadioSystem,
        for duration: Duration,
        _ time: any TimeSource
    ) async throws -> Transcript {
        let channel = try system.radio(named: nil).openHCI()
        defer { channel.close() }
        let type: LEScanType = isActive ? .active : .passive
        if isExtended {
            let scan = LESetExtendedScanParameters.Scan(type: type, interval: .init(interval), window: .init(window))
            let parameters = LESetExtendedScanParameters(
                le1M: phys.contains(.le1M) ? scan : nil,
                coded: phys.contains(.coded) ? scan : nil
            )
            #expect(try await channel.status(of: parameters) == .success)
            let enable = LESetExtendedScanEnable(isEnabled: true, duplicateFilter: filtersDuplicates ? .on : .off)
            #expect(try await channel.status(of: enable) == .success)
        } else {
            let parameters = LESetScanParameters(type: type, interval: .init(interval), window: .init(window))
            #expect(try await channel.status(of: parameters) == .success)
            let enable = LESetScanEnable(isEnabled: true, filtersDuplicates: filtersDuplicates)
            #expect(try await channel.status(of: enable) == .success)
        }
        let transcript = await channel.transcript(until: time.now + duration, time)
        if isExtended {
            #expect(try await channel.status(of: LESetExtendedScanEnable(isEnabled: false)) == .success)
        } else {
            #expect(try await channel.status(of: LESetScanEnable(isEnabled: false)) == .success)
        }
        return transcript
    }
}

extension ATTChannel {
    /// Sends a PDU, and returns the next received one, both in hexadecimal.
    func exchange(_ request: String) async throws -> String {
        try send(try #require(Hex.bytes(request)))
        return Hex.string(try await receive())
    }
}

extension SimulatedDevice {
    /// A copy of the device with other faults.
    func with(_ faults: [FaultRule]) -> SimulatedDevice {
        var copy = self
        copy.faults = faults
        return copy
    }
}
