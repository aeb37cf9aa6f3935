// SPDX-License-Identifier: MIT

/// A client's knowledge of a server's database, and of the handles that it has searched.
///
/// It records the searched ranges beside the findings. It can therefore tell an absent attribute from one that was not
/// asked for, and a question costs only the requests for what is still unknown. Questions are functions that return
/// their answer or throw the missing `DiscoveryStep`. `learn` takes the finding of a step, which covers at least one
/// more handle, so that repeating the question ends. The database cannot tell whether the server has changed: see
/// `forget`.
public struct DiscoveredDatabase: Hashable, Sendable {
    /// The services in the order of their handles.
    public private(set) var services: [GATTService] = []
    /// The include declarations in the order of their handles.
    public private(set) var includes: [GATTIncludedService] = []
    /// The characteristics in the order of their handles, each as if it had no descriptors. Its real end is computed
    /// when it is asked for, from the handles known after it, because a later step may reveal the next declaration.
    public private(set) var declarations: [GATTCharacteristic] = []
    /// All attributes whose types are known, in the order of their handles.
    public private(set) var attributes: [AttributeType] = []
    /// The handles that were searched for the beginning of something of each kind. Absence is a finding as well.
    public private(set) var coverage = Coverage()
    /// The first handles of the primary services of each UUID.
    private(set) var primaryServices = HandlesByUUID()
    private(set) var characteristics = HandlesByUUID()
    /// The number of services of each UUID that were searched from the first one on without a gap.
    private(set) var searched = SearchedServices()
    /// The handles of the known declarations of each type.
    private(set) var boundaries = HandlesByUUID()
    /// Whether the server has given services an end at 0xFFFF although others follow. Each of them counts as one that
    /// ends before the next.
    public private(set) var hasOverlaps = false

    /// The handles that were searched for the beginning of something of each kind. Absence is a finding as well.
    public struct Coverage: Hashable, Sendable {
        /// For primary services.
        public var primaryServices = HandleSet()
        /// For secondary services.
        public var secondaryServices = HandleSet()
        /// For primary services of one UUID, in addition to `primaryServices`.
        public var servicesByUUID: [BluetoothUUID: HandleSet] = [:]
        /// For include declarations.
        public var includes = HandleSet()
        /// For characteristic declarations.
        public var characteristics = HandleSet()
        /// Handles whose attribute types are known.
        public var attributes = HandleSet()

        /// Coverage of no handle.
        public init() {}
    }

    /// A database of which nothing is known.
    public init() {}

    /// Restores a stored database; `nil` if the handles are not in rising order, as those of any real database are.
    public init?(
        services: [GATTService],
        includes: [GATTIncludedService],
        declarations: [GATTCharacteristic],
        attributes: [AttributeType],
        coverage: Coverage,
        hasOverlaps: Bool = false
    ) {
        // A value lies after its declaration and before the next one, so that all of these handles rise together.
        guard services.allSatisfy(\.range.isValid), includes.allSatisfy(\.range.isValid),
            services.map(\.range.start).isRising, includes.map(\.handle).isRising, attributes.map(\.handle).isRising,
            declarations.flatMap({ [$0.declaration, $0.valueHandle] }).isRising
        else { return nil }
        merge(services)
        self.includes = includes
        merge(declarations)
        merge(attributes)
        self.coverage = coverage
        self.hasOverlaps = hasOverlaps
    }

    /// Whether nothing is known, not even that some attribute is absent.
    public var isEmpty: Bool { self == DiscoveredDatabase() }
}

// MARK: - Learning

extension DiscoveredDatabase {
    /// Records the finding of a step. A finding of another kind than the step's is ignored.
    public mutating func learn(_ finding: DiscoveryFinding, from step: DiscoveryStep) {
        switch (step, finding) {
        case (.services(let isPrimary, let range), .services(let found)):
            learn(found)
            let known = range.upTo(found.last?.range.provenEnd)
            if isPrimary { coverage.primaryServices.insert(known) } else { coverage.secondaryServices.insert(known) }
        case (.servicesByUUID(let uuid, let range), .services(let found)):
            learn(found)
            coverage.servicesByUUID[uuid, default: HandleSet()].insert(range.upTo(found.last?.range.provenEnd))
            countSearched(uuid)
        case (.includes(let range), .includes(let found)):
            includes.merge(found, by: \.handle)
            coverage.includes.insert(range.upTo(found.last?.handle))
        case (.characteristics(let range), .characteristics(let found)):
            learn(found)
            coverage.characteristics.insert(range.upTo(found.last?.valueHandle))
            // Only the service in which the step begins is counted. A count that is too low costs time only.
            let next = services.partitioningIndex { $0.range.start > range.start }
            if next > 0, services[next - 1].isPrimary { countSearched(services[next - 1].uuid) }
        case (.attributes(let range), .attributes(let found)):
            learn(found, in: range.upTo(found.last?.handle))
        default:
            break
        }
    }

