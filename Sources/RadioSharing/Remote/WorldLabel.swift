// SPDX-License-Identifier: MIT

package import Bluetooth

/// The name of a service or a characteristic in the files of a world, by which commands in it may call it.
package struct WorldLabel: Hashable, Sendable {
    package let name: String
    package let uuid: BluetoothUUID
    package let isService: Bool

    package init(name: String, uuid: BluetoothUUID, isService: Bool) {
        self.name = name
        self.uuid = uuid
        self.isService = isService
    }

    /// The labels of a packet. Throws if it is no packet of labels.
    package static func labels(in packet: [UInt8]) throws(DecodeError) -> [WorldLabel] {
        guard case .data(let bytes) = try RemotePacket(decoding: packet) else {
            throw DecodeError("Labels", .invalid(value: UInt64(packet.first ?? 0)))
        }
        var reader = ByteReader(bytes)
        var labels: [WorldLabel] = []
        while !reader.isAtEnd {
            let name: String = try reader.field("Name")
            let isService: Bool = try reader.field("Service")
            labels.append(WorldLabel(name: name, uuid: try reader.field("UUID"), isService: isService))
        }
        return labels
    }

    /// The packets of labels, each no longer than is taken.
    static func packets(of labels: [WorldLabel]) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var writer = ByteWriter()
        for label in labels {
            var next = ByteWriter()
            next.fields(label.name, label.isService, label.uuid)
            if !writer.bytes.isEmpty, writer.bytes.count + next.bytes.count > RemotePacket.maximumLength - 16 {
                packets.append(RemotePacket.data(writer.bytes).encoded())
                writer = ByteWriter()
            }
            writer.append(next.bytes)
        }
        if !writer.bytes.isEmpty { packets.append(RemotePacket.data(writer.bytes).encoded()) }
        return packets
    }
}
