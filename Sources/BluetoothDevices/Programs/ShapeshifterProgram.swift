// SPDX-License-Identifier: MIT

import Bluetooth

/// A device that changes its database on request: `shapeshifter` in a device file.
///
/// The written value is one octet for the shape, and optionally one for the delay in seconds. If 0x80 is added to the
/// shape, the device restarts, and therefore disconnects, when it takes it. The shapes are the databases of these
/// names.
struct ShapeshifterProgram: DeviceProgram {
    /// The present shape, and a value that counts.
    static let values = ["shape", "reading"]
    /// The request of a client, and the steps that carry it out later.
    static let commands = ["change", "take-plain", "take-pushed", "take-outermost", "take-bare"]

    /// The form of the database.
    private enum Shape: UInt8, CaseIterable {
        /// The first database, and those whose names the definition has.
        case plain, pushed, outermost, bare

        /// The database of the definition; `nil` for the first one.
        var database: String? { self == .plain ? nil : "\(self)" }
    }

    /// The time between the last answer and a restart.
    private static let restartDelay = Duration.milliseconds(200)
    /// The bit in the request that asks for a restart.
    private static let restart: UInt8 = 0x80
    private static let shapeCharacteristic = CharacteristicReference.label("shape")

    private var shape = Shape.plain
    /// Counts the values of `reading` that were sent.
    private var seconds: UInt8 = 0

    /// The present shape, followed by the count in a `reading`.
    mutating func value(_ name: String, isSent: Bool, now: Instant, _ random: inout SeededGenerator) -> [UInt8] {
        guard name == "reading" else { return [shape.rawValue] }
        if isSent { seconds &+= 1 }
        return [shape.rawValue, seconds]
    }

    /// Takes another shape, at once or after the seconds in the second octet. With a restart, the device disconnects
    /// first.
    mutating func run(_ command: String, _ written: [UInt8], now: Instant) -> [DeviceAction] {
        if let taken = Shape.allCases.first(where: { command == "take-\($0)" }) {
            // Two delayed requests may ask for the same shape. The second one has nothing to report.
            guard taken != shape else { return [] }
            shape = taken
            return [.database(taken.database), .send(Self.shapeCharacteristic, .value(.octets([taken.rawValue])))]
        }
        guard let first = written.first, let wanted = Shape(rawValue: first & ~Self.restart) else {
            return [.refuse(.valueNotAllowed)]
        }
        let delay = Duration.seconds(written.count > 1 ? Int(written[1]) : 0)
        let take = DeviceAction.run(ProgramReference("shapeshifter", "take-\(wanted)"))
        guard first & Self.restart != 0 else { return delay > .zero ? [.after(delay, take)] : [take] }
        // The answer must be sent before the restart, because a device that restarts sends nothing more. The link ends
        // before the change, so that clients learn of the change when they connect again.
        let due = max(delay, Self.restartDelay)
        return [.after(due, .disconnect), .after(due, take)]
    }
}
