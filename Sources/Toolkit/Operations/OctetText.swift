// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Synchronization

/// The octets that standard output gets for received ones: hexadecimal digits, text that is safe on a terminal, or the
/// octets themselves.
package final class OctetText: Sendable {
    private let isHex: Bool
    private let isForTerminal: Bool
    private let decoder = Mutex(SerialDecoder())

    package init(isHex: Bool, isForTerminal: Bool) {
        self.isHex = isHex
        self.isForTerminal = isForTerminal
    }

    /// The octets to print for received ones. A character that is split between two parts is completed by the
    /// second.
    package func shown(_ octets: [UInt8]) -> [UInt8] {
        if isHex { return Array((Hex.string(octets) + "\n").utf8) }
        // A pipe gets exactly the received octets.
        guard isForTerminal else { return octets }
        return Array(decoder.withLock { $0.text(of: octets) }.utf8)
    }

    /// The rest of an incomplete character, and the end of the last line, so that a prompt begins a new one.
    package func finish() -> [UInt8] {
        guard isForTerminal, !isHex else { return [] }
        return decoder.withLock { decoder in
            let text = decoder.finish()
            return Array((decoder.isAtLineStart ? text : text + "\n").utf8)
        }
    }
}
