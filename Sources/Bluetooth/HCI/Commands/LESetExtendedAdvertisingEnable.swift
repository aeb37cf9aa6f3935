// SPDX-License-Identifier: MIT

/// Starts and stops advertising sets.
///
/// Directed advertising with a high duty cycle needs a duration of at most 1.28 s.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.56
public struct LESetExtendedAdvertisingEnable: HCICommand {
    public typealias ReturnParameters = HCINoReturnParameters

    public static let opcode = HCIOpcode(.leController, 0x0039)
    public static let name = "LE Set Extended Advertising Enable"
    public static let completion = HCICommandCompletion.commandComplete
    public static let supportBit: HCISupportBit? = HCISupportBit(36, 5)

    /// A set, and the duration of its advertising.
    public struct AdvertisingSet: Hashable, Sendable {
        /// The set (Advertising_Handle[i]).
        public var handle: LEAdvertisingHandle
        /// The duration; zero for no limit (Duration[i]).
        public var duration: LEInterval<10_000>
        /// The number of advertising events; zero for no limit (Max_Extended_Advertising_Events[i]).
        public var maximumEvents: UInt8

        /// Creates a set; by default it is sent without limits.
        public init(
            _ handle: LEAdvertisingHandle,
            duration: LEInterval<10_000> = .init(rawValue: 0),
            maximumEvents: UInt8 = 0
        ) {
            self.handle = handle
            self.duration = duration
            self.maximumEvents = maximumEvents
        }
    }

    /// The maximum number of sets in one command: each takes four octets of its parameters, which have at most 255.
    public static let maximumSets = 63

    /// Whether to advertise (Enable).
    public let isEnabled: Bool
    /// The sets; an empty list stops all of them.
    public let sets: [AdvertisingSet]

    /// Creates the command; `nil` for more than 63 sets.
    public init?(isEnabled: Bool, sets: [AdvertisingSet]) {
        guard sets.count <= Self.maximumSets else { return nil }
        self.isEnabled = isEnabled
        self.sets = sets
    }

    public init(from reader: inout ByteReader) throws(DecodeError) {
        isEnabled = try reader.flag("Enable")
        let count = try reader.uint8("Num_Sets")
        guard count <= Self.maximumSets else { throw DecodeError("Num_Sets", .invalid(value: UInt64(count))) }
        var sets: [AdvertisingSet] = []
        for _ in 0..<count { sets.append(try AdvertisingSet(from: &reader)) }
        self.sets = sets
    }

    public func encode(into writer: inout ByteWriter) {
        writer.flag(isEnabled)
        writer.uint8(UInt8(clamping: sets.count))
        for set in sets { writer.append(set) }
    }

    public var details: String {
        let list = sets.map { "\($0.handle)" }.joined(separator: ", ")
        return "\(isEnabled ? "on" : "off"), \(sets.isEmpty ? "all sets" : "sets \(list)")"
    }
}

extension LESetExtendedAdvertisingEnable.AdvertisingSet: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        handle = try LEAdvertisingHandle(from: &reader)
        duration = try LEInterval(from: &reader, "Duration")
        maximumEvents = try reader.uint8("Max_Extended_Advertising_Events")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.append(handle)
        writer.append(duration)
        writer.uint8(maximumEvents)
    }
}
