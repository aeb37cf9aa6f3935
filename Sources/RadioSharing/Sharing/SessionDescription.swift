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

extension SessionRequest: WireDecodable, WireEncodable {
    package init(from reader: inout ByteReader) throws(DecodeError) {
        let octet = try reader.uint8("Session_Request")
        guard let request = Self(rawValue: octet) else {
            throw DecodeError("Session_Request", .invalid(value: UInt64(octet)))
        }
        self = request
    }

    package func encode(into writer: inout ByteWriter) { writer.uint8(rawValue) }
}

extension SessionDescription: WireDecodable, WireEncodable {
    private static let maximumServices = 64

    /// Reads a description. The number of services is checked before they are read.
    package init(from reader: inout ByteReader) throws(DecodeError) {
        name = try reader.text("Name")
        device = try reader.remoteAddress()
        deviceName = try reader.present("Device_Name") ? try reader.text("Device_Name") : nil
        socket = try reader.present("Socket") ? try reader.text("Socket") : nil
        source = try reader.text("Source")
        adapter = try AdapterDescription(from: &reader)
        process = Int32(bitPattern: try reader.uint32("Process"))
        since = try reader.text("Since")
        let count = Int(try reader.uint8("Services"))
        guard count <= Self.maximumServices else { throw DecodeError("Services", .invalid(value: UInt64(count))) }
        services = []
        for _ in 0..<count { services.append(BluetoothUUID(bits128: try reader.uint128("Service")).attForm) }
        link = SharedLink.Status(
            isUp: try reader.boolean("Up"),
            mtu: try reader.uint16("MTU"),
            guests: Int(try reader.uint32("Guests")),
            kept: Int(try reader.uint32("Kept")),
            dropped: Int(try reader.uint32("Dropped")),
            security: try reader.linkSecurity()
        )
    }

    /// Writes a description, with at most as many services as are read.
    package func encode(into writer: inout ByteWriter) {
        writer.text(name)
        writer.remoteAddress(device)
        writer.present(deviceName) { $0.text($1) }
        writer.present(socket) { $0.text($1) }
        writer.text(source)
        adapter.encode(into: &writer)
        writer.uint32(UInt32(bitPattern: process))
        writer.text(since)
        let listed = services.prefix(Self.maximumServices)
        writer.uint8(UInt8(clamping: listed.count))
        for service in listed { writer.uint128(service.value) }
        writer.boolean(link.isUp)
        writer.uint16(link.mtu)
        writer.uint32(UInt32(clamping: link.guests))
        writer.uint32(UInt32(clamping: link.kept))
        writer.uint32(UInt32(clamping: link.dropped))
        writer.linkSecurity(link.security)
    }
}
