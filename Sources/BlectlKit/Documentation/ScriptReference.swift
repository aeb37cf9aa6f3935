// SPDX-License-Identifier: GPL-2.0-or-later

/// The reference of the language in `blectl-script(5)`. A test parses every example.
enum ScriptReference {
    /// A form with its meaning.
    struct Entry {
        let term: String
        let text: String
        /// Lines of a script that show it. They may refer to the device `strap` and to the results `level`, `beats` and
        /// `ads`.
        var example: String
    }

    /// The statements other than steps.
    static var structure: [Entry] { entries([.language, .device, .include, .test, .cleanup, .repeat]) }
    /// The steps with a link.
    static var links: [Entry] { entries([.connect, .disconnect, .check]) }
    /// The steps that wait for results in the background.
    static var streams: [Entry] { entries([.await, .never, .count, .order, .stop]) }
    /// All other steps.
    static var others: [Entry] { entries([.set, .expect, .pause]) }

    private static func entries(_ keywords: [ScriptKeyword]) -> [Entry] {
        keywords.map { Entry(term: $0.form, text: $0.meaning, example: $0.example) }
    }

    /// The clauses after a command.
    static let clauses: [Entry] = [
        Entry(
            term: "expect CONDITION",
            text: "There is a result, and each one meets the condition. Several such clauses have to be met all.",
            example: "read strap battery-level expect 20..100"
        ),
        Entry(
            term: "expect error [CODE|NAME]",
            text: """
                The device answers with this ATT error, or with any. A name is that of the specification with dashes between \
                its words. There is no result then: the step fails if one of its targets has one, and a condition beside it is a \
                fault of the script.
                """,
            example:
                "write strap heart-rate-control-point 0x02 expect error 0x80\nwrite strap battery-level 0 expect error write-not-permitted"
        ),
        Entry(
            term: "expect status NUMBER|NAME",
            text: "The command ends with this exit status: one of EXIT STATUS in `blectl(1)`, or its name.",
            example: "read strap temperature expect status not-found"
        ),
        Entry(
            term: "as NAME",
            text: """
                The last result is the value of this variable. `notify`, `watch` and `scan` with a name run in the background, \
                and are streams.
                """,
            example: "read strap battery-level as charge"
        ),
        Entry(
            term: "within TIME",
            text:
                "The step has this time instead of `--timeout`. That it takes longer is an expectation that was not met.",
            example: "read strap battery-level within 500 ms"
        ),
    ]

    /// The relations of conditions.
    static let relations: [Entry] = [
        Entry(
            term: "== VALUE, is VALUE, VALUE",
            text: """
                It is equal: as a number, if both sides are numbers, else as a text. Whole numbers are compared exactly. \
                The value itself may be given as `write` takes it: `50%`, `high`. Digits after `0x` or `hex:` are compared \
                with its octets. Octets that are no number or text, because the format is not known or the value does not \
                have it, equal no number, and are not different from one either: the comparison is not met.
                """,
            example: "read strap battery-level expect == 87\nread strap battery-level expect 0x57"
        ),
        Entry(
            term: "!= VALUE, is not VALUE",
            text: "It is different.",
            example: "read strap body-sensor-location expect is not wrist"
        ),
        Entry(
            term: "<, <=, >, >= NUMBER",
            text: "It is a number, and less or greater.",
            example: "await beats where heart_rate_bpm >= 40"
        ),
        Entry(
            term: "in A..B, A..B",
            text: "It is a number in a range to which both ends belong. One end may be left out: `20..`, `..100`.",
            example: "await beats where heart_rate_bpm in 40..180\nread strap battery-level expect 20.."
        ),
        Entry(
            term: "matches EXPRESSION",
            text: "A part of the text matches an extended regular expression of POSIX.",
            example: "read strap model-number-string expect matches '^Pulse HR [0-9]+$'"
        ),
        Entry(
            term: "contains TEXT",
            text: """
                The text has this part, or the list this element. A service may be named, too: `contains heart-rate`. Among the \
                services of a scan, a word that is neither a UUID nor such a name is an error.
                """,
            example: "await ads where services contains 0x180D"
        ),
        Entry(
            term: "mask OCTETS is OCTETS",
            text: "Of the octets, those bits that the mask has set are as stated.",
            example: "await beats where value mask 0x06 is 0x06"
        ),
        Entry(
            term: "length N, length A..B",
            text: "The number of octets of a value, or of elements of a list.",
            example: "read strap battery-level expect length 1"
        ),
        Entry(
            term: "not CONDITION",
            text: """
                The condition is not met. `not` stands before the field and before parentheses, not between a field and its \
                relation.
                """,
            example: "read strap battery-level expect not 0..9\nawait beats where not heart_rate_bpm > 180"
        ),
        Entry(
            term: "present, absent",
            text: "The field is there and has a value, or not.",
            example: "await beats where energy_expended_kj is present"
        ),
    ]

    /// The grammar, as lines.
    static let grammar = """
        script      := { line }
        line        := [ statement ] [ "#" comment ]
        statement   := "language" NUMBER | "include" FILE
                     | "device" NAME { device option }
                     | "test" NAME | "cleanup" [ "all" ]
                     | "repeat" NUMBER [ "as" NAME ] | "end" | step
        step        := COMMAND [ DEVICE ] { argument } { clause }
                     | "connect" [ DEVICE ] [ within ]
                     | "disconnect" [ DEVICE ]
                     | "check" [ DEVICE ] condition
                     | "await" STREAM [ NUMBER ] [ where ] [ within ]
                       { "expect" condition } [ "as" NAME ]
                     | "never" STREAM [ where ] "for" TIME
                     | "count" STREAM RANGE [ where ] "for" TIME [ "as" NAME ]
                     | "order" STREAM condition "then" condition
                       { "then" condition } [ within ] [ "as" NAME ]
                     | "stop" STREAM | "set" NAME VALUE
                     | "expect" VALUE condition | "pause" TIME
        clause      := "as" NAME | within | "expect" expectation
        expectation := condition | "error" [ CODE ] | "status" STATUS
        where       := "where" condition
        within      := "within" TIME
        condition   := conjunction { "or" conjunction }
        conjunction := factor { "and" factor }
        factor      := "not" factor | "(" condition ")" | [ FIELD ] relation
        relation    := one of those in CONDITIONS
        """
}

