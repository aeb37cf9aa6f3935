// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Terminal

/// The remarks of an observation. Each is made once.
///
/// The sets and the last failure remember the remarks that were made.
struct ObservationNotes {
    package let notes: any NoteSink
    package let device: DeviceReference
    private var cut: Set<String> = []
    private var tooLong: Set<String> = []
    private var lastFailure: String?

    init(notes: any NoteSink, device: DeviceReference) {
        self.notes = notes
        self.device = device
    }

    /// Reports that a value fills its packet and may be cut.
    ///
    /// - Parameter isFinal: Whether the device takes no exchange of the MTU, so that later values are cut as well.
    mutating func noteMayBeCut(_ target: AttributeTarget, length: Int, isFinal: Bool) {
        guard cut.insert(target.text).inserted else { return }
        notes.note(
            "a value of \(target) may be cut: its \(length) octets fill the packet;"
                + (isFinal ? " the device does not take a larger MTU" : " a larger MTU is now requested")
        )
    }

    /// Reports that a value exceeds the length limit of attributes.
    mutating func noteIsCut(_ target: AttributeTarget, length: Int) {
        guard tooLong.insert(target.text).inserted else { return }
        // The limit is 512 octets. Spec: Core 5.4, Vol 3, Part F, 3.2.9
        notes.note(
            "a value of \(target) is longer than the \(length) octets that a value can have; the rest is left out"
        )
    }

    /// Reports octets that cannot be a frame.
    func noteNoFrame(_ target: AttributeTarget, _ octets: Int) {
        notes.note("\(count: octets, "octet") of \(target) left out, which are not a frame")
    }

    /// Reports frames that have begun and do not end.
    func noteUnfinished(_ assemblers: [AttributeTarget: FrameAssembler]) {
        for (target, assembler) in assemblers.sorted(by: { $0.key.text < $1.key.text }) where assembler.unfinished > 0 {
            notes.note("\(count: assembler.unfinished, "octet") of \(target) left out, whose frame has not ended")
        }
    }

    /// Reports why a reconnection failed. A device may be away for days: without `-v`, only a new reason is reported.
    mutating func noteReconnectionFailed(_ attempt: Int, _ error: any Error, _ pause: Duration) {
        // Other errors are those of subscriptions on the new link.
        let isLink = error is ConnectFailure || error is RadioError
        let action = "\(isLink ? "connect" : "listen") to \(device.text)"
        let why = BlectlError(describing: error, doing: action)?.message ?? "\(error)"
        let text = "attempt \(attempt): \(why); trying again in \(pause)"
        if why == lastFailure { notes.detail(text) } else { notes.note(text) }
        lastFailure = why
        notes.progress(text)
    }

    /// Records a new link: the next failure is reported, even for the same reason.
    mutating func recordRestoredLink() { lastFailure = nil }
}
