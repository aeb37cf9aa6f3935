// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// What the device does not have, though it was asked for.
public enum MissingAttribute: Error, Hashable, Sendable {
    /// The device has no such service.
    case service(BluetoothUUID)
    /// The device, or that service of it, has no such characteristic.
    case characteristic(BluetoothUUID, service: BluetoothUUID?)
    /// No service begins at that handle.
    case serviceHandle(Handle)
    /// No characteristic has its value, or its declaration, at that handle.
    case characteristicHandle(Handle)
    /// The characteristic has no such descriptor.
    case descriptor(BluetoothUUID, characteristic: BluetoothUUID)
}

/// The value of an attribute as it was read.
public struct AttributeValue: Hashable, Sendable {
    /// Where it stands.
    public let handle: Handle
    /// The octets.
    public let value: [UInt8]
    /// Whether the device had more to tell than a value may hold (512 octets), or would not tell the rest.
    public let isCut: Bool
    /// How many further attributes of the same type came along.
    public let others: Int

    /// A value that one answer brought whole.
    init(_ value: GATTReadValue, others: Int = 0) {
        handle = value.handle
        self.value = value.value
        isCut = false
        self.others = others
    }

    /// A value that was read to its end.
    init(_ value: GATTLongValue, at handle: Handle, others: Int = 0) {
        self.handle = handle
        self.value = value.value
        isCut = value.isCut
        self.others = others
    }
}

/// How a value was written.
public enum WriteMethod: Sendable, Hashable {
    /// By one request with a response.
    case request
    /// By one command without a response.
    case command
    /// In pieces that the device put together.
    case prepared
    /// In one or more pieces, each of which the device has echoed, and carried out after all of them were right.
    case reliable
}
