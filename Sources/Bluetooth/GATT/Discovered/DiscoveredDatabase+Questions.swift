// SPDX-License-Identifier: MIT

// Questions about a database. A question about one thing is answered as soon as that thing is known, even if the rest
// is not, so that it costs as few requests as possible. An `index` counts the entries of the same UUID from 0, in the
// order of their handles. A question that cannot be answered yet throws the step that is missing.
//
// A search for services by their UUID is a shortcut, of which two answers are not believed: that there are none, because
// the server may have stored the UUID in another form, and an end at 0xFFFF, which some servers give to every service.
// Discovery of all primary services confirms both.
extension DiscoveredDatabase {
    // MARK: - Services

    /// All services, the primary ones first.
    public func allServices() throws(DiscoveryStep) -> [GATTService] {
        if let gap = coverage.primaryServices.firstGap(in: .all) {
            throw .services(isPrimary: true, HandleRange(gap, .last))
        }
        if let gap = coverage.secondaryServices.firstGap(in: .all) {
            throw .services(isPrimary: false, HandleRange(gap, .last))
        }
        return services.filter(\.isPrimary) + services.filter { !$0.isPrimary }
    }

    /// All primary services of a UUID.
    public func services(_ uuid: BluetoothUUID) throws(DiscoveryStep) -> [GATTService] {
        if let gap = firstGap(ofServices: uuid) { throw .servicesByUUID(uuid, HandleRange(gap, .last)) }
        try confirmAbsence(ofServices: uuid)
        if let last = primaryServices[uuid].last { try confirmEnd(ofServiceAt: last) }
        return services.filter { $0.isPrimary && $0.uuid == uuid }
    }

    /// The primary service of a UUID; `nil` if there is none with that index.
    public func service(_ uuid: BluetoothUUID, _ index: Int = 0) throws(DiscoveryStep) -> GATTService? {
        let gap = firstGap(ofServices: uuid)
        // Indices are final only before the first gap: a service found in the gap moves the later ones.
        if let start = primaryServices[uuid].dropFirst(index).first, gap.map({ start < $0 }) ?? true {
            try confirmEnd(ofServiceAt: start)
            return services.element(at: start, by: \.range.start)
        }
        guard let gap else {
            try confirmAbsence(ofServices: uuid)
            return nil
        }
        throw .servicesByUUID(uuid, HandleRange(gap, .last))
    }

    /// Throws if only a search by UUID has found no service of that UUID. One that has found some shows that the server
    /// compares UUIDs in the form of the search.
    private func confirmAbsence(ofServices uuid: BluetoothUUID) throws(DiscoveryStep) {
        guard primaryServices[uuid].isEmpty, let gap = coverage.primaryServices.firstGap(in: .all) else { return }
        throw .services(isPrimary: true, HandleRange(gap, .last))
    }

    /// Throws if a service ends at 0xFFFF and it is not known that no other one follows.
    private func confirmEnd(ofServiceAt start: Handle) throws(DiscoveryStep) {
        guard let service = services.element(at: start, by: \.range.start), service.range.end == .last,
            let contents = service.contents, let gap = coverage.primaryServices.firstGap(in: contents)
        else { return }
        throw .services(isPrimary: true, HandleRange(gap, .last))
    }

    /// The first handles of the known primary services of a UUID.
    public func knownServices(_ uuid: BluetoothUUID) -> [Handle] { primaryServices[uuid] }

    /// The first handle at which a primary service of that UUID may begin that is not known yet; `nil` if there is
    /// none.
    private func firstGap(ofServices uuid: BluetoothUUID) -> Handle? {
        let all = coverage.primaryServices
        guard let byUUID = coverage.servicesByUUID[uuid] else { return all.firstGap(in: .all) }
        // A search by UUID is no finding about other UUIDs, so that the two sets are kept apart and walked together.
        var handle = Handle.first
        while let end = all.end(ofRunFrom: handle) ?? byUUID.end(ofRunFrom: handle) {
            guard let next = end.next else { return nil }
            handle = next
        }
        return handle
    }

    /// The service that begins at a handle; `nil` if none does.
    public func service(at handle: Handle) throws(DiscoveryStep) -> GATTService? {
        if let found = services.element(at: handle, by: \.range.start) {
            try confirmEnd(ofServiceAt: handle)
            return found
        }
        // A handle does not show whether the service that begins there is primary.
        for (isPrimary, known) in [(true, coverage.primaryServices), (false, coverage.secondaryServices)]
        where known.end(ofRunFrom: handle) == nil {
            throw .services(isPrimary: isPrimary, HandleRange(handle, .last))
        }
        return nil
    }

    /// The services that a service includes.
    public func includedServices(of service: GATTService) throws(DiscoveryStep) -> [GATTIncludedService] {
        guard let contents = service.contents else { return [] }
        return try includedServices(in: contents)
    }

