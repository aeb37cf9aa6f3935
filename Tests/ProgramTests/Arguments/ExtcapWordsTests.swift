// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Testing

@testable import CaptureCommands
@testable import Commands

@Suite("The words of Wireshark")
struct ExtcapWordsTests {
    @Test(
        "become those of a command line",
        arguments: [
            ("--extcap-interfaces", "extcap interfaces"),
            ("--extcap-interfaces --extcap-version=4.0", "extcap interfaces"),
            ("extcap --extcap-interfaces", "extcap interfaces"),
            ("--extcap-interface blectl-hci0 --extcap-dlts", "extcap dlts blectl-hci0"),
            ("--extcap-config --extcap-interface=blectl-hci1", "extcap config blectl-hci1"),
            (
                "--capture --extcap-interface blectl-hci0 --fifo /tmp/f --extcap-capture-filter x",
                "extcap capture --capture /tmp/f blectl-hci0"
            ),
            // Contradictions are for the parser.
            ("--extcap-interface -x --extcap-dlts", "extcap dlts -- -x"), ("--extcap-dlts", "extcap dlts"),
            ("--capture --extcap-interface blectl-hci0", "extcap capture blectl-hci0"),
        ]
    )
    func translated(_ typed: String, _ expected: String) {
        let words = ExtcapCommand.words(forWireshark: typed.split(separator: " ").map(String.init))
        #expect(words?.joined(separator: " ") == expected)
    }

    @Test("others stay as they are", arguments: ["scan --capture run.pcapng", "extcap interfaces", "", "--capture x"])
    func others(_ typed: String) {
        #expect(ExtcapCommand.words(forWireshark: typed.split(separator: " ").map(String.init)) == nil)
    }
}
