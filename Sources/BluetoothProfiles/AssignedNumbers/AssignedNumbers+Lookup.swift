// SPDX-License-Identifier: MIT

public import Bluetooth

extension AssignedNumbers {
    /// The UUIDs with a name: `battery-level`, `Battery Level`, `BATTERY_LEVEL`.
    ///
    /// Case and characters other than letters and digits do not count. A service may be named with or without a
    /// trailing `service`. There may be several results, because a service and a characteristic can share a name.
    public static func uuids(
        named name: some StringProtocol,
        kinds: Set<AssignedNumber.Kind> = Set(AssignedNumber.Kind.allCases)
    ) -> [AssignedNumber] {
        uuids(named: String(name), among: AssignedNumber.Kind.allCases.filter(kinds.contains))
    }

    /// The UUIDs of `uuids(named:kinds:)`, each kind once. Without a set and without generic types: the first use of
    /// those in a process searches all its conformances, which takes longer than all else that a short command does.
    package static func uuids(named name: String, among kinds: [AssignedNumber.Kind]) -> [AssignedNumber] {
        let wanted = WantedName(name)
        var found: [AssignedNumber] = []
        forEachNumber(kinds) { kind, name, entry in
            guard wanted.keys(of: kind).contains(where: { $0.matches(name) }) else { return }
            found.append(AssignedNumber(kind, name, entry))
        }
        return found + numbersOutsideTables(wanted, kinds)
    }

    /// The UUIDs of `uuids(named:kinds:)`, for one kind and many names: it searches an index, which the first call
    /// builds in the time of a few searches.
    public static func indexedUUIDs(named name: some StringProtocol, kind: AssignedNumber.Kind) -> [BluetoothUUID] {
        let wanted = WantedName(String(name))
        return wanted.keys(of: kind).flatMap { uuidsByKey[kind]?[$0] ?? [] }
            + numbersOutsideTables(wanted, [kind]).map(\.uuid)
    }

    private static let uuidsByKey: [AssignedNumber.Kind: [NameKey: [BluetoothUUID]]] = {
        var index: [AssignedNumber.Kind: [NameKey: [BluetoothUUID]]] = [:]
        forEachNumber(AssignedNumber.Kind.allCases) { kind, name, entry in
            index[kind, default: [:]][NameKey(name), default: []].append(entry.uuid)
        }
        return index
    }()

    private static func numbersOutsideTables(
        _ wanted: WantedName,
        _ kinds: [AssignedNumber.Kind]
    ) -> [AssignedNumber] {
        var found: [AssignedNumber] = []
        if kinds.contains(.service) {
            let keys = wanted.keys(of: .service)
            found += olderNames.filter { keys.contains(NameKey($0.name.utf8)) }
        }
        if kinds.contains(.descriptor),
            let uuid = descriptorsByShortName[String(decoding: wanted.key.octets, as: UTF8.self)]
        {
            found.append(AssignedNumber(uuid: uuid, kind: .descriptor, name: self.name(ofDescriptor: uuid) ?? ""))
        }
        return found
    }

    /// The identifiers of the companies whose names contain the text. Only letters and digits count, and case does not.
    public static func companies(named name: some StringProtocol) -> [(identifier: UInt16, name: String)] {
        let key = NameKey(name.utf8)
        guard !key.octets.isEmpty else { return [] }
        var found: [(identifier: UInt16, name: String)] = []
        NameTable.companies.forEach { entry in
            if key.isPart(of: entry.name) {
                found.append((UInt16(truncatingIfNeeded: entry.number), String(decoding: entry.name, as: UTF8.self)))
            }
            return true
        }
        return found
    }

    /// The names of all appearances as on a command line, in the order of their numbers. Made once: a file may have a
    /// mistyped appearance in each of its advertising sets.
    public static let appearanceSlugs: [String] = {
        var slugs: [String] = []
        NameTable.appearances.forEach { entry in
            slugs.append(AssignedNumber.slug(String(decoding: entry.name, as: UTF8.self)))
            return true
        }
        return slugs
    }()

