// SPDX-License-Identifier: MIT

import BluetoothDevices
import Testing

@testable import Bluetooth

/// A random database with everything that servers can contain, and the truth about it, known from its construction.
struct RandomDatabase {
    /// A characteristic with its descriptors.
    struct Characteristic: Hashable {
        var declaration: Handle
        var value: Handle
        var properties: CharacteristicProperties
        var uuid: BluetoothUUID
        var descriptors: [GATTDescriptor]
    }

    /// A service with its content.
    struct Service: Hashable {
        var uuid: BluetoothUUID
        var isPrimary: Bool
        var start: Handle
        /// The handles of include declarations, each with the index of the included service, modulo their number.
        var includes: [Handle: Int]
        var characteristics: [Characteristic]
        /// The handle of the last attribute.
        var end: Handle

        var definition: GATTService { GATTService(uuid: uuid, range: HandleRange(start, end), isPrimary: isPrimary) }
    }

    /// Attributes before the first service.
    private(set) var orphans: [GATTAttribute] = []
    private(set) var services: [Service] = []

    private static let longUUIDs = (1...3).map {
        BluetoothUUID(bits128: 0xB1EC_0000_5EC7_4C3A_9D0E_51A1_B1EC_0001 | $0 << 96)
    }
    /// Only a few, so that several services and characteristics share one.
    static let serviceUUIDs: [BluetoothUUID] = [0x180F, 0x180D, longUUIDs[0], longUUIDs[1]]
    static let characteristicUUIDs: [BluetoothUUID] = [0x2A19, 0x2A37, 0x2A00, longUUIDs[1], longUUIDs[2]]
    static let descriptorUUIDs: [BluetoothUUID] = [0x2901, 0x2902, 0x2904, longUUIDs[2]]

    init(using generator: inout SeededGenerator) {
        var next = UInt16.random(in: 1...3, using: &generator)
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            let type = Self.descriptorUUIDs.randomElement(using: &generator) ?? 0x2901
            orphans.append(Self.attribute(Handle(next), type, [1]))
            next += UInt16.random(in: 1...3, using: &generator)
        }
        addServices(Int.random(in: 0...7, using: &generator), from: next, &generator)
    }

    /// Adds services. The last one may end at 0xFFFF.
    private mutating func addServices(_ count: Int, from start: UInt16, _ generator: inout SeededGenerator) {
        var next = start
        for number in 0..<count {
            var service = Self.service(from: 1, &generator)
            let length = service.end.rawValue - 1
            let gap = UInt16.random(in: 0...8, using: &generator)
            next += gap < 5 ? 0 : gap
            if number == count - 1, Bool.random(using: &generator) { next = 0xFFFF - length }
            service.move(by: next - 1)
            services.append(service)
            guard let following = service.end.next else { return }
            next = following.rawValue
        }
    }

    /// A service with its declaration at that handle.
    private static func service(from start: UInt16, _ generator: inout SeededGenerator) -> Service {
        var last = start
        func next(_ generator: inout SeededGenerator) -> Handle {
            // Sometimes a gap.
            last += [1, 1, 1, 2, 4].randomElement(using: &generator) ?? 1
            return Handle(last)
        }
        var service = Service(
            uuid: serviceUUIDs.randomElement(using: &generator) ?? 0x180F,
            isPrimary: Int.random(in: 0..<4, using: &generator) > 0,
            start: Handle(start),
            includes: [:],
            characteristics: [],
            end: Handle(start)
        )
        for _ in 0..<max(0, Int.random(in: -2...2, using: &generator)) {
            service.includes[next(&generator)] = Int.random(in: 0..<16, using: &generator)
        }
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            service.characteristics.append(
                Characteristic(
                    declaration: next(&generator),
                    value: next(&generator),
                    properties: CharacteristicProperties(rawValue: UInt8.random(in: 0...0x7F, using: &generator)),
                    uuid: characteristicUUIDs.randomElement(using: &generator) ?? 0x2A19,
                    descriptors: (0..<max(0, Int.random(in: -1...3, using: &generator))).map { _ in
                        GATTDescriptor(
                            handle: next(&generator),
                            uuid: descriptorUUIDs.randomElement(using: &generator) ?? 0x2901
                        )
                    }
                )
            )
        }
        service.end = Handle(last)
        return service
    }

    /// Replaces all services from a random one on. Returns the range that Service Changed announces.
    mutating func change(using generator: inout SeededGenerator) -> HandleRange {
        let kept = Int.random(in: 0...services.count, using: &generator)
        let before = kept > 0 ? services[kept - 1].end : orphans.last?.handle ?? .invalid
        guard let start = before.next else { return .all }
        services.removeLast(services.count - kept)
        addServices(Int.random(in: 0...4, using: &generator), from: start.rawValue, &generator)
        return HandleRange(start, .last)
    }

    /// The attributes for a server.
    var attributes: [GATTAttribute] {
        var all = orphans
        for service in services {
            let type: BluetoothUUID = service.isPrimary ? .primaryService : .secondaryService
            all.append(Self.attribute(service.start, type, service.uuid.encoded()))
            for (handle, place) in service.includes.sorted(by: { $0.key < $1.key }) {
                let included = self.included(place)
                let value = IncludeDeclaration(range: included.range, uuid: included.uuid)
                all.append(Self.attribute(handle, .include, value.encoded()))
            }
            for characteristic in service.characteristics {
                let declaration = CharacteristicDeclaration(
                    properties: characteristic.properties,
                    valueHandle: characteristic.value,
                    uuid: characteristic.uuid
                )
                let type = BluetoothUUID.characteristicDeclaration
                all.append(Self.attribute(characteristic.declaration, type, declaration.encoded()))
                all.append(Self.attribute(characteristic.value, characteristic.uuid, [0x2A]))
                all += characteristic.descriptors.map { Self.attribute($0.handle, $0.uuid, [0x01]) }
            }
        }
        return all
    }

    private static func attribute(_ handle: Handle, _ type: BluetoothUUID, _ value: [UInt8]) -> GATTAttribute {
        GATTAttribute(handle: handle, type: type, permissions: .readOnly, storage: .fixed(value))
    }

    private func included(_ place: Int) -> GATTService { services[place % services.count].definition }
}

