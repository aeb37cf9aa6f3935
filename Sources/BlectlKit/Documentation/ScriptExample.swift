// SPDX-License-Identifier: GPL-2.0-or-later

/// A script of `blectl-script(5)`. A test reads and runs it.
public struct ScriptExample: Sendable {
    /// The name of the file.
    public let file: String
    /// The purpose of the script, in sentences.
    let explanation: String
    /// The script, without a line feed at the end.
    public let text: String
    /// A line to type.
    var line: String { "blectl --simulate --simulate-time virtual run \(file)" }

    /// All examples, the simplest first.
    public static let all = [
        ScriptExample(
            file: "strap.blectl",
            explanation: "A heart rate strap, tested on one connection.",
            text: """
                #!/usr/bin/env -S blectl run
                device strap --name 'Pulse *' --service heart-rate

                test "has charge"
                  read strap battery-level expect 20..100

                test "refuses what it does not know"
                  write strap heart-rate-control-point 0x02 expect error 0x80

                test "beats, and counts energy from nought"
                  notify strap heart-rate-measurement as beats
                  write strap heart-rate-control-point 0x01
                  await beats 5 within 10 s expect heart_rate_bpm in 40..180
                  never beats where contact is false for 2 s
                """
        ),
        ScriptExample(
            file: "rig.blectl",
            explanation: "Variables, repetitions, cleanup, the state of the link and advertisements.",
            text: """
                language 1
                device strap --name 'Pulse *'
                set lowest 20

                test "is what it says"
                  read strap model-number-string expect matches '^Pulse HR' as model
                  expect ${model} contains HR
                  read strap body-sensor-location expect chest expect length 1

                test "keeps its charge"
                  read strap battery-level as before
                  repeat 3 as round
                    pause 200 ms
                    read strap battery-level expect >= ${lowest} expect <= ${before}
                  end

                test "answers before the link is closed"
                  connect strap within 10 s
                  check strap connected is true and mtu >= 23
                  notify strap heart-rate-measurement as beats
                  order beats heart_rate_bpm > 0 then rr_intervals_ms present within 10 s
                  count beats 2.. for 5 s
                cleanup
                  stop beats

                test "is seen again after a link"
                  disconnect strap
                  scan --service heart-rate as ads
                  await ads where services contains 0x180D and rssi_dbm > -100 within 10 s

                cleanup all
                  disconnect strap
                """
        ),
    ]
}
