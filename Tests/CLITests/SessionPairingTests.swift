// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

/// `pair` while a session holds the link: no second link is made, and that of the session is raised.
@Suite("Pairing over the link of a session", .startsPrograms(.waiting, isLong: true))
struct SessionPairingTests {
    @Test(arguments: ["", "world security"])
    func `the session's link is raised, and every later command benefits`(_ world: String) async throws {
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

    /// Nothing unprotected may be sent to a bonded device, and each command on the session needs its security.
    @Test(arguments: ["", "world security"])
    func `the link to a bonded device is encrypted from the beginning`(
        _ world: String
    ) async throws {
        let run = try await SessionShell.run(
            """
            export XDG_STATE_HOME=$F
            WORLD=--simulate=security
            \(world)
            blectl pair 'Just Works' >/dev/null
            blectl session start -d 'Just Works' --format '{security.encrypted} {security.bonded}'
            blectl read battery-level --no-pair
            blectl session list --format '{security.level}'
            blectl session stop >/dev/null
            """
        )
        #expect(run.lines == ["true true", "80 %", "medium"], "\(run)")
    }

    @Test func `a session with a bonded device that lost its keys does not begin`() async throws {
        let run = try await SessionShell.run(
            """
            export XDG_STATE_HOME=$F
            WORLD=--simulate=security; blectl pair Forgetful >/dev/null
            blectl session start -d Forgetful; echo $?
            blectl session list; echo $?
            """
        )
        #expect(run.lines == ["76", "0"], "\(run)")
    }

    /// A key that the device refuses gets no better by trying again.
    @Test(arguments: [
        ("session start --foreground", "hold a link to"),
        ("notify b1ec0107-5ec7-4c3a-9d0e-51a1b1ec0001 --reconnect", "listen to"),
    ])
    func `a reconnection ends if the device has lost its keys meanwhile, as a first connection does`(
        _ command: String,
        _ action: String
    ) async throws {
        let run = try await SessionShell.run(
            """
            export XDG_STATE_HOME=$F
            world security
            device=02:00:00:00:00:01
            serve() {
                rm -f $F/serving
                XDG_STATE_HOME=$F/device timeout 300 $BLECTL $WORLD serve workbench --io none >$F/serving & serving=$!
                until_there '[ -s $F/serving ]'
            }
            serve
            blectl pair $device >/dev/null
            timeout 300 $BLECTL $WORLD \(command) -d $device --json >$F/out 2>$F/errors & holding=$!
            until_there '[ -s $F/out ]'
            kill -TERM $serving; wait $serving
            XDG_STATE_HOME=$F/device blectl unpair 02:00:00:00:00:02 >/dev/null; echo "unpair $?"
            serve
            wait $holding; echo $?
            tail -2 $F/errors
            blectl session list 2>/dev/null
            kill -TERM $serving; wait $serving
            """
        )
        let expected = [
            "unpair 0", "76",
            "blectl: cannot \(action) Workbench (02:00:00:00:00:01): the link could not be encrypted: "
                + "the device and this machine do not agree on a key",
            "hint: if one side has lost the key: blectl unpair 02:00:00:00:00:01, "
                + "then blectl pair 02:00:00:00:00:01",
        ]
        #expect(run.lines == expected, "\(run)")
    }

    @Test func `a command in the session's process signs with the keys of the bond`() async throws {
        let run = try await SessionShell.run(
            """
            export XDG_STATE_HOME=$F
            WORLD=--simulate=security
            blectl session start -d Legacy >/dev/null
            # Without a session, so that the link of the session stays as it is: signatures are for those without
            # encryption.
            XDG_RUNTIME_DIR=$F/none blectl pair Legacy >/dev/null
            blectl write handle:0x0013 0x2a --signed -d Legacy --format '{procedure}'; echo $?
            """
        )
        #expect(run.lines == ["signed-write-command", "0"], "\(run)")
    }

    @Test func `the session of a stranger with the name of a bonded device is not used`() async throws {
        let run = try await SessionShell.run(
            """
            export XDG_STATE_HOME=$F
            cat >$F/thief.json <<'END'
            { "schema": "blectl-device/1", "name": "Just Works",
              "address": "C5:EC:00:00:00:32", "address_type": "random",
              "signal": { "rssi": -30, "movement": "still" },
              "advertising": [{ "interval": "40 ms", "data": { "name": "Just Works", "services": ["battery"] } }],
              "services": [{ "uuid": "battery", "characteristics": [
                { "uuid": "battery-level", "properties": ["read", "write"], "permissions": { "read": "open" },
                  "value": "u8:13" }] }] }
            END
            WORLD=--simulate=security; blectl pair 'Just Works' >/dev/null
            WORLD=--simulate=$F/thief.json; blectl session start -d C5:EC:00:00:00:32 >/dev/null
            blectl read battery-level -d 'Just Works' --timeout 2; echo $?
            # The name of the session was chosen by the user.
            blectl read battery-level -d just-works
            blectl read battery-level
            """
        )
        #expect(run.lines == ["68", "13 %", "13 %"], "\(run)")
        #expect(run.errors.contains("C5:EC:00:00:00:32 has the name, and is another device"), "\(run)")
    }
}
