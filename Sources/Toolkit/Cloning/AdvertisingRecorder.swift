// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothDevices
package import BluetoothHost

/// The advertising sets of one device, found out from its reports.
///
/// The memory is bounded, so that a device with ever new data cannot exhaust it.
package struct AdvertisingRecorder {
    /// The bounds of the memory. Real devices stay far below them.
    fileprivate enum Limit {
        /// The maximum number of advertising sets: an extended set number has 4 bits.
        static let sets = 16
        /// The maximum number of different frames of a set.
        static let frames = 32
        /// Reports of a set whose order and times are kept.
        static let reports = 512
        /// The longest time between two reports that may tell the interval, which is that of a device file.
        static let interval = Duration.seconds(10_485)
    }

    /// The properties by which a report belongs to a set.
    private struct Key: Hashable {
        /// Whether it is connectable, scannable, directed or legacy.
        let properties: AdvertisingReport.Properties
        /// The number of an extended set; `nil` for legacy advertising.
        let sid: UInt8?
        let primaryPHY: LEPHY
        /// The PHY of the packet with the data, for extended advertising.
        let secondaryPHY: LEPHY?
        let target: DeviceAddress?

        /// Takes the properties that stay the same from report to report.
        init(_ report: AdvertisingReport) {
            properties = report.properties.subtracting(.scanResponse)
            sid = report.advertisingSID
            primaryPHY = report.primaryPHY
            secondaryPHY = report.secondaryPHY
            target = report.properties.contains(.directed) ? report.target : nil
        }

        /// Whether PDUs of Bluetooth 4 are used.
        var isLegacy: Bool { properties.contains(.legacy) }

        /// The longest data in octets. Spec: Core 5.4, Vol 6, Part B, 2.3.1.1; Vol 4, Part E, 7.8.57
        var longestData: Int { isLegacy ? 31 : ExtendedReportReassembler.maximumDataLength }

        /// The longest interval that a device file can express. Reports that are further apart do not tell it.
        var longestInterval: Duration { isLegacy ? .milliseconds(10_240) : Limit.interval }

        /// The kind of advertising that a device file needs to express it.
        var kind: DeviceAdvertising.Kind {
            guard isLegacy else {
                return .extended(
                    sid: sid ?? 0,
                    isConnectable: properties.contains(.connectable),
                    primaryPHY: primaryPHY,
                    secondaryPHY: secondaryPHY ?? primaryPHY
                )
            }
            if properties.contains(.connectable) { return .connectable }
            return properties.contains(.scannable) ? .scannable : .nonConnectable
        }
    }

    fileprivate struct SetRecord {
        /// The different frames, in the order of their first appearance.
        var frames: [AdvertisingFrame] = []
        /// The numbers of the frames in the order of their reports.
        var sequence: [Int] = []
        var last: Instant?
        /// The times between two reports, for the estimate of the interval.
        var gaps: [Duration] = []
        /// The scan response; the last one counts.
        var response: AdvertisingFrame?
        var hasOtherResponses = false
        /// The transmit power in extended advertising, in dBm.
        var txPower: Int8?
        /// Whether there were more different frames than are kept.
        var isEndless = false
        /// Whether a controller has reported data without its end.
        var isTruncated = false
    }

    /// The sets in the order in which they were heard first.
    private var keys: [Key] = []
    private var records: [Key: SetRecord] = [:]
    private var hasTooManySets = false
    package private(set) var reportCount = 0

    package init() {}

    package mutating func add(_ report: ScanReport) {
        reportCount += 1
        if report.report.properties.contains(.scanResponse) { return addResponse(report) }
        let key = Key(report.report)
        // Only a faulty controller, or a damaged capture, reports longer data.
        guard report.report.data.count <= key.longestData else { return }
        if records[key] == nil {
            guard keys.count < Limit.sets else {
                hasTooManySets = true
                return
            }
            keys.append(key)
            records[key] = SetRecord()
        }
        records[key]?.add(report)
    }

    /// A scan response belongs to the set that it answers for: the extended one of its number, or the legacy one.
    private mutating func addResponse(_ report: ScanReport) {
        let isLegacy = report.report.properties.contains(.legacy)
        // A legacy response has no set number: of several scannable sets the newest gets it.
        let key = keys.last {
            $0.isLegacy == isLegacy && $0.properties.contains(.scannable)
                && (isLegacy || $0.sid == report.report.advertisingSID)
        }
        guard let key, !report.report.data.isEmpty, report.report.data.count <= key.longestData else { return }
        let response = AdvertisingFrame(recorded: report.data)
        if let earlier = records[key]?.response, earlier != response { records[key]?.hasOtherResponses = true }
        records[key]?.response = response
    }

    /// The sets, in the order in which they were heard first.
    package var sets: [DeviceAdvertising] {
        keys.compactMap { key in
            guard let record = records[key] else { return nil }
            return DeviceAdvertising(
                key.kind,
                interval: interval(of: key) ?? .seconds(1),
                frames: record.cycle,
                scanResponse: record.response,
                txPower: key.isLegacy ? nil : record.txPower,
                // A file has no target for extended advertising.
                target: key.kind == .connectable ? key.target : nil
            )
        }
    }

    /// The interval of a set; `nil` if its reports do not tell it.
    private func interval(of key: Key) -> Duration? {
        records[key]?.interval.flatMap { $0 <= key.longestInterval ? $0 : nil }
    }

    /// Remarks in words on the advertising that the sets cannot express.
    package var remarks: [String] {
        var remarks: [String] = []
        if hasTooManySets {
            remarks.append("more than \(Limit.sets) advertising sets were heard; the others are left out")
        }
        for (key, record) in keys.compactMap({ key in records[key].map { (key, $0) } }) {
            if record.isEndless {
                remarks.append(
                    "its advertising data change all the time; the first \(Limit.frames) are kept, and sent in turn"
                )
            }
            if record.hasOtherResponses { remarks.append("its scan responses change; the last one is kept") }
            if record.isTruncated { remarks.append("some advertising data were lost on the air; they are cut") }
            if interval(of: key) == nil {
                remarks.append("a set was received too seldom to tell its interval; 1 s is assumed")
            }
            if key.target != nil, key.kind != .connectable {
                remarks.append("a set of extended advertising is meant for one device, and in the clone for all")
            }
        }
        return remarks
    }
}

