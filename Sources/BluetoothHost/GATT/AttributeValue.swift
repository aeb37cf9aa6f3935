// SPDX-License-Identifier: MIT

public import Bluetooth

/// An attribute that the caller asked for and the device does not have.
public enum MissingAttribute: Error, Hashable, Sendable {
    /// The device has no such service.
    case service(BluetoothUUID)
    /// The device has no such characteristic, or the given service has none.
    case characteristic(BluetoothUUID, service: BluetoothUUID?)
    /// No service begins at that handle.
    case serviceHandle(Handle)
    /// No characteristic has its value or its declaration at that handle.
    case characteristicHandle(Handle)
    /// The characteristic has no such descriptor.
    case descriptor(BluetoothUUID, characteristic: BluetoothUUID)
}

/// The value of an attribute that was read.
public struct AttributeValue: Hashable, Sendable {
    /// The attribute's handle.
    public let handle: Handle
    /// The octets of the value, 0 to 512.
    public let value: [UInt8]
    /// Whether octets may be missing: the device offered more than 512 octets, or refused to send the rest.
    public let isCut: Bool
    /// The number of further attributes of the same type in the answer.
    public let others: Int

    /// A value that one answer contained completely.
    init(_ value: GATTReadValue, others: Int = 0) {
        handle = value.handle
        self.value = value.value
        isCut = false
        self.others = others
    }

    /// A value that took several requests.
    init(_ value: GATTLongValue, at handle: Handle, others: Int = 0) {
        self.handle = handle
        self.value = value.value
        isCut = value.isCut
        self.others = others
    }

    /// A value that somebody else has read.
    package init(_ octets: [UInt8], at handle: Handle, isCut: Bool) {
        self.handle = handle
        value = octets
        self.isCut = isCut
        others = 0
    }
}

/// The way in which a value was written.
public enum WriteMethod: Sendable, Hashable {
    /// With one request, which has a response.
    case request
    /// With one command, which has no response.
    case command
    /// In parts that the device joined.
    case prepared
    /// In one or more parts, each echoed by the device. They were executed after all echoes had proved right.
    case reliable
    /// With one command, which has a signature and no response.
    case signed
}

/// An attribute, or the information that the device lacks it. That is an error only for a caller that needs it.
public typealias Found<Value> = Result<Value, MissingAttribute>
