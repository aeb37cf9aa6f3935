// SPDX-License-Identifier: MIT

package import Bluetooth

/// A command with its fields, and what its response says.
package protocol MCUmgrRequest: Sendable {
    /// What the response says.
    associatedtype Response: Sendable

    /// The group of the command.
    static var group: MCUmgrGroup { get }
    /// The number of the command in its group.
    static var command: UInt8 { get }
    /// A question or an order.
    static var operation: MCUmgrFrame.Operation { get }

    /// The fields of the request.
    var fields: CBORMap { get }

    /// What the fields of a response without an error say.
    static func response(_ fields: CBORMap) throws(DecodeError) -> Response
}

/// Why a response is of no use.
package enum MCUmgrResponseError: Error, Hashable, Sendable {
    /// The server refuses.
    case refused(MCUmgrRefusal)
    /// The response is not what the specification says.
    case malformed(DecodeError)
}

extension MCUmgrRequest {
    /// The request as a frame.
    package func frame(sequence: UInt8, version: MCUmgrFrame.Version = .second) -> MCUmgrFrame {
        MCUmgrFrame(Self.operation, version: version, Self.group, Self.command, sequence: sequence, fields: fields)
    }

    /// What a response says, which answers this request.
    package func response(in frame: MCUmgrFrame) throws(MCUmgrResponseError) -> Response {
        let refusal: MCUmgrRefusal?
        do {
            refusal = try MCUmgrRefusal(in: frame.fields)
        } catch {
            throw .malformed(error)
        }
        if let refusal { throw .refused(refusal) }
        do {
            return try Self.response(frame.fields)
        } catch {
            throw .malformed(error)
        }
    }
}

extension MCUmgrRequest where Response == Void {
    /// A response that states success says nothing else.
    package static func response(_ fields: CBORMap) {}
}