extension AdvertisingRecorder.SetRecord {
    /// Records an advertisement: its frame, the time since the one before, and its place in the order of the frames.
    /// Above the limits, further frames and times are dropped, so that the memory is bounded.
    mutating func add(_ report: ScanReport) {
        if report.report.dataStatus != .complete { isTruncated = true }
        txPower = report.report.txPower ?? txPower
        let gap = last.map { report.instant - $0 } ?? .zero
        // A capture has any times, and the sum of very long ones would overflow.
        if gap > .zero, gap <= AdvertisingRecorder.Limit.interval, gaps.count < AdvertisingRecorder.Limit.reports {
            gaps.append(gap)
        }
        last = report.instant
        let frame = AdvertisingFrame(recorded: report.data)
        var number = frames.firstIndex(of: frame)
        if number == nil {
            guard frames.count < AdvertisingRecorder.Limit.frames else {
                isEndless = true
                return
            }
            number = frames.count
            frames.append(frame)
        }
        if let number, sequence.count < AdvertisingRecorder.Limit.reports { sequence.append(number) }
    }

    /// The frames as they are sent in turn: the shortest part that repeats itself, or each one once.
    var cycle: [AdvertisingFrame] {
        if frames == [AdvertisingFrame([])] { return [] }
        guard frames.count > 1 else { return frames }
        let periods = frames.count...max(frames.count, min(AdvertisingRecorder.Limit.frames, sequence.count / 2))
        // No shorter part has every frame. One that was heard only once does not show that it repeats itself.
        let period = periods.first { period in
            sequence.count >= 2 * period && zip(sequence, sequence.dropFirst(period)).allSatisfy { $0 == $1 }
        }
        return period.map { sequence.prefix($0).map { frames[$0] } } ?? frames
    }

    /// The interval, estimated from the times of the reports; `nil` after a single one.
    ///
    /// Each advertisement comes up to 10 ms late at random, some are not heard, and a busy host gets some of them late,
    /// so that the next one seems to come early.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 4.4.2.2.1 (advDelay)
    var interval: Duration? {
        let gaps = gaps.map(\.clampedNanoseconds).sorted()
        guard !gaps.isEmpty else { return nil }
        // The lower quartile: missed reports make gaps longer, and late ones make a few of them shorter.
        let common = gaps[gaps.count / 4]
        // It has at least the common gap itself.
        let near = gaps.filter { $0 > common / 2 && $0 <= common + common / 2 }
        let typical = near.reduce(0, +) / Int64(near.count)
        // How many intervals each gap has. Late reports do not change the sum.
        let counts = gaps.map { ($0 + typical / 2) / typical }
        let mean = gaps.reduce(0, +) / max(1, counts.reduce(0, +))
        let single = zip(gaps, counts).filter { $0.1 == 1 }.map(\.0)
        guard let shortest = single.first, let longest = single.last else { return .nanoseconds(mean) }
        let delay: Int64 = 10_000_000
        var estimate = mean
        // Gaps that are nearly equal show that the device adds no random delay, so that their mean is the interval. A
        // few may be equal by chance.
        if gaps.count < 4 || longest - shortest >= delay / 10 {
            // The random delay is 5 ms on average.
            estimate = mean - delay / 2
            // Each gap is the interval and at most one whole delay, which bounds the interval from both sides.
            if longest - delay <= shortest { estimate = min(max(estimate, longest - delay), shortest) }
        }
        // Intervals are multiples of 0.625 ms.
        let unit: Int64 = 625_000
        return .nanoseconds((max(estimate, unit) + unit / 2) / unit * unit)
    }
}

extension AdvertisingFrame {
    /// A frame with exactly these octets, except padding. Elements that the codecs would write differently are kept as
    /// octets. The clone advances the counters of Eddystone telemetry.
    init(recorded data: AdvertisingData) {
        var fields = zip(data.structures, data.elements).map { structure, element in
            Field(telemetry: element)
                ?? (element.structure == structure ? .element(element) : .octets(structure.encoded()))
        }
        if !data.tail.isEmpty { fields.append(.octets(data.tail)) }
        self.init(fields)
    }
}

extension AdvertisingFrame.Field {
    /// Unencrypted telemetry of Eddystone; `nil` for anything else.
    ///
    /// Spec: Eddystone Protocol Specification, Eddystone-TLM (unencrypted)
    fileprivate init?(telemetry element: ADElement) {
        // Frame type 0x20 and version 0x00. The numbers are big-endian, unlike those of Bluetooth.
        guard case .serviceData(let data) = element, data.uuid == 0xFEAA, data.data.count == 14,
            data.data[0] == 0x20, data.data[1] == 0x00
        else { return nil }
        let octets = data.data
        // Fixed point with eight bits after the point, in °C.
        let temperature = Int16(bitPattern: UInt16(octets[4]) << 8 | UInt16(octets[5]))
        self = .eddystoneTelemetry(
            millivolts: UInt16(octets[2]) << 8 | UInt16(octets[3]),
            temperature: Double(temperature) / 256
        )
    }
}
