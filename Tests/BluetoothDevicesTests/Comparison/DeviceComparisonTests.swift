// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import BluetoothProfiles
import Testing

@Suite("Differences between two devices")
struct DeviceComparisonTests {
    private typealias Aspect = DeviceDifference.Aspect

    private static func device(_ services: [DeviceService], _ advertising: [DeviceAdvertising] = []) -> DeviceDefinition
    {
        DeviceDefinition(
            label: "device",
            address: .scripted,
            advertising: advertising,
            services: services,
            hasStandardServices: false
        )
    }

    private static let octet = ValueFormat(.unsigned(octets: 1))
    private static let level = DeviceCharacteristic(0x2A19, [.read, .notify], value: .octets([87]))

    private static func battery(_ change: (inout DeviceCharacteristic) -> Void = { _ in }) -> DeviceDefinition {
        var characteristic = level
        change(&characteristic)
        return device([DeviceService(0x180F, characteristics: [characteristic])])
    }

    /// The change, the aspect and the number of steps of the path of each difference.
    private static func told(_ comparison: DeviceComparison) -> [String] {
        comparison.differences.map { "\($0.change.rawValue) \($0.aspect.rawValue) \($0.path.steps.count)" }
    }

    private static func told(
        _ first: DeviceDefinition,
        _ second: DeviceDefinition,
        ignoring: DeviceComparison.Parts = []
    ) throws -> [String] {
        told(try DeviceComparison(first, second, ignoring: ignoring))
    }

    @Test func `a device is the same as itself, whatever it is called`() throws {
        var other = Self.battery()
        other.label = "other"
        other.address = DeviceAddress(BluetoothAddress(rawValue: 1), .public)
        #expect(try Self.told(Self.battery(), other).isEmpty)
    }

    @Test func `a service that one side lacks`() throws {
        let alone = Self.device([DeviceService(0x180F)])
        let both = Self.device([DeviceService(0x180F), DeviceService(0x1802)])
        #expect(try Self.told(alone, both) == ["added service 1"])
        #expect(try Self.told(both, alone) == ["removed service 1"])
        let comparison = try DeviceComparison(alone, both)
        #expect(comparison.differences.first?.second == .handle(2))
        #expect(comparison.differences.first?.path.steps == [.service(0x1802, 0)])
    }

    @Test func `the second of two services with the same UUID`() throws {
        let one = Self.device([DeviceService(0x180F)])
        let two = Self.device([DeviceService(0x180F), DeviceService(0x180F, isPrimary: false)])
        let comparison = try DeviceComparison(one, two)
        #expect(comparison.differences.map(\.path.steps) == [[.service(0x180F, 1)]])
    }

    @Test func `primary or secondary`() throws {
        let first = Self.device([DeviceService(0x180F)])
        let second = Self.device([DeviceService(0x180F, isPrimary: false)])
        let comparison = try DeviceComparison(first, second)
        #expect(Self.told(comparison) == ["changed primary 1"])
        #expect(comparison.differences.first?.first == .primary(true))
    }

    @Test func `an include that one side lacks`() throws {
        let target = DeviceService(0x1802, isPrimary: false, label: "target")
        let first = Self.device([DeviceService(0x180F, handle: 1), target])
        let second = Self.device([DeviceService(0x180F, includes: ["target"], handle: 1), target])
        #expect(try Self.told(first, second, ignoring: .handles) == ["added include 2"])
        #expect(try Self.told(first, second) == ["added include 2", "changed handle 1"])
    }

    @Test func `a characteristic that one side lacks`() throws {
        let empty = Self.device([DeviceService(0x180F)])
        #expect(try Self.told(empty, Self.battery()) == ["added characteristic 2"])
        #expect(try Self.told(Self.battery(), empty) == ["removed characteristic 2"])
    }

    @Test func properties() throws {
        let other = Self.battery { $0.properties = [.read, .indicate] }
        let comparison = try DeviceComparison(Self.battery(), other)
        #expect(Self.told(comparison) == ["changed properties 2"])
        #expect(comparison.differences.first?.first == .properties([.read, .notify]))
        #expect(comparison.differences.first?.second == .properties([.read, .indicate]))
    }

    @Test func `a descriptor that one side lacks, and one with another value`() throws {
        let described = Self.battery { $0.descriptors = [.userDescription("charge")] }
        let other = Self.battery { $0.descriptors = [.userDescription("energy")] }
        #expect(try Self.told(Self.battery(), described) == ["added descriptor 3"])
        #expect(try Self.told(described, other) == ["changed value 3"])
        #expect(try Self.told(described, other, ignoring: .values).isEmpty)
    }

    @Test func `a move of a service is reported once`() throws {
        func device(_ handle: Handle) -> DeviceDefinition {
            Self.device([
                DeviceService(0x180F, characteristics: [Self.level, Self.level], handle: handle),
                DeviceService(0x1802, handle: 0x100),
            ])
        }
        #expect(try Self.told(device(0x10), device(0x20)) == ["changed handle 1"])
        #expect(try Self.told(device(0x10), device(0x20), ignoring: .handles).isEmpty)
    }

