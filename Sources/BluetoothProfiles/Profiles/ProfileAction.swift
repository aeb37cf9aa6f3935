// SPDX-License-Identifier: MIT

public import Bluetooth

/// An action that a profile offers to a client, as data: the written value, and the expected answer of the device.
public struct ProfileAction: Hashable, Sendable {
    /// The argument that an action takes.
    public enum Argument: Hashable, Sendable {
        /// Nothing.
        case none
        /// The stored records: `all`, `first`, `last` or a number.
        case records
    }

    /// A control point, which answers a request by an indication: a code, the code of the request, and its outcome.
    public struct ControlPoint: Hashable, Sendable {
        /// The service.
        public let service: BluetoothUUID
        /// The characteristic.
        public let characteristic: BluetoothUUID
        /// The first octet of an answer.
        public let answerCode: UInt8

        /// The outcome of a request in words; `nil` for success.
        public func failure(_ outcome: UInt8) -> String? {
            switch outcome {
            case 1: nil
            case 2: "op code not supported"
            case 3: "invalid parameter"
            case 4: "operation failed"
            case 5: "control not permitted"
            default: "error 0x\(Hex.string(outcome, minimumDigits: 2))"
            }
        }
    }

    /// The work of an action.
    public enum Work: Hashable, Sendable {
        /// Writes a value, given by its meaning.
        case write(DecodedValue.Content, to: BluetoothUUID, in: BluetoothUUID)
        /// Writes requests to a control point, one after the other, and waits for the answer to each.
        case request([[UInt8]], at: ControlPoint)
        /// Asks the Record Access Control Point.
        case records(RecordAccess.Request, RecordAccess)
        /// Writes the present time and, if the device has it, the time zone.
        case setTime
        /// Reads a value, after a write that makes it readable if there is one.
        case read(BluetoothUUID, in: BluetoothUUID, after: ProfileSource.Write?)
    }

    /// The profile on the command line: `heart-rate`.
    public let profile: String
    /// The action on the command line: `reset-energy`.
    public let name: String
    /// The effect, as one line in lower case without a full stop.
    public let summary: String
    /// The effect in the past tense, as one line in lower case; empty if the device's answer describes it.
    public let outcome: String
    /// The argument that the user gives.
    public let argument: Argument
    /// The requests to the device.
    public let work: Work

    init(
        _ profile: String,
        _ name: String,
        _ summary: String,
        outcome: String = "",
        argument: Argument = .none,
        _ work: Work
    ) {
        self.profile = profile
        self.name = name
        self.summary = summary
        self.outcome = outcome
        self.argument = argument
        self.work = work
    }

    /// The service that a device with this action has.
    public var service: BluetoothUUID {
        switch work {
        case .write(_, to: _, in: let service), .read(_, in: let service, after: _): service
        case .request(_, at: let point): point.service
        case .records(_, let access): access.service
        case .setTime: 0x1805
        }
    }

    /// Whether it changes something.
    public var changesDevice: Bool {
        switch work {
        case .write, .request, .setTime: true
        case .records(let request, _): request != .count
        case .read: false
        }
    }

    /// The names of the profiles with actions, in alphabetical order.
    public static var profiles: [String] { Set(all.map(\.profile)).sorted() }
}

extension ProfileAction {
    /// Every action.
    public static let all: [ProfileAction] =
        alerts + records + sports + [
            ProfileAction(
                "heart-rate",
                "reset-energy",
                "let the expended energy count from zero",
                outcome: "the expended energy counts from zero",
                .write(.number(1), to: 0x2A39, in: 0x180D)
            ),
            ProfileAction(
                "sensortag",
                "calibrate",
                "read the calibration of the barometer",
                .read(SensorTag.uuid(0xAA43), in: SensorTag.uuid(0xAA40), after: .init([2], to: SensorTag.uuid(0xAA42)))
            ),
            ProfileAction(
                "sensortag",
                "self-test",
                "read which sensors work, a bit for each",
                .read(SensorTag.uuid(0xAA61), in: SensorTag.uuid(0xAA60), after: nil)
            ),
            ProfileAction("time", "show", "read the clock", .read(0x2A2B, in: 0x1805, after: nil)),
            ProfileAction(
                "time",
                "sync",
                "set the clock to the time and the zone of this machine",
                outcome: "the clock is set",
                .setTime
            ),
        ]