    private mutating func countSearched(_ uuid: BluetoothUUID) {
        let starts = primaryServices[uuid]
        while searched[uuid] < starts.count, gap(inServiceAt: starts[searched[uuid]]) == nil { searched[uuid] += 1 }
    }

    private mutating func merge(_ found: [GATTService]) {
        for new in found {
            let start = new.range.start
            // The counts of searched services go by position, which a removed or an earlier service changes.
            if let old = services.element(at: start, by: \.range.start), old.isPrimary {
                primaryServices.remove(start, old.uuid)
                searched[old.uuid] = 0
            }
            guard new.isPrimary else { continue }
            if let last = primaryServices[new.uuid].last, start < last { searched[new.uuid] = 0 }
            primaryServices.insert(start, new.uuid)
        }
        services.merge(found, by: \.range.start)
        endBeforeTheNext(found)
    }

    /// Ends services whose end is 0xFFFF before the next one begins: the new ones, and the one before them.
    private mutating func endBeforeTheNext(_ found: [GATTService]) {
        guard let first = found.first, let last = found.last else { return }
        let low = services.partitioningIndex { $0.range.start >= first.range.start }
        let high = services.partitioningIndex { $0.range.start > last.range.start }
        let (begin, end) = (max(0, low - 1), min(high, services.count - 1))
        // Findings in another order than that of their handles are those of nobody.
        guard begin < end else { return }
        for index in begin..<end where services[index].range.end == .last {
            let (service, next) = (services[index], services[index + 1].range.start)
            guard let end = next.previous, end >= service.range.start else { continue }
            services[index] = GATTService(
                uuid: service.uuid,
                range: HandleRange(service.range.start, end),
                isPrimary: service.isPrimary
            )
            hasOverlaps = true
        }
    }

    private mutating func merge(_ found: [GATTCharacteristic]) {
        for new in found {
            if let old = declarations.element(at: new.declaration, by: \.declaration) {
                characteristics.remove(new.declaration, old.uuid)
            }
            characteristics.insert(new.declaration, new.uuid)
        }
        declarations.merge(found.map { $0.ending(at: $0.valueHandle) }, by: \.declaration)
    }

    private mutating func merge(_ found: [AttributeType]) {
        for new in found {
            if let old = attributes.element(at: new.handle, by: \.handle), old.uuid.isDeclaration {
                boundaries.remove(new.handle, old.uuid)
            }
            if new.uuid.isDeclaration { boundaries.insert(new.handle, new.uuid) }
        }
        attributes.merge(found, by: \.handle)
    }

    private mutating func learn(_ found: [GATTService]) {
        merge(found)
        for service in found {
            let type: BluetoothUUID = service.isPrimary ? .primaryService : .secondaryService
            let (start, end) = (service.range.start, service.range.end)
            learn([AttributeType(handle: start, uuid: type)], in: HandleRange(start, start))
            // A service with one handle after its declaration holds no characteristic, because that takes two handles.
            if start.next == end { coverage.characteristics.insert(HandleRange(end, end)) }
        }
    }

    private mutating func learn(_ found: [GATTCharacteristic]) {
        merge(found)
        for characteristic in found {
            let (declaration, value) = (characteristic.declaration, characteristic.valueHandle)
            let types = [
                AttributeType(handle: declaration, uuid: .characteristicDeclaration),
                AttributeType(handle: value, uuid: characteristic.uuid),
            ]
            for type in types { learn([type], in: HandleRange(type.handle, type.handle)) }
        }
    }

