// SPDX-License-Identifier: MIT

public import Bluetooth

/// The parameters of a scan.
public struct ScanParameters: Sendable, Hashable {
    /// Whether to request scan responses. A passive scan sends nothing.
    public var isActive: Bool
    /// The PHYs to listen on. Coded means long range, and has an effect only if the controller supports it.
    public var phys: LEPHYSet
    /// The time between the starts of two scan windows: 2.5 ms to 40.96 s.
    public var interval: Duration
    /// The duration of each scan window: 2.5 ms to 40.96 s, at most the interval.
    public var window: Duration

    /// Creates parameters. By default the window fills the interval, so that the radio listens all the time.
    public init(
        isActive: Bool = true,
        phys: LEPHYSet = [.le1M],
        interval: Duration = .milliseconds(60),
        window: Duration = .milliseconds(60)
    ) {
        self.isActive = isActive
        self.phys = phys
        self.interval = interval
        self.window = window
    }

    private var scanType: LEScanType { isActive ? .active : .passive }

    func extendedCommand(ownAddressType: LEOwnAddressType) -> LESetExtendedScanParameters {
        let scan = LESetExtendedScanParameters.Scan(
            type: scanType,
            interval: LEInterval(interval),
            window: LEInterval(window)
        )
        return LESetExtendedScanParameters(
            ownAddressType: ownAddressType,
            le1M: phys.contains(.le1M) ? scan : nil,
            coded: phys.contains(.coded) ? scan : nil
        )
    }

    /// The legacy command; `nil` if it cannot express the parameters, because it knows LE 1M only.
    func legacyCommand(ownAddressType: LEOwnAddressType) -> LESetScanParameters? {
        guard phys.contains(.le1M) else { return nil }
        return LESetScanParameters(
            type: scanType,
            interval: LEInterval(interval),
            window: LEInterval(window),
            ownAddressType: ownAddressType
        )
    }
}
