// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

extension SimulatedController {
    /// How the host wants to scan, and whether it does.
    struct ScanState: Sendable {
        var le1M: Scanner.Listening? = .default
        var coded: Scanner.Listening?
        var ownAddressType = LEOwnAddressType.public
        var filterPolicy = LEScanFilterPolicy.all
        var isEnabled = false
    }

    /// Spec: Core 5.4, Vol 4, Part E, 7.8.10
    mutating func set(_ command: LESetScanParameters) -> [Action] {
        if let refusal = use(.legacy, for: LESetScanParameters.opcode) { return refusal }
        guard !scan.isEnabled else { return refuse(LESetScanParameters.opcode, .commandDisallowed) }
        let listening = Scanner.Listening(command.type, interval: command.interval, window: command.window)
        guard command.interval.rawValue <= 0x4000, listening.isValid else {
            return refuse(LESetScanParameters.opcode, .invalidHCICommandParameters)
        }
        scan.le1M = listening
        scan.coded = nil
        scan.ownAddressType = command.ownAddressType
        scan.filterPolicy = command.filterPolicy
        return [complete(command)]
    }

    /// Spec: Core 5.4, Vol 4, Part E, 7.8.11
    mutating func enable(_ command: LESetScanEnable, now: Instant) -> [Action] {
        if let refusal = use(.legacy, for: LESetScanEnable.opcode) { return refusal }
        guard command.isEnabled else { return [stopScanning(), complete(command)].compactMap { $0 } }
        guard hasOwnAddress else { return refuse(LESetScanEnable.opcode, .invalidHCICommandParameters) }
        scan.isEnabled = true
        let scanner = scanner(.legacy, filtersDuplicates: command.filtersDuplicates, now: now)
        return [complete(command), .startScanning(scanner, until: nil)]
    }

    /// Spec: Core 5.4, Vol 4, Part E, 7.8.64
    mutating func set(_ command: LESetExtendedScanParameters) -> [Action] {
        if let refusal = use(.extended, for: LESetExtendedScanParameters.opcode) { return refusal }
        guard !scan.isEnabled else { return refuse(LESetExtendedScanParameters.opcode, .commandDisallowed) }
        let le1M = command.le1M.map { Scanner.Listening($0.type, interval: $0.interval, window: $0.window) }
        let coded = command.coded.map { Scanner.Listening($0.type, interval: $0.interval, window: $0.window) }
        let all = [le1M, coded].compactMap { $0 }
        guard !all.isEmpty, all.allSatisfy(\.isValid) else {
            return refuse(LESetExtendedScanParameters.opcode, .invalidHCICommandParameters)
        }
        scan.le1M = le1M
        scan.coded = coded
        scan.ownAddressType = command.ownAddressType
        scan.filterPolicy = command.filterPolicy
        return [complete(command)]
    }

    /// Enabling again begins anew: the duration and the table of duplicates.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.65
    mutating func enable(_ command: LESetExtendedScanEnable, now: Instant) -> [Action] {
        if let refusal = use(.extended, for: LESetExtendedScanEnable.opcode) { return refusal }
        guard command.isEnabled else { return [stopScanning(), complete(command)].compactMap { $0 } }
        let duration = command.duration.duration
        let period = command.period.duration
        guard hasOwnAddress, period == .zero || (duration > .zero && duration < period) else {
            return refuse(LESetExtendedScanEnable.opcode, .invalidHCICommandParameters)
        }
        // Scanning by periods is a power saver that the world has no use for; it would have to be told apart from silence.
        guard period == .zero else {
            return refuse(LESetExtendedScanEnable.opcode, .unsupportedFeatureOrParameterValue)
        }
        scan.isEnabled = true
        let scanner = scanner(.extended, filtersDuplicates: command.duplicateFilter != .off, now: now)
        return [complete(command), .startScanning(scanner, until: duration > .zero ? now + duration : nil)]
    }

    /// The scan's time was up.
    mutating func scanTimedOut() { scan.isEnabled = false }

    /// The order to stop, where the controller scans.
    mutating func stopScanning() -> Action? {
        guard scan.isEnabled else { return nil }
        scan.isEnabled = false
        return .stopScanning
    }

    private var hasOwnAddress: Bool {
        switch scan.ownAddressType {
        case .public, .resolvableOrPublic: true
        case .random, .resolvableOrRandom: randomAddress != nil
        }
    }

    private func scanner(_ reports: Scanner.Reports, filtersDuplicates: Bool, now: Instant) -> Scanner {
        let isFiltered: Bool
        switch scan.filterPolicy {
        case .all, .allAndUnresolvedDirected: isFiltered = false
        case .acceptList, .acceptListAndUnresolvedDirected: isFiltered = true
        }
        return Scanner(
            reports: reports,
            le1M: scan.le1M,
            coded: scan.coded,
            acceptList: isFiltered ? acceptList : nil,
            start: now,
            duplicates: filtersDuplicates ? DuplicateFilter() : nil
        )
    }
}

extension Scanner.Listening {
    /// What the specification has before the host says anything: passive, all of each 10 ms.
    static let `default` = Scanner.Listening(isActive: false, interval: .milliseconds(10), window: .milliseconds(10))

    init(_ type: LEScanType, interval: LEInterval<625>, window: LEInterval<625>) {
        self.init(isActive: type == .active, interval: interval.duration, window: window.duration)
    }

    /// Intervals and windows are 2.5 ms at least, and the window fits the interval.
    var isValid: Bool { window >= .microseconds(2_500) && window <= interval }
}
