// SPDX-License-Identifier: MIT

// A handle that a user gives says nothing of its attribute. What is known of the database does, without a request.
extension DiscoveredDatabase {
    /// The type of the attribute at a handle, and the service and the characteristic around it, as far as they are
    /// known; `nil` if the type is not known.
    public func knownPlace(of handle: Handle) -> GATTPlace? {
        guard let type = attributes.element(at: handle, by: \.handle)?.uuid else { return nil }
        return GATTPlace(
            attribute: type,
            service: knownService(around: handle)?.uuid,
            characteristic: knownCharacteristic(around: handle)?.uuid
        )
    }

    /// The known service that begins at a handle or before it, and reaches to it.
    private func knownService(around handle: Handle) -> GATTService? {
        let next = services.partitioningIndex { $0.range.start > handle }
        guard next > 0, services[next - 1].range.contains(handle) else { return nil }
        return services[next - 1]
    }

    /// The characteristic whose declaration, value or descriptor has a handle. A descriptor belongs to it only if no
    /// other declaration, known or not, can lie between.
    private func knownCharacteristic(around handle: Handle) -> GATTCharacteristic? {
        let next = declarations.partitioningIndex { $0.declaration > handle }
        guard next > 0 else { return nil }
        let last = declarations[next - 1]
        if handle == last.declaration || handle == last.valueHandle { return last }
        let known = attributes(after: last.ending(at: handle)).known
        return known.hasElement(at: handle) ? last : nil
    }
}

extension ArraySlice<AttributeType> {
    /// Whether there is an attribute with a handle. The elements are in the order of their handles.
    fileprivate func hasElement(at handle: Handle) -> Bool {
        let index = partitioningIndex { $0.handle >= handle }
        return index < endIndex && self[index].handle == handle
    }
}
