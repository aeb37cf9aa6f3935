// SPDX-License-Identifier: GPL-2.0-or-later

package import Records
package import Terminal

package struct WriteResult: RecordedResult {
    /// The procedure that wrote the value.
    ///
    /// It shows in the record which ATT procedure carried the value. The user's option is only one reason for
    /// it: a value that does not fit into a packet needs a long write.
    package enum Procedure: String, Sendable {
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

    package let attribute: AttributeReference
    /// The number of octets in all pieces together.
    package let length: Int
    /// The number of pieces, each of them a separate value.
    package let chunks: Int
    package let procedure: Procedure
    /// Whether the value that was read back is the same; `nil` if it was not read back.
    package let isVerified: Bool?
    /// When the last piece was sent or acknowledged.
    package let timestamp: Timestamp

    package init(
        attribute: AttributeReference,
        length: Int,
        chunks: Int,
        procedure: Procedure,
        isVerified: Bool?,
        timestamp: Timestamp
    ) {
        self.attribute = attribute
        self.length = length
        self.chunks = chunks
        self.procedure = procedure
        self.isVerified = isVerified
        self.timestamp = timestamp
    }

    package static let record = RecordKind<Self>("write", "a value that was written") {
        AttributeReference.record.of { $0.attribute }
        AttributeReference.targetField.of { $0.attribute }
        RecordField("length", .integer("bytes"), "its length") { $0.length }
        RecordField(
            "chunks",
            .integer,
            "number of pieces, 1 unless `--chunk` or `--no-response` split it"
        ) { $0.chunks }
        RecordField(
            "procedure",
            .string,
            "`write-request`, `write-command`, `long-write`, `reliable-write` or `signed-write-command`"
        ) { $0.procedure.rawValue }
        RecordField("verified", orNull: .boolean, "whether it read back the same; null without `--verify`") {
            $0.isVerified
        }
    }

    /// `nil`: a successful write prints nothing, like other commands that change something.
    package func text(_ style: TextStyle) -> String? { nil }
}