    /// All names as on a command line, sorted and without duplicates, for completion.
    public static func slugs(_ kinds: Set<AssignedNumber.Kind>) -> [String] {
        var slugs: Set<String> = []
        for kind in AssignedNumber.Kind.allCases where kinds.contains(kind) {
            for slug in slugsByKind[kind] ?? [] { slugs.insert(slug.text) }
        }
        return slugs.sorted()
    }

    /// At most `limit` names that a user may have meant by `name`, the most likely one first.
    public static func suggestions(
        for name: some StringProtocol,
        kinds: Set<AssignedNumber.Kind> = Set(AssignedNumber.Kind.allCases),
        limit: Int = 3
    ) -> [String] {
        let wanted = Slug(AssignedNumber.slug(name))
        // A single letter resembles too many names, and the time grows with the length.
        guard wanted.octets.count >= 2, wanted.octets.count <= 64 else { return [] }
        var scored: [(score: Int, slug: String)] = []
        for kind in AssignedNumber.Kind.allCases where kinds.contains(kind) {
            for slug in slugsByKind[kind] ?? [] where wanted.mayMean(slug) {
                guard let score = EditDistance.score(wanted.octets, slug.octets),
                    !scored.contains(where: { $0.slug == slug.text })
                else { continue }
                scored.append((score, slug.text))
            }
        }
        scored.sort { ($0.score, $0.slug.utf8.count, $0.slug) < ($1.score, $1.slug.utf8.count, $1.slug) }
        return scored.prefix(limit).map(\.slug)
    }

    /// The names of each kind, made once: a script or a shell may ask for suggestions any number of times.
    private static let slugsByKind: [AssignedNumber.Kind: [Slug]] = {
        var slugs: [AssignedNumber.Kind: [Slug]] = [:]
        forEachNumber(AssignedNumber.Kind.allCases) { kind, name, _ in
            slugs[kind, default: []].append(Slug(AssignedNumber.slug(String(decoding: name, as: UTF8.self))))
        }
        return slugs
    }()

    /// Names from earlier editions of the assigned numbers. Much of the literature still uses them.
    private static var olderNames: [AssignedNumber] {
        [
            AssignedNumber(uuid: 0x1800, kind: .service, name: "Generic Access"),
            AssignedNumber(uuid: 0x1801, kind: .service, name: "Generic Attribute"),
        ]
    }

    /// Short names of descriptors, as developers write them, in the letters that count.
    static var descriptorsByShortName: [String: BluetoothUUID] {
        [
            "cep": 0x2900, "cepd": 0x2900, "extendedproperties": 0x2900,
            "cud": 0x2901, "cudd": 0x2901, "userdescription": 0x2901, "description": 0x2901,
            "ccc": 0x2902, "cccd": 0x2902, "clientconfiguration": 0x2902,
            "scc": 0x2903, "sccd": 0x2903, "serverconfiguration": 0x2903,
            "cpf": 0x2904, "cpfd": 0x2904, "presentationformat": 0x2904,
            "caf": 0x2905, "cafd": 0x2905, "aggregateformat": 0x2905,
        ]
    }

    private static func forEachNumber(
        _ kinds: [AssignedNumber.Kind],
        _ body: (AssignedNumber.Kind, _ name: NameTable.Line, NameTable.Entry) -> Void
    ) {
        let tables: [(AssignedNumber.Kind, NameTable)] = [
            (.service, .services), (.characteristic, .characteristics), (.descriptor, .descriptors),
        ]
        for (kind, table) in tables where kinds.contains(kind) {
            table.forEach { entry in
                body(kind, entry.name, entry)
                return true
            }
        }
        NameTable.vendor.forEach { entry in
            if let letter = entry.name.first, let kind = AssignedNumber.Kind(tableLetter: letter), kinds.contains(kind)
            {
                body(kind, entry.name.dropFirst(2), entry)
            }
            return true
        }
    }
}

