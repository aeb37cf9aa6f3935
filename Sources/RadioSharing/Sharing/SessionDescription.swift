// SPDX-License-Identifier: MIT

package import Bluetooth
package import BluetoothHost

/// A process that holds the link to a device for others.
package struct SessionDescription: Hashable, Sendable {
    package var name: String
    /// The device; its address is zero if it is at the other end of a socket.
    package var device: DeviceAddress
    package var deviceName: String?
    /// The name of the radio, if it is a socket.
    package var socket: String?
    /// The radio of the device: the adapters of this machine, a socket, or a simulated world.
    package var source: String
    /// The adapter that has the link.
    package var adapter: AdapterDescription
    package var process: Int32
    /// When the session began, in RFC 3339.
    package var since: String
    /// The primary services of the device, as far as they were found.
    package var services: [BluetoothUUID]
    package var link: SharedLink.Status

    package init(
        name: String,
        device: DeviceAddress,
        deviceName: String?,
        socket: String?,
        source: String,
        adapter: AdapterDescription,
        process: Int32,
        since: String,
        services: [BluetoothUUID],
        link: SharedLink.Status
    ) {
        self.name = name
        self.device = device
        self.deviceName = deviceName
        self.socket = socket
        self.source = source
        self.adapter = adapter
        self.process = process
        self.since = since
        self.services = services
        self.link = link
    }
}

/// A wish to a process that holds a link.
package enum SessionRequest: UInt8, Hashable, Sendable {
    case describe = 1
    case stop = 2
}

extension SessionRequest: RemoteField, WireDecodable, WireEncodable {
    package init(from reader: inout ByteReader) throws(DecodeError) { self = try reader.field("Session_Request") }

    package func encode(into writer: inout ByteWriter) { write(to: &writer) }
}

extension SessionDescription: WireDecodable, WireEncodable {
    private static let maximumServices = 64

    /// Reads a description. The number of services is checked before they are read.
    package init(from reader: inout ByteReader) throws(DecodeError) {
        name = try reader.field("Name")
        device = try reader.field("Device")
        deviceName = try reader.field("Device_Name")
        socket = try reader.field("Socket")
        source = try reader.field("Source")
        adapter = try reader.field("Adapter")
        process = try reader.field("Process")
        since = try reader.field("Since")
        let count = Int(try reader.uint8("Services"))
        guard count <= Self.maximumServices else { throw DecodeError("Services", .invalid(value: UInt64(count))) }
        services = []
        for _ in 0..<count { services.append(try reader.field("Service")) }
        link = SharedLink.Status(
            isUp: try reader.field("Up"),
            mtu: try reader.field("MTU"),
            guests: try reader.field("Guests"),
            kept: try reader.field("Kept"),
            dropped: try reader.field("Dropped"),
            security: try reader.field("Security")
        )
    }

    /// Writes a description, with at most as many services as are read.
    package func encode(into writer: inout ByteWriter) {
        writer.fields(name, device, deviceName, socket, source, adapter, process, since)
        let listed = services.prefix(Self.maximumServices)
        writer.uint8(UInt8(clamping: listed.count))
        for service in listed { writer.fields(service) }
        writer.fields(link.isUp, link.mtu, link.guests, link.kept, link.dropped, link.security)
    }
}
