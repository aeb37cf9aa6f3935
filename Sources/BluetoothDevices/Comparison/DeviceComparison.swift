// SPDX-License-Identifier: MIT

import Bluetooth

/// The differences between two devices, as their clients see them.
///
/// Compared are the databases of the start, with all handles, and the advertising. Properties that a client cannot see
/// are not compared: the address, the rules for writes, the timeline, limits and faults.
public struct DeviceComparison: Hashable, Sendable {
    /// Parts of devices that are left out of a comparison.
    public struct Parts: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: Int

        /// Keeps all bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Handles.
        public static let handles = Parts(rawValue: 1)
        /// Values, the permissions to read them, and the times at which they are sent.
        public static let values = Parts(rawValue: 2)
        /// Advertising.
        public static let advertising = Parts(rawValue: 4)
    }

    /// The differences, in the order of the first device's attributes, and then the advertising.
    public private(set) var differences: [DeviceDifference] = []
    /// The values that only one side states.
    public private(set) var unknownValues: [DevicePath] = []
    /// The values that one side generates and the other states as octets, or as a recording.
    public private(set) var generatedValues: [DevicePath] = []
    /// Whether advertising was not compared because one side has none.
    public private(set) var lacksAdvertising = false

    private let ignored: Parts

    /// Whether advertising was compared.
    public var isAdvertisingCompared: Bool { !lacksAdvertising && !ignored.contains(.advertising) }

    /// Compares two devices.
    ///
    /// - Parameters:
    ///   - first: The device that differences start from.
    ///   - second: The device that they lead to.
    ///   - ignored: The parts that do not count.
    /// - Throws: If the services of a definition do not make a database.
    public init(
        _ first: DeviceDefinition,
        _ second: DeviceDefinition,
        ignoring ignored: Parts = []
    ) throws(DeviceDefinitionError) {
        self.ignored = ignored
        let outlines = (try DeviceOutline(first), try DeviceOutline(second))
        compareServices(outlines.0.services, outlines.1.services)
        guard !ignored.contains(.advertising) else { return }
        if first.advertising.isEmpty != second.advertising.isEmpty {
            lacksAdvertising = true
        } else {
            differences += AdvertisingComparison(first.advertising, second.advertising).differences
        }
    }

    private mutating func add(_ difference: DeviceDifference) { differences.append(difference) }

    // MARK: - Services

    /// Compares the services of the same UUID in their order.
    private mutating func compareServices(_ first: [DeviceOutline.Service], _ second: [DeviceOutline.Service]) {
        for pair in Pairs(first, second, by: \.uuid).pairs {
            let path = DevicePath([.service(pair.key, pair.number)])
            switch (pair.first, pair.second) {
            case (let first?, let second?): compare(first, second, path)
            case (let first?, nil): add(.init(.removed, .service, path, .handle(first.handle)))
            case (nil, let second?): add(.init(.added, .service, path, nil, .handle(second.handle)))
            case (nil, nil): break
            }
        }
    }

    /// Compares two services. Handles inside are compared relative to the service, so that a moved service is one
    /// difference.
    private mutating func compare(
        _ first: DeviceOutline.Service,
        _ second: DeviceOutline.Service,
        _ path: DevicePath
    ) {
        if first.isPrimary != second.isPrimary {
            add(.init(.changed, .primary, path, .primary(first.isPrimary), .primary(second.isPrimary)))
        }
        compareHandles(first.handle, second.handle, path)
        compareIncludes(first, second, path)
        // A service that was moved moves its attributes.
        let shift = Int(second.handle.rawValue) - Int(first.handle.rawValue)
        for pair in Pairs(first.characteristics, second.characteristics, by: \.uuid).pairs {
            let path = path.with(.characteristic(pair.key, pair.number))
            switch (pair.first, pair.second) {
            case (let first?, let second?): compare(first, second, path, shift)
            case (let first?, nil): add(.init(.removed, .characteristic, path, .properties(first.properties)))
            case (nil, let second?): add(.init(.added, .characteristic, path, nil, .properties(second.properties)))
            case (nil, nil): break
            }
        }
    }

    private mutating func compareIncludes(
        _ first: DeviceOutline.Service,
        _ second: DeviceOutline.Service,
        _ path: DevicePath
    ) {
        for pair in Pairs(first.includes, second.includes, by: \.uuid).pairs {
            let path = path.with(.include(pair.key, pair.number))
            switch (pair.first, pair.second) {
            // The handle of the included service is compared at that service.
            case (.some, .some), (nil, nil): break
            case (let first?, nil): add(.init(.removed, .include, path, .handle(first.target)))
            case (nil, let second?): add(.init(.added, .include, path, nil, .handle(second.target)))
            }
        }
    }

    /// - Parameter shift: The distance that the handles have because those around them were moved.
    private mutating func compareHandles(
        _ first: Handle,
        _ second: Handle,
        _ path: DevicePath,
        _ shift: Int = 0,
        aspect: DeviceDifference.Aspect = .handle
    ) {
        guard !ignored.contains(.handles), Int(second.rawValue) - Int(first.rawValue) != shift else { return }
        add(.init(.changed, aspect, path, .handle(first), .handle(second)))
    }

    // MARK: - Characteristics

    /// Compares two characteristics with their values, streams and descriptors.
    private mutating func compare(
        _ first: DeviceOutline.Characteristic,
        _ second: DeviceOutline.Characteristic,
        _ path: DevicePath,
        _ shift: Int
    ) {
        if first.properties != second.properties {
            add(.init(.changed, .properties, path, .properties(first.properties), .properties(second.properties)))
        }
        compareHandles(first.valueHandle, second.valueHandle, path, shift)
        // A declaration that has moved with its value, or with its surroundings, is no difference of its own.
        let innermost = Int(second.valueHandle.rawValue) - Int(first.valueHandle.rawValue)
        if Int(second.handle.rawValue) - Int(first.handle.rawValue) != innermost {
            compareHandles(first.handle, second.handle, path, shift, aspect: .declarationHandle)
        }
        compareValues(first.value, second.value, path, mayBeRead: first.properties.union(second.properties))
        compareStreams(first, second, path)
        for pair in Pairs(first.descriptors, second.descriptors, by: \.uuid).pairs {
            let path = path.with(.descriptor(pair.key, pair.number))
            switch (pair.first, pair.second) {
            case (let first?, let second?):
                compareHandles(first.handle, second.handle, path, innermost)
                compareValues(first.value, second.value, path, mayBeRead: .read)
            case (let first?, nil): add(.init(.removed, .descriptor, path, .content(first.value)))
            case (nil, let second?): add(.init(.added, .descriptor, path, nil, .content(second.value)))
            case (nil, nil): break
            }
        }
    }

    private mutating func compareStreams(
        _ first: DeviceOutline.Characteristic,
        _ second: DeviceOutline.Characteristic,
        _ path: DevicePath
    ) {
        guard !ignored.contains(.values), let one = first.stream, let other = second.stream, one != other else {
            return
        }
        // A recording has the times of the values themselves.
        guard (one.period == nil) == (other.period == nil) else { return }
        add(.init(.changed, .stream, path, .stream(one), .stream(other)))
    }

    // MARK: - Values

    /// Compares two values, if a client can read them. Pairs that cannot be compared, such as a value that was not
    /// read or one that changes, are listed instead of being called different.
    private mutating func compareValues(
        _ first: AttributeContent,
        _ second: AttributeContent,
        _ path: DevicePath,
        mayBeRead properties: CharacteristicProperties
    ) {
        guard !ignored.contains(.values), properties.contains(.read), first != second else { return }
        switch (first, second) {
        case (.unknown, _), (_, .unknown): unknownValues.append(path)
        // Each client reads its own octets there, or they follow from the database, which is compared already.
        case (.server, .octets), (.octets, .server), (.server, .generated), (.generated, .server): break
        case (.protected(let one, let octets), .protected(let other, let others)):
            // A client without a key learns only the error that it gets.
            if one.refusal(of: .none) != other.refusal(of: .none) {
                add(.init(.changed, .access, path, .requirement(one), .requirement(other)))
            }
            if let octets, let others, octets != others {
                add(.init(.changed, .value, path, .content(.octets(octets)), .content(.octets(others))))
            }
        case (.generated(let one), .generated(let other)) where one.isRecording == other.isRecording:
            add(.init(.changed, .value, path, .content(first), .content(second)))
        case (.generated, .generated), (.generated, .octets), (.octets, .generated): generatedValues.append(path)
        case (.protected(let requirement, _), .octets), (.protected(let requirement, _), .generated):
            add(.init(.changed, .access, path, .requirement(requirement), .requirement(.open)))
        case (.octets, .protected(let requirement, _)), (.generated, .protected(let requirement, _)):
            add(.init(.changed, .access, path, .requirement(.open), .requirement(requirement)))
        default: add(.init(.changed, .value, path, .content(first), .content(second)))
        }
    }
}

