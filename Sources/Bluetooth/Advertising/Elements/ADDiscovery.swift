// SPDX-License-Identifier: MIT

/// The position of a device in a building: flags that announce the fields, and the undecoded fields.
///
/// Spec: Indoor Positioning Service 1.0, 2.1
public struct ADIndoorPositioning: Hashable, Sendable {
    /// The fields that follow, with one bit for each.
    public let flags: UInt8
    /// The fields.
    public let fields: [UInt8]

    /// Creates the element.
    public init(flags: UInt8, fields: [UInt8]) {
        self.flags = flags
        self.fields = fields
    }
}

extension ADIndoorPositioning: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        flags = try reader.uint8("indoor positioning flags")
        fields = reader.rest()
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint8(flags)
        writer.append(fields)
    }
}

/// Other transports by which a device can be reached, with a block for each organisation.
///
/// Spec: Transport Discovery Service 1.1, 2.1
public struct ADTransportDiscovery: Hashable, Sendable {
    /// The block of one organisation.
    public struct Block: Hashable, Sendable {
        /// The organisation; 1 is the Bluetooth SIG.
        public let organization: UInt8
        /// The role in bits 0 and 1, "incomplete" in bit 2, the transport's state in bits 3 and 4.
        public let flags: UInt8
        /// The organisation's data, at most 255 octets.
        public let data: [UInt8]

        /// Creates a block. Cuts the data after 255 octets, because their length is one octet.
        public init(organization: UInt8, flags: UInt8, data: [UInt8]) {
            self.organization = organization
            self.flags = flags
            self.data = Array(data.prefix(255))
        }
    }

    /// The blocks.
    public let blocks: [Block]

    /// Creates the element.
    public init(_ blocks: [Block]) { self.blocks = blocks }
}

extension ADTransportDiscovery: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        var blocks: [Block] = []
        repeat {
            let organization = try reader.uint8("organization ID")
            let flags = try reader.uint8("TDS flags")
            let length = try reader.uint8("transport data length")
            let data = try reader.bytes(Int(length), "transport data")
            blocks.append(Block(organization: organization, flags: flags, data: data))
        } while !reader.isAtEnd
        self.blocks = blocks
    }

    public func encode(into writer: inout ByteWriter) {
        for block in blocks {
            writer.uint8(block.organization)
            writer.uint8(block.flags)
            writer.uint8(UInt8(clamping: block.data.count))
            writer.append(block.data)
        }
    }
}

/// The coordinated set that a device belongs to, as a hash that only its members can recognise.
///
/// Spec: Coordinated Set Identification Service 1.0, 4.9
public struct ADResolvableSetIdentifier: Hashable, Sendable {
    /// The hash of the random part: 24 bits.
    public let hash: UInt32
    /// The random part: 24 bits.
    public let random: UInt32

    /// Creates the element from the low 24 bits of each.
    public init(hash: UInt32, random: UInt32) {
        self.hash = hash & 0xFF_FFFF
        self.random = random & 0xFF_FFFF
    }
}

extension ADResolvableSetIdentifier: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        hash = try reader.uint24("RSI hash")
        random = try reader.uint24("RSI random part")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint24(hash)
        writer.uint24(random)
    }
}

/// Data that only holders of the key can read.
///
/// Spec: Core Specification Supplement 11, Part A, 1.23
public struct ADEncryptedData: Hashable, Sendable {
    /// The randomizer, 40 bits, which makes each encryption different.
    public let randomizer: UInt64
    /// The encrypted structures.
    public let payload: [UInt8]
    /// The message integrity check: four octets, read as a little-endian number.
    public let mic: UInt32
    /// The outcome of their decryption; `nil` if it was not tried.
    public internal(set) var decryption: AdvertisedDecryption?

    /// Creates the element.
    public init(randomizer: UInt64, payload: [UInt8], mic: UInt32) {
        self.randomizer = randomizer & 0xFF_FFFF_FFFF
        self.payload = payload
        self.mic = mic
    }
}

extension ADEncryptedData: WireDecodable, WireEncodable {
    public init(from reader: inout ByteReader) throws(DecodeError) {
        let low = try reader.uint32("randomizer")
        let high = try reader.uint8("randomizer")
        randomizer = UInt64(high) << 32 | UInt64(low)
        // If the data are too short, the MIC fails to decode, and the error names it.
        payload = try reader.bytes(max(0, reader.remaining - 4), "encrypted payload")
        mic = try reader.uint32("MIC")
    }

    public func encode(into writer: inout ByteWriter) {
        writer.uint32(UInt32(truncatingIfNeeded: randomizer))
        writer.uint8(UInt8(truncatingIfNeeded: randomizer >> 32))
        writer.append(payload)
        writer.uint32(mic)
    }
}
