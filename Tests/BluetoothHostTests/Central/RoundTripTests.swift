// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Testing

@Suite("What each operation asks of a device")
struct RoundTripTests {
    private static func run(
        _ operation: RoundTrips,
        store: MemoryStore?
    ) throws -> (requests: String, result: String) {
        try inVirtualTime { time, scope in
            let device = ServedDevice(try ServedDatabase.make(), time, scope)
            let peripheral = Peripheral(
                .scripted,
                radio: device,
                scope: scope,
                time: time,
                configuration: .init(store: store)
            )
            _ = try await peripheral.connection()
            _ = device.takeLog()
            let result = try await operation.run(peripheral)
            let log = device.takeLog()
            await peripheral.disconnect()
            return (log.joined(separator: " "), result)
        }
    }

    /// What is kept when all was looked at, and values of the first battery were seen.
    private static func everything() throws -> MemoryStore {
        let store = MemoryStore()
        try inVirtualTime { time, scope in
            let device = ServedDevice(try ServedDatabase.make(), time, scope)
            let peripheral = Peripheral(
                .scripted,
                radio: device,
                scope: scope,
                time: time,
                configuration: .init(store: store)
            )
            _ = try await peripheral.tree()
            _ = try await peripheral.services()
            await peripheral.disconnect()
        }
        var kept = try #require(store.load(.scripted))
        kept.longestValues = [16: 1]
        store.save(kept, of: .scripted)
        return store
    }

    @Test("known facts are not asked for again, and no request is unnecessary", arguments: RoundTrips.all)
    func table(operation: RoundTrips) throws {
        let without = try Self.run(operation, store: nil)
        #expect(without.requests == operation.without)
        #expect(without.result == operation.result)
        let cold = try Self.run(operation, store: MemoryStore())
        #expect(cold.requests == operation.cold)
        #expect(cold.result == operation.result)
        let warm = try Self.run(operation, store: try Self.everything())
        #expect(warm.requests == operation.warm)
        #expect(warm.result == operation.result)
    }

    @Test("the second run of an operation asks only for the hash and its own requests", arguments: RoundTrips.all)
    func secondRun(operation: RoundTrips) throws {
        let store = MemoryStore()
        _ = try Self.run(operation, store: store)
        let second = try Self.run(operation, store: store)
        #expect(second.result == operation.result)
        // Nothing is found out twice, but for what costs as little as the hash.
        let discoveries = ["services", "secondary", "includes", "characteristics", "attributes"]
        #expect(!second.requests.split(separator: " ").contains { discoveries.contains(String($0)) })
    }
}

/// An operation, and its requests to the device in three states of knowledge.
struct RoundTrips: Sendable, CustomTestStringConvertible {
    let name: String
    /// Where nothing is kept of devices.
    var without: String
    /// Where devices are kept, and this one is new.
    var cold: String
    /// Where all of this one is kept.
    var warm: String
    let result: String
    let run: @Sendable (Peripheral) async throws -> String

    var testDescription: String { name }

    private static func text(_ value: AttributeValue) -> String { Hex.string(value.value) }

}

// MARK: - The table

extension RoundTrips {
    static let all = reads + writes + lists

