// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothHost
import Records
import Terminal

/// Other processes can use a controller.
struct RadioResult: RecordedResult {
    let socket: String
    let adapter: AdapterDescription
    let timestamp: Timestamp

    static let record = RecordKind<Self>("radio", "a controller that is lent to other commands") {
        RecordField("socket", .string, "path of its socket") { $0.socket }
        RecordField("adapter", .string, "controller, as `--adapter` names it") { $0.adapter.name }
        RecordField("address", orNull: .string, "its public address, if it has one") {
            $0.adapter.address.rawValue == 0 ? nil : $0.adapter.address.description
        }
    }

    func text(_ style: TextStyle) -> String? {
        let name = TerminalText.escaped(adapter.name)
        return "lending \(name) at \(style.paint(TerminalText.escaped("unix:\(socket)"), .bold))"
    }
}
