// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// A value that was written.
struct WriteResult: RecordedResult {
    /// The procedure that wrote the value.
    ///
    /// It shows in the record which ATT procedure carried the value. The user's option is only one reason for
    /// it: a value that does not fit into a packet needs a long write.
    enum Procedure: String, Sendable {
        /// A Write Request. The server acknowledges it.
        case writeRequest = "write-request"
        /// A Write Command. Nothing acknowledges it.
        case writeCommand = "write-command"
        /// Prepare Write Requests and one Execute Write Request, for a value that is longer than a packet.
        case longWrite = "long-write"
        /// The same requests, with a comparison of the echoed values.
        case reliableWrite = "reliable-write"
        /// A Signed Write Command, with a signature of 12 octets.
        case signedWriteCommand = "signed-write-command"
    }

    /// The attribute that was written.
    let attribute: AttributeReference
    /// The number of octets in all pieces together.
    let length: Int
    /// The number of pieces, each of them a separate value.
    let chunks: Int
    /// The procedure that was used.
    let procedure: Procedure
    /// Whether the value that was read back is the same; `nil` if it was not read back.
    let isVerified: Bool?
    /// When the last piece was sent or acknowledged.
    let timestamp: Timestamp

    var record: Record {
        Record(
            "write",
            at: timestamp,
            [
                "characteristic": .optional(attribute.characteristic?.description),
                "characteristic_name": .optional(attribute.characteristicName),
                "descriptor": .optional(attribute.descriptor?.description),
                "device": attribute.device.json,
                "handle": .integer(Int64(attribute.handle.rawValue)),
                "service": .optional(attribute.service?.description),
                "target": .string(attribute.target),
                "length": .integer(Int64(length)),
                "chunks": .integer(Int64(chunks)),
                "procedure": .string(procedure.rawValue),
                "verified": .optional(isVerified),
            ]
        )
    }

    /// `nil`: a successful write prints nothing, like other commands that change something.
    func text(_ style: TextStyle) -> String? { nil }
}
