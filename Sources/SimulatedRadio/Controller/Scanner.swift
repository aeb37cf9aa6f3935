// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothHost

/// The receiving half of a controller: selects the transmissions that it receives, and reports them.
struct Scanner: Sendable {
    /// The scan parameters on one PHY.
    struct Listening: Hashable, Sendable {
        /// Whether scan requests are sent.
        var isActive: Bool
        /// The time from the start of one window to that of the next.
        var interval: Duration
        /// The time for which the receiver is on.
        var window: Duration
    }

    /// The kind of events for reports. Only the extended kind can report extended advertisements.
    enum Reports: Hashable, Sendable {
        /// LE Advertising Report.
        case legacy
        /// LE Extended Advertising Report, which carries legacy advertisements as well.
        case extended
    }

    /// The kind of events, which follows from the family of commands that the host uses.
    let reports: Reports
    /// The parameters on LE 1M; `nil` if it is not scanned.
    let le1M: Listening?
    /// The parameters on LE Coded; `nil` if it is not scanned.
    let coded: Listening?
    /// The accepted devices; `nil` for all.
    let acceptList: [DeviceAddress]?
    /// The addresses of this adapter, by which directed advertisements name it.
    let ownAddresses: [DeviceAddress]
    /// The address in its scan requests.
    let requestAddress: DeviceAddress?
    let start: Instant
    /// The table of duplicates; `nil` if they are reported.
    var duplicates: DuplicateFilter?

    mutating func events(
        for transmission: Transmission,
        over path: inout SignalPath,
        _ generator: inout SeededGenerator
    ) -> [HCIEventPacket] {
        guard
            let listening = transmission.advertising.primaryPHY == .le1M ? le1M : coded,
            isOpen(listening, at: transmission.instant),
            acceptList?.contains(transmission.address) ?? true,
            transmission.advertising.target.map(ownAddresses.contains) ?? true,
            let received = path.receive()
        else { return [] }
        let rssi = transmission.reportedStrength ?? received
        switch transmission.advertising.kind {
        case .connectable where transmission.advertising.target != nil:
            return legacyEvents(.advDirectInd, transmission, rssi, listening, over: &path, &generator)
        case .connectable:
            return legacyEvents(.advInd, transmission, rssi, listening, over: &path, &generator)
        case .scannable:
            return legacyEvents(.advScanInd, transmission, rssi, listening, over: &path, &generator)
        case .nonConnectable:
            return legacyEvents(.advNonconnInd, transmission, rssi, listening, over: &path, &generator)
        case .extended(let sid, let isConnectable, let primaryPHY, let secondaryPHY):
            // A set that can be scanned has no data but those of the response. Spec: Core 5.4, Vol 6, Part B, 2.3.1.6
            let isScannable = transmission.advertising.hasOnlyScanResponse
            var report = AdvertisingReport(
                address: transmission.address,
                properties: isConnectable ? .connectable : isScannable ? .scannable : [],
                primaryPHY: primaryPHY,
                secondaryPHY: secondaryPHY,
                advertisingSID: sid,
                txPower: transmission.advertising.txPower,
                rssi: rssi,
                target: transmission.advertising.target,
                data: isScannable ? [] : transmission.data
            )
            if report.target != nil { report.properties.insert(.directed) }
            let events = extendedEvents(report)
            guard isScannable, listening.isActive, isAnswered(by: transmission), let received = path.receive() else {
                return events
            }
            report.properties.insert(.scanResponse)
            report.rssi = transmission.reportedStrength ?? received
            report.data = transmission.advertising.response(.start)
            return events + extendedEvents(report)
        }
    }

    /// Whether the sender answers the requests of this scanner.
    private func isAnswered(by transmission: Transmission) -> Bool {
        guard let scanners = transmission.scanners else { return true }
        return requestAddress.map(scanners.contains) ?? false
    }

    /// Whether the receiver is on. It is on during the window at the start of each interval.
    private func isOpen(_ listening: Listening, at instant: Instant) -> Bool {
        guard listening.window < listening.interval else { return true }
        let elapsed = (instant - start).clampedNanoseconds
        return elapsed % listening.interval.clampedNanoseconds < listening.window.clampedNanoseconds
    }

    // MARK: - Legacy PDUs

    /// The report of a legacy advertisement, and that of its scan response if one was requested and heard.
    private mutating func legacyEvents(
        _ properties: AdvertisingReport.Properties,
        _ transmission: Transmission,
        _ rssi: Int8,
        _ listening: Listening,
        over path: inout SignalPath,
        _ generator: inout SeededGenerator
    ) -> [HCIEventPacket] {
        let target = transmission.advertising.target
        var batch = [
            AdvertisingReport(
                address: transmission.address,
                properties: properties,
                rssi: rssi,
                target: target,
                // A directed PDU has no room for data.
                data: target == nil ? Array(transmission.data.prefix(31)) : []
            )
        ]
        if listening.isActive, properties.contains(.scannable), isAnswered(by: transmission),
            let received = path.receive()
        {
            let rssi = transmission.reportedStrength ?? received
            let response = AdvertisingReport(
                address: transmission.address,
                // A scan response keeps the properties of its advertisement: event types 0x1B and 0x1A.
                properties: properties.union(.scanResponse),
                rssi: rssi,
                data: Array(transmission.advertising.response(.start).prefix(31))
            )
            batch.append(response)
        }
        batch.removeAll { !remember($0) }
        guard !batch.isEmpty else { return [] }
        // Controllers sometimes put reports that came close together into one event.
        if batch.count > 1, generator.happens(0.25) { return [packet(batch)] }
        return batch.map { packet([$0]) }
    }

    private func packet(_ batch: [AdvertisingReport]) -> HCIEventPacket {
        switch reports {
        case .legacy: LEAdvertisingReportEvent(batch).packet
        case .extended: LEExtendedAdvertisingReportEvent(batch).packet
        }
    }

    // MARK: - Extended PDUs

    /// One event, or several if the data do not fit.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.7.65.13
    private mutating func extendedEvents(_ whole: AdvertisingReport) -> [HCIEventPacket] {
        // Remembered before it is divided, because its fragments are not duplicates of each other.
        guard reports == .extended, remember(whole) else { return [] }
        let limit = LEExtendedAdvertisingReportEvent.maximumDataLength
        var packets: [HCIEventPacket] = []
        var rest = whole.data[...]
        // At least one event, because an advertisement without data is reported as well.
        repeat {
            var fragment = whole
            fragment.data = Array(rest.prefix(limit))
            rest = rest.dropFirst(limit)
            fragment.dataStatus = rest.isEmpty ? .complete : .moreToCome
            packets.append(LEExtendedAdvertisingReportEvent([fragment]).packet)
        } while !rest.isEmpty
        return packets
    }

    /// Remembers a report for the filter of duplicates. Returns `false` if it is a duplicate.
    private mutating func remember(_ report: AdvertisingReport) -> Bool {
        duplicates?.insert(report) ?? true
    }
}
