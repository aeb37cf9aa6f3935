// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Captures
import Commands
import Terminal
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
    /// Switches the tracing of a shell between its commands; `nil` elsewhere, where `-v` decides once.
    let lines: SwitchedTap?

    init(
        of request: CommandRequest,
        _ options: GlobalOptions,
        _ capture: RunCapture?,
        _ diagnostics: Diagnostics,
        _ time: any TimeSource
    ) {
        self.capture = capture
        let isRedacted = options.streams.isRedacted
        packets = request.name == .run ? PacketHistory(since: time.now, isRedacted: isRedacted) : nil
        lines = request.name == .shell ? SwitchedTap() : nil
        trace = lines?.tap ?? PacketTrace.tap(diagnostics, since: time.now, on: options.adapters)
        // A line of a shell may ask for the times when its link is there already.
        timing = options.tellsTiming || request.name == .shell ? TimedLinks() : nil
        live = request.holdsSession ? LiveCapture(time: time, isRedacted: isRedacted) : nil
    }

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
