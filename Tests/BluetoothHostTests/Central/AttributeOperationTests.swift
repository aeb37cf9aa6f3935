// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import SimulatedRadio
import Synchronization
import Testing

/// Results that the round trips do not show: operations on several attributes, and failures.
@Suite("Operations on attributes")
struct AttributeOperationTests {
    private static func text(_ result: Result<AttributeValue, any Error>) -> String {
        switch result {
        case .success(let value): value.value.count > 8 ? "\(value.value.count) octets" : Hex.string(value.value)
        case .failure(let error): "\(error)"
        }
    }

    // MARK: - Several at once

    @Test("a missing or refused attribute among several reads fails alone")
    func readsSeveral() throws {
        let (texts, log) = try DatabaseBench.run { bench in
            let peripheral = bench.peripheral
            let values = try await peripheral.read([
                peripheral.characteristic(0x2A1A), peripheral.characteristic(0xFFF1), peripheral.characteristic(0x2A39),
                peripheral.service(0xFFF2).characteristic(0x2A19), peripheral.characteristic(at: 26),
                peripheral.characteristic(at: 9), peripheral.characteristic(ServedDatabase.long),
            ])
            return (values.map(Self.text), bench.log)
        }
        #expect(
            texts == [
                "04", "the device has no characteristic 0xFFF1", "read not permitted (0x02) at 0x0025",
                "the device has no service Aliro (0xFFF2)", "03",
                "the device has no characteristic with its value at 0x0009", "60 octets",
            ]
        )
        #expect(log.hasSuffix("read-several read read read read"), "\(log)")
    }

    @Test("reading one attribute, or none, sends no unnecessary request")
    func readsFew() throws {
        let log = try DatabaseBench.run { bench in
            #expect(try await bench.peripheral.read([]).isEmpty)
            let one = try await bench.peripheral.read([bench.peripheral.characteristic(at: 22)])
            #expect(one.map(Self.text) == ["02"])
            #expect(try await bench.peripheral.read([bench.peripheral.characteristic(0xFFF1)]).count == 1)
            return bench.log
        }
        #expect(log.hasPrefix("connect mtu characteristics read "), "\(log)")
        #expect(!log.contains("read-several"))
    }

    @Test("values that do not fit into one answer are read one by one, and keep their places")
    func readsMoreThanFits() throws {
        let texts = try DatabaseBench.run { bench in
            // The long value alone takes more than one answer.
            bench.device.setWhim { $0 == "mtu" ? .answers([0x03, 0x20, 0x00]) : nil }
            let peripheral = bench.peripheral
            let values = try await peripheral.read([
                peripheral.characteristic(0x2A19), peripheral.characteristic(ServedDatabase.long),
                peripheral.characteristic(0x2A1A), peripheral.characteristic(ServedDatabase.long),
            ])
            return values.map(Self.text)
        }
        #expect(texts == ["01", "60 octets", "04", "60 octets"])
    }

    @Test(
        "a device without Read Multiple, or with a wrong answer to it, is asked for one value at a time",
        arguments: ["01 20 0000 06", "21", "21 0100 01", "21 0100 01 0100 02 0100 03 0100 04"]
    )
    func readsOneByOne(answer: String) throws {
        let (texts, log) = try DatabaseBench.run { bench in
            bench.device.setWhim { $0 == "read-several" ? .answers(octets(answer)) : nil }
            let peripheral = bench.peripheral
            let values = try await peripheral.read([
                peripheral.characteristic(0x2A1A), peripheral.characteristic(0x2A19), peripheral.characteristic(at: 26),
            ])
            return (values.map(Self.text), bench.log)
        }
        #expect(texts == ["04", "01", "03"])
        #expect(log.hasSuffix(" read-several read read read"), "\(log)")
    }

    // MARK: - Lists

    @Test("services are listed with their places, and secondary ones by their handles")
    func listsServices() throws {
        let texts = try DatabaseBench.run { bench in
            var texts: [String] = []
            for service in try await bench.peripheral.services() {
                let definition = try await service.definition()
                let count = try await service.characteristics().count
                texts.append("\(service.selector) \(definition.range) \(count)")
            }
            #expect(try await bench.peripheral.services(0xFFF2).isEmpty)
            return texts
        }
        #expect(
            texts == [
                "uuid(0x1800, index: Optional(0)) 0x0001…0x0005 2", "uuid(0x1801, index: Optional(0)) 0x0006…0x000D 3",
                "uuid(0x180F, index: Optional(0)) 0x000E…0x0013 1", "uuid(0x180F, index: Optional(1)) 0x0014…0x001B 3",
                "uuid(0x180D, index: Optional(0)) 0x001C…0x0025 3", "handle(0x0026) 0x0026…0x0028 1",
            ]
        )
    }

    @Test("a listed characteristic is read by its handle, even if others have the same UUID")
    func listedCharacteristics() throws {
        let texts = try DatabaseBench.run { bench in
            var texts: [String] = []
            for service in try await bench.peripheral.services() {
                for characteristic in try await service.characteristics() {
                    let definition = try await characteristic.definition()
                    guard definition.properties.contains(.read) else { continue }
                    let value = try await characteristic.read()
                    #expect(value.handle == definition.valueHandle)
                    texts.append(Self.text(.success(value)))
                }
            }
            return texts
        }
        #expect(texts.suffix(6) == ["01", "02", "04", "03", "60 octets", "05"])
    }

    @Test("the error names the missing attribute, however it was asked for")
    func names() throws {
        let errors = try DatabaseBench.run { bench in
            let peripheral = bench.peripheral
            let operations: [@Sendable () async throws -> Void] = [
                { _ = try await peripheral.characteristic(0xFFF1).read() },
                { _ = try await peripheral.service(0xFFF2).characteristic(0x2A19).read() },
                { _ = try await peripheral.service(0x180F).characteristic(0xFFF1).read() },
                { _ = try await peripheral.service(0x180F, index: 2).characteristic(0x2A19).read() },
                { _ = try await peripheral.characteristic(0x2A19, index: 3).read() },
                { _ = try await peripheral.service(0x180F).characteristic(0x2A19, index: 3).definition() },
                { _ = try await peripheral.characteristic(0x2A19).descriptor(0x2904).read() },
                { _ = try await peripheral.characteristic(0x2A19).descriptor(0x2901, index: 2).write([]) },
                { _ = try await peripheral.characteristic(at: 17).definition() },
                { _ = try await peripheral.service(0xFFF2).includedServices() },
                { _ = try await peripheral.characteristic(0xFFF1).observe() },
            ]
            var errors: [String] = []
            for operation in operations {
                do {
                    try await operation()
                    errors.append("none")
                } catch {
                    errors.append("\(error)")
                }
            }
            return errors
        }
        #expect(
            errors == [
                "the device has no characteristic 0xFFF1", "the device has no service Aliro (0xFFF2)",
                "the device has no characteristic 0xFFF1 in service Battery (0x180F)",
                "the device has no service Battery (0x180F)",
                "the device has no characteristic Battery Level (0x2A19)",
                "the device has no characteristic Battery Level (0x2A19) in service Battery (0x180F)",
                "the device has no descriptor Characteristic Presentation Format (0x2904) under Battery Level (0x2A19)",
                "the device has no descriptor Characteristic User Description (0x2901) under Battery Level (0x2A19)",
                "the device has no characteristic with its value at 0x0011",
                "the device has no service Aliro (0xFFF2)", "the device has no characteristic 0xFFF1",
            ]
        )
    }

    // MARK: - Out of sync

    /// What an operation asks of a device that says for the first `count` requests of a name that it has changed its
    /// database.
    private static func outOfSync(
        _ name: String,
        count: Int = 1,
        _ operation: @escaping @Sendable (Peripheral) async throws -> Void
    ) throws -> (log: String, error: String?) {
        try DatabaseBench.run { bench in
            let left = Mutex(count)
            bench.device.setWhim { asked in
                guard asked == name,
                    left.withLock({
                        $0 -= 1; return $0 >= 0
                    })
                else { return nil }
                return .answers([0x01, asked == "write" ? 0x12 : 0x0A, 0x00, 0x00, 0x12])
            }
            do {
                try await operation(bench.peripheral)
                return (bench.log, nil)
            } catch {
                return (bench.log, "\(error)")
            }
        }
    }

    @Test("after Database Out Of Sync everything is discovered again, and the operation repeated once")
    func outOfSync() throws {
        let read = try Self.outOfSync("read") { _ = try await $0.characteristic(0x2A19, index: 1).read() }
        #expect(read.log == "connect mtu characteristics read characteristics read" && read.error == nil)
        let write = try Self.outOfSync("write") { _ = try await $0.characteristic(0x2A19, index: 1).write([1]) }
        #expect(write.log == "connect mtu characteristics write characteristics write" && write.error == nil)
        let several = try Self.outOfSync("read") {
            _ = try await $0.read([$0.characteristic(at: 22)]).map { try $0.get() }
        }
        #expect(several.log == "connect mtu characteristics read characteristics read" && several.error == nil)
    }

    @Test("a second Database Out Of Sync is the error")
    func outOfSyncForever() throws {
        let write = try Self.outOfSync("write", count: 9) {
            _ = try await $0.characteristic(0x2A19, index: 1).write([1])
        }
        #expect(write.log == "connect mtu characteristics write characteristics write")
        #expect(write.error == "database out of sync (0x12) at 0x0000")
    }
}
