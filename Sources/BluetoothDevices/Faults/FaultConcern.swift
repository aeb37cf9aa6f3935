// SPDX-License-Identifier: MIT

import Bluetooth

extension FaultRule.Operation {
    /// The operation to which a client's PDU belongs; `nil` for a confirmation and an unknown PDU.
    init?(_ pdu: ATTClientPDU, _ database: GATTDatabase) {
        switch pdu {
        case .request(.exchangeMTU): self = .mtu
        case .request(.readByGroupType), .request(.findByTypeValue): self = .discoverServices
        case .request(.findInformation): self = .discoverCharacteristics
        case .request(.readByType(let request)):
            switch request.attributeType {
            case .include: self = .discoverServices
            case .characteristicDeclaration: self = .discoverCharacteristics
            default: self = .read
            }
        case .request(.read), .request(.readBlob), .request(.readMultiple), .request(.readMultipleVariable):
            self = .read
        case .request(.write(let request)): self = Self.write(to: request.handle, database)
        case .command(.write(let command)): self = Self.write(to: command.handle, database)
        case .command(.signedWrite(let command)): self = Self.write(to: command.handle, database)
        case .request(.prepareWrite(let request)): self = Self.write(to: request.handle, database)
        case .request(.executeWrite): self = .write
        case .confirmation, .unknown: return nil
        }
    }

    private static func write(to handle: Handle, _ database: GATTDatabase) -> Self {
        database.place(of: handle)?.attribute == .clientCharacteristicConfiguration ? .subscribe : .write
    }
}

/// The attributes that a client's PDU concerns.
struct FaultConcern {
    let pdu: ATTClientPDU
    let operation: FaultRule.Operation
    let database: GATTDatabase
    let labels: [String: DeviceLayout.Identity]

    /// Whether it concerns a characteristic, or a descriptor, which has the UUID of the reference.
    func includes(_ target: CharacteristicReference) -> Bool {
        switch pdu {
        case .request(.readByType(let request)):
            Self.handles(of: target, database, labels).contains {
                request.range.contains($0) && database.place(of: $0)?.attribute == request.attributeType
            }
        case .request(.readMultiple(let request)): includes(target, request.handles)
        case .request(.readMultipleVariable(let request)): includes(target, request.handles)
        default: pdu.handle.map { includes(target, [$0]) } ?? false
        }
    }

    private func includes(_ target: CharacteristicReference, _ handles: [Handle]) -> Bool {
        if operation == .subscribe {
            // The PDU has the handle of the Client Characteristic Configuration, and the target is the characteristic
            // around it.
            return Self.characteristics(target, database, labels).contains { characteristic in
                handles.contains { characteristic.declaration < $0 && $0 <= characteristic.end }
            }
        }
        return Self.handles(of: target, database, labels).contains { handles.contains($0) }
    }

    /// The handles of the values, or of the descriptors, that a reference means: all of that UUID, not the first alone.
    static func handles(
        of target: CharacteristicReference,
        _ database: GATTDatabase,
        _ labels: [String: DeviceLayout.Identity]
    ) -> [Handle] {
        let values = characteristics(target, database, labels).map(\.valueHandle)
        // A UUID that no characteristic has may be that of a descriptor.
        guard values.isEmpty, case .uuid(let uuid, let service) = target else { return values }
        return database.attributes(in: .all).filter { attribute in
            attribute.type == uuid
                && (service.map { database.service(containing: attribute.handle)?.uuid == $0 } ?? true)
        }.map(\.handle)
    }

    /// The characteristics that a reference means in the present database. A label means the same occurrence in each
    /// database, because handles differ.
    private static func characteristics(
        _ target: CharacteristicReference,
        _ database: GATTDatabase,
        _ labels: [String: DeviceLayout.Identity]
    ) -> [GATTCharacteristic] {
        switch target {
        case .uuid(let uuid, let service):
            return database.characteristics().filter { characteristic in
                characteristic.uuid == uuid
                    && (service.map { database.service(containing: characteristic.declaration)?.uuid == $0 } ?? true)
            }
        case .label(let label):
            // The present database may have fewer characteristics of that UUID than the one with the label.
            guard let identity = labels[label] else { return [] }
            let all = characteristics(.uuid(identity.uuid, service: identity.service), database, labels)
            return all.indices.contains(identity.occurrence) ? [all[identity.occurrence]] : []
        }
    }
}

extension ATTServerPDU {
    /// The handles of the values that a server sends without a request, and whether the client must confirm them; `nil`
    /// for an answer.
    var update: (handles: [Handle], isIndication: Bool)? {
        switch self {
        case .notification(let pdu): ([pdu.handle], false)
        case .indication(let pdu): ([pdu.handle], true)
        case .multipleNotification(let pdu): (pdu.values.map(\.handle), false)
        case .response, .error, .unknown: nil
        }
    }

    /// The opcode of the request that it answers; `nil` if it is not an answer.
    var answeredRequest: ATTOpcode? {
        switch self {
        // Spec: Core 5.4, Vol 3, Part F, 3.4.8: a response's opcode follows that of its request.
        case .response(let response): ATTOpcode(response.opcode.rawValue &- 1)
        case .error(let error): error.requestOpcode
        case .notification, .indication, .multipleNotification, .unknown: nil
        }
    }
}
