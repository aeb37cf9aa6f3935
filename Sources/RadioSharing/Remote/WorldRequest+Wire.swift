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
            let device = try reader.text("Device")
            let target = try Target(from: &reader)
            let length = Int(try reader.uint16("Length"))
            guard length <= Self.maximumValue else { throw DecodeError("Length", .invalid(value: UInt64(length))) }
            self = .set(try reader.bytes(length, "Value"), of: target, on: device)
        case 2: self = .disconnect(try reader.text("Device"))
        case 3: self = .connectable(try reader.text("Device"), try reader.boolean("Connectable"))
        case 4: self = .signal(try reader.text("Device"), try Signal(from: &reader))
        case 5: self = .power(try reader.boolean("Power"))
        case 6: self = .pause(try reader.text("Device"))
        case 7: self = .release(try reader.text("Device"))
        case 8:
            let device = try reader.text("Device")
            self = .database(device, name: try reader.present("Name") ? try reader.text("Name") : nil)
        case 9: self = .stop
        case 10: self = .addFault(try reader.fault())
        case 11: self = .faults(of: try reader.present("Device") ? try reader.text("Device") : nil)
        case 12:
            let device = try reader.present("Device") ? try reader.text("Device") : nil
            self = .removeFaults(try reader.present("Fault") ? try reader.fault().rule : nil, of: device)
        default: throw DecodeError("Request", .invalid(value: UInt64(kind)))
        }
    }

    /// Writes a request.
    public func encode(into writer: inout ByteWriter) {
        switch self {
        case .list: writer.uint8(0)
        case .set(let value, let target, let device):
            writer.uint8(1)
            writer.text(device)
            target.encode(into: &writer)
            writer.uint16(UInt16(clamping: value.count))
            writer.append(value)
        case .disconnect(let device):
            writer.uint8(2)
            writer.text(device)
        case .connectable(let device, let isConnectable):
            writer.uint8(3)
            writer.text(device)
            writer.boolean(isConnectable)
        case .signal(let device, let signal):
            writer.uint8(4)
            writer.text(device)
            signal.encode(into: &writer)
        case .power(let isOn):
            writer.uint8(5)
            writer.boolean(isOn)
        case .pause(let device):
            writer.uint8(6)
            writer.text(device)
        case .release(let device):
            writer.uint8(7)
            writer.text(device)
        case .database(let device, let name):
            writer.uint8(8)
            writer.text(device)
            writer.present(name) { $0.text($1) }
        case .stop: writer.uint8(9)
        case .addFault(let fault):
            writer.uint8(10)
            writer.text(fault.description)
        case .faults(let device):
            writer.uint8(11)
            writer.present(device) { $0.text($1) }
        case .removeFaults(let fault, let device):
            writer.uint8(12)
            writer.present(device) { $0.text($1) }
            writer.present(fault) { $0.text($1.description) }
        }
    }
}

extension WorldRequest.Target {
    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        let kind = try reader.uint8("Target")
        switch kind {
        case 0:
            let uuid = try reader.longUUID("Characteristic")
            self = .characteristic(uuid, service: try reader.present("Service") ? try reader.longUUID("Service") : nil)
        case 1:
            let uuid = try reader.longUUID("Descriptor")
            let characteristic = try reader.longUUID("Characteristic")
            let service = try reader.present("Service") ? try reader.longUUID("Service") : nil
            self = .descriptor(uuid, characteristic: characteristic, service: service)
        case 2: self = .handle(Handle(try reader.uint16("Handle")))
        default: throw DecodeError("Target", .invalid(value: UInt64(kind)))
        }
    }

    /// Writes the target. UUIDs are written with 128 bits, so that no length is needed.
    fileprivate func encode(into writer: inout ByteWriter) {
        switch self {
        case .characteristic(let uuid, let service):
            writer.uint8(0)
            writer.longUUID(uuid)
            writer.present(service) { $0.longUUID($1) }
        case .descriptor(let uuid, let characteristic, let service):
            writer.uint8(1)
            writer.longUUID(uuid)
            writer.longUUID(characteristic)
            writer.present(service) { $0.longUUID($1) }
        case .handle(let handle):
            writer.uint8(2)
            writer.uint16(handle.rawValue)
        }
    }
}

extension WorldRequest.Signal {
    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        let kind = try reader.uint8("Signal")
        switch kind {
        case 0: self = .strength(try reader.int8("Strength"))
        case 1: self = .outOfRange
        case 2: self = .inRange
        default: throw DecodeError("Signal", .invalid(value: UInt64(kind)))
        }
    }

    fileprivate func encode(into writer: inout ByteWriter) {
        switch self {
        case .strength(let level):
            writer.uint8(0)
            writer.int8(level)
        case .outOfRange: writer.uint8(1)
        case .inRange: writer.uint8(2)
        }
    }
}

