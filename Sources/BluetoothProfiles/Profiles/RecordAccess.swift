// SPDX-License-Identifier: MIT

public import Bluetooth

/// The Record Access Control Point of a profile: a client asks for stored records, which the device sends at other
/// characteristics, and the device answers when it has sent all.
///
/// Spec: Glucose Service 1.0.1, 3.4; Continuous Glucose Monitoring Service 1.0.2, 3.7; Pulse Oximeter Service 1.0, 3.6
public struct RecordAccess: Hashable, Sendable {
    /// The records that a client asks for.
    public enum Selection: Hashable, Sendable {
        /// All that are stored.
        case all
        /// The oldest.
        case first
        /// The latest.
        case last
        /// Those from a number on: the sequence number of a glucose meter, the minutes of a glucose sensor.
        case since(UInt16)
    }

    /// The op code of a request to the Record Access Control Point.
    public enum Request: UInt8, Hashable, Sendable {
        /// The records themselves.
        case report = 1
        /// To delete them.
        case delete = 2
        /// Stops the present procedure.
        case abort = 3
        /// Their number.
        case count = 4
    }

    /// The device's answer at the control point.
    public enum Answer: Hashable, Sendable {
        /// The number of stored records.
        case count(Int)
        /// The outcome of a request, by its op code.
        case outcome(of: UInt8, Outcome)
        /// Something else.
        case unknown
    }

    /// The outcome of a request.
    public struct Outcome: RawRepresentable, Hashable, Sendable {
        /// The code.
        public let rawValue: UInt8

        /// Creates an outcome from its code.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// It was done.
        public static let success = Outcome(rawValue: 1)
        /// No stored record fits.
        public static let noRecords = Outcome(rawValue: 6)

        /// The outcome in words.
        public var name: String {
            switch rawValue {
            case 1: "success"
            case 2: "op code not supported"
            case 3: "invalid operator"
            case 4: "operator not supported"
            case 5: "invalid operand"
            case 6: "no records found"
            case 7: "abort unsuccessful"
            case 8: "procedure not completed"
            case 9: "operand not supported"
            case 10: "server busy"
            default: "error 0x\(Hex.string(rawValue, minimumDigits: 2))"
            }
        }
    }

    /// The service.
    public let service: BluetoothUUID
    /// The characteristic whose values are records, each of them one.
    public let record: BluetoothUUID

    /// The control point.
    public static let characteristic: BluetoothUUID = 0x2A52

    /// The octets of a request.
    public static func encode(_ request: Request, _ selection: Selection) -> [UInt8] {
        // The second octet is the operator: 0 none, 1 all records, 3 greater than or equal to, 5 the first record, 6
        // the last. Abort has no operator and no operand.
        if request == .abort { return [request.rawValue, 0] }
        switch selection {
        case .all: return [request.rawValue, 1]
        case .first: return [request.rawValue, 5]
        case .last: return [request.rawValue, 6]
        // The first octet of the operand is the kind of number.
        case .since(let number):
            return [request.rawValue, 3, 1, UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
        }
    }

    /// The device's answer in an indication.
    public static func answer(_ bytes: [UInt8]) -> Answer {
        // Op code 5 answers a request for the number of records, 6 every other one. The second octet is the operator,
        // which is null in an answer.
        switch bytes.first {
        case 5 where bytes.count >= 4: .count(Int(bytes[2]) | Int(bytes[3]) << 8)
        case 6 where bytes.count >= 4: .outcome(of: bytes[2], Outcome(rawValue: bytes[3]))
        default: .unknown
        }
    }
}
