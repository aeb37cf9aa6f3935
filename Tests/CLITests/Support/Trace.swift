// SPDX-License-Identifier: GPL-2.0-or-later

/// The lines of `-v` and `-vv` on standard error.
struct Trace: Sendable {
    /// An ATT PDU in its line.
    struct PDU: Sendable, Equatable {
        let isSent: Bool
        let name: String
        let rest: String

        /// The value of a write, without its handle.
        var value: String { rest.split(separator: " ").last.map(String.init) ?? "" }
    }

    /// The ATT PDUs, in order.
    let pdus: [PDU]
    /// The controller's commands and events, in order, each with `>` or `<` before it.
    let packets: [String]

    init(_ text: String) {
        var pdus: [PDU] = []
        var packets: [String] = []
        // Compiled when they are evaluated, which takes longer than a match.
        let packet = /\S+Z \s*\d+\.\d{6} ([<>]) (att|hci) (.*)/
        let attribute = /[0-9A-F:]{17} ((?:[A-Z][A-Za-z]* ?)+)(.*)/
        for line in text.split(separator: "\n") {
            guard let match = line.wholeMatch(of: packet) else { continue }
            let (_, arrow, channel, what) = match.output
            if channel == "hci" {
                packets.append("\(arrow) \(what)")
            } else if let words = what.wholeMatch(of: attribute) {
                let name = words.output.1.reversed().drop { $0 == " " }.reversed()
                pdus.append(PDU(isSent: arrow == ">", name: String(name), rest: String(words.output.2)))
            } else {
                pdus.append(PDU(isSent: arrow == ">", name: "?", rest: String(what)))
            }
        }
        self.pdus = pdus
        self.packets = packets
    }

    var sent: [PDU] { pdus.filter(\.isSent) }
    var received: [PDU] { pdus.filter { !$0.isSent } }

    /// The PDUs that change something on the device.
    var writes: [PDU] { sent.filter { $0.name.contains("Write") } }

    /// The changes of scanning, in order: `on` or `off`.
    var scanSwitches: [String] {
        let change = /> LE Set (?:Extended )?Scan Enable: (on|off).*/
        return packets.compactMap { $0.wholeMatch(of: change).map { String($0.output.1) } }
    }
}
