// SPDX-License-Identifier: MIT

public import Bluetooth
import BluetoothDevices
public import BluetoothHost

extension WorldRequest: WireDecodable, WireEncodable {
    /// The longest value of an attribute.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.2.9
    private static let maximumValue = 512

    /// Reads a request. The length of a value is checked, because any program may connect to the socket.
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let kind = try reader.uint8("Request")
        switch kind {
        case 0: self = .list
        case 1:
            let device: String = try reader.field("Device")
            let target: Target = try reader.field("Target")
            let length = Int(try reader.uint16("Length"))
            guard length <= Self.maximumValue else { throw DecodeError("Length", .invalid(value: UInt64(length))) }
            self = .set(try reader.bytes(length, "Value"), of: target, on: device)
        case 2: self = .disconnect(try reader.field("Device"))
        case 3: self = .connectable(try reader.field("Device"), try reader.field("Connectable"))
        case 4: self = .signal(try reader.field("Device"), try reader.field("Signal"))
        case 5: self = .power(try reader.field("Power"))
        case 6: self = .pause(try reader.field("Device"))
        case 7: self = .release(try reader.field("Device"))
        case 8: self = .database(try reader.field("Device"), name: try reader.field("Name"))
        case 9: self = .stop
        case 10: self = .addFault(try reader.field("Fault"))
        case 11: self = .faults(of: try reader.field("Device"))
        case 12:
            let device: String? = try reader.field("Device")
            let fault: FaultText? = try reader.field("Fault")
            self = .removeFaults(fault?.rule, of: device)
        default: throw DecodeError("Request", .invalid(value: UInt64(kind)))
        }
    }

    /// Writes a request.
    public func encode(into writer: inout ByteWriter) {
        switch self {
        case .list: writer.kind(0)
        case .set(let value, let target, let device):
            writer.kind(1, device, target, UInt16(clamping: value.count))
            writer.append(value)
        case .disconnect(let device): writer.kind(2, device)
        case .connectable(let device, let isConnectable): writer.kind(3, device, isConnectable)
        case .signal(let device, let signal): writer.kind(4, device, signal)
        case .power(let isOn): writer.kind(5, isOn)
        case .pause(let device): writer.kind(6, device)
        case .release(let device): writer.kind(7, device)
        case .database(let device, let name): writer.kind(8, device, name)
        case .stop: writer.kind(9)
        case .addFault(let fault): writer.kind(10, fault)
        case .faults(let device): writer.kind(11, device)
        case .removeFaults(let fault, let device): writer.kind(12, device, fault?.description)
        }
    }
}

extension WorldRequest.Target: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        let kind = try reader.uint8(name)
        switch kind {
        case 0: self = .characteristic(try reader.field("Characteristic"), service: try reader.field("Service"))
        case 1:
            self = .descriptor(
                try reader.field("Descriptor"),
                characteristic: try reader.field("Characteristic"),
                service: try reader.field("Service")
            )
        case 2: self = .handle(try reader.field("Handle"))
        default: throw DecodeError(name, .invalid(value: UInt64(kind)))
        }
    }

    func write(to writer: inout ByteWriter) {
        switch self {
        case .characteristic(let uuid, let service): writer.kind(0, uuid, service)
        case .descriptor(let uuid, let characteristic, let service): writer.kind(1, uuid, characteristic, service)
        case .handle(let handle): writer.kind(2, handle)
        }
    }
}

extension WorldRequest.Signal: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        let kind = try reader.uint8(name)
        switch kind {
        case 0: self = .strength(try reader.field("Strength"))
        case 1: self = .outOfRange
        case 2: self = .inRange
        default: throw DecodeError(name, .invalid(value: UInt64(kind)))
        }
    }

    func write(to writer: inout ByteWriter) {
        switch self {
        case .strength(let level): writer.kind(0, level)
        case .outOfRange: writer.kind(1)
        case .inRange: writer.kind(2)
        }
    }
}

