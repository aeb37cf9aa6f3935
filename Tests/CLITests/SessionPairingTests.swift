// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// `pair` while a session holds the link: no second link is made, and that of the session is raised.
@Suite("Pairing over the link of a session", .startsPrograms(.waiting, isLong: true))
struct SessionPairingTests {
    @Test(arguments: ["", "world security"])
    func `the link that the session holds is raised, and every later command has it`(_ world: String) async throws {
        let run = try await SessionShell.run(
            """
            export XDG_STATE_HOME=$F
            WORLD=--simulate=security
            \(world)
            blectl session start -d 'Passkey Shown' --format '{security.encrypted} {security.bonded}'
            blectl read battery-level --no-pair 2>&1 | head -1 | grep -o '(ATT .*)'
            blectl pair 'Passkey Shown' --passkey 111111 2>&1 | head -1 | grep -o '(SMP .*)'
            blectl pair 'Passkey Shown' --passkey 271828
            blectl session list --format '{security.encrypted} {security.authenticated} {security.bonded}'
            blectl read battery-level --no-pair
            blectl pair --passkey 271828 2>&1 | head -1
            blectl session stop >/dev/null
            blectl read battery-level -d 'Passkey Shown' --no-pair
            blectl bonds --format '{device.name} {level}'
            """
        )
        let expected = [
            "false false", "(ATT 0x05 insufficient authentication)", "(SMP 0x04 confirm value failed)",
            "paired with Passkey Shown (C5:EC:00:00:00:02) by passkey entry: level fips, keys kept by blectl",
            "true true true", "81 %",
            "blectl: cannot pair with Passkey Shown (C5:EC:00:00:00:02): they are paired already", "81 %",
            "Passkey Shown fips",
        ]
        #expect(run.lines == expected, "\(run)")
    }
}
