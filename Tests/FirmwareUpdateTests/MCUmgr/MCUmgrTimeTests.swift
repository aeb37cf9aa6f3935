// SPDX-License-Identifier: MIT

import FirmwareUpdate
import Testing

@Suite("Times of MCUmgr")
struct MCUmgrTimeTests {
    @Test(
        "What the specification shows is a time",
        arguments: [
            "2026-11-29T10:35:00", "2026-11-29T10:35:00.000000", "2026-11-29T10:35:00.5Z", "2026-11-29T10:35:00+01:00",
            "2026-12-31T23:59:60-11:30",
        ]
    )
    func times(_ text: String) { #expect(MCUmgrTime.isValid(text)) }

    @Test(
        "Other texts are none",
        arguments: [
            "", "tomorrow", "2026-11-29", "2026-11-29 10:35:00", "2026-13-29T10:35:00", "2026-11-32T10:35:00",
            "2026-11-29T24:35:00", "2026-11-29T10:35", "2026-11-29T10:35:00.", "2026-11-29T10:35:00.1234567890",
            "2026-11-29T10:35:00Zulu", "2026-11-29T10:35:00+1:00", "2026-11-29T10:35:00+25:00", "２026-11-29T10:35:00",
            "26-11-29T10:35:00", "+026-11-29T10:35:00",
        ]
    )
    func others(_ text: String) { #expect(!MCUmgrTime.isValid(text)) }
}
