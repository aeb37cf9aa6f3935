// SPDX-License-Identifier: MIT

public import Bluetooth

/// A difference between two definitions.
public struct DeviceDifference: Hashable, Sendable {
    /// The property in which two definitions differ.
    public enum Aspect: String, CaseIterable, Sendable {
        /// A service.
        case service
        /// Whether a service is primary.
        case primary
        /// An included service.
        case include
        /// A characteristic.
        case characteristic
        /// The properties of a characteristic.
        case properties
        /// A descriptor.
        case descriptor
        /// The handle of an attribute; that of the value for a characteristic.
        case handle
        /// The handle of the declaration of a characteristic.
        case declarationHandle = "declaration-handle"
        /// The value of a characteristic or of a descriptor.
        case value
        /// The security that a read of a value requires.
        case access
        /// The times at which a value is sent.
        case stream
        /// An advertising set.
        case advertising
        /// The PDUs of an advertising set.
        case kind
        /// The time between two advertisements.
        case interval
        /// The data of an advertising set.
        case data
        /// The scan response of an advertising set.
        case scanResponse = "scan-response"
        /// The transmit power of an advertising set.
        case txPower = "tx-power"
        /// The only device that may connect.
        case target
    }

    /// One side of a difference.
    public enum Detail: Hashable, Sendable {
        /// A handle.
        case handle(Handle)
        /// The properties of a characteristic.
        case properties(CharacteristicProperties)
        /// Whether a service is primary.
        case primary(Bool)
        /// The value of an attribute.
        case content(AttributeContent)
        /// The security that a read requires.
        case requirement(AccessRequirement)
        /// When a value is sent.
        case stream(DeviceStream)
        /// The PDUs of an advertising set.
        case kind(DeviceAdvertising.Kind)
        /// A time.
        case duration(Duration)
        /// Octets of advertising data, one element for each frame.
        case frames([[UInt8]])
        /// One structure of advertising data.
        case structure(ADStructure)
        /// A power in dBm.
        case power(Int8)
        /// A device address.
        case address(DeviceAddress)
    }

    /// The place in the device.
    public let path: DevicePath
    /// The property that differs there.
    public let aspect: Aspect
    /// The first device's side; `nil` if it has none.
    public let first: Detail?
    /// The second device's side; `nil` if it has none.
    public let second: Detail?
    /// Whether the first device lacks the whole, the second does, or both have it in different forms.
    public let change: Change

    /// The kinds of changes from the first device to the second.
    public enum Change: String, Sendable {
        /// The second device has it and the first one does not.
        case added
        /// The first device has it and the second one does not.
        case removed
        /// Both have it, in different forms.
        case changed
    }

    /// Creates a difference. Added things have only the second side, and removed ones the first.
    init(_ change: Change, _ aspect: Aspect, _ path: DevicePath, _ first: Detail? = nil, _ second: Detail? = nil) {
        self.path = path
        self.aspect = aspect
        self.first = first
        self.second = second
        self.change = change
    }
}

/// A place in a device: from the service inwards, or from the advertising set.
public struct DevicePath: Hashable, Sendable {
    /// One step. The number counts those before it that look the same, from 0.
    public enum Step: Hashable, Sendable {
        /// A service.
        case service(BluetoothUUID, Int)
        /// A service that the one before includes.
        case include(BluetoothUUID, Int)
        /// A characteristic.
        case characteristic(BluetoothUUID, Int)
        /// A descriptor.
        case descriptor(BluetoothUUID, Int)
        /// An advertising set.
        case advertising(Int)
    }

    /// The steps, the outermost first.
    public let steps: [Step]

    init(_ steps: [Step]) { self.steps = steps }

    /// A place one step further in.
    func with(_ step: Step) -> DevicePath { DevicePath(steps + [step]) }
}