extension DeviceValue {
    /// Whether the values were recorded, and not made by rules.
    fileprivate var isRecording: Bool {
        if case .replay = self { true } else { false }
    }
}

/// Pairs the elements of two lists that have the same key, the first with the first, the second with the second.
struct Pairs<Key: Hashable, Element> {
    /// Two elements, or one without a counterpart.
    struct Pair {
        let key: Key
        /// How many with the same key come before it.
        let number: Int
        var first: Element?
        var second: Element?
    }

    /// In the order of the first list; each element that only the second list has follows its predecessor there.
    let pairs: [Pair]

    /// Pairs the elements of two lists that have the same key; several of one key are paired in their order.
    init(_ first: [Element], _ second: [Element], by key: (Element) -> Key) {
        var seen: [Key: Int] = [:]
        var pairs: [Pair] = []
        var places: [Place: Int] = [:]
        for element in first {
            let place = Place(key: key(element), number: seen[key(element), default: 0])
            seen[place.key] = place.number + 1
            places[place] = pairs.count
            pairs.append(Pair(key: place.key, number: place.number, first: element))
        }
        // Elements that only the second list has are collected after the pair after which they come there.
        var added: [Int: [Pair]] = [:]
        var last = -1
        seen = [:]
        for element in second {
            let place = Place(key: key(element), number: seen[key(element), default: 0])
            seen[place.key] = place.number + 1
            if let index = places[place] {
                pairs[index].second = element
                last = index
            } else {
                added[last, default: []].append(Pair(key: place.key, number: place.number, second: element))
            }
        }
        self.pairs = (added[-1] ?? []) + pairs.enumerated().flatMap { [$1] + (added[$0] ?? []) }
    }

    /// A place among the elements of one key.
    private struct Place: Hashable {
        let key: Key
        /// How many with the same key come before it.
        let number: Int
    }
}