    /// The include declarations in a range.
    public func includedServices(in range: HandleRange) throws(DiscoveryStep) -> [GATTIncludedService] {
        if let gap = coverage.includes.firstGap(in: range) { throw .includes(HandleRange(gap, range.end)) }
        return Array(includes.within(range, by: \.handle))
    }

    // MARK: - Characteristics

    /// All characteristics in a range.
    public func characteristics(in range: HandleRange) throws(DiscoveryStep) -> [GATTCharacteristic] {
        if let gap = characteristicGap(in: range) { throw .characteristics(HandleRange(gap, range.end)) }
        return declarations.within(range, by: \.declaration).map { ending($0, in: range) }
    }

    /// The characteristic of a UUID in a range; `nil` if there is none with that index.
    public func characteristic(
        _ uuid: BluetoothUUID,
        _ index: Int = 0,
        in range: HandleRange
    ) throws(DiscoveryStep) -> GATTCharacteristic? {
        let gap = characteristicGap(in: range)
        let found = characteristics[uuid].within(range, by: \.self).dropFirst(index).first
        // A characteristic found in the gap would move the indices of the later ones.
        if let found, gap.map({ found < $0 }) ?? true { return characteristic(declaredAt: found, in: range) }
        guard let gap else { return nil }
        throw .characteristics(HandleRange(gap, range.end))
    }

    /// The characteristic of a UUID in the primary services of another UUID, which are searched in the order of their
    /// handles; `nil` if there is none with that index.
    public func characteristic(
        _ uuid: BluetoothUUID,
        _ index: Int = 0,
        inServices service: BluetoothUUID
    ) throws(DiscoveryStep) -> GATTCharacteristic? {
        let serviceGap = firstGap(ofServices: service)
        let all = primaryServices[service]
        let known = all.prefix(serviceGap.map { gap in all.partitioningIndex { $0 >= gap } } ?? all.count)
        if let last = known.last { try confirmEnd(ofServiceAt: last) }
        let found = characteristics[uuid].lazy.compactMap { handle in
            contents(ofLastOf: known, before: handle).map { (handle, $0) }
        }.dropFirst(index).first
        // A gap before the finding may hold a characteristic with a lower index.
        if let gap = firstGap(inServices: known, of: service), found.map({ gap.start <= $0.0 }) ?? true {
            throw .characteristics(gap)
        }
        if let (handle, contents) = found { return characteristic(declaredAt: handle, in: contents) }
        guard let serviceGap else { return nil }
        throw .servicesByUUID(service, HandleRange(serviceGap, .last))
    }

    /// The contents of the last of these services that begins before a handle; `nil` unless the handle lies in them.
    private func contents(ofLastOf starts: ArraySlice<Handle>, before handle: Handle) -> HandleRange? {
        let index = starts.partitioningIndex { $0 >= handle }
        guard index > starts.startIndex,
            let contents = services.element(at: starts[index - 1], by: \.range.start)?.contents,
            contents.contains(handle)
        else { return nil }
        return contents
    }

    /// The first gap in the known characteristics of these services, which begin at `starts`.
    ///
    /// The question is repeated after each discovery step, and a hostile device may have as many services as there are
    /// handles. Services searched already are therefore skipped at once; otherwise the cost would be quadratic.
    private func firstGap(inServices starts: ArraySlice<Handle>, of uuid: BluetoothUUID) -> HandleRange? {
        var index = min(starts.startIndex + searched[uuid], starts.endIndex)
        while index < starts.endIndex {
            let start = starts[index]
            if let gap = gap(inServiceAt: start) { return gap }
            // The last service that begins in the known run need not end in it.
            let end = coverage.characteristics.end(ofRunFrom: start) ?? start
            index = max(index + 1, starts.partitioningIndex { $0 > end } - 1)
        }
        return nil
    }

    /// The unknown part of the contents of the service that begins at a handle; `nil` if its characteristics are all
    /// known.
    func gap(inServiceAt start: Handle) -> HandleRange? {
        guard let contents = services.element(at: start, by: \.range.start)?.contents,
            let gap = characteristicGap(in: contents)
        else { return nil }
        return HandleRange(gap, contents.end)
    }

    /// The known characteristics of a UUID, in the order of their handles.
    public func knownCharacteristics(_ uuid: BluetoothUUID) -> [GATTCharacteristic] {
        characteristics[uuid].compactMap { declarations.element(at: $0, by: \.declaration) }
    }

    private func characteristic(declaredAt handle: Handle, in range: HandleRange) -> GATTCharacteristic? {
        declarations.element(at: handle, by: \.declaration).map { ending($0, in: range) }
    }

