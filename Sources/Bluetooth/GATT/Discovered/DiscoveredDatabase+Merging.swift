// SPDX-License-Identifier: MIT

extension DiscoveredDatabase {
    /// The findings of this client and of another one about the same server; `nil` if they contradict each other, so
    /// that one of them must be wrong or outdated.
    public func merging(_ other: DiscoveredDatabase) -> DiscoveredDatabase? {
        guard contains(what: other), other.contains(what: self) else { return nil }
        return DiscoveredDatabase(
            services: Self.union(services, other.services, by: \.range.start),
            includes: Self.union(includes, other.includes, by: \.handle),
            declarations: Self.union(declarations, other.declarations, by: \.declaration),
            attributes: Self.union(attributes, other.attributes, by: \.handle),
            coverage: coverage.union(other.coverage),
            hasOverlaps: hasOverlaps || other.hasOverlaps
        )
    }

    /// Whether this client has found the same as the other one wherever it has searched.
    private func contains(what other: DiscoveredDatabase) -> Bool {
        other.services.allSatisfy { service in
            let start = service.range.start
            let mine = services.element(at: start, by: \.range.start)
            if let mine { return mine == service }
            // An absent service contradicts the other finding only where this client has searched.
            guard service.isPrimary else { return !coverage.secondaryServices.contains(start) }
            return !coverage.primaryServices.contains(start)
                && coverage.servicesByUUID[service.uuid]?.contains(start) != true
        }
            && agrees(includes, other.includes, coverage.includes, by: \.handle)
            && agrees(declarations, other.declarations, coverage.characteristics, by: \.declaration)
            && agrees(attributes, other.attributes, coverage.attributes, by: \.handle)
    }

    private func agrees<Element: Equatable>(
        _ mine: [Element],
        _ others: [Element],
        _ searched: HandleSet,
        by handle: (Element) -> Handle
    ) -> Bool {
        others.allSatisfy { other in
            mine.element(at: handle(other), by: handle).map { $0 == other } ?? !searched.contains(handle(other))
        }
    }

    /// The elements of both in the order of their handles; those with the same handle are the same.
    private static func union<Element>(_ first: [Element], _ second: [Element], by handle: (Element) -> Handle)
        -> [Element]
    {
        let known = Set(first.map(handle))
        return (first + second.filter { !known.contains(handle($0)) }).sorted { handle($0) < handle($1) }
    }
}

extension DiscoveredDatabase.Coverage {
    fileprivate func union(_ other: Self) -> Self {
        var union = self
        union.primaryServices = primaryServices.union(other.primaryServices)
        union.secondaryServices = secondaryServices.union(other.secondaryServices)
        union.servicesByUUID.merge(other.servicesByUUID) { $0.union($1) }
        union.includes = includes.union(other.includes)
        union.characteristics = characteristics.union(other.characteristics)
        union.attributes = attributes.union(other.attributes)
        return union
    }
}

extension HandleSet {
    fileprivate func union(_ other: HandleSet) -> HandleSet { HandleSet(ranges + other.ranges) }
}
