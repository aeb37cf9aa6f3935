// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// How to scan.
public struct ScanParameters: Sendable, Hashable {
    /// Whether advertisers are asked for their scan response. A passive scan sends nothing.
    public var isActive: Bool
    /// On which PHYs to listen for advertisements. Coded means long range, where the controller can.
    public var phys: LEPHYSet
    /// How often the scan window opens: 2.5 ms to 40.96 s.
    public var interval: Duration
    /// How long the radio listens in each interval; the whole interval is the most.
    public var window: Duration

    /// Makes parameters; the defaults listen all the time.
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

    /// `nil` where the legacy commands cannot do that: they know 1M only.
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
