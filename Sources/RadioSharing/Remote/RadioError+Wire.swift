// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothHost

/// The form of a radio's error in packets between processes, so that a command fails with the same words, whichever
/// process has the radio.
extension RadioError: WireDecodable, WireEncodable {
    /// Reads the cause, the operation, and the adapter if the error is about one.
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let cause = try Cause(from: &reader)
        let operation = try reader.text("Operation")
        let adapter = try reader.present("Adapter") ? try reader.text("Adapter") : nil
        self.init(cause, during: operation, on: adapter)
    }

    /// Writes the cause first, because its number decides how many fields follow.
    public func encode(into writer: inout ByteWriter) {
        cause.encode(into: &writer)
        writer.text(operation)
        writer.present(adapter) { $0.text($1) }
    }
}

extension RadioError.Cause {
    /// Reads the number of the cause and its values. An unknown number is an error, because it comes from
    /// another version.
    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        let number = try reader.uint8("Cause")
        if let simple = Self.simple.first(where: { $0.number == number }) {
            self = simple.cause
            return
        }
        switch number {
        case 32: self = .adapterNotFound(try reader.text("Name"))
        case 33: self = .managementRejected(ManagementStatus(rawValue: try reader.uint8("Status")))
        case 34: self = .radioBlocked(byHardware: try reader.boolean("By_Hardware"))
        case 35: self = .permissionDenied(capability: try reader.text("Capability"))
        case 36: self = .connectFailed(try reader.status())
        case 37: self = .channelBusy(by: try reader.program())
        case 38: self = .linkLost(try reader.status())
        case 39: self = .closedByPeer(try reader.status())
        case 40: self = .servingTaken(by: try reader.program())
        case 41: self = .socket(path: try reader.text("Path"), try RadioError.SocketProblem(from: &reader))
        case 42: self = .commandRejected(HCIStatus(rawValue: try reader.uint8("Status")))
        case 43:
            let length = Int(try reader.uint32("Length"))
            self = .packetTooLong(length, limit: Int(try reader.uint32("Limit")))
        // Evaluated in the order of the fields, so that the call is read before the error.
        case 44: self = .system(call: try reader.text("Call"), errno: try reader.text("Error"))
        case 45: self = .advertisingTaken(by: try reader.program())
        case 46:
            let number = Int(try reader.uint8("Advertisements"))
            self = .tooManyAdvertisements(number, room: Int(try reader.uint8("Room")))
        case 47:
            let isKnown = try reader.present("Result")
            self = .channelRefused(isKnown ? LECreditBasedConnectionResult(try reader.uint16("Result")) : nil)
        case 48: self = .channelMisused(try reader.text("Rule"))
        case 49: self = .serviceTaken(SPSM(try reader.uint16("SPSM")))
        case 50: self = .connectRefused(HCIStatus(rawValue: try reader.uint8("Status")))
        case 51:
            self = .attachment(
                RadioError.AttachmentProblem(
                    try reader.text("Reason"),
                    remedy: try reader.text("Remedy"),
                    isCommand: try reader.boolean("Is_Command"),
                    isOfPermissions: try reader.boolean("Is_Of_Permissions")
                )
            )
        case 52: self = .otherVersion(isOlder: try reader.boolean("Older"))
        default: throw DecodeError("Cause", .invalid(value: UInt64(number)))
        }
    }

    /// Writes the number of the cause and its values. Numbers below 32 have no values, and are never given to
    /// another cause.
    fileprivate func encode(into writer: inout ByteWriter) {
        if let simple = Self.simple.first(where: { $0.cause == self }) { return writer.uint8(simple.number) }
        switch self {
        case .adapterNotFound(let name):
            writer.uint8(32)
            writer.text(name)
        case .managementRejected(let status): writer.append([33, status.rawValue])
        case .radioBlocked(let byHardware): writer.append([34, byHardware ? 1 : 0])
        case .otherVersion(let isOlder): writer.append([52, isOlder ? 1 : 0])
        case .permissionDenied(let capability):
            writer.uint8(35)
            writer.text(capability)
        case .connectFailed(let status):
            writer.uint8(36)
            writer.present(status) { $0.uint8($1.rawValue) }
        case .connectRefused(let status): writer.append([50, status.rawValue])
        case .channelBusy(let program):
            writer.uint8(37)
            writer.present(program) { $0.program($1) }
        case .linkLost(let status):
            writer.uint8(38)
            writer.present(status) { $0.uint8($1.rawValue) }
        case .closedByPeer(let status):
            writer.uint8(39)
            writer.present(status) { $0.uint8($1.rawValue) }
        case .servingTaken(let program):
            writer.uint8(40)
            writer.present(program) { $0.program($1) }
        case .socket(let path, let problem):
            writer.uint8(41)
            writer.text(path)
            writer.uint8(problem.number)
        case .commandRejected(let status): writer.append([42, status.rawValue])
        case .packetTooLong(let length, let limit):
            writer.uint8(43)
            writer.uint32(UInt32(clamping: length))
            writer.uint32(UInt32(clamping: limit))
        case .system(let call, let errno):
            writer.uint8(44)
            writer.text(call)
            writer.text(errno)
        case .advertisingTaken(let program):
            writer.uint8(45)
            writer.present(program) { $0.program($1) }
        case .tooManyAdvertisements(let number, let room):
            writer.append([46, UInt8(clamping: number), UInt8(clamping: room)])
        case .channelRefused(let result):
            writer.uint8(47)
            writer.present(result) { $0.uint16($1.rawValue) }
        case .channelMisused(let rule):
            writer.uint8(48)
            writer.text(rule)
        case .serviceTaken(let spsm):
            writer.uint8(49)
            writer.uint16(spsm.rawValue)
        case .attachment(let problem):
            writer.uint8(51)
            writer.text(problem.reason)
            writer.text(problem.remedy)
            writer.append([problem.isCommand ? 1 : 0, problem.isOfPermissions ? 1 : 0])
        case .noKernelSupport, .noAdapter, .adapterDown, .adapterStarting, .lowEnergyOff, .adapterRemoved, .adapterBusy,
            .connectTimedOut, .initiatorBusy, .tooManyConnections, .closedLocally, .authenticationFailed,
            .attributesServedElsewhere, .noController, .unsupported, .controllerSilent, .cancelled,
            .controllerUnreachable, .controllerGone, .controllerGarbled:
            // They are in the table. A test checks that it is complete.
            break
        }
    }

    /// The causes without a value.
    static let simple: [(number: UInt8, cause: Self)] = [
        (0, .noKernelSupport), (1, .noAdapter), (2, .adapterDown), (3, .adapterStarting), (4, .lowEnergyOff),
        (5, .adapterRemoved), (6, .adapterBusy), (7, .connectTimedOut), (8, .initiatorBusy),
        (9, .tooManyConnections), (10, .closedLocally), (11, .authenticationFailed),
        (12, .attributesServedElsewhere), (13, .noController), (14, .unsupported), (15, .controllerSilent),
        (16, .cancelled), (17, .controllerUnreachable), (18, .controllerGone), (19, .controllerGarbled),
    ]
}

