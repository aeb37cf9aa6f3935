// SPDX-License-Identifier: MIT

public import Bluetooth

/// A request or a command that a device has served, with its answer.
public struct DeviceExchange: Hashable, Sendable {
    /// The client that sent it.
    public let client: GATTServer.ClientID
    /// The request or command.
    public let request: ATTClientPDU
    /// The attribute at its handle at that time; `nil` if it does not refer to one attribute.
    public let place: GATTPlace?
    /// The answer; `nil` for a command.
    public let answer: ATTAnswer?
    /// The finding of the check of a signed write; `nil` if it was not checked, and for everything else.
    public let signature: SignatureVerdict?

    /// Creates an exchange.
    ///
    /// - Parameters:
    ///   - client: The client that sent it.
    ///   - request: The request or command.
    ///   - place: The attribute at its handle.
    ///   - answer: The answer; `nil` for a command.
    ///   - signature: The verdict on a signed write.
    public init(
        client: GATTServer.ClientID,
        request: ATTClientPDU,
        place: GATTPlace?,
        answer: ATTAnswer?,
        signature: SignatureVerdict? = nil
    ) {
        self.client = client
        self.request = request
        self.place = place
        self.answer = answer
        self.signature = signature
    }
}

/// An event of a running device.
public enum DeviceEvent: Equatable, Sendable {
    /// A request or a command was served.
    case exchanged(DeviceExchange)
    /// A client violated the protocol, and the device ignored it.
    case odd(GATTServer.ClientID, ATTDiagnostic)
    /// A fault acted on a client's link.
    case fault(GATTServer.ClientID, FaultRule)
    /// Values that a client subscribes to were not sent, because its link takes them slower than the device has them; with
    /// their number.
    case dropped(GATTServer.ClientID, Int)
    /// The device goes out of range for a time: its links have been ended, and its radio must advertise nothing.
    case left(for: Duration)
    /// The device has another address and other advertisements from now on: another program runs on it.
    case appeared(as: DeviceGuise)
    /// The device accepts connections, or no more of them: its radio must advertise accordingly.
    case connectable(Bool)
    /// A program beside the device has to answer: `DeviceMachine.answered`.
    case asked(HookQuestion)
}

extension ATTClientPDU {
    /// The handle of the one attribute to which the PDU refers; `nil` for other PDUs.
    public var handle: Handle? {
        switch self {
        case .request(.read(let pdu)): pdu.handle
        case .request(.readBlob(let pdu)): pdu.handle
        case .request(.write(let pdu)): pdu.handle
        case .request(.prepareWrite(let pdu)): pdu.handle
        case .command(.write(let pdu)): pdu.handle
        case .command(.signedWrite(let pdu)): pdu.handle
        case .request, .command, .confirmation, .unknown: nil
        }
    }
}

/// What a device is on the air, which changes when another program runs on it, such as a boot loader.
public struct DeviceGuise: Hashable, Sendable {
    /// The address, for a radio that does not provide one.
    public var address: DeviceAddress
    /// The advertising sets.
    public var advertising: [DeviceAdvertising]
    let database: GATTDatabase
}