extension WorldAnswer: WireDecodable, WireEncodable {
    /// Reads an answer.
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let kind = try reader.uint8("Answer")
        switch kind {
        case 0: self = .device(try WorldDevice(from: &reader))
        case 1: self = .adapter(try WorldAdapter(from: &reader))
        case 2: self = .done
        case 3: self = .failed(try WorldProblem(from: &reader))
        case 4:
            let device = try reader.text("Device")
            let rule = try reader.fault().rule
            self = .fault(WorldFault(device: device, rule: rule, hasActed: try reader.boolean("Acted")))
        default: throw DecodeError("Answer", .invalid(value: UInt64(kind)))
        }
    }

    /// Writes an answer.
    public func encode(into writer: inout ByteWriter) {
        switch self {
        case .device(let device):
            writer.uint8(0)
            device.encode(into: &writer)
        case .adapter(let adapter):
            writer.uint8(1)
            adapter.encode(into: &writer)
        case .done: writer.uint8(2)
        case .failed(let problem):
            writer.uint8(3)
            problem.encode(into: &writer)
        case .fault(let fault):
            writer.uint8(4)
            writer.text(fault.device)
            writer.text(fault.rule.description)
            writer.boolean(fault.hasActed)
        }
    }
}

extension WorldDevice {
    /// Reads a device, whose booleans share an octet.
    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        let name = try reader.text("Name")
        let advertisedName = try reader.present("Advertised_Name") ? try reader.text("Advertised_Name") : nil
        let address = try reader.remoteAddress()
        let flags = try reader.uint8("Flags")
        self.init(
            name: name,
            advertisedName: advertisedName,
            address: address,
            isConnectable: flags & 1 != 0,
            isInRange: flags & 2 != 0,
            isPaused: flags & 4 != 0,
            rssi: try reader.int8("RSSI"),
            connections: Int(try reader.uint32("Connections")),
            requests: Int(clamping: try reader.uint64("Requests"))
        )
    }

    /// Writes a device. Bits 0 to 2: connectable, in range, paused.
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.text(name)
        writer.present(advertisedName) { $0.text($1) }
        writer.remoteAddress(address)
        writer.uint8((isConnectable ? 1 : 0) | (isInRange ? 2 : 0) | (isPaused ? 4 : 0))
        writer.int8(rssi)
        writer.uint32(UInt32(clamping: connections))
        writer.uint64(UInt64(clamping: requests))
    }
}

extension WorldAdapter {
    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        let address = BluetoothAddress(rawValue: try reader.uint48("Address"))
        let flags = try reader.uint8("Flags")
        self.init(
            address: address,
            isPowered: flags & 1 != 0,
            isScanning: flags & 2 != 0,
            isAdvertising: flags & 4 != 0,
            connections: Int(try reader.uint32("Connections"))
        )
    }

    /// Writes an adapter. Bits 0 to 2: powered, scanning, advertising.
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.uint48(address.rawValue)
        writer.uint8((isPowered ? 1 : 0) | (isScanning ? 2 : 0) | (isAdvertising ? 4 : 0))
        writer.uint32(UInt32(clamping: connections))
    }
}

extension WorldProblem {
    fileprivate init(from reader: inout ByteReader) throws(DecodeError) {
        let kind = try reader.uint8("Problem")
        switch kind {
        case 0: self = .noDevice(try reader.text("Name"), among: try reader.texts())
        case 1: self = .severalDevices(try reader.text("Name"), try reader.texts())
        case 2: self = .noAttribute
        case 3: self = .notSettable
        case 4: self = .noDatabase(try reader.text("Name"), among: try reader.texts())
        case 5: self = .malformed
        default: throw DecodeError("Problem", .invalid(value: UInt64(kind)))
        }
    }

    fileprivate func encode(into writer: inout ByteWriter) {
        switch self {
        case .noDevice(let name, let names):
            writer.uint8(0)
            writer.text(name)
            writer.texts(names)
        case .severalDevices(let name, let names):
            writer.uint8(1)
            writer.text(name)
            writer.texts(names)
        case .noAttribute: writer.uint8(2)
        case .notSettable: writer.uint8(3)
        case .noDatabase(let name, let names):
            writer.uint8(4)
            writer.text(name)
            writer.texts(names)
        case .malformed: writer.uint8(5)
        }
    }
}

extension ByteReader {
    /// The number of texts in a list.
    fileprivate static let maximumTexts = 32

    fileprivate mutating func texts() throws(DecodeError) -> [String] {
        let count = Int(try uint8("Count"))
        guard count <= Self.maximumTexts else { throw DecodeError("Count", .invalid(value: UInt64(count))) }
        var texts: [String] = []
        for _ in 0..<count { texts.append(try text("Text")) }
        return texts
    }

    /// Reads a fault as its sentence, by which both processes check it.
    fileprivate mutating func fault() throws(DecodeError) -> FaultText {
        let text = try text("Fault")
        do throws(FaultTextError) { return try FaultText(parsing: text) } catch {
            throw DecodeError("Fault", .invalid(value: UInt64(clamping: error.column)))
        }
    }

    /// Reads a UUID of 128 bits, in the form that ATT uses for it: of 16 bits if it is an assigned one.
    fileprivate mutating func longUUID(_ field: String) throws(DecodeError) -> BluetoothUUID {
        BluetoothUUID(bits128: try uint128(field)).attForm
    }
}

extension ByteWriter {
    /// A list of short texts, cut to the most that is read.
    fileprivate mutating func texts(_ texts: [String]) {
        let some = texts.prefix(ByteReader.maximumTexts)
        uint8(UInt8(clamping: some.count))
        for text in some { self.text(String(text.prefix(64))) }
    }

    fileprivate mutating func longUUID(_ uuid: BluetoothUUID) { uint128(uuid.value) }
}
