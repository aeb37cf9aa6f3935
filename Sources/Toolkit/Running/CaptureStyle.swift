// SPDX-License-Identifier: GPL-2.0-or-later

package enum CaptureStyle: Sendable {
    /// A file or a pipe, whose name tells the format.
    case file
    /// A pipe of Wireshark, which opens it when this program runs, and reads pcapng.
    case pipeForWireshark
}
