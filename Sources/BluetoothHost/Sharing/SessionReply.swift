// SPDX-License-Identifier: MIT

package import Bluetooth

/// A message from the process that holds a link, while it carries out a command of another process.
package enum SessionReply: Equatable, Sendable {
    /// The command begins. It has had no effect before.
    case begun
    /// Octets for standard output.
    case output([UInt8])
    /// Octets for standard error.
    case messages([UInt8])
    /// The command has ended with that exit status. This is the last packet.
    case ended(UInt8)
    /// The command is not carried out here: it names another device, or needs resources of its own process. This is the
    /// last packet.
    case refused

    /// The maximum number of octets of one reply, which goes into one packet between the processes.
    package static let maximumOctets = 4_000

    /// Parses a packet of the process. Throws the error that it carries, or another one if the packet is invalid.
    package init(packet: [UInt8]) throws(RadioError) {
        do {
            switch try RemotePacket(decoding: packet) {
            case .data(let bytes): self = try Self(decoding: bytes)
            case .ended(let error): throw error
            default: throw DecodeError("Kind", .invalid(value: UInt64(packet.first ?? 0)))
            }
        } catch let error as RadioError {
            throw error
        } catch {
            throw RadioError(.system(call: "receive", errno: "EPROTO"), during: "session")
        }
    }
}

extension SessionReply: WireDecodable, WireEncodable {
    /// Reads a reply. Octets of output are everything that follows the kind.
    package init(from reader: inout ByteReader) throws(DecodeError) {
        let kind = try reader.uint8("Reply")
        switch kind {
        case 0: self = .output(reader.rest())
        case 1: self = .messages(reader.rest())
        case 2: self = .ended(try reader.uint8("Status"))
        case 3: self = .refused
        case 4: self = .begun
        default: throw DecodeError("Reply", .invalid(value: UInt64(kind)))
        }
    }

    /// Writes a reply.
    package func encode(into writer: inout ByteWriter) {
        switch self {
        case .output(let octets):
            writer.uint8(0)
            writer.append(octets)
        case .messages(let octets):
            writer.uint8(1)
            writer.append(octets)
        case .ended(let status):
            writer.uint8(2)
            writer.uint8(status)
        case .refused: writer.uint8(3)
        case .begun: writer.uint8(4)
        }
    }
}

/// The channel for replies to the process whose command runs.
package struct SessionReplies: Sendable {
    /// The connection on which the command came.
    let channel: any PacketChannel

    /// Sends a reply. Throws if the process has gone.
    package func send(_ reply: SessionReply) throws(RadioError) {
        try channel.send(RemotePacket.data(reply.encoded()).encoded())
    }

    /// Returns when the process has taken everything. Throws if it has gone.
    package func drained() async throws(RadioError) { try await channel.drained() }
}

/// A command line of another process, which has parsed it, or leaves that to the process of the session.
package struct SessionCommandLine: Equatable, Sendable {
    /// The words after the name of the program.
    package var arguments: [String]
    /// The variables of the environment that matter.
    package var variables: [Variable]
    /// The digits of the world of the command; `nil` if the other process has not parsed the words.
    package var world: String?

    /// A variable of the environment.
    package struct Variable: Equatable, Sendable {
        /// The name, such as `NO_COLOR`.
        package let name: String
        /// The value, which may be empty.
        package let value: String

        /// Describes a variable.
        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The maximum number of words or variables: their number has one octet.
    private static let maximumCount = 255

    /// Describes a command line.
    package init(arguments: [String], variables: [Variable], world: String?) {
        self.arguments = arguments
        self.variables = variables
        self.world = world
    }

    /// The value of a variable; `nil` if it is not set.
    package func value(of name: String) -> String? { variables.first { $0.name == name }?.value }

    /// The request that the command be carried out; `nil` if it is too long for one.
    package var request: [UInt8]? {
        let texts = arguments + variables.flatMap { [$0.name, $0.value] } + [world ?? ""]
        guard arguments.count <= Self.maximumCount, variables.count <= Self.maximumCount,
            texts.allSatisfy({ $0.utf8.count <= ByteReader.maximumText })
        else { return nil }
        let request = RemoteRequest.perform(encoded()).encoded()
        return request.count <= RemoteRequest.maximumLength ? request : nil
    }
}

extension SessionCommandLine: WireDecodable, WireEncodable {
    /// Reads the words and the variables.
    package init(from reader: inout ByteReader) throws(DecodeError) {
        arguments = []
        for _ in 0..<(try reader.uint8("Arguments")) { arguments.append(try reader.text("Argument")) }
        variables = []
        for _ in 0..<(try reader.uint8("Variables")) {
            let name = try reader.text("Name")
            variables.append(Variable(name, try reader.text("Value")))
        }
        let digits = try reader.text("World")
        world = digits.isEmpty ? nil : digits
    }

    /// Writes the words and the variables. `request` has checked that they fit.
    package func encode(into writer: inout ByteWriter) {
        writer.uint8(UInt8(clamping: arguments.count))
        for argument in arguments { writer.text(argument) }
        writer.uint8(UInt8(clamping: variables.count))
        for variable in variables {
            writer.text(variable.name)
            writer.text(variable.value)
        }
        writer.text(world ?? "")
    }
}
