// SPDX-License-Identifier: MIT

/// Provisioning of a mesh device by advertisements. Numbers of Mesh are sent most significant octet first.
///
/// Spec: Mesh Protocol 1.1, 5.2.1
public struct ADProvisioningBearer: Hashable, Sendable {
    /// The Link ID, which identifies the provisioning link between two devices.
    public let link: UInt32
    /// The number of the transaction on the link: 0x00…0x7F of the provisioner, 0x80…0xFF of the new device.
    public let transaction: UInt8
    /// The generic provisioning PDU.
    public let pdu: [UInt8]

    /// Creates the element.
    public init(link: UInt32, transaction: UInt8, pdu: [UInt8]) {
        self.link = link
        self.transaction = transaction
        self.pdu = pdu
    }
}

extension ADProvisioningBearer: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        link = try reader.uint32BigEndian("link ID")
        transaction = try reader.uint8("transaction number")
        pdu = reader.rest()
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint32BigEndian(link)
        writer.uint8(transaction)
        writer.append(pdu)
    }
}

/// A message of a mesh network. All octets but the first are encrypted.
///
/// Spec: Mesh Protocol 1.1, 3.4.4
public struct ADMeshMessage: Hashable, Sendable {
    /// The lowest bit of the IV index.
    public let ivi: UInt8
    /// The identifier of the network's keys: seven bits.
    public let nid: UInt8
    /// The encrypted octets.
    public let payload: [UInt8]

    /// Creates the element.
    public init(ivi: UInt8, nid: UInt8, payload: [UInt8]) {
        self.ivi = ivi & 0x01
        self.nid = nid & 0x7F
        self.payload = payload
    }
}

extension ADMeshMessage: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let first = try reader.uint8("IVI and NID")
        ivi = first >> 7
        nid = first & 0x7F
        payload = reader.rest()
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint8(ivi << 7 | nid)
        writer.append(payload)
    }
}

/// A beacon of a mesh network.
///
/// Spec: Mesh Protocol 1.1, 3.10
public enum ADMeshBeacon: Hashable, Sendable {
    /// A device that can be provisioned.
    case unprovisioned(uuid: BluetoothUUID, oobInformation: UInt16, uriHash: UInt32?)
    /// The state of a network, readable without its keys.
    case secureNetwork(flags: UInt8, networkID: UInt64, ivIndex: UInt32, authentication: UInt64)
    /// The state of a network, readable by members: random number, data and authentication, undecoded.
    case privateNetwork([UInt8])
    /// Another kind, undecoded.
    case unknown(kind: UInt8, [UInt8])
}

extension ADMeshBeacon: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        switch try reader.uint8("beacon type") {
        case 0x00:
            let uuid = BluetoothUUID(bits128: try reader.uint128("device UUID").byteSwapped)
            let information = try reader.uint16BigEndian("OOB information")
            let hash = reader.remaining >= 4 ? try reader.uint32BigEndian("URI hash") : nil
            self = .unprovisioned(uuid: uuid, oobInformation: information, uriHash: hash)
        case 0x01:
            self = .secureNetwork(
                flags: try reader.uint8("flags"),
                networkID: try reader.uint64("network ID").byteSwapped,
                ivIndex: try reader.uint32BigEndian("IV index"),
                authentication: try reader.uint64("authentication value").byteSwapped
            )
        case 0x02: self = .privateNetwork(try reader.bytes(26, "private beacon"))
        case let kind: self = .unknown(kind: kind, reader.rest())
        }
    }

    public func encode(into writer: inout ByteWriter) {
        switch self {
        case .unprovisioned(let uuid, let information, let hash):
            writer.uint8(0x00)
            writer.uint128(uuid.value.byteSwapped)
            writer.uint16BigEndian(information)
            if let hash { writer.uint32BigEndian(hash) }
        case .secureNetwork(let flags, let networkID, let ivIndex, let authentication):
            writer.uint8(0x01)
            writer.uint8(flags)
            writer.uint64(networkID.byteSwapped)
            writer.uint32BigEndian(ivIndex)
            writer.uint64(authentication.byteSwapped)
        case .privateNetwork(let bytes):
            writer.uint8(0x02)
            writer.append(bytes)
        case .unknown(let kind, let bytes):
            writer.uint8(kind)
            writer.append(bytes)
        }
    }
}
