// SPDX-License-Identifier: MIT

public import Bluetooth
import BluetoothDevices
import Synchronization

/// A request or a command that has reached a device, with the device's answer.
public struct SeenRequest: Hashable, Sendable {
    /// The moment of the answer, on the clock of the simulation.
    public let instant: Instant
    /// The decoded request or command.
    public let request: ATTClientPDU
    /// The attribute at its handle; `nil` if it does not refer to one attribute.
    public let place: GATTPlace?
    /// The answer; `nil` for a command, which has none.
    public let answer: ATTAnswer?

    /// Whether it reads a value: Read, Read Blob, Read by Type or Read Multiple.
    public var isRead: Bool {
        switch request {
        case .request(.read), .request(.readBlob), .request(.readByType), .request(.readMultiple): true
        default: false
        }
    }

    /// The value that it writes; `nil` if it writes none.
    public var written: [UInt8]? {
        switch request {
        case .request(.write(let pdu)): pdu.value
        case .request(.prepareWrite(let pdu)): pdu.value
        case .command(.write(let pdu)): pdu.value
        case .command(.signedWrite(let pdu)): pdu.value
        default: nil
        }
    }
}

/// The requests that the devices of a world have answered, the last ones of each.
final class RequestJournal: Sendable {
    /// The maximum number of requests of a device that are kept; older ones are forgotten.
    private static let limit = 10_000

    private let seen: Mutex<[[SeenRequest]]>

    init(devices: Int) { seen = Mutex(Array(repeating: [], count: devices)) }

    func add(_ exchange: DeviceExchange, of device: Int, at instant: Instant) {
        let request = SeenRequest(
            instant: instant,
            request: exchange.request,
            place: exchange.place,
            answer: exchange.answer
        )
        seen.withLock { seen in
            // Half of them at once, so that a long run does not move the rest each time.
            if seen[device].count >= Self.limit { seen[device].removeFirst(Self.limit / 2) }
            seen[device].append(request)
        }
    }

    func requests(of device: Int) -> [SeenRequest] { seen.withLock { $0[device] } }

    func forget(_ device: Int) { seen.withLock { $0[device] = [] } }
}
