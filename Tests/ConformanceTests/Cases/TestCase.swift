// SPDX-License-Identifier: GPL-2.0-or-later

/// A case of the Bluetooth SIG's GATT test suite (GATT.TS.p29) for one LE ATT bearer, with its coverage here. Cases of
/// BR/EDR, of SDP and of several bearers are omitted.
struct TestCase: Sendable {
    /// The kind of coverage.
    enum Coverage: Sendable {
        /// By the transcripts whose names begin with the text, each over both wires.
        case transcripts(String)
        /// By a test: `Suite.function`.
        case test(String)
        /// Not covered, with the reason.
        case notApplicable(String)

        /// Parses a coverage: names of transcripts begin with a slash, reasons with `not applicable`; anything else is
        /// a test.
        init(_ text: String) {
            let reason = "not applicable: "
            if text.hasPrefix("/") {
                self = .transcripts(text)
            } else if text.hasPrefix(reason) {
                self = .notApplicable(String(text.dropFirst(reason.count)))
            } else {
                self = .test(text)
            }
        }
    }

    let id: String
    let coverage: [Coverage]

    init(_ id: String, _ coverage: String...) {
        self.id = id
        self.coverage = coverage.map(Coverage.init)
    }
}
