// SPDX-License-Identifier: MIT

/// The first octet of every ATT PDU, which identifies the PDU. Unknown values are kept.
///
/// This type only holds the number. The PDU's own type (`ATTPDUFormat`) declares name, direction and expected response,
/// and `ATTCatalog` lists those types.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.3.1 and 3.4.8
public struct ATTOpcode: RawRepresentable, Hashable, Sendable {
    /// The octet on the wire.
    public let rawValue: UInt8

    /// Keeps any value, also an unknown one.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Keeps any value, also an unknown one.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// Whether bit 6, the Command Flag, is set. A server ignores an unknown command; it answers any other unknown
    /// opcode with an error.
    public var isCommand: Bool { rawValue & 0x40 != 0 }

    /// Whether bit 7, the Authentication Signature Flag, is set: the PDU ends with a signature of twelve octets.
    public var isSigned: Bool { rawValue & 0x80 != 0 }
}

extension ATTOpcode {
    /// ATT_ERROR_RSP
    public static let errorResponse = Self(0x01)
    /// ATT_EXCHANGE_MTU_REQ
    public static let exchangeMTURequest = Self(0x02)
    /// ATT_EXCHANGE_MTU_RSP
    public static let exchangeMTUResponse = Self(0x03)
    /// ATT_FIND_INFORMATION_REQ
    public static let findInformationRequest = Self(0x04)
    /// ATT_FIND_INFORMATION_RSP
    public static let findInformationResponse = Self(0x05)
    /// ATT_FIND_BY_TYPE_VALUE_REQ
    public static let findByTypeValueRequest = Self(0x06)
    /// ATT_FIND_BY_TYPE_VALUE_RSP
    public static let findByTypeValueResponse = Self(0x07)
    /// ATT_READ_BY_TYPE_REQ
    public static let readByTypeRequest = Self(0x08)
    /// ATT_READ_BY_TYPE_RSP
    public static let readByTypeResponse = Self(0x09)
    /// ATT_READ_REQ
    public static let readRequest = Self(0x0A)
    /// ATT_READ_RSP
    public static let readResponse = Self(0x0B)
    /// ATT_READ_BLOB_REQ
    public static let readBlobRequest = Self(0x0C)
    /// ATT_READ_BLOB_RSP
    public static let readBlobResponse = Self(0x0D)
    /// ATT_READ_MULTIPLE_REQ
    public static let readMultipleRequest = Self(0x0E)
    /// ATT_READ_MULTIPLE_RSP
    public static let readMultipleResponse = Self(0x0F)
    /// ATT_READ_BY_GROUP_TYPE_REQ
    public static let readByGroupTypeRequest = Self(0x10)
    /// ATT_READ_BY_GROUP_TYPE_RSP
    public static let readByGroupTypeResponse = Self(0x11)
    /// ATT_WRITE_REQ
    public static let writeRequest = Self(0x12)
    /// ATT_WRITE_RSP
    public static let writeResponse = Self(0x13)
    /// ATT_PREPARE_WRITE_REQ
    public static let prepareWriteRequest = Self(0x16)
    /// ATT_PREPARE_WRITE_RSP
    public static let prepareWriteResponse = Self(0x17)
    /// ATT_EXECUTE_WRITE_REQ
    public static let executeWriteRequest = Self(0x18)
    /// ATT_EXECUTE_WRITE_RSP
    public static let executeWriteResponse = Self(0x19)
    /// ATT_HANDLE_VALUE_NTF
    public static let handleValueNotification = Self(0x1B)
    /// ATT_HANDLE_VALUE_IND
    public static let handleValueIndication = Self(0x1D)
    /// ATT_HANDLE_VALUE_CFM
    public static let handleValueConfirmation = Self(0x1E)
    /// ATT_READ_MULTIPLE_VARIABLE_REQ
    public static let readMultipleVariableRequest = Self(0x20)
    /// ATT_READ_MULTIPLE_VARIABLE_RSP
    public static let readMultipleVariableResponse = Self(0x21)
    /// ATT_MULTIPLE_HANDLE_VALUE_NTF
    public static let multipleHandleValueNotification = Self(0x23)
    /// ATT_WRITE_CMD
    public static let writeCommand = Self(0x52)
    /// ATT_SIGNED_WRITE_CMD
    public static let signedWriteCommand = Self(0xD2)
}