/// A name as on a command line.
private struct Slug: Sendable {
    let text: String
    let octets: [UInt8]
    private let occurring: UInt64

    init(_ text: String) {
        self.text = text
        octets = Array(text.utf8)
        occurring = EditDistance.occurring(in: octets)
    }

    /// Whether `EditDistance.score` can be other than `nil`. A letter that the other name lacks costs an edit at least,
    /// so that most names need no further look.
    func mayMean(_ other: Slug) -> Bool {
        (occurring & ~other.occurring).nonzeroBitCount <= EditDistance.limit(octets)
    }
}

private struct WantedName {
    let key: NameKey
    /// The keys that a number may have; none for a name without letters and digits.
    private let keys: [NameKey]
    /// Those of a service, which may be named with and without the word at its end.
    private let serviceKeys: [NameKey]

    init(_ name: String) {
        key = NameKey(name.utf8)
        guard !key.octets.isEmpty else {
            keys = []
            serviceKeys = []
            return
        }
        let octets = key.octets
        let suffix = Array("service".utf8)
        keys = [key]
        serviceKeys =
            octets.count > suffix.count && octets.suffix(suffix.count).elementsEqual(suffix)
            ? [key, NameKey(octets.dropLast(suffix.count))] : [key, NameKey(octets + suffix)]
    }

    func keys(of kind: AssignedNumber.Kind) -> [NameKey] { kind == .service ? serviceKeys : keys }
}

extension AssignedNumber {
    fileprivate init(_ kind: Kind, _ name: NameTable.Line, _ entry: NameTable.Entry) {
        self.init(uuid: entry.uuid, kind: kind, name: String(decoding: name, as: UTF8.self))
    }
}

/// The distance between two names, for "did you mean".
public enum EditDistance {
    /// A score that is lower for more similar names: the beginning of the name, a few letters apart, or part of it.
    /// `nil` for others.
    static func score(_ wanted: [UInt8], _ name: [UInt8]) -> Int? {
        if name.starts(with: wanted) { return 0 }
        let limit = limit(wanted)
        if let distance = distance(wanted, name, limit: limit) { return distance }
        guard wanted.count >= 4 else { return nil }
        return NameKey(wanted).isPart(of: name) ? limit : nil
    }

    /// The largest distance at which a name is taken for another one.
    static func limit(_ wanted: [UInt8]) -> Int { wanted.count <= 4 ? 1 : wanted.count <= 8 ? 2 : 3 }

    /// The number of letters to insert, remove, replace or swap with a neighbour; `nil` if it exceeds `limit`.
    public static func distance(_ left: [UInt8], _ right: [UInt8], limit: Int) -> Int? {
        guard abs(left.count - right.count) <= limit, lacking(left, right) <= limit else { return nil }
        // The rows of the table of distances between the beginnings of both: two before the present one, one, and
        // itself.
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        var current = beforeLast
        for row in left.indices {
            current[0] = row + 1
            var least = row + 1
            for column in right.indices {
                let isSame = left[row] == right[column]
                var cost = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current[column + 1] = cost
                least = min(least, cost)
            }
            // The least of a row never falls from one row to the next.
            if least > limit { return nil }
            (beforeLast, last, current) = (last, current, beforeLast)
        }
        return last[right.count] <= limit ? last[right.count] : nil
    }

    /// A lower bound of the distance: each letter of one that the other lacks costs an edit.
    private static func lacking(_ left: [UInt8], _ right: [UInt8]) -> Int {
        let (left, right) = (occurring(in: left), occurring(in: right))
        return max((left & ~right).nonzeroBitCount, (right & ~left).nonzeroBitCount)
    }

    /// The octets that occur: a bit for each value of their lower six bits.
    static func occurring(in octets: [UInt8]) -> UInt64 {
        var occurring: UInt64 = 0
        // Octets that share a bit make the bound lower, but never wrong.
        for octet in octets { occurring |= 1 << UInt64(octet & 63) }
        return occurring
    }
}