extension ScriptKeyword {
    /// The effect of the statement, in sentences.
    fileprivate var meaning: String {
        switch self {
        case .language:
            "The language of the script. A script for a later one is refused with status 65. May be left out, and stands first in a file."
        case .device:
            """
            Declares a device under a name, by the device options of `blectl(1)`. Without options it is that of \
            `$BLECTL_DEVICE`. Steps connect to it when they first need it, and the link is held to the end of the script. \
            With `-i` it has adapters of its own, one or several, instead of those of the run. Devices are declared before the \
            first test.
            """
        case .include:
            """
            Reads another file in this place. Its name is relative to the file that has the line. After an included file with \
            tests, a step needs a test of its own.
            """
        case .test:
            """
            Begins a test, which goes on to the next one. Steps before the first test prepare all tests: if one of them fails, no \
            test runs. A script without a test is one.
            """
        case .cleanup:
            """
            Begins the steps that run after those of the test in any case, also if one failed or the user interrupts. `cleanup \
            all` begins those at the end of the script.
            """
        case .repeat, .end:
            "Carries out the steps up to `end` that often. The variable has the number of the round, from 1."
        case .set: "Sets a variable to a text, unless `--define` has set it: as with make(1), the command line wins."
        case .connect: "Connects now. Without this step, the first step that needs the device connects."
        case .disconnect:
            "Closes the link, and ends the streams of the device. The next step that needs the link connects again."
        case .check:
            """
            Looks at the state of the link, and does not connect: without a link, only `connected is false` is met. Each \
            comparison names a field. The fields \
            are `mtu`, which is exchanged for it, `rssi` in dBm, `tx_power` in dBm, `phy_tx` and `phy_rx` (`1M`, `2M`, `coded` or \
            `'coded S=2'`), `data_length_tx_octets`, `data_length_rx_octets`, `interval_ms`, `latency`, \
            `supervision_timeout_ms`, `role` (`central` or `peripheral`), `connected`, and those of its security: `level` \
            (`low`, `medium`, `high` or `fips`), `encrypted`, `authenticated`, `secure_connections`, `key_size` and `bonded`. \
            For these, the link gets the security first that it has before a request, such as that of a bond. \
            The case of these words does not count. The command `link` shows them, too, and changes the link. On the link of a \
            session, they are those of that link.
            """
        case .await:
            """
            Waits for further results of a stream that meet the condition, by default for one. Results that came before, and \
            that no other step has taken, count. What `expect` says has to be true of each. It fails at once if the stream has \
            ended, as one with `--count` does, and with `expect` also if results were dropped (LIMITS).
            """
        case .never:
            """
            Waits for the whole time from now on, in which no result may meet the condition: results that came before are \
            thrown away. It fails if the stream ends before: that nothing came says nothing then. A scan reports \
            each advertiser once, and again when its data change; with `--duplicates` it reports each advertisement. A device \
            with a link may not advertise.
            """
        case .count:
            """
            Waits for the whole time from now on and counts the results that meet the condition: `3`, `3..5`, `3..` or `..5`. \
            Results that came before are thrown away. Without an upper end, it ends when there are enough; with one, it fails \
            if the stream ends before the time. NAME is the last result that was counted, not the number. How often a device \
            advertises is a field of `scan --summary`.
            """
        case .order: "Waits for results that meet the conditions one after the other, with any others in between."
        case .stop:
            "Ends a stream: unsubscribes, or ends the scan. It fails if the stream has failed, and no step has said so."
        case .expect: "Compares a value, usually that of a variable."
        case .pause: "Lets time pass. In virtual time this takes none."
        }
    }

    /// Lines that show the statement.
    fileprivate var example: String {
        switch self {
        case .language: "language 1"
        case .device: "device scale -d C8:4B:1D:3A:90:5E --retries 5"
        case .include: "include common/login.blectl"
        case .test: "test \"has charge\"\n  read strap battery-level expect 20..100"
        case .cleanup:
            "test \"loses the link\"\n  disconnect strap\ncleanup\n  connect strap\ncleanup all\n  disconnect strap"
        case .repeat, .end: "repeat 3 as round\n  read strap battery-level expect > ${round}\nend"
        case .set: "set limit 20\nread strap battery-level expect >= ${limit}"
        case .connect: "connect strap within 5 s"
        case .disconnect: "disconnect strap"
        case .check:
            "check strap connected is true and mtu >= 23\nlink strap --link-interval 15ms expect interval in 7.5..30"
        case .await: "await beats 5 where contact is true within 10 s expect heart_rate_bpm in 40..180"
        case .never:
            "never beats where contact is false for 2 s\ndisconnect strap\n"
                + "scan --duplicates as all\nawait all 5 where name is 'Pulse HR'\nnever all where name is Nobody for 1 s"
        case .count:
            "count beats 3..5 for 4 s\ndisconnect strap\n"
                + "scan --summary --name 'Pulse *' --duration 5 expect interval_ms in 20..1000"
        case .order: "order beats heart_rate_bpm > 60 then heart_rate_bpm > 65 within 1m"
        case .stop: "stop beats"
        case .expect: "expect ${level} in 20..100"
        case .pause: "pause 200 ms"
        }
    }
}
