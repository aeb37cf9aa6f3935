// SPDX-License-Identifier: MIT

public import Bluetooth
public import BluetoothHost

/// The form of a radio's error in packets between processes, so that a command fails with the same words, whichever
/// process has the radio.
extension RadioError: WireDecodable, WireEncodable {
    /// Reads the cause, the operation, and the adapter if the error is about one.
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let cause: Cause = try reader.field("Cause")
        self.init(cause, during: try reader.field("Operation"), on: try reader.field("Adapter"))
    }

    /// Writes the cause first, because its number decides how many fields follow.
    public func encode(into writer: inout ByteWriter) { writer.fields(cause, operation, adapter) }
}

extension RadioError.Cause: RemoteField {
    /// Reads the number of the cause and its values. An unknown number is an error, because it comes from
    /// another version.
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        let number = try reader.uint8(name)
        if let simple = Self.simple.first(where: { $0.number == number }) {
            self = simple.cause
            return
        }
        switch number {
        case 32: self = .adapterNotFound(try reader.field("Name"))
        case 33: self = .managementRejected(try reader.field("Status"))
        case 34: self = .radioBlocked(byHardware: try reader.field("By_Hardware"))
        case 35: self = .permissionDenied(capability: try reader.field("Capability"))
        case 36: self = .connectFailed(try reader.field("Status"))
        case 37: self = .channelBusy(by: try reader.field("Program"))
        case 38: self = .linkLost(try reader.field("Status"))
        case 39: self = .closedByPeer(try reader.field("Status"))
        case 40: self = .servingTaken(by: try reader.field("Program"))
        case 41: self = .socket(path: try reader.field("Path"), try reader.field("Problem"))
        case 42: self = .commandRejected(try reader.field("Status"))
        case 43: self = .packetTooLong(try reader.field("Length"), limit: try reader.field("Limit"))
        case 44: self = .system(call: try reader.field("Call"), errno: try reader.field("Error"))
        case 45: self = .advertisingTaken(by: try reader.field("Program"))
        case 46:
            let number = Int(try reader.uint8("Advertisements"))
            self = .tooManyAdvertisements(number, room: Int(try reader.uint8("Room")))
        case 47: self = .channelRefused(try reader.field("Result"))
        case 48: self = .channelMisused(try reader.field("Rule"))
        case 49: self = .serviceTaken(try reader.field("SPSM"))
        case 50: self = .connectRefused(try reader.field("Status"))
        case 51:
            self = .attachment(
                RadioError.AttachmentProblem(
                    try reader.field("Reason"),
                    remedy: try reader.field("Remedy"),
                    isCommand: try reader.field("Is_Command"),
                    isOfPermissions: try reader.field("Is_Of_Permissions")
                )
            )
        case 52: self = .otherVersion(isOlder: try reader.field("Older"))
        default: throw DecodeError(name, .invalid(value: UInt64(number)))
        }
    }

    /// Writes the number of the cause and its values. Numbers below 32 have no values, and are never given to
    /// another cause.
    func write(to writer: inout ByteWriter) {
        if let simple = Self.simple.first(where: { $0.cause == self }) { return writer.uint8(simple.number) }
        switch self {
        case .adapterNotFound(let name): writer.kind(32, name)
        case .managementRejected(let status): writer.kind(33, status)
        case .radioBlocked(let byHardware): writer.kind(34, byHardware)
        case .permissionDenied(let capability): writer.kind(35, capability)
        case .connectFailed(let status): writer.kind(36, status)
        case .channelBusy(let program): writer.kind(37, program)
        case .linkLost(let status): writer.kind(38, status)
        case .closedByPeer(let status): writer.kind(39, status)
        case .servingTaken(let program): writer.kind(40, program)
        case .socket(let path, let problem): writer.kind(41, path, problem)
        case .commandRejected(let status): writer.kind(42, status)
        case .packetTooLong(let length, let limit): writer.kind(43, length, limit)
        case .system(let call, let errno): writer.kind(44, call, errno)
        case .advertisingTaken(let program): writer.kind(45, program)
        case .tooManyAdvertisements(let number, let room):
            writer.append([46, UInt8(clamping: number), UInt8(clamping: room)])
        case .channelRefused(let result): writer.kind(47, result)
        case .channelMisused(let rule): writer.kind(48, rule)
        case .serviceTaken(let spsm): writer.kind(49, spsm)
        case .connectRefused(let status): writer.kind(50, status)
        case .attachment(let problem):
            writer.kind(51, problem.reason, problem.remedy, problem.isCommand, problem.isOfPermissions)
        case .otherVersion(let isOlder): writer.kind(52, isOlder)
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

extension RadioError.SocketProblem: NumberedField {
    static let numbered: [Self] = [.nobodyListens, .full, .inUse, .notASocket, .noFolder, .notPermitted, .noFile]
}