    @Test func `a move inside a service`() throws {
        let moved = Self.battery { $0.valueHandle = 0x10 }
        let comparison = try DeviceComparison(Self.battery(), moved)
        #expect(Self.told(comparison) == ["changed handle 2"])
        #expect(comparison.differences.first?.second == .handle(0x10))
        // 1 is the service, 2 the declaration and 3 the value.
        let whole = try DeviceComparison(Self.battery(), Self.battery { $0.handle = 0x08 })
        #expect(Self.told(whole) == ["changed handle 2"])
        #expect(whole.differences.first?.first == .handle(0x03), "the handle of a characteristic is that of its value")
        #expect(whole.differences.first?.second == .handle(0x09))
        let declaration = try DeviceComparison(
            Self.battery { $0.valueHandle = 0x10 },
            Self.battery { ($0.handle, $0.valueHandle) = (0x08, 0x10) }
        )
        #expect(Self.told(declaration) == ["changed declaration-handle 2"])
        #expect(declaration.differences.first?.second == .handle(0x08))
    }

    @Test func values() throws {
        let other = Self.battery { $0.value = .octets([88]) }
        let comparison = try DeviceComparison(Self.battery(), other)
        #expect(Self.told(comparison) == ["changed value 2"])
        #expect(comparison.differences.first?.second == .content(.octets([88])))
        #expect(try Self.told(Self.battery(), other, ignoring: .values).isEmpty)
    }

    @Test func `a value that one side does not state is not compared`() throws {
        let comparison = try DeviceComparison(Self.battery(), Self.battery { $0.value = nil })
        #expect(comparison.differences.isEmpty)
        #expect(comparison.unknownValues.map(\.steps) == [[.service(0x180F, 0), .characteristic(0x2A19, 0)]])
    }

    @Test func `generators are compared with generators, and not with octets`() throws {
        func device(_ low: Int64) -> DeviceDefinition {
            Self.battery {
                let (high, step) = (DecimalNumber(100), DecimalNumber(1))
                let walk = NumberGenerator.walk(low: DecimalNumber(low), high: high, step: step, start: nil)
                $0.value = .number(.generated(walk), Self.octet)
            }
        }
        #expect(try Self.told(device(1), device(1)).isEmpty)
        #expect(try Self.told(device(1), device(2)) == ["changed value 2"])
        let comparison = try DeviceComparison(device(1), Self.battery())
        #expect(comparison.differences.isEmpty && comparison.generatedValues.count == 1)
        let recording = Self.battery { $0.value = .replay(ValueReplay([.init(at: .seconds(1), [1])])) }
        #expect(try DeviceComparison(device(1), recording).generatedValues.count == 1)
    }

    @Test func `a constant number is its octets`() throws {
        let number = Self.battery { $0.value = .number(.constant(DecimalNumber(87)), Self.octet) }
        let comparison = try DeviceComparison(Self.battery(), number)
        #expect(comparison.differences.isEmpty)
    }

    @Test func `different answers to a read`() throws {
        let refused = Self.battery { $0.onRead = .refuse(.unlikelyError) }
        let silent = Self.battery { $0.onRead = .silence }
        #expect(try Self.told(Self.battery(), refused) == ["changed value 2"])
        #expect(try Self.told(refused, silent) == ["changed value 2"])
        #expect(try Self.told(silent, silent).isEmpty)
    }

    @Test func `the security of a value is what a client without a key notices`() throws {
        func device(_ requirement: AccessRequirement, _ value: DeviceValue? = nil) -> DeviceDefinition {
            Self.battery {
                $0.permissions = AttributePermissions(read: requirement, write: nil)
                $0.value = value
            }
        }
        #expect(try Self.told(device(.encrypted), device(.authenticated, .octets([1]))).isEmpty)
        #expect(try Self.told(device(.encrypted), device(.authorized)) == ["changed access 2"])
        #expect(try Self.told(device(.encrypted), Self.battery()) == ["changed access 2"])
        #expect(try Self.told(Self.battery(), device(.encrypted, .octets([87]))) == ["changed access 2"])
    }

    @Test func `a stream with another period`() throws {
        func device(_ seconds: Int) -> DeviceDefinition {
            Self.battery { $0.stream = DeviceStream(every: .fixed(.seconds(seconds))) }
        }
        #expect(try Self.told(device(1), device(2)) == ["changed stream 2"])
        #expect(try Self.told(device(1), Self.battery()).isEmpty, "a clone does not state it")
    }

    @Test func `standard services are the same whether they are written or added`() throws {
        var implicit = Self.battery()
        implicit.hasStandardServices = true
        implicit.name = "Name"
        var explicit = implicit
        explicit.hasStandardServices = false
        explicit.services = [.genericAccess(name: "Name", appearance: 0), .genericAttribute] + implicit.services
        #expect(try Self.told(implicit, explicit).isEmpty)
    }

    @Test func `services that cannot make a database are an error`() throws {
        let impossible = Self.device([DeviceService(0x180F, includes: ["nowhere"])])
        #expect(throws: DeviceDefinitionError.self) { try DeviceComparison(impossible, Self.battery()) }
    }
}
