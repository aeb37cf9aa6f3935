// SPDX-License-Identifier: MIT

/// Every PDU of the protocol.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.8
public enum ATTCatalog {
    /// The types of all PDUs, in the order of their opcodes.
    public static let formats: [any ATTPDUFormat.Type] = [
        ATTErrorResponse.self,
        ExchangeMTURequest.self, ExchangeMTUResponse.self,
        FindInformationRequest.self, FindInformationResponse.self,
        FindByTypeValueRequest.self, FindByTypeValueResponse.self,
        ReadByTypeRequest.self, ReadByTypeResponse.self,
        ReadRequest.self, ReadResponse.self,
        ReadBlobRequest.self, ReadBlobResponse.self,
        ReadMultipleRequest.self, ReadMultipleResponse.self,
        ReadByGroupTypeRequest.self, ReadByGroupTypeResponse.self,
        WriteRequest.self, WriteResponse.self,
        PrepareWriteRequest.self, PrepareWriteResponse.self,
        ExecuteWriteRequest.self, ExecuteWriteResponse.self,
        HandleValueNotification.self,
        HandleValueIndication.self, HandleValueConfirmation.self,
        ReadMultipleVariableRequest.self, ReadMultipleVariableResponse.self,
        MultipleHandleValueNotification.self,
        WriteCommand.self, SignedWriteCommand.self,
    ]

    // Two types with the same opcode trap at the first use, so that the mistake cannot go unnoticed.
    private static let byOpcode = Dictionary(uniqueKeysWithValues: formats.map { ($0.opcode, $0) })

    /// The type of the PDU with that opcode; `nil` if the specification has none.
    public static func format(of opcode: ATTOpcode) -> (any ATTPDUFormat.Type)? { byOpcode[opcode] }
}

extension ATTOpcode: CustomStringConvertible {
    /// The PDU's name, `Read By Type Request`; `unknown (0x2C)` if the specification has none.
    public var description: String {
        ATTCatalog.format(of: self)?.name ?? "unknown (0x\(Hex.string(rawValue, minimumDigits: 2)))"
    }
}
