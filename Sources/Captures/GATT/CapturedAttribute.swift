// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
package import Toolkit

/// An attribute that a captured PDU is about, and its value if the PDU has it.
package struct CapturedAttribute {
    /// The attribute, as far as the capture tells which one has the handle.
    package let reference: AttributeReference
    /// The handle of the characteristic's value; of the attribute itself if its characteristic is not known.
    let valueHandle: Handle
    /// The octets in the PDU; `nil` for none, and for a part of a value.
    package let value: [UInt8]?
    /// Whether the PDU was full, so that more octets may follow.
    package let mayBeCut: Bool

    package var presentation: ValuePresentation? {
        guard let value else { return nil }
        return try? ValuePresentation(value, of: reference, format: nil)
    }

    /// The name of the attribute and the meaning of the value, as far as they are known: `Battery Level: 87 %`.
    var text: String? {
        guard let name = reference.attributeName else { return nil }
        // A value that goes on would be said to be too short.
        guard !mayBeCut, let presentation, let decoded = presentation.decoded else { return name }
        return "\(name): \(decoded.fullText)"
    }
}

extension AttributeReference {
    /// Whether a client uses it on its own account: for discovery, and to learn of changes of the database.
    package var isOfProtocol: Bool {
        let isDeclaration = uuid == nil && decode != nil
        return isDeclaration || [.serviceChanged, .clientSupportedFeatures, .databaseHash].contains(characteristic)
    }

    /// The name of the attribute, or its UUID, with that of the characteristic before the one of a descriptor; `nil`
    /// if its type is not known.
    package var attributeName: String? {
        let ofCharacteristic = characteristic.map { characteristicName ?? "\($0)" }
        guard let descriptor else { return ofCharacteristic }
        let ofDescriptor = AssignedNumbers.name(ofDescriptor: descriptor) ?? "\(descriptor)"
        return ofCharacteristic.map { "\($0), \(ofDescriptor)" } ?? ofDescriptor
    }
}

extension ATTPDU {
    /// The attributes that a PDU is about, each with its value if the PDU has all of that.
    ///
    /// - Parameter request: The request that it answers; `nil` for none.
    func attributes(answering request: ATTRequest?) -> [(handle: Handle, value: [UInt8]?)] {
        switch self {
        case .client(.request(let request)): request.attributes
        case .client(.command(.write(let command))): [(command.handle, command.value)]
        case .client(.command(.signedWrite(let command))): [(command.handle, command.value)]
        case .client(.confirmation), .client(.unknown), .server(.unknown): []
        case .server(.notification(let update)): [(update.handle, update.value)]
        case .server(.indication(let update)): [(update.handle, update.value)]
        case .server(.multipleNotification(let updates)): updates.values.map { ($0.handle, $0.value) }
        case .server(.error(let error)): error.handle == .invalid ? [] : [(error.handle, nil)]
        case .server(.response(let response)): response.attributes(answering: request)
        }
    }
}

extension ATTRequest {
    fileprivate var attributes: [(handle: Handle, value: [UInt8]?)] {
        switch self {
        case .read(let request): [(request.handle, nil)]
        case .readBlob(let request): [(request.handle, nil)]
        case .readMultiple(let request): request.handles.map { ($0, nil) }
        case .readMultipleVariable(let request): request.handles.map { ($0, nil) }
        case .write(let request): [(request.handle, request.value)]
        case .prepareWrite(let request): [(request.handle, nil)]
        case .exchangeMTU, .findInformation, .findByTypeValue, .readByType, .readByGroupType, .executeWrite: []
        }
    }

    /// Whether it reads the values of the attributes of a type that is no declaration.
    var readsValuesByType: Bool {
        guard case .readByType(let request) = self else { return false }
        return request.attributeType != .include && request.attributeType != .characteristicDeclaration
    }
}

extension ATTResponse {
    fileprivate func attributes(answering request: ATTRequest?) -> [(handle: Handle, value: [UInt8]?)] {
        switch (self, request) {
        case (.read(let response), .read(let request)?): [(request.handle, response.value)]
        case (.readByType(let response), let request?) where request.readsValuesByType:
            response.entries.map { ($0.handle, $0.value) }
        case (.readMultipleVariable(let response), .readMultipleVariable(let request)?):
            // The MTU may have cut the last values.
            zip(request.handles, response.values).map { ($0, $1) }
        case (.readBlob, let request?), (.readMultiple, let request?), (.write, let request?),
            (.prepareWrite, let request?):
            request.attributes.map { ($0.handle, nil) }
        default: []
        }
    }
}
