// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost

/// A device is ready to be connected to.
struct ServingResult: RecordedResult {
    let device: DeviceImage
    let radio: any Radio
    let mode: AdvertisingMode?
    let timestamp: Timestamp

    private var reference: DeviceReference { DeviceReference(serving: device, on: radio) }

    private var address: String? { reference.addressText }

    var record: Record {
        Record(
            "serving",
            at: timestamp,
            [
                "device": reference.json,
                "name": .string(device.name),
                "advertised_name": .optional(device.advertisedName),
                "adapter": .string(radio.adapter.name),
                "address": .optional(address),
                "advertising": .optional(mode?.rawValue),
                "services": .array(device.database.services.map { .string($0.uuid.description) }),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? {
        let name = TerminalText.escaped(device.advertisedName ?? device.name)
        let place = TerminalText.escaped(radio.adapter.name)
        return "serving \(style.paint(name, .bold)) on \(place)" + (address.map { " as \($0)" } ?? "")
    }
}

/// A central has connected.
struct ConnectedResult: RecordedResult {
    let device: DeviceReference
    let connection: CentralConnection
    let timestamp: Timestamp

    var record: Record {
        Record("connected", at: timestamp, connection.members(of: device))
    }

    func text(_ style: TextStyle) -> String? { "\(timestamp.wall)  \(connection.text)  connected" }
}

/// The security of a central's link has changed.
struct SecuredResult: RecordedResult {
    let device: DeviceReference
    let connection: CentralConnection
    let timestamp: Timestamp

    var record: Record {
        Record("secured", at: timestamp, connection.members(of: device))
    }

    func text(_ style: TextStyle) -> String? {
        connection.security.map { "\(timestamp.wall)  \(connection.text)  \($0.text)" }
    }
}

/// A central's connection has ended.
struct DisconnectedResult: RecordedResult {
    let device: DeviceReference
    let connection: CentralConnection
    /// The ATT MTU, and the number of requests; `nil` without a server of attributes.
    let mtu: UInt16?
    let requests: Int?
    let reason: RadioError
    let timestamp: Timestamp

    private var milliseconds: Int64 { (timestamp.monotonic - connection.since).clampedNanoseconds / 1_000_000 }

    var record: Record {
        var members = connection.members(of: device)
        members["reason"] = .string(why)
        members["duration_ms"] = .integer(milliseconds)
        members["mtu"] = .optional(mtu)
        members["requests"] = .optional(requests)
        return Record("disconnected", at: timestamp, members)
    }

    func text(_ style: TextStyle) -> String? {
        let since = "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
        let served = requests.map { ", \(count: $0, "request")" } ?? ""
        let until = "disconnected after \(since)\(served): \(why)"
        return "\(timestamp.wall)  \(connection.text)  \(until)"
    }

    private var why: String {
        switch reason.cause {
        case .closedByPeer(.remoteUserTerminatedConnection?): "the central closed it"
        case .closedByPeer(let status): "the central closed it" + (status.map { " (HCI \($0))" } ?? "")
        case .linkLost(let status): "the connection was lost" + (status.map { " (HCI \($0))" } ?? "")
        case .closedLocally, .cancelled: "closed by blectl"
        default: BlectlError(reason, doing: "receive").message
        }
    }
}

/// A request was served. For people it appears in the trace, with `-v`.
struct RequestResult: RecordedResult {
    let device: DeviceReference
    let exchange: DeviceExchange
    let timestamp: Timestamp

    var record: Record {
        let answer: [UInt8]?
        var attError: ATTErrorCode?
        switch exchange.answer {
        case .success(let response): answer = response.encoded()
        case .failure(let error):
            answer = error.encoded()
            attError = error.code
        case nil: answer = nil
        }
        let bytes = exchange.request.encoded()
        return Record(
            "request",
            at: timestamp,
            [
                "connection": .integer(Int64(exchange.client.rawValue)),
                "device": device.json,
                "name": .string(exchange.request.name),
                "handle": .optional(exchange.request.handle?.rawValue),
                "attribute": .optional(exchange.place?.attribute.description),
                "service": .optional(exchange.place?.service?.description),
                "characteristic": .optional(exchange.place?.characteristic?.description),
                "request": .string(Hex.string(bytes)),
                "answer": .optional(answer.map { Hex.string($0) }),
                "signature": .optional(exchange.signature?.description),
                "att_error": .optional(attError?.rawValue),
                "att_error_name": .optional(attError?.description),
            ]
        )
    }

    func text(_ style: TextStyle) -> String? { nil }
}

extension DeviceReference {
    /// A served device as centrals see it.
    init(serving device: DeviceImage, on radio: any Radio) {
        let own = radio.adapter.address
        if let peer = radio.onlyPeer {
            self.init(address: peer, name: device.advertisedName, socket: radio.adapter.name)
        } else if own.rawValue == 0 {
            self.init(address: device.address, name: device.advertisedName)
        } else {
            self.init(address: DeviceAddress(own, .public), name: device.advertisedName)
        }
    }
}

extension CentralConnection {
    fileprivate func members(of device: DeviceReference) -> [String: JSONValue] {
        let central: JSONValue =
            central.map {
                .object([
                    "address": .string($0.address.description),
                    "address_type": .string($0.type.connectionType.description),
                ])
            } ?? .null
        return [
            "connection": .integer(Int64(number)), "central": central, "device": device.json,
            "security": security?.json ?? .null,
        ]
    }

    fileprivate var text: String { central.map { "\(number)  \($0.address)" } ?? "\(number)" }
}

extension ATTClientPDU {
    /// `Read Request`
    fileprivate var name: String { opcode.description }
}
