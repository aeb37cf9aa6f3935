// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Captures
import Toolkit

/// The observers of the packets of a run; `nil` for each one that nothing needs.
struct PacketObservers: Sendable {
    /// Shows them on standard error.
    let trace: PacketTap?
    /// Keeps the last ones for the failures of a script.
    let packets: PacketHistory?
    /// Writes them to a file.
    let capture: RunCapture?
    /// Takes the times from them.
    let timing: TimedLinks?
    /// Shows them to other processes.
    let live: LiveCapture?

    func tapping(_ system: any RadioSystem, _ time: any TimeSource) -> any RadioSystem {
        var taps: [PacketTap] = []
        if let trace { taps.append(trace) }
        if let packets { taps.append(packets.tap) }
        if let capture { taps.append(capture.tap) }
        if let timing { taps.append(timing.tap) }
        if let live { taps.append(live.tap) }
        // Without observers there is no wrapper, which saves each packet one layer.
        guard !taps.isEmpty else { return system }
        let (all, linkTaps) = (taps, [capture?.linkTap, timing?.linkTap, live?.linkTap].compactMap { $0 })
        return TappedRadioSystem(system, time: time) { link in
            for tap in linkTaps { tap(link) }
        } tap: { packet in
            for tap in all { tap(packet) }
        }
    }
}
