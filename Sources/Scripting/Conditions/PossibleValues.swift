// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Records
import Terminal

extension ResultScope {
    /// What a field of the values is, if it is never the text that a comparison wants: `heart_rate_bpm is a number`.
    ///
    /// `nil` if it may be the text, or if it is not known which field is compared.
    func impossibility(of text: String, in field: String?) -> String? {
        guard let field else {
            // Octets of another length than the format has are compared as such.
            guard let only = fields?.first, fields?.count == 1, !TypedValue.isMarked(text), Hex.bytes(text) == nil,
                ScriptNumber(text) == nil, !only.takes(text)
            else { return nil }
            return only.meaning
        }
        var path = field.split(separator: ".", omittingEmptySubsequences: false)
        if path.count == 2, path[0] == LineFormat.openKey { path.removeFirst() }
        guard let name = path.first.map(String.init), path.count == 1, !keys.contains(where: { $0.name == name })
        else { return nil }
        let compared = (fields ?? []).filter { name.means($0.key) }
        guard let first = compared.first, !compared.contains(where: { $0.canBe(text) }) else { return nil }
        return first.meaning
    }
}

extension FieldDescription {
    /// Whether the field of a record may be equal to a text, which is compared as it is.
    fileprivate func canBe(_ text: String) -> Bool {
        switch kind {
        case .number: ScriptNumber(text) != nil
        case .bool: text == "true" || text == "false"
        case .choice: choices.isEmpty || choices.contains(text) || text.hasPrefix("reserved (")
        default: true
        }
    }

    fileprivate var meaning: String? {
        let name = key.isEmpty ? "it" : key
        return switch kind {
        case .number: "\(name) is a number"
        case .bool: "\(name) is true or false"
        case .choice: "\(name) is \(Prose.list(choices.map { "'\($0)'" }, "or"))"
        default: nil
        }
    }
}