    /// Spec: Immediate Alert Service 1.0, 3.1; Link Loss Service 1.0.1, 3.1; Find Me Profile 1.0
    private static var alerts: [ProfileAction] {
        let levels: [(name: String, number: Int, alerts: String)] = [
            ("none", 0, "does not alert"), ("mild", 1, "alerts mildly"), ("high", 2, "alerts"),
        ]
        return levels.map { level in
            ProfileAction(
                "alert",
                level.name,
                level.number == 0 ? "end an alert" : "raise a \(level.name) alert",
                outcome: "the device \(level.alerts)",
                .write(.number(level.number), to: 0x2A06, in: 0x1802)
            )
        } + [
            ProfileAction(
                "find-me",
                "start",
                "let the device ring, so that it is found",
                outcome: "the device rings",
                .write(.number(2), to: 0x2A06, in: 0x1802)
            ),
            ProfileAction(
                "find-me",
                "stop",
                "end that",
                outcome: "the device does not ring any more",
                .write(.number(0), to: 0x2A06, in: 0x1802)
            ),
        ]
            + levels.map { level in
                ProfileAction(
                    "link-loss",
                    level.name,
                    level.number == 0
                        ? "no alert when the link is lost" : "a \(level.name) alert when the link is lost",
                    outcome: "when the link is lost, the device \(level.alerts)",
                    .write(.number(level.number), to: 0x2A06, in: 0x1803)
                )
            }
    }

    private static var records: [ProfileAction] {
        let meters: [(name: String, access: RecordAccess)] = [
            ("cgm", RecordAccess(service: 0x181F, record: 0x2AA7)),
            ("glucose", RecordAccess(service: 0x1808, record: 0x2A18)),
            ("pulse-oximeter", RecordAccess(service: 0x1822, record: 0x2A5E)),
        ]
        return meters.flatMap { name, access in
            [
                ProfileAction(name, "count", "count stored records", argument: .records, .records(.count, access)),
                ProfileAction(
                    name,
                    "delete",
                    "delete stored records",
                    outcome: "the records are deleted",
                    argument: .records,
                    .records(.delete, access)
                ),
                ProfileAction(
                    name,
                    "abort",
                    "end a report that goes on",
                    outcome: "the report is ended",
                    .records(.abort, access)
                ),
            ]
        }
    }

    /// Spec: Fitness Machine Service 1.0, 4.16; Cycling Speed and Cadence Service 1.0, 3.4; Running Speed and Cadence
    /// Service 1.0, 3.4; Cycling Power Service 1.1, 3.4
    private static var sports: [ProfileAction] {
        let machine = ControlPoint(service: 0x1826, characteristic: 0x2AD9, answerCode: 0x80)
        let bicycle = ControlPoint(service: 0x1816, characteristic: 0x2A55, answerCode: 0x10)
        let runner = ControlPoint(service: 0x1814, characteristic: 0x2A55, answerCode: 0x10)
        let power = ControlPoint(service: 0x1818, characteristic: 0x2A66, answerCode: 0x20)
        // A machine takes orders only from the client that has requested control.
        let orders: [(name: String, summary: String, outcome: String, octets: [UInt8])] = [
            ("pause", "pause the training", "the training pauses", [0x08, 0x02]),
            ("reset", "reset the machine", "the machine is reset", [0x01]),
            ("start", "start or resume the training", "the training goes on", [0x07]),
            ("stop", "stop the training", "the training is over", [0x08, 0x01]),
        ]
        return [
            ProfileAction(
                "cycling-power",
                "calibrate",
                "compensate the offset, with nobody on the pedals",
                outcome: "the offset is compensated",
                .request([[0x0C]], at: power)
            ),
            ProfileAction(
                "cycling-speed",
                "reset",
                "count the revolutions of the wheel from zero",
                outcome: "the revolutions count from zero",
                .request([[0x01, 0, 0, 0, 0]], at: bicycle)
            ),
        ]
            + orders.map { order in
                ProfileAction(
                    "fitness-machine",
                    order.name,
                    order.summary,
                    outcome: order.outcome,
                    .request([[0x00], order.octets], at: machine)
                )
            } + [
                ProfileAction(
                    "running-speed",
                    "calibrate",
                    "start the calibration of the sensor",
                    outcome: "the sensor calibrates itself",
                    .request([[0x02]], at: runner)
                ),
                ProfileAction(
                    "running-speed",
                    "reset",
                    "count the distance from zero",
                    outcome: "the distance counts from zero",
                    .request([[0x01, 0, 0, 0, 0]], at: runner)
                ),
            ]
    }
}
