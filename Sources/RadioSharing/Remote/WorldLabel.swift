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
            let name = try reader.text("Name")
            let isService = try reader.boolean("Service")
            let uuid = BluetoothUUID(bits128: try reader.uint128("UUID")).attForm
            labels.append(WorldLabel(name: name, uuid: uuid, isService: isService))
        }
        return labels
    }

    /// The packets of labels, each no longer than is taken.
    static func packets(of labels: [WorldLabel]) -> [[UInt8]] {
        var packets: [[UInt8]] = []
        var writer = ByteWriter()
        for label in labels {
            var next = ByteWriter()
            next.text(label.name)
            next.boolean(label.isService)
            next.uint128(label.uuid.value)
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