extension RandomDatabase.Service {
    fileprivate mutating func move(by distance: UInt16) {
        func moved(_ handle: Handle) -> Handle { Handle(handle.rawValue + distance) }
        start = moved(start)
        end = moved(end)
        includes = Dictionary(uniqueKeysWithValues: includes.map { (moved($0), $1) })
        for index in characteristics.indices {
            characteristics[index].declaration = moved(characteristics[index].declaration)
            characteristics[index].value = moved(characteristics[index].value)
            characteristics[index].descriptors = characteristics[index].descriptors.map {
                GATTDescriptor(handle: moved($0.handle), uuid: $0.uuid)
            }
        }
    }
}

// MARK: - The truth

extension RandomDatabase {
    var allServices: [GATTService] {
        let all = services.map(\.definition)
        return all.filter(\.isPrimary) + all.filter { !$0.isPrimary }
    }

    func services(_ uuid: BluetoothUUID) -> [GATTService] {
        services.map(\.definition).filter { $0.isPrimary && $0.uuid == uuid }
    }

    func includes(in range: HandleRange) -> [GATTIncludedService] {
        services.flatMap { service in
            service.includes.sorted { $0.key < $1.key }.map { handle, place in
                let included = included(place)
                return GATTIncludedService(handle: handle, range: included.range, uuid: included.uuid)
            }
        }.filter { range.contains($0.handle) }
    }

    var characteristics: [Characteristic] { services.flatMap(\.characteristics) }

    /// The characteristics declared in a range. Each ends before the next declaration, or with the range.
    func characteristics(in range: HandleRange) -> [GATTCharacteristic] {
        let within = characteristics.filter { range.contains($0.declaration) }
        return within.enumerated().map { index, found in
            let next = index + 1 < within.count ? within[index + 1].declaration.previous : range.end
            return GATTCharacteristic(
                declaration: found.declaration,
                valueHandle: found.value,
                properties: found.properties,
                uuid: found.uuid,
                end: next ?? range.end
            )
        }
    }

    func characteristic(at handle: Handle) -> Characteristic? {
        characteristics.first { $0.declaration == handle || $0.value == handle }
    }
}
