// SPDX-License-Identifier: GPL-2.0-or-later

import CommandLineInterface
import Toolkit

struct SerialOptions: Sendable, Equatable {
    /// The octets that are sent for the end of a line.
    enum Newline: String, OptionChoice {
        case lf, crlf, cr, none

        var summary: String {
            switch self {
            case .lf: "a line feed"
            case .crlf: "a carriage return and a line feed"
            case .cr: "a carriage return"
            case .none: "nothing"
            }
        }

        var octets: [UInt8] {
            switch self {
            case .lf: [0x0A]
            case .crlf: [0x0D, 0x0A]
            case .cr: [0x0D]
            case .none: []
            }
        }
    }

    /// The characteristic that is written to; `nil` for that of a known port, or the other one.
    var receiver: AttributeTarget?
    /// The characteristic that sends; `nil` for that of a known port, or the other one.
    var transmitter: AttributeTarget?
    var newline = Newline.lf
    /// Whether octets are typed and shown in hex.
    var isHex = false
    var isReceiveOnly = false
    /// The time without a received octet after which the command ends, when its input has ended.
    var quietTime = Duration.seconds(1)
}