    private static let reads = [
        RoundTrips(
            name: "read a characteristic by its UUID",
            without: "read-by-uuid",
            cold: "read-by-uuid",
            warm: "read-by-uuid",
            result: "01"
        ) { text(try await $0.characteristic(0x2A19).read()) },
        RoundTrips(
            name: "read a long characteristic by its UUID",
            without: "read-by-uuid mtu read",
            cold: "read-by-uuid mtu read",
            warm: "read-by-uuid mtu read",
            result: "60 octets"
        ) { "\(try await $0.characteristic(ServedDatabase.long).read().value.count) octets" },
        RoundTrips(
            name: "read a characteristic in a named service",
            without: "service-by-uuid read-by-uuid",
            cold: "service-by-uuid read-by-uuid",
            warm: "hash read-by-uuid",
            result: "01"
        ) { text(try await $0.service(0x180F).characteristic(0x2A19).read()) },
        RoundTrips(
            name: "read a characteristic that only the second service of the UUID has",
            without: "service-by-uuid read-by-uuid read-by-uuid",
            cold: "service-by-uuid read-by-uuid read-by-uuid",
            warm: "hash read-by-uuid read-by-uuid",
            result: "04"
        ) { text(try await $0.service(0x180F).characteristic(0x2A1A).read()) },
        RoundTrips(
            name: "read in the second service of a UUID",
            without: "service-by-uuid read-by-uuid",
            cold: "service-by-uuid read-by-uuid",
            warm: "hash read-by-uuid",
            result: "02"
        ) { text(try await $0.service(0x180F, index: 1).characteristic(0x2A19).read()) },
        RoundTrips(
            name: "read the second characteristic of a UUID",
            without: "mtu characteristics read",
            cold: "hash mtu characteristics read",
            warm: "hash read",
            result: "02"
        ) { text(try await $0.characteristic(0x2A19, index: 1).read()) },
        RoundTrips(
            name: "read the second characteristic of a UUID in a service that has two",
            without: "service-by-uuid mtu characteristics read",
            cold: "hash service-by-uuid mtu characteristics read",
            warm: "hash read",
            result: "03"
        ) { text(try await $0.service(0x180F, index: 1).characteristic(0x2A19, index: 1).read()) },
        RoundTrips(
            name: "read the third characteristic of a UUID, over all services of a UUID",
            without: "service-by-uuid mtu characteristics characteristics characteristics read",
            cold: "hash service-by-uuid mtu characteristics characteristics characteristics read",
            warm: "hash read",
            result: "03"
        ) { text(try await $0.service(0x180F).characteristic(0x2A19, index: 2).read()) },
        RoundTrips(name: "read by handle", without: "read", cold: "read", warm: "read", result: "02") {
            text(try await $0.characteristic(at: 22).read())
        },
        RoundTrips(
            name: "read a descriptor",
            without: "mtu characteristics attributes read",
            cold: "hash mtu characteristics attributes read",
            warm: "hash read",
            result: "7365636f6e64"
        ) { text(try await $0.characteristic(0x2A19).descriptor(0x2901, index: 1).read()) },
        RoundTrips(
            name: "read a descriptor of a characteristic by its declaration's handle",
            without: "mtu characteristics attributes read",
            cold: "hash mtu characteristics attributes read",
            warm: "hash read",
            result: "7468697264"
        ) { text(try await $0.characteristic(at: 25).descriptor(0x2901).read()) },
        RoundTrips(
            name: "read several characteristics",
            without: "mtu characteristics characteristics read-several",
            cold: "hash mtu characteristics characteristics read-several",
            warm: "hash mtu read-several",
            result: "01 02 60"
        ) { peripheral in
            let wanted = [
                peripheral.characteristic(0x2A19), peripheral.characteristic(0x2A19, index: 1),
                peripheral.characteristic(ServedDatabase.long),
            ]
            let values = try await peripheral.read(wanted).map { try $0.get() }
            return "\(text(values[0])) \(text(values[1])) \(values[2].value.count)"
        },
    ]

    private static let writes = [
        RoundTrips(
            name: "write a characteristic",
            without: "mtu characteristics characteristics characteristics write",
            cold: "hash mtu characteristics characteristics characteristics write",
            warm: "hash write",
            result: "request"
        ) { "\(try await $0.characteristic(0x2A39).write([1]))" },
        RoundTrips(
            name: "write a characteristic in a named service",
            without: "service-by-uuid mtu characteristics characteristics characteristics write",
            cold: "hash service-by-uuid mtu characteristics characteristics characteristics write",
            warm: "hash write",
            result: "request"
        ) { "\(try await $0.service(0x180D).characteristic(0x2A39).write([1]))" },
        RoundTrips(name: "write by handle", without: "write", cold: "write", warm: "write", result: "request") {
            "\(try await $0.attribute(at: 37).write([1]))"
        },
        RoundTrips(
            name: "write without a response",
            without: "mtu characteristics command",
            cold: "hash mtu characteristics command",
            warm: "hash command",
            result: "done"
        ) {
            try await $0.characteristic(0x2A19, index: 2).writeWithoutResponse([9])
            return "done"
        },
        RoundTrips(
            name: "write a descriptor",
            without: "mtu characteristics attributes write",
            cold: "hash mtu characteristics attributes write",
            warm: "hash write",
            result: "request"
        ) { "\(try await $0.characteristic(0x2A37).descriptor(0x2902).write([1, 0]))" },
        RoundTrips(
            name: "write a value that takes a larger MTU",
            without: "mtu characteristics characteristics write",
            cold: "hash mtu characteristics characteristics write",
            warm: "hash mtu write",
            result: "request"
        ) { "\(try await $0.characteristic(ServedDatabase.long).write(Array(repeating: 1, count: 60)))" },
        RoundTrips(
            name: "observe a characteristic",
            without: "mtu characteristics attributes write",
            cold: "hash mtu characteristics attributes write",
            warm: "hash write",
            result: "done"
        ) {
            _ = try await $0.characteristic(0x2A19).observe()
            return "done"
        },
    ]