extension WorldAnswer: WireDecodable, WireEncodable {
    /// Reads an answer.
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let kind = try reader.uint8("Answer")
        switch kind {
        case 0: self = .device(try reader.field("Device"))
        case 1: self = .adapter(try reader.field("Adapter"))
        case 2: self = .done
        case 3: self = .failed(try reader.field("Problem"))
        case 4:
            let device: String = try reader.field("Device")
            let fault: FaultText = try reader.field("Fault")
            self = .fault(WorldFault(device: device, rule: fault.rule, hasActed: try reader.field("Acted")))
        default: throw DecodeError("Answer", .invalid(value: UInt64(kind)))
        }
    }

    /// Writes an answer.
    public func encode(into writer: inout ByteWriter) {
        switch self {
        case .device(let device): writer.kind(0, device)
        case .adapter(let adapter): writer.kind(1, adapter)
        case .done: writer.kind(2)
        case .failed(let problem): writer.kind(3, problem)
        case .fault(let fault): writer.kind(4, fault.device, fault.rule.description, fault.hasActed)
        }
    }
}

extension WorldDevice: RemoteField {
    /// Reads a device, whose booleans share an octet.
    init(remote reader: inout ByteReader, _: String) throws(DecodeError) {
        let name: String = try reader.field("Name")
        let advertisedName: String? = try reader.field("Advertised_Name")
        let address: DeviceAddress = try reader.field("Address")
        let flags = try reader.uint8("Flags")
        self.init(
            name: name,
            advertisedName: advertisedName,
            address: address,
            isConnectable: flags & 1 != 0,
            isInRange: flags & 2 != 0,
            isPaused: flags & 4 != 0,
            rssi: try reader.int8("RSSI"),
            connections: try reader.field("Connections"),
            requests: Int(clamping: try reader.uint64("Requests"))
        )
    }

    /// Writes a device. Bits 0 to 2: connectable, in range, paused.
    func write(to writer: inout ByteWriter) {
        let flags: UInt8 = (isConnectable ? 1 : 0) | (isInRange ? 2 : 0) | (isPaused ? 4 : 0)
        writer.fields(name, advertisedName, address, flags, rssi, connections, UInt64(clamping: requests))
    }
}

extension WorldAdapter: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        let address: BluetoothAddress = try reader.field("Address")
        let flags = try reader.uint8("Flags")
        self.init(
            address: address,
            isPowered: flags & 1 != 0,
            isScanning: flags & 2 != 0,
            isAdvertising: flags & 4 != 0,
            connections: try reader.field("Connections")
        )
    }

    /// Writes an adapter. Bits 0 to 2: powered, scanning, advertising.
    func write(to writer: inout ByteWriter) {
        let flags: UInt8 = (isPowered ? 1 : 0) | (isScanning ? 2 : 0) | (isAdvertising ? 4 : 0)
        writer.fields(address, flags, connections)
    }
}

extension WorldProblem: RemoteField {
    init(remote reader: inout ByteReader, _ name: String) throws(DecodeError) {
        let kind = try reader.uint8(name)
        switch kind {
        case 0: self = .noDevice(try reader.field("Name"), among: try reader.field("Count"))
        case 1: self = .severalDevices(try reader.field("Name"), try reader.field("Count"))
        case 2: self = .noAttribute
        case 3: self = .notSettable
        case 4: self = .noDatabase(try reader.field("Name"), among: try reader.field("Count"))
        case 5: self = .malformed
        default: throw DecodeError(name, .invalid(value: UInt64(kind)))
        }
    }

    func write(to writer: inout ByteWriter) {
        switch self {
        case .noDevice(let name, let names): writer.kind(0, name, names)
        case .severalDevices(let name, let names): writer.kind(1, name, names)
        case .noAttribute: writer.kind(2)
        case .notSettable: writer.kind(3)
        case .noDatabase(let name, let names): writer.kind(4, name, names)
        case .malformed: writer.kind(5)
        }
    }
}
