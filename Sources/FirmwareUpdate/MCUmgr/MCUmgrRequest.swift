// SPDX-License-Identifier: MIT

package import Bluetooth

/// A command with its fields, and what its response says.
package protocol MCUmgrRequest: Sendable {
    associatedtype Response: Sendable

    static var call: MCUmgrCall { get }

    /// Whether it may come twice, because its answer may have got lost; by default a question may.
    static var mayRepeat: Bool { get }

    /// The fields of the request; by default it has none.
    var fields: CBORMap { get }

    /// What the fields of a response without an error say.
    static func response(_ fields: CBORMap) throws(DecodeError) -> Response
}

/// A command, as a question or an order.
package struct MCUmgrCall: Sendable {
    let group: MCUmgrGroup
    let command: UInt8
    let operation: MCUmgrFrame.Operation

    init(_ group: MCUmgrGroup, _ command: UInt8, _ operation: MCUmgrFrame.Operation) {
        (self.group, self.command, self.operation) = (group, command, operation)
    }
}

package enum MCUmgrResponseError: Error, Hashable, Sendable {
    case refused(MCUmgrRefusal)
    case malformed(DecodeError)
}

extension MCUmgrRequest {
    static var group: MCUmgrGroup { call.group }
    static var command: UInt8 { call.command }
    static var operation: MCUmgrFrame.Operation { call.operation }

    package static var mayRepeat: Bool { operation == .read }

    package var fields: CBORMap { CBORMap() }

    package func frame(sequence: UInt8) -> MCUmgrFrame {
        MCUmgrFrame(Self.operation, Self.group, Self.command, sequence: sequence, fields: fields)
    }

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
