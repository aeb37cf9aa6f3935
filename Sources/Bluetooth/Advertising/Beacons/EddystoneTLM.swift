// SPDX-License-Identifier: MIT

/// Eddystone TLM: the state of the beacon.
///
/// Spec: Eddystone Protocol Specification, Eddystone-TLM (unencrypted)
public struct EddystoneTLM: Hashable, Sendable {
    /// The battery's voltage in millivolts; `nil` if the beacon does not report it.
    public let batteryMillivolts: UInt16?
    /// The beacon's temperature in 1/256 °C; `nil` if the beacon does not report it.
    public let temperature256ths: Int16?
    /// The number of advertisements since the beacon was started.
    public let advertisementCount: UInt32
    /// The time since the beacon was started, in tenths of a second.
    public let uptimeTenths: UInt32

    /// Creates a frame.
    public init(
        batteryMillivolts: UInt16?,
        temperature256ths: Int16?,
        advertisementCount: UInt32,
        uptimeTenths: UInt32
    ) {
        self.batteryMillivolts = batteryMillivolts
        self.temperature256ths = temperature256ths
        self.advertisementCount = advertisementCount
        self.uptimeTenths = uptimeTenths
    }

    /// The temperature in °C.
    public var temperature: Double? { temperature256ths.map { Double($0) / 256 } }

    /// The time since the beacon was started, with a resolution of 100 ms.
    public var uptime: Duration { .milliseconds(Int64(uptimeTenths) * 100) }
}

extension EddystoneTLM: WireDecodable, WireEncodable {
    private static let noTemperature = Int16.min

    public init(from reader: inout ByteReader) throws(DecodeError) {
        let version = try reader.uint8("TLM version")
        guard version == 0x00 else { throw DecodeError("TLM version", .invalid(value: UInt64(version))) }
        let battery = try reader.uint16BigEndian("battery voltage")
        let temperature = Int16(bitPattern: try reader.uint16BigEndian("beacon temperature"))
        batteryMillivolts = battery == 0 ? nil : battery
        temperature256ths = temperature == Self.noTemperature ? nil : temperature
        advertisementCount = try reader.uint32BigEndian("advertising PDU count")
        uptimeTenths = try reader.uint32BigEndian("time since power-on")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint8(0x00)
        writer.uint16BigEndian(batteryMillivolts ?? 0)
        writer.uint16BigEndian(UInt16(bitPattern: temperature256ths ?? Self.noTemperature))
        writer.uint32BigEndian(advertisementCount)
        writer.uint32BigEndian(uptimeTenths)
    }
}

/// Eddystone TLM: the state of the beacon, readable by holders of the key.
///
/// Spec: Eddystone Protocol Specification, Eddystone-TLM (encrypted)
public struct EddystoneEncryptedTLM: Hashable, Sendable {
    /// The encrypted values: 12 octets.
    public let payload: [UInt8]
    /// The random number that makes each encryption different.
    public let salt: UInt16
    /// The message integrity check, which only holders of the key can verify.
    public let mic: UInt16

    /// Creates a frame; `nil` unless the payload has 12 octets.
    public init?(payload: [UInt8], salt: UInt16, mic: UInt16) {
        guard payload.count == 12 else { return nil }
        self.payload = payload
        self.salt = salt
        self.mic = mic
    }
}

extension EddystoneEncryptedTLM: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let version = try reader.uint8("TLM version")
        guard version == 0x01 else { throw DecodeError("TLM version", .invalid(value: UInt64(version))) }
        payload = try reader.bytes(12, "encrypted TLM")
        salt = try reader.uint16BigEndian("salt")
        mic = try reader.uint16BigEndian("MIC")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint8(0x01)
        writer.append(payload)
        writer.uint16BigEndian(salt)
        writer.uint16BigEndian(mic)
    }
}