    /// Records attribute types. A range with all types known is also known to hold no other declarations.
    private mutating func learn(_ found: [AttributeType], in range: HandleRange) {
        merge(found)
        coverage.attributes.insert(range)
        coverage.primaryServices.insert(range, except: found, of: .primaryService)
        coverage.secondaryServices.insert(range, except: found, of: .secondaryService)
        coverage.includes.insert(range, except: found, of: .include)
        coverage.characteristics.insert(range, except: found, of: .characteristicDeclaration)
    }
}

extension HandleSet {
    /// Adds a range except the handles of the attributes of that type, which stay as they are.
    fileprivate mutating func insert(_ range: HandleRange, except found: [AttributeType], of type: BluetoothUUID) {
        var start = range.start
        for attribute in found where attribute.uuid == type {
            if let before = attribute.handle.previous { insert(HandleRange(start, before)) }
            guard let next = attribute.handle.next else { return }
            start = next
        }
        insert(HandleRange(start, range.end))
    }
}

// MARK: - Forgetting

extension DiscoveredDatabase {
    /// Forgets a range that may have changed, and the whole of each service and characteristic that reaches into it.
    ///
    /// Spec: Core 5.4, Vol 3, Part G, 7.1
    public mutating func forget(_ range: HandleRange) {
        // A peer sends the range. An invalid one says that something has changed, but not where.
        guard range.isValid else { return self = DiscoveredDatabase() }
        let spans = services.map(\.range) + declarations.map { HandleRange($0.declaration, $0.valueHandle) }
        let touched = spans.filter { $0.start <= range.end && range.start <= $0.end }
        let start = touched.map(\.start).reduce(range.start, min)
        let end = touched.map(\.end).reduce(range.end, max)
        let changed = HandleRange(start, end)
        services.removeAll { changed.contains($0.range.start) }
        includes.removeAll { changed.contains($0.handle) || changed.contains($0.range.start) }
        declarations.removeAll { changed.contains($0.declaration) }
        attributes.removeAll { changed.contains($0.handle) }
        coverage.remove(changed)
        primaryServices.remove(changed)
        characteristics.remove(changed)
        boundaries.remove(changed)
        searched = SearchedServices()
    }
}

extension DiscoveredDatabase.Coverage {
    fileprivate mutating func remove(_ range: HandleRange) {
        primaryServices.remove(range)
        secondaryServices.remove(range)
        for uuid in servicesByUUID.keys { servicesByUUID[uuid]?.remove(range) }
        // An include declaration outside of the range may refer to a service inside.
        includes = HandleSet()
        characteristics.remove(range)
        attributes.remove(range)
    }
}

// MARK: - Pieces

extension HandleRange {
    /// The range from its start to the last handle of an answer; the whole range if the answer found nothing.
    fileprivate func upTo(_ handle: Handle?) -> HandleRange {
        HandleRange(start, min(max(handle ?? end, start), end))
    }
}

extension [Handle] {
    /// Whether the handles are valid and each is greater than the one before it.
    fileprivate var isRising: Bool {
        (first.map { $0 != .invalid } ?? true) && zip(self, dropFirst()).allSatisfy { $0 < $1 }
    }
}

extension Array {
    /// Inserts elements that are in the order of their handles, and replaces those with the same handles.
    fileprivate mutating func merge(_ new: [Element], by handle: (Element) -> Handle) {
        guard let first = new.first, let last = new.last else { return }
        let low = partitioningIndex { handle($0) >= handle(first) }
        let high = partitioningIndex { handle($0) > handle(last) }
        // Findings of a discovery usually lie in a gap. They need no sorting.
        guard low < high else { return insert(contentsOf: new, at: low) }
        let handles = Set(new.map(handle))
        let kept = self[low..<high].filter { !handles.contains(handle($0)) }
        replaceSubrange(low..<high, with: (kept + new).sorted { handle($0) < handle($1) })
    }
}

/// The number of primary services of each UUID, from the first one on, whose characteristics are all known, so that the
/// next question can skip them. The number follows from the rest of the database, and one that is too low only costs
/// time: therefore two databases never differ by it.
struct SearchedServices: Hashable, Sendable {
    private var counts: [BluetoothUUID: Int] = [:]

    subscript(uuid: BluetoothUUID) -> Int {
        get { counts[uuid] ?? 0 }
        set { counts[uuid] = newValue == 0 ? nil : newValue }
    }

    static func == (left: Self, right: Self) -> Bool { true }

    func hash(into hasher: inout Hasher) {}
}
