// SPDX-License-Identifier: MIT

/// Writes a value without a response: one command and no procedure, because nothing is answered.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.9.1
public struct WriteWithoutResponse: Hashable, Sendable {
    /// The octets, at most ATT_MTU − 3.
    public let value: [UInt8]
    /// The attribute's handle.
    public let handle: Handle

    /// Writes the attribute with that handle.
    public init(_ value: [UInt8], to handle: Handle) {
        self.value = value
        self.handle = handle
    }

    /// The command; throws if the value is longer than the MTU allows.
    public func command(mtu: UInt16) throws(GATTError) -> ATTCommand {
        let maximum = WriteValue.maximumLength(mtu: mtu)
        guard value.count <= maximum else { throw .valueTooLong(length: value.count, maximum: maximum) }
        return .write(WriteCommand(handle: handle, value: value))
    }
}

/// Writes a value without a response, signed with a key that both devices share.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.9.2; Vol 3, Part C, 10.4.1; Vol 3, Part H, 2.4.5
public struct SignedWrite: Hashable, Sendable {
    /// The octets, at most ATT_MTU − 15, because the signature follows them.
    public let value: [UInt8]
    /// The attribute's handle.
    public let handle: Handle
    /// The Connection Signature Resolving Key in its order on the air: least significant octet first.
    public let key: [UInt8]
    /// The number of PDUs signed with the key before. No number may be used twice, since a receiver refuses a
    /// repetition.
    public let counter: UInt32

    /// Writes the attribute with that handle; `nil` unless the key has 16 octets.
    public init?(_ value: [UInt8], to handle: Handle, key: [UInt8], counter: UInt32) {
        guard key.count == 16 else { return nil }
        self.value = value
        self.handle = handle
        self.key = key
        self.counter = counter
    }

    /// Writes the attribute with that handle.
    ///
    /// - Parameters:
    ///   - value: The octets.
    ///   - handle: The attribute's handle.
    ///   - key: The Connection Signature Resolving Key.
    ///   - counter: The number of PDUs signed with the key before.
    public init(_ value: [UInt8], to handle: Handle, signedWith key: SecurityKey, counter: UInt32) {
        self.value = value
        self.handle = handle
        self.key = key.encoded()
        self.counter = counter
    }

    /// The length limit of a value in octets: the opcode, the handle and the signature take 15 octets of the packet.
    public static func maximumLength(mtu: UInt16) -> Int { min(Int(mtu) - 15, GATTLimits.maximumValueLength) }

    /// The command; throws if the value is longer than the MTU allows.
    public func command(mtu: UInt16) throws(GATTError) -> ATTCommand {
        let maximum = Self.maximumLength(mtu: mtu)
        var message = ByteWriter()
        message.uint8(SignedWriteCommand.opcode.rawValue)
        message.append(handle)
        message.append(value)
        message.uint32(counter)
        var signature = ByteWriter()
        signature.uint32(counter)
        // AES-CMAC takes the most significant octet first, and the air has the least significant one first. The
        // signature contains the upper 64 bits of the code.
        let code = AESCMAC.code(of: message.bytes.reversed(), key: key.reversed()) ?? []
        signature.append(code.prefix(8).reversed())
        guard value.count <= maximum,
            let command = SignedWriteCommand(handle: handle, value: value, signature: signature.bytes)
        else { throw .valueTooLong(length: value.count, maximum: maximum) }
        return .signedWrite(command)
    }
}

extension SignedWriteCommand {
    /// The number in the signature. The client uses each only once.
    public var counter: UInt32 { signature.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) } }

    /// Whether the signature was made with a key.
    public func isSigned(with key: SecurityKey) -> Bool {
        let write = SignedWrite(value, to: handle, signedWith: key, counter: counter)
        // The MTU does not matter, because the write has arrived already.
        guard case .signedWrite(let expected)? = try? write.command(mtu: .max) else { return false }
        return expected.signature == signature
    }
}