    private static let lists = [
        RoundTrips(
            name: "list the services",
            without: "mtu services services secondary secondary",
            cold: "hash mtu services services secondary secondary",
            warm: "hash",
            result: "6"
        ) { "\(try await $0.services().count)" },
        RoundTrips(
            name: "list the services of a UUID",
            without: "service-by-uuid service-by-uuid",
            cold: "hash service-by-uuid service-by-uuid",
            warm: "hash",
            result: "0x000E 0x0014"
        ) { peripheral in
            var starts: [String] = []
            for service in try await peripheral.services(0x180F) {
                starts.append("\(try await service.definition().range.start)")
            }
            return starts.joined(separator: " ")
        },
        RoundTrips(
            name: "list the characteristics of a service",
            without: "service-by-uuid mtu characteristics",
            cold: "hash service-by-uuid mtu characteristics",
            warm: "hash",
            result: "22 24 26"
        ) { peripheral in
            var values: [String] = []
            for characteristic in try await peripheral.service(0x180F, index: 1).characteristics() {
                values.append("\(try await characteristic.definition().valueHandle.rawValue)")
            }
            return values.joined(separator: " ")
        },
        RoundTrips(
            name: "list the characteristics of a UUID in a service",
            without: "service-by-uuid mtu characteristics read",
            cold: "hash service-by-uuid mtu characteristics read",
            warm: "hash read",
            result: "2, 03"
        ) { peripheral in
            let found = try await peripheral.service(0x180F, index: 1).characteristics(0x2A19)
            return "\(found.count), \(text(try await found[1].read()))"
        },
        RoundTrips(
            name: "list the descriptors of a characteristic",
            without: "mtu characteristics attributes read",
            cold: "hash mtu characteristics attributes read",
            warm: "hash read",
            result: "0x2902 0x2901 0x2901, 7365636f6e64"
        ) { peripheral in
            let found = try await peripheral.characteristic(0x2A19).descriptors()
            let types = found.map { "\($0.selector.uuid)" }.joined(separator: " ")
            return "\(types), \(text(try await found[2].read()))"
        },
        RoundTrips(
            name: "list the services that a service includes",
            without: "service-by-uuid mtu includes includes read includes",
            cold: "hash service-by-uuid mtu includes includes read includes",
            warm: "hash",
            result: "0x0014…0x001B 0x180F, 0x0026…0x0028 \(ServedDatabase.long)"
        ) {
            try await $0.service(0x180D).includedServices()
                .map { "\($0.range) \($0.uuid.map { "\($0)" } ?? "?")" }.joined(separator: ", ")
        },
        RoundTrips(
            name: "look at everything",
            without: "mtu services services secondary secondary "
                + "characteristics characteristics characteristics attributes "
                + "includes includes read",
            cold: "hash mtu services services secondary secondary "
                + "characteristics characteristics characteristics attributes "
                + "includes includes read",
            warm: "hash",
            result: "6 services, 13 characteristics, 6 descriptors, 2 includes"
        ) {
            let services = try await $0.tree().services
            let characteristics = services.flatMap(\.characteristics)
            let counts = [characteristics.flatMap(\.descriptors).count, services.flatMap(\.includes).count]
            return "\(services.count) services, \(characteristics.count) characteristics, "
                + "\(counts[0]) descriptors, \(counts[1]) includes"
        },
    ]
}
