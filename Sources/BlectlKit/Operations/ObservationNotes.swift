// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost

/// The remarks of an observation, each made once.
struct ObservationNotes {
    let notes: any NoteSink
    let device: DeviceReference
    private var cut: Set<String> = []
    private var tooLong: Set<String> = []
    private var lastFailure: String?

    init(notes: any NoteSink, device: DeviceReference) {
        self.notes = notes
        self.device = device
    }

    /// Tells that a value fills a packet, so that more of it may be missing.
    mutating func tellMayBeCut(_ target: AttributeTarget, length: Int) {
        guard cut.insert(target.text).inserted else { return }
        notes.note(
            "a value of \(target) may be cut: its \(length) octets are all that a packet takes;"
                + " a larger MTU is asked for now"
        )
    }

    /// Tells that a value is longer than an attribute may be.
    mutating func tellIsCut(_ target: AttributeTarget, length: Int) {
        guard tooLong.insert(target.text).inserted else { return }
        notes.note(
            "a value of \(target) is longer than the \(length) octets that a value can have; the rest is left out"
        )
    }

    /// Tells why there is no link yet. A device may be away for days: each reason is told once, and each attempt with `-v`.
    mutating func tellReconnectionFailed(_ attempt: Int, _ error: any Error, _ pause: Duration) {
        // A link that was made may still not be subscribed to.
        let isLink = error is ConnectFailure || error is RadioError
        let action = "\(isLink ? "connect" : "listen") to \(device.text)"
        let why = BlectlError(describing: error, doing: action)?.message ?? "\(error)"
        let text = "attempt \(attempt): \(why); trying again in \(pause)"
        if why == lastFailure { notes.detail(text) } else { notes.note(text) }
        lastFailure = why
        notes.progress(text)
    }

    /// There is a link again: the next failure is told, even for the same reason.
    mutating func recordRestoredLink() { lastFailure = nil }
}
