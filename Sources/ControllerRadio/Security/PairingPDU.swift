// SPDX-License-Identifier: MIT

import Bluetooth

/// A PDU of the Security Manager with all of its fields, as the two that pair send them.
///
/// Spec: Core 5.4, Vol 3, Part H, 3.3 to 3.6
enum PairingPDU: Hashable, Sendable {
    case request(PairingFeatures)
    case response(PairingFeatures)
    case confirm(SecurityKey)
    case random(SecurityKey)
    case failed(PairingFailure)
    /// The long-term key of legacy pairing.
    case encryptionInformation(SecurityKey)
    /// EDIV and Rand, by which that key is found again.
    case centralIdentification(diversifier: UInt16, randomNumber: UInt64)
    case identityInformation(SecurityKey)
    case identityAddress(DeviceAddress)
    case signingInformation(SecurityKey)
    case securityRequest(AuthenticationRequirements)
    /// The coordinates of a public key, which may be no point of the curve.
    case publicKey(x: P256Number, y: P256Number)
    case dhKeyCheck(SecurityKey)
    case keypress(UInt8)

    /// The largest code that the specification has given.
    static let lastCode: UInt8 = 0x0E
}

extension PairingPDU: WireDecodable, WireEncodable {
    init(from reader: inout ByteReader) throws(DecodeError) {
        switch try reader.uint8("code") {
        case 0x01: self = .request(try PairingFeatures(from: &reader))
        case 0x02: self = .response(try PairingFeatures(from: &reader))
        case 0x03: self = .confirm(try SecurityKey(from: &reader))
        case 0x04: self = .random(try SecurityKey(from: &reader))
        case 0x05: self = .failed(PairingFailure(rawValue: try reader.uint8("reason")))
        case 0x06: self = .encryptionInformation(try SecurityKey(from: &reader))
        case 0x07:
            self = .centralIdentification(
                diversifier: try reader.uint16("EDIV"),
                randomNumber: try reader.uint64("Rand")
            )
        case 0x08: self = .identityInformation(try SecurityKey(from: &reader))
        case 0x09:
            let type = try reader.uint8("AddrType")
            guard type <= 1 else { throw DecodeError("AddrType", .invalid(value: UInt64(type))) }
            let address = try BluetoothAddress(from: &reader)
            self = .identityAddress(DeviceAddress(address, type == 0 ? .public : .random))
        case 0x0A: self = .signingInformation(try SecurityKey(from: &reader))
        case 0x0B:
            let requirements = try reader.uint8("authentication requirements")
            self = .securityRequest(AuthenticationRequirements(rawValue: requirements))
        case 0x0C: self = .publicKey(x: try Self.coordinate(&reader), y: try Self.coordinate(&reader))
        case 0x0D: self = .dhKeyCheck(try SecurityKey(from: &reader))
        case 0x0E: self = .keypress(try reader.uint8("notification type"))
        case let code: throw DecodeError("code", .invalid(value: UInt64(code)))
        }
    }

    private static func coordinate(_ reader: inout ByteReader) throws(DecodeError) -> P256Number {
        let octets = try reader.bytes(32, "coordinate")
        guard let number = P256Number(octets: octets.reversed()) else {
            throw DecodeError("coordinate", .invalid(value: 0))
        }
        return number
    }

    func encode(into writer: inout ByteWriter) {
        switch self {
        case .request(let features): writer.append(SecurityManagerPDU.pairingRequest(features))
        case .response(let features): writer.append(SecurityManagerPDU.pairingResponse(features))
        case .confirm(let value): Self.write(0x03, value, into: &writer)
        case .random(let value): Self.write(0x04, value, into: &writer)
        case .failed(let reason): writer.append(SecurityManagerPDU.pairingFailed(reason))
        case .encryptionInformation(let key): Self.write(0x06, key, into: &writer)
        case .centralIdentification(let diversifier, let randomNumber):
            writer.uint8(0x07)
            writer.uint16(diversifier)
            writer.uint64(randomNumber)
        case .identityInformation(let key): Self.write(0x08, key, into: &writer)
        case .identityAddress(let device):
            writer.uint8(0x09)
            writer.uint8(device.type.connectionType.rawValue)
            writer.append(device.address)
        case .signingInformation(let key): Self.write(0x0A, key, into: &writer)
        case .securityRequest(let requirements): writer.append(SecurityManagerPDU.securityRequest(requirements))
        case .publicKey(let x, let y):
            writer.uint8(0x0C)
            writer.append(x.octets.reversed())
            writer.append(y.octets.reversed())
        case .dhKeyCheck(let value): Self.write(0x0D, value, into: &writer)
        case .keypress(let type): writer.append([0x0E, type])
        }
    }

    private static func write(_ code: UInt8, _ value: SecurityKey, into writer: inout ByteWriter) {
        writer.uint8(code)
        writer.append(value)
    }
}
