// SPDX-License-Identifier: MIT

import Bluetooth

extension SimulatedController {
    /// The scan that the host has configured, and whether it runs.
    struct ScanState: Sendable {
        /// The parameters on LE 1M; `nil` if it is not scanned.
        var le1M: Scanner.Listening? = .default
        /// The parameters on LE Coded; `nil` if it is not scanned.
        var coded: Scanner.Listening?
        /// The address in scan requests.
        var ownAddressType = LEOwnAddressType.public
        var filterPolicy = LEScanFilterPolicy.all
        /// Whether the scan runs. Parameters must not change meanwhile.
        var isEnabled = false
    }

    /// Spec: Core 5.4, Vol 4, Part E, 7.8.10
    mutating func set(_ command: LESetScanParameters) -> [Action] {
        if let refusal = use(.legacy, for: LESetScanParameters.opcode) { return refusal }
        guard !scan.isEnabled else { return refuse(LESetScanParameters.opcode, .commandDisallowed) }
        let listening = Scanner.Listening(command.type, interval: command.interval, window: command.window)
        // Intervals of the legacy command end at 10.24 s; those of the extended one may use all 16 bits.
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
        guard requestAddress != nil else { return refuse(LESetScanEnable.opcode, .invalidHCICommandParameters) }
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

    /// Enables or disables scanning. Enabling a running scan restarts its duration and its table of duplicates.
    ///
    /// Spec: Core 5.4, Vol 4, Part E, 7.8.65
    mutating func enable(_ command: LESetExtendedScanEnable, now: Instant) -> [Action] {
        if let refusal = use(.extended, for: LESetExtendedScanEnable.opcode) { return refusal }
        guard command.isEnabled else { return [stopScanning(), complete(command)].compactMap { $0 } }
        let duration = command.duration.duration
        let period = command.period.duration
        guard requestAddress != nil, period == .zero || (duration > .zero && duration < period),
            period > .zero || command.duplicateFilter != .resetEachPeriod
        else {
            return refuse(LESetExtendedScanEnable.opcode, .invalidHCICommandParameters)
        }
        // Refused because no program needs periods: in their pauses a user could not tell them from an empty world.
        guard period == .zero else {
            return refuse(LESetExtendedScanEnable.opcode, .unsupportedFeatureOrParameterValue)
        }
        scan.isEnabled = true
        let scanner = scanner(.extended, filtersDuplicates: command.duplicateFilter != .off, now: now)
        return [complete(command), .startScanning(scanner, until: duration > .zero ? now + duration : nil)]
    }

    /// Records that the scan's duration has passed.
    mutating func scanTimedOut() { scan.isEnabled = false }

    /// The action that stops the scan; `nil` if none runs.
    mutating func stopScanning() -> Action? {
        guard scan.isEnabled else { return nil }
        scan.isEnabled = false
        return .stopScanning
    }

    /// The address in scan requests; `nil` if it has to be random, and was not set before.
    private var requestAddress: DeviceAddress? {
        switch scan.ownAddressType {
        case .public, .resolvableOrPublic: DeviceAddress(profile.address, .public)
        case .random, .resolvableOrRandom: randomAddress.map { DeviceAddress($0, .random) }
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
            ownAddresses: [DeviceAddress(profile.address, .public)]
                + [randomAddress].compactMap { $0.map { DeviceAddress($0, .random) } },
            requestAddress: requestAddress,
            start: now,
            duplicates: filtersDuplicates ? DuplicateFilter() : nil
        )
    }
}

extension Scanner.Listening {
    /// The defaults of the specification: passive, with a window that fills the interval of 10 ms.
    static let `default` = Scanner.Listening(isActive: false, interval: .milliseconds(10), window: .milliseconds(10))

    /// Takes the parameters of a command, whose intervals are in units of 0.625 ms.
    init(_ type: LEScanType, interval: LEInterval<625>, window: LEInterval<625>) {
        self.init(isActive: type == .active, interval: interval.duration, window: window.duration)
    }

    /// Whether interval and window are at least 2.5 ms, and the window fits into the interval.
    var isValid: Bool { window >= .microseconds(2_500) && window <= interval }
}
