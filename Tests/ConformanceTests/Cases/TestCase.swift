// SPDX-License-Identifier: GPL-2.0-or-later

/// A case of the Bluetooth SIG's GATT test suite (GATT.TS.p29) for one LE ATT bearer, and what covers it. The cases of
/// BR/EDR, of SDP and of several bearers are left out.
struct TestCase: Sendable {
    /// How a case is covered.
    enum Coverage: Sendable {
        /// By the transcripts whose names begin so, each over both wires.
        case transcripts(String)
        /// By a test: `Suite.function`.
        case test(String)
        /// Not at all, for that reason.
        case notApplicable(String)

        /// A name of transcripts begins with a slash, a reason with the words `not applicable`; anything else is a test.
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
