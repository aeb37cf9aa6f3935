// SPDX-License-Identifier: GPL-2.0-or-later

extension Transcript {
    /// Each kind of failure of a script, as a person sees it.
    static let scriptFailures = Transcript(
        "script-failures",
        [
            script(
                """
                test "a value out of range"
                  read strap battery-level expect battery_level in 90..100
                test "no error where one is expected"
                  read strap battery-level expect error
                test "another error than expected"
                  write strap heart-rate-control-point 02 expect error 0x05
                test "another status than expected"
                  read strap temperature expect status protocol-error
                test "a field that is not there"
                  read strap battery-level expect batery_level > 3
                test "a step that breaks"
                  write strap heart-rate-control-point 02
                test "a step that takes too long"
                  read strap battery-level within 10 ms
                test "a device that is not there"
                  read nobody battery-level
                """
            ),
            script(
                """
                notify strap heart-rate-measurement as beats
                test "nothing came"
                  await beats 2 where heart_rate_bpm > 250 within 2.5 s
                test "one came that must not"
                  never beats where heart_rate_bpm > 20 for 5 s
                test "too many came"
                  count beats ..1 for 5 s
                test "too few came"
                  count beats 10.. where contact is true for 3 s
                test "not in this order"
                  order beats heart_rate_bpm > 20 then heart_rate_bpm > 250 within 3 s
                test "none in this order"
                  order beats heart_rate_bpm > 250 then heart_rate_bpm > 20 within 3 s
                test "one that is not as expected"
                  await beats 2 within 5 s expect heart_rate_bpm > 250
                test "a stream that has ended"
                  notify strap heart-rate-measurement --count 2 as two
                  await two 3 within 20 s
                test "a stream that was dropped"
                  disconnect strap
                  await beats within 5 s
                """
            ),
            script(
                """
                test "no link"
                  disconnect strap
                  check strap mtu > 23
                test "another link"
                  connect strap
                  check strap phy_tx is coded
                test "a link without security"
                  check strap level is high and bonded is true
                """
            ),
            script(
                """
                read strap battery-level expect 3
                test "is skipped by a failed setup"
                  pause 1
                """
            ),
            script(
                """
                test "fails twice"
                  read strap battery-level expect 3
                cleanup
                  write strap heart-rate-control-point 02
                test "runs"
                  repeat 3 as round
                    expect ${round} < 3
                  end
                cleanup all
                  read strap temperature
                """
            ),
            script(
                """
                notify flaky heart-rate-measurement as beats
                test "a link that is lost"
                  await beats 100 within 5m
                """
            ),
            script(
                """
                test "is cut off"
                  pause 1m
                test "does not begin"
                  pause 1
                """,
                "--deadline 5"
            ),
            script(
                """
                test "a condition beside a failure"
                  write strap heart-rate-control-point 02 expect error expect 5
                test "a field behind its relation"
                  read strap battery-level expect battery_level not in 1..5
                """
            ),
            script("test \"is called so\"\n  pause 1", "--only 'is caled so'"),
        ]
    )

    /// The run of a script on a strap.
    private static func script(_ steps: String, _ options: String = "") -> TypedCommand {
        let devices = [
            "device strap -d 'Pulse HR'", "device flaky -d 'Flaky HR'", "device nobody -d Nobody",
        ]
        let words = ["run -", "--keep-going", options].filter { !$0.isEmpty }
        return TypedCommand(words.joined(separator: " "), input: (devices + [steps, ""]).joined(separator: "\n"))
    }
}