    /// The characteristic whose value or declaration has a handle; `nil` if there is none.
    public func characteristic(at handle: Handle) throws(DiscoveryStep) -> GATTCharacteristic? {
        // The last characteristic that is declared at the handle or before it.
        let index = declarations.partitioningIndex { $0.declaration > handle }
        if index > 0, [declarations[index - 1].declaration, declarations[index - 1].valueHandle].contains(handle) {
            return ending(declarations[index - 1], in: .all)
        }
        // Most declarations stand right before their values, so that handle is tried first. Each step asks up to the
        // last handle, because a declaration before this handle may have its value after it.
        let known = coverage.characteristics
        let gap = known.firstGap(in: HandleRange(handle.previous ?? handle, handle))
        guard let gap = gap ?? known.firstGap(in: HandleRange(.first, handle)) else { return nil }
        throw .characteristics(HandleRange(gap, .last))
    }

    /// The first handle of a range at which an unknown characteristic may begin. The last handle is excluded, because a
    /// value has a higher handle than its declaration.
    private func characteristicGap(in range: HandleRange) -> Handle? {
        coverage.characteristics.firstGap(in: range).flatMap { $0 < range.end ? $0 : nil }
    }

    // MARK: - Descriptors

    /// All descriptors of a characteristic.
    ///
    /// - Parameters:
    ///   - characteristic: A characteristic of this database.
    ///   - horizon: The last handle that a request may look at beyond the descriptors. One request then answers later
    ///     questions as well.
    public func descriptors(
        of characteristic: GATTCharacteristic,
        lookingTo horizon: Handle = .first
    ) throws(DiscoveryStep) -> [GATTDescriptor] {
        let (known, gap) = attributes(after: characteristic)
        if let gap { throw .attributes(HandleRange(gap, max(characteristic.end, horizon))) }
        return known.map { GATTDescriptor(handle: $0.handle, uuid: $0.uuid) }
    }

    /// The descriptor of a UUID; `nil` if there is none with that index.
    public func descriptor(
        _ uuid: BluetoothUUID,
        _ index: Int = 0,
        of characteristic: GATTCharacteristic
    ) throws(DiscoveryStep) -> GATTDescriptor? {
        let (known, gap) = attributes(after: characteristic)
        if let found = known.lazy.filter({ $0.uuid == uuid }).dropFirst(index).first {
            return GATTDescriptor(handle: found.handle, uuid: found.uuid)
        }
        guard let gap else { return nil }
        throw .attributes(HandleRange(gap, characteristic.end))
    }

    /// The known attributes after a value, up to the next declaration, and the first unknown handle among them.
    func attributes(
        after characteristic: GATTCharacteristic
    ) -> (known: ArraySlice<AttributeType>, gap: Handle?) {
        guard let range = characteristic.descriptorRange else { return ([], nil) }
        let gap = coverage.attributes.firstGap(in: range)
        // All types before the gap are known. `.first` lies before any descriptor, so that nothing is known then.
        let end = gap?.previous ?? (gap == nil ? range.end : .first)
        guard range.start <= end else { return ([], gap) }
        let known = HandleRange(range.start, end)
        let next = BluetoothUUID.declarations.compactMap { boundaries[$0].within(known, by: \.self).first }.min()
        // Descriptors end at the next declaration, so that a gap after it does not matter.
        guard let next else { return (attributes.within(known, by: \.handle), gap) }
        return (attributes.within(known, by: \.handle).prefix { $0.handle < next }, nil)
    }

    // MARK: - Ends

    /// A characteristic that ends before the next declaration, or with the range if the next declaration is unknown.
    private func ending(_ characteristic: GATTCharacteristic, in range: HandleRange) -> GATTCharacteristic {
        let value = characteristic.valueHandle
        var end = max(range.end, value)
        let next = declarations.partitioningIndex { $0.declaration > value }
        // A declaration counts as the next one only if no unknown one can lie before it.
        if next < declarations.count,
            coverage.characteristics.firstGap(in: HandleRange(value, declarations[next].declaration)) == nil
        {
            end = min(end, max(declarations[next].declaration.previous ?? value, value))
        }
        return characteristic.ending(at: end)
    }
}

extension BluetoothUUID {
    /// Whether the attribute type declares a service, an include or a characteristic, so that descriptors end before
    /// it.
    package var isDeclaration: Bool { Self.declarations.contains(self) }

    fileprivate static let declarations: [Self] = [
        .primaryService, .secondaryService, .include, .characteristicDeclaration,
    ]
}

extension Array {
    /// The element at a handle. The elements must be in the order of their handles.
    package func element(at handle: Handle, by handleOf: (Element) -> Handle) -> Element? {
        let index = partitioningIndex { handleOf($0) >= handle }
        return index < count && handleOf(self[index]) == handle ? self[index] : nil
    }

    /// The elements in a range of handles; they must be in the order of their handles. The search is binary, because a
    /// hostile device may have as many elements as there are handles, and comparing all pairs of them would take too
    /// long.
    func within(_ range: HandleRange, by handle: (Element) -> Handle) -> ArraySlice<Element> {
        let low = partitioningIndex { handle($0) >= range.start }
        let high = partitioningIndex { handle($0) > range.end }
        return self[low..<Swift.max(low, high)]
    }
}
