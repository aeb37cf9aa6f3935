// SPDX-License-Identifier: MIT

package import Bluetooth

/// A request or a response of MCUmgr: a header, and a map.
///
/// The protocol's name is Simple Management Protocol, SMP; what Bluetooth calls SMP is another one. Over Bluetooth a request
/// is one value that is written to the protocol's characteristic, and a response comes as notifications of it, in as many
/// parts as the MTU demands.
///
/// Spec: Zephyr, Services, Device Management, SMP Protocol Specification, Frame
package struct MCUmgrFrame: Hashable, Sendable {
    package enum Operation: UInt8, Hashable, Sendable {
        case read = 0
        /// The answer to a question.
        case readResponse = 1
        case write = 2
        /// The answer to an order.
        case writeResponse = 3

        /// The answer to it; `nil` for an answer.
        package var response: Operation? {
            switch self {
            case .read: .readResponse
            case .write: .writeResponse
            case .readResponse, .writeResponse: nil
            }
        }
    }

    /// The version of the protocol, which decides how a response states an error.
    package enum Version: UInt8, Hashable, Sendable {
        /// Errors are numbers that all groups share.
        case first = 0
        /// Errors are numbers of a group.
        case second = 1
    }

    package static let headerLength = 8
    /// The most octets that follow a header.
    package static let maximumPayloadLength = 0xFFFF

    package let operation: Operation
    package let version: Version
    package let group: MCUmgrGroup
    /// The number by which a response is found that belongs to a request.
    package let sequence: UInt8
    /// The number of the command within its group.
    package let command: UInt8
    package let fields: CBORMap

    package init(
        _ operation: Operation,
        version: Version = .second,
        _ group: MCUmgrGroup,
        _ command: UInt8,
        sequence: UInt8,
        fields: CBORMap
    ) {
        self.operation = operation
        self.version = version
        self.group = group
        self.sequence = sequence
        self.command = command
        self.fields = fields
    }

    /// The response to this request, in its version.
    package func response(_ fields: CBORMap) -> MCUmgrFrame {
        MCUmgrFrame(
            operation.response ?? operation,
            version: version,
            group,
            command,
            sequence: sequence,
            fields: fields
        )
    }

    package func answers(_ request: MCUmgrFrame) -> Bool {
        operation == request.operation.response && group == request.group && command == request.command
            && sequence == request.sequence
    }

    /// The length of the frame whose first octets these are, with its header; `nil` if more octets are needed.
    static func length(of start: [UInt8]) -> Int? {
        guard start.count >= headerLength else { return nil }
        return headerLength + (Int(start[2]) << 8 | Int(start[3]))
    }
}

extension MCUmgrFrame: WireDecodable, WireEncodable {
    package init(from reader: inout ByteReader) throws(DecodeError) {
        let first = try reader.uint8("operation")
        guard let operation = Operation(rawValue: first & 0x07) else {
            throw DecodeError("operation", .invalid(value: UInt64(first & 0x07)))
        }
        guard let version = Version(rawValue: first >> 3 & 0x03) else {
            throw DecodeError("version", .invalid(value: UInt64(first >> 3 & 0x03)))
        }
        // None is defined. A sender that sets one means something that this version does not.
        _ = try reader.uint8("flags")
        let length = try reader.uint16BigEndian("length")
        let group = MCUmgrGroup(rawValue: try reader.uint16BigEndian("group"))
        let sequence = try reader.uint8("sequence number")
        let command = try reader.uint8("command")
        var payload = try reader.slice(Int(length), "fields")
        guard let fields = try CBORValue(from: &payload).fields else {
            throw DecodeError("fields", .inconsistent("they are not a map"))
        }
        try payload.expectEnd("fields")
        self.init(operation, version: version, group, command, sequence: sequence, fields: fields)
    }

    package func encode(into writer: inout ByteWriter) {
        let payload = fields.encoded()
        writer.uint8(version.rawValue << 3 | operation.rawValue)
        writer.uint8(0)
        // What is sent here is made here, and fits into a buffer of the server.
        writer.uint16BigEndian(UInt16(clamping: payload.count))
        writer.uint16BigEndian(group.rawValue)
        writer.uint8(sequence)
        writer.uint8(command)
        writer.append(payload)
    }
}

/// Puts frames together of the parts in which they come. A frame begins with a part, and ends with one.
///
/// It holds no more than one frame, which is at most 65,543 octets.
package struct MCUmgrReassembler: Sendable {
    private var octets: [UInt8] = []

    /// Waits for the first part.
    package init() {}

    package var isInFrame: Bool { !octets.isEmpty }

    /// Takes the next part. Returns the frame that ends with it; `nil` if it goes on. Throws, and forgets what came, if that is
    /// no frame.
    package mutating func received(_ part: [UInt8]) throws(DecodeError) -> MCUmgrFrame? {
        octets += part
        guard let length = MCUmgrFrame.length(of: octets), octets.count >= length else { return nil }
        defer { octets = [] }
        return try MCUmgrFrame(decoding: octets)
    }

    /// Forgets a frame that has begun: its rest will not come, because the link was lost or the server has fallen silent.
    package mutating func reset() { octets = [] }
}
