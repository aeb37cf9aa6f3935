// SPDX-License-Identifier: MIT

import Bluetooth

extension SharedBearer.Note: CustomStringConvertible {
    /// The note in words, for the process that holds the link.
    var description: String {
        switch self {
        case .device(let diagnostic): diagnostic.description
        case .malformed(let error): "refused a malformed request of a command: \(error)"
        case .tooLong(let opcode): "refused a \(opcode) that is longer than the MTU"
        case .configurationRefused(let handle): "the device refuses to switch \(handle) on or off"
        }
    }
}
