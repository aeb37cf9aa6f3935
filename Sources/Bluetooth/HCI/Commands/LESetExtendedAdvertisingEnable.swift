// SPDX-License-Identifier: MIT

/// Starts and stops advertising sets.
///
/// Directed advertising with a high duty cycle needs a duration of at most 1.28 s.
///
/// Spec: Core 5.4, Vol 4, Part E, 7.8.56
package struct LESetExtendedAdvertisingEnable: HCICommand {
    package static let opcode = HCIOpcode(.leController, 0x0039)
    package static let name = "LE Set Extended Advertising Enable"
    package static let supportBit: HCISupportBit? = HCISupportBit(36, 5)

    /// A set, and the duration of its advertising.
    package struct AdvertisingSet: Hashable, Sendable {
        /// The set (Advertising_Handle[i]).
        package var handle: LEAdvertisingHandle
        /// The duration; zero for no limit (Duration[i]).
        package var duration: LEInterval<10_000>
        /// The number of advertising events; zero for no limit (Max_Extended_Advertising_Events[i]).
        package var maximumEvents: UInt8

        /// Creates a set; by default it is sent without limits.
        package init(
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
    package static let maximumSets = 63

    /// Whether to advertise (Enable).
    package let isEnabled: Bool
    /// The sets; an empty list stops all of them.
    package let sets: [AdvertisingSet]

    /// Creates the command; `nil` for more than 63 sets.
    package init?(isEnabled: Bool, sets: [AdvertisingSet]) {
        guard sets.count <= Self.maximumSets else { return nil }
        self.isEnabled = isEnabled
        self.sets = sets
    }

    package init(from reader: inout ByteReader) throws(DecodeError) {
        isEnabled = try reader.flag("Enable")
        let count = try reader.uint8("Num_Sets")
        guard count <= Self.maximumSets else { throw DecodeError("Num_Sets", .invalid(value: UInt64(count))) }
        var sets: [AdvertisingSet] = []
        for _ in 0..<count { sets.append(try AdvertisingSet(from: &reader)) }
        self.sets = sets
    }

    package func encode(into writer: inout ByteWriter) {
        writer.flag(isEnabled)
        writer.uint8(UInt8(clamping: sets.count))
        for set in sets { writer.append(set) }
    }

    package var details: String {
        let list = sets.map { "\($0.handle)" }.joined(separator: ", ")
        return "\(isEnabled ? "on" : "off"), \(sets.isEmpty ? "all sets" : "sets \(list)")"
    }
}

extension LESetExtendedAdvertisingEnable.AdvertisingSet: FieldCoded {
    init(_ fields: inout FieldCoder<Self>) throws(DecodeError) {
        handle = try fields(\.handle)
        duration = try fields(\.duration, "Duration")
        maximumEvents = try fields(\.maximumEvents, "Max_Extended_Advertising_Events")
    }
}
