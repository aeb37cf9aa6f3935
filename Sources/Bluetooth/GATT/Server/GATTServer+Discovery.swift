// SPDX-License-Identifier: MIT

/// Requests that find attributes without asking the application.
extension GATTServer {
    /// As many handles and types as fit. All UUIDs of an answer have the same width, since the format has one field for
    /// it.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.3.1 and 3.4.3.2
    func findInformation(_ request: FindInformationRequest, for bearer: BearerID) -> ATTAnswer {
        let whole = ATTRequest.findInformation(request)
        guard request.range.isValid else { return .failure(whole.refused(.invalidHandle)) }
        let found = database.attributes(in: request.range)
        guard let first = found.first else { return .failure(whole.refused(.attributeNotFound)) }
        // All UUIDs of a response have the same length; the first one decides which.
        let octets = 2 + first.type.attForm.encodedLength
        // The opcode and the format take two octets of the PDU.
        let entries = found.prefix((mtu(of: bearer) - 2) / octets)
            .prefix { 2 + $0.type.attForm.encodedLength == octets }
            .map { FindInformationResponse.Entry($0.handle, $0.type.attForm) }
        guard let response = FindInformationResponse(entries: entries) else {
            return .failure(whole.refused(.attributeNotFound))
        }
        return .success(.findInformation(response))
    }

    /// The attributes of a type and value; for a service declaration, the handles of the service. The application is
    /// not asked, so a value that only it knows is not found.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.3.3 and 3.4.3.4
    func findByTypeValue(_ request: FindByTypeValueRequest, for bearer: BearerID) -> ATTAnswer {
        let whole = ATTRequest.findByTypeValue(request)
        guard request.range.isValid else { return .failure(whole.refused(.invalidHandle)) }
        let type = BluetoothUUID(request.attributeType)
        let security = clients[bearer.client]?.security ?? .none
        let groups = database.attributes(in: request.range).lazy
            .filter { $0.type == type && $0.permissions.readRefusal(of: security) == nil }
            .filter { ownValue(of: $0, for: bearer.client) == request.value }
            // A group takes four octets: two handles.
            .prefix((self.mtu(of: bearer) - 1) / 4)
            .map { HandleRange($0.handle, self.database.groupEnd(of: $0.handle)) }
        guard let response = FindByTypeValueResponse(groups: Array(groups)) else {
            return .failure(whole.refused(.attributeNotFound))
        }
        return .success(.findByTypeValue(response))
    }

    /// The services in the range, each with its handles.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.4.9 and 3.4.4.10; Vol 3, Part G, 2.5.3
    func readByGroupType(_ request: ReadByGroupTypeRequest, for bearer: BearerID) -> ATTAnswer {
        let whole = ATTRequest.readByGroupType(request)
        guard request.range.isValid else { return .failure(whole.refused(.invalidHandle)) }
        guard request.groupType == .primaryService || request.groupType == .secondaryService else {
            return .failure(whole.refused(.unsupportedGroupType))
        }
        // The response begins with its opcode and the length of its entries.
        let room = mtu(of: bearer) - 2
        // The opcode, the length and two handles take six octets. A value is cut, so that one entry always fits.
        let longest = min(mtu(of: bearer) - 6, ReadByGroupTypeResponse.maximumValueLength)
        var entries: [ReadByGroupTypeResponse.Entry] = []
        for attribute in database.attributes(in: request.range) where attribute.type == request.groupType {
            let refusal = attribute.permissions.readRefusal(of: clients[bearer.client]?.security ?? .none)
            // Only the first attribute may end the request with an error; later ones end the list. Spec: Core
            // 5.4, Vol 3, Part F, 3.4.4.9
            if let refusal, entries.isEmpty { return .failure(whole.refused(refusal, at: attribute.handle)) }
            let value = Array((attribute.value ?? []).prefix(longest))
            let isOther = entries.first.map { $0.value.count != value.count } ?? false
            if refusal != nil || isOther || (entries.count + 1) * (4 + value.count) > room { break }
            let range = HandleRange(attribute.handle, database.groupEnd(of: attribute.handle))
            entries.append(ReadByGroupTypeResponse.Entry(range, value))
        }
        guard let response = ReadByGroupTypeResponse(entries: entries) else {
            return .failure(whole.refused(.attributeNotFound))
        }
        return .success(.readByGroupType(response))
    }
}
