// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
package import BluetoothHost
package import Records
package import Terminal

package struct PrivateAddressResult: RecordedResult {
    let device: DeviceReference
    let adapter: String
    package let timestamp: Timestamp

    package init(device: DeviceReference, adapter: String, timestamp: Timestamp) {
        self.device = device
        self.adapter = adapter
        self.timestamp = timestamp
    }

    package static let record = RecordKind<Self>(
        "private-address",
        "with `--privacy`, the device is at another private address from now on"
    ) {
        RecordField.device { $0.device }
        RecordField("adapter", .string, "adapter, such as `hci0`") { $0.adapter }
    }

    package func text(_ style: TextStyle) -> String? {
        device.addressText.map { "\(timestamp.wall)  now at the private address \($0)" }
    }
}

package struct ConnectedResult: RecordedResult {
    /// The device that the central has connected to.
    let device: DeviceReference
    /// The connection, with its number in this run.
    let connection: CentralConnection
    package let timestamp: Timestamp

    package init(device: DeviceReference, connection: CentralConnection, timestamp: Timestamp) {
        self.device = device
        self.connection = connection
        self.timestamp = timestamp
    }

    package static let record = RecordKind<Self>("connected", "a central has connected") {
        RecordField.device { $0.device }
        CentralConnection.record.of { $0.connection }
    }

    package func text(_ style: TextStyle) -> String? { "\(timestamp.wall)  \(connection.text)  connected" }
}

/// A central's connection has ended.
package struct DisconnectedResult: RecordedResult {
    let device: DeviceReference
    let connection: CentralConnection
    /// The ATT MTU, and the number of requests; `nil` without a server of attributes.
    let mtu: UInt16?
    /// The number of ATT requests and commands that the central has sent.
    let requests: Int?
    let reason: RadioError
    /// When the end was noticed.
    package let timestamp: Timestamp

    package init(
        device: DeviceReference,
        connection: CentralConnection,
        mtu: UInt16?,
        requests: Int?,
        reason: RadioError,
        timestamp: Timestamp
    ) {
        self.device = device
        self.connection = connection
        self.mtu = mtu
        self.requests = requests
        self.reason = reason
        self.timestamp = timestamp
    }

    /// How long the connection lasted.
    private var milliseconds: Int64 { (timestamp.monotonic - connection.since).clampedNanoseconds / 1_000_000 }

    /// Adds the end to the members of the connection: the reason in words, the time in milliseconds, the MTU
    /// and the requests.
    package static let record = RecordKind<Self>("disconnected", "a central's connection has ended") {
        RecordField.device { $0.device }
        CentralConnection.record.of { $0.connection }
        RecordField("reason", .string, "why") { $0.why }
        RecordField("duration_ms", .integer("ms"), "duration of the connection") { $0.milliseconds }
        RecordField("mtu", orNull: .integer("bytes"), "ATT MTU at its end; null for `advertise`") { $0.mtu }
        RecordField("requests", orNull: .integer, "number of requests and commands; null for `advertise`") {
            $0.requests
        }
    }

    /// The end in a line, with tenths of a second.
    package func text(_ style: TextStyle) -> String? {
        let since = "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s"
        let served = requests.map { ", \(count: $0, "request")" } ?? ""
        let until = "disconnected after \(since)\(served): \(why)"
        return "\(timestamp.wall)  \(connection.text)  \(until)"
    }

    /// The reason in words. An HCI status other than the usual one is shown with its name.
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

extension CentralConnection {
    /// The fields that all records of a connection share.
    @FieldBuilder<CentralConnection>
    package static var record: [RecordField<CentralConnection>] {
        RecordField("connection", .integer, "its number, from 1") { $0.number }
        RecordField(
            "central",
            orNull: .object {
                RecordField<DeviceAddress>("address", .string, "its address") { $0.address.description }
                RecordField<DeviceAddress>("address_type", .string, "`public` or `random`") {
                    $0.type.connectionType.description
                }
            },
            "central; null on a socket"
        ) { $0.central }
        RecordField("security", orNull: .security, "last known security of the link; null for `advertise`") {
            $0.security
        }
    }

    /// The connection in a line: its number, and the address of the central if it has one.
    package var text: String { central.map { "\(number)  \($0.address)" } ?? "\(number)" }
}
