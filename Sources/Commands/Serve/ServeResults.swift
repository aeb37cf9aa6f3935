// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Records
import Terminal
import Toolkit

/// A device is ready to be connected to.
struct ServingResult: RecordedResult {
    let device: DeviceImage
    /// The device as centrals see it.
    let reference: DeviceReference
    let adapter: String
    /// The HCI commands with which it advertises; `nil` if it does not, as on a wire to one central.
    let mode: AdvertisingMode?
    /// When the first advertisement was on.
    let timestamp: Timestamp

    /// The address that centrals connect to; `nil` on a wire, which has none.
    private var address: String? { reference.addressText }

    /// Has the services of the database at the start. A device may change them later.
    static let record = RecordKind<Self>("serving", "the device accepts connections from now on") {
        RecordField.device { $0.reference }
        RecordField("name", .string, "device's name in blectl") { $0.device.name }
        RecordField("advertised_name", orNull: .string, "name that it advertises") { $0.device.advertisedName }
        RecordField("adapter", .string, "adapter, such as `hci0`, or `unix:` and a path") { $0.adapter }
        RecordField("address", orNull: .string, "address that centrals see; null on a socket") { $0.address }
        RecordField(
            "advertising",
            orNull: .string,
            "commands that advertise it: `extended` or `legacy`; null on a socket"
        ) { $0.mode?.rawValue }
        RecordField("services", .array(of: .uuid), "its services") { $0.device.database.services.map(\.uuid) }
    }

    /// The line that names the address of the device.
    func text(_ style: TextStyle) -> String? {
        let name = TerminalText.escaped(device.advertisedName ?? device.name)
        let place = TerminalText.escaped(adapter)
        return "serving \(style.paint(name, .bold)) on \(place)" + (address.map { " as \($0)" } ?? "")
    }
}

/// A request was served. For people it appears in the trace, with `-v`.
struct RequestResult: RecordedResult {
    let device: DeviceReference
    let exchange: DeviceExchange
    /// When the answer was sent.
    let timestamp: Timestamp

    /// Has both PDUs in hexadecimal as they were on the wire, and the attribute that the request was about.
    ///
    /// `answer` is `null` for a command, which has no response.
    static let record = RecordKind<Self>("request", "a request or a command that was served") {
        RecordField.device { $0.device }
        RecordField("connection", .integer, "its number, from 1") { $0.exchange.client.rawValue }
        RecordField("name", .string, "its name in the specification") { $0.exchange.request.name }
        RecordField("handle", orNull: .integer, "attribute, if it names one") {
            $0.exchange.request.handle?.rawValue
        }
        RecordField("attribute", orNull: .uuid, "type of that attribute") { $0.exchange.place?.attribute }
        RecordField("service", orNull: .uuid, "service that it is in") { $0.exchange.place?.service }
        RecordField("characteristic", orNull: .uuid, "characteristic that it belongs to") {
            $0.exchange.place?.characteristic
        }
        RecordField("request", .hex, "PDU") { $0.exchange.request.encoded() }
        RecordField("answer", orNull: .hex, "PDU of the answer; null for a command") { $0.answer }
        RecordField(
            "signature",
            orNull: .string,
            "of a signed write: `valid`, `wrong` or `replayed`; null if there is no key to check it with"
        ) { $0.exchange.signature?.description }
        RecordField("att_error", orNull: .integer, "ATT error code of the answer") {
            $0.attError?.rawValue
        }
        RecordField("att_error_name", orNull: .string, "its name") { $0.attError?.description }
    }

    private var answer: [UInt8]? {
        switch exchange.answer {
        case .success(let response): response.encoded()
        case .failure(let error): error.encoded()
        case nil: nil
        }
    }

    private var attError: ATTErrorCode? {
        if case .failure(let error) = exchange.answer { error.code } else { nil }
    }

    /// `nil`: the trace shows requests to people.
    func text(_ style: TextStyle) -> String? { nil }
}

extension DeviceReference {
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

extension ATTClientPDU {
    /// `Read Request`
    fileprivate var name: String { opcode.description }
}

/// The security of a central's link has changed.
struct SecuredResult: RecordedResult {
    let device: DeviceReference
    /// The connection, with its security as it is now.
    let connection: CentralConnection
    /// When the change was noticed.
    let timestamp: Timestamp

    static let record = RecordKind<Self>("secured", "the security of a central's link has changed") {
        RecordField.device { $0.device }
        CentralConnection.record.of { $0.connection }
    }

    /// The security in words; `nil` if the radio does not tell it.
    func text(_ style: TextStyle) -> String? {
        connection.security.map { "\(timestamp.wall)  \(connection.text)  \($0.text)" }
    }
}

/// A central has opened an enhanced bearer, or one has ended.
struct BearerResult: RecordedResult {
    let device: DeviceReference
    let connection: CentralConnection
    let bearer: EnhancedBearer
    let timestamp: Timestamp

    static let record = RecordKind<Self>("bearer", "a central's enhanced bearer (EATT) was opened or has ended") {
        RecordField.device { $0.device }
        CentralConnection.record.of { $0.connection }
        RecordField("bearer", .integer, "its number in the connection, from 1") { $0.bearer.number }
        RecordField("mtu", .integer("bytes"), "its ATT MTU") { $0.bearer.mtu }
        RecordField("open", .boolean, "whether it is open") { $0.bearer.isOpen }
    }

    /// `nil`: with `-v`, people get a note.
    func text(_ style: TextStyle) -> String? { nil }
}