extension RadioError.SocketProblem {
    /// The problems in the order of their numbers. New ones are added at the end.
    private static let all: [Self] = [.nobodyListens, .full, .inUse, .notASocket, .noFolder, .notPermitted, .noFile]

    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        let number = try reader.uint8("Problem")
        guard number < Self.all.count else { throw DecodeError("Problem", .invalid(value: UInt64(number))) }
        self = Self.all[Int(number)]
    }

    /// The number of the problem, which is its place in `all`.
    fileprivate var number: UInt8 { UInt8(clamping: Self.all.firstIndex(of: self) ?? 0) }
}

extension ByteReader {
    fileprivate mutating func status() throws(DecodeError) -> HCIStatus? {
        try present("Status") ? HCIStatus(rawValue: try uint8("Status")) : nil
    }

    /// Reads a program that holds something, which may not be known.
    mutating func program() throws(DecodeError) -> ProcessReference? {
        guard try present("Program") else { return nil }
        let process = Int32(truncatingIfNeeded: try uint32("Process"))
        return ProcessReference(process: process, command: try text("Command"))
    }
}

extension ByteWriter {
    /// Writes a program: the number of its process, and its command.
    mutating func program(_ program: ProcessReference) {
        uint32(UInt32(bitPattern: program.process))
        text(program.command)
    }
}
