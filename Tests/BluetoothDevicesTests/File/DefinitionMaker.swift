// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothProfiles

@testable import BluetoothDevices

/// Makes random definitions of devices that a file can express.
struct DefinitionMaker {
    private var random: SeededGenerator
    private var labels: [String] = []

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    // MARK: - Numbers and choices

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func chance(_ percent: Int = 50) -> Bool { number(1...100) <= percent }

    private mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? { chance() ? make(&self) : nil }

    private mutating func several<Value>(_ most: Int, _ make: (inout Self) -> Value) -> [Value] {
        (0..<number(0...most)).map { _ in make(&self) }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }

    private mutating func octets(_ count: ClosedRange<Int>) -> [UInt8] {
        (0..<number(count)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private mutating func time(atLeast low: Duration = .zero) -> Duration {
        let unit: Duration = pick([.nanoseconds(1), .microseconds(1), .milliseconds(1), .seconds(1), .seconds(60)])
        return max(low, unit * number(0...2_000))
    }

    private mutating func decimal(_ range: ClosedRange<Int> = 0...200) -> DecimalNumber {
        DecimalNumber(number(range), exponent: chance(80) ? 0 : -1)
    }

    private mutating func text() -> String { pick(["", "a", "Pulse HR", "ä \"\\ 😀", "line\nfeed \u{1B}[2J", "0x01"]) }

    // MARK: - Devices

    mutating func definition() -> DeviceDefinition {
        labels = (0..<3).map { "label-\($0)" }
        var device = DeviceDefinition(
            label: pick(["pulse-strap", "x"]),
            summary: text(),
            name: maybe { $0.text() },
            appearance: maybe { UInt16($0.pick([0, 833, 0x0341, 0xFFFF])) },
            address: DeviceAddress(
                BluetoothAddress(rawValue: UInt64(number(0...0xFFFF_FFFF_FFFF))),
                chance() ? .random : .public
            )
        )
        device.advertising = several(3) { $0.advertising() }
        // All labels must exist before something refers to them.
        device.services = [
            DeviceService(
                0xABCD,
                characteristics: labels.map { DeviceCharacteristic(0xAB00, .write, label: $0) }
            )
        ]
        device.services += several(2) { $0.service() }
        if chance() { device.services[0].includes = ["0xABCD"] }
        device.hasStandardServices = chance()
        if chance() { device.databases["other"] = several(2) { $0.service() } }
        for index in 0..<number(0...3) {
            let rules: [WriteRule] = several(3) { maker in
                WriteRule(
                    maker.conditions(),
                    maker.several(3) { $0.action(databases: Array(device.databases.keys), isAnswer: true) }
                )
            }
            device.services[0].characteristics[index % 3].onWrite = rules
        }
        device.timeline = several(2) { maker in
            TimelineEntry(
                at: maker.time(),
                since: maker.pick([.start, .connection, .subscription(maker.reference())]),
                every: maker.maybe { $0.time(atLeast: .milliseconds(1)) },
                maker.several(3) { $0.action(databases: Array(device.databases.keys), isAnswer: false) }
            )
        }
        if chance() { device.limits = limits() }
        if chance() {
            device.pairing = pairing()
            device.limits.security = .none
        }
        if chance() { device.signal = signal() }
        return device
    }

    private mutating func limits() -> DeviceLimits {
        var limits = DeviceLimits()
        limits.maximumMTU = UInt16(number(23...517))
        limits.preparedWrites = number(0...100)
        limits.maximumConnections = number(1...4)
        limits.responseLatency = .milliseconds(number(0...100))
        limits.connectionInterval = .microseconds(number(7_500...100_000))
        limits.dataLength = number(27...251)
        limits.packetsPerEvent = number(1...9)
        limits.phys = pick([.le1M, [.le1M, .le2M], [.le1M, .coded], [.le1M, .le2M, .coded]])
        // Simulated controllers have no subrating.
        let settings: [LinkRequest.Setting] = [.phy, .dataLength, .parameters]
        limits.refusedLinkSettings = Set(settings.filter { _ in chance() })
        limits.unansweredLinkSettings = Set(settings.filter { _ in chance() })
        limits.security = pick([
            .none,
            LinkSecurity(isEncrypted: true, keySize: 16, hasBond: true),
            LinkSecurity(isEncrypted: true, isAuthenticated: true, keySize: 16, hasBond: true),
            LinkSecurity(keySize: 16, hasBond: true),
        ])
        return limits
    }

    private mutating func pairing() -> DevicePairing {
        var pairing = DevicePairing()
        pairing.capability = pick(IOCapability.allCases)
        pairing.needsAuthentication = chance()
        pairing.secureConnections = pick(DevicePairing.SecureConnections.allCases)
        if pairing.capability != .noInputNoOutput { pairing.passkey = maybe { UInt32($0.number(0...999_999)) } }
        pairing.maximumKeySize = UInt8(number(7...16))
        pairing.bonding = pick(DevicePairing.Bonding.allCases)
        pairing.signs = chance()
        pairing.refusal = maybe { PairingFailure(rawValue: UInt8($0.number(1...255))) }
        if pairing.refusal == nil { pairing.silence = maybe { $0.pick(DevicePairing.Step.allCases) } }
        if pairing.secureConnections != .off {
            pairing.outOfBand = maybe { maker in
                .init(hash: SecurityKey(UInt128(maker.number(0...9))), random: SecurityKey(.max))
            }
        }
        pairing.addressLife = maybe { $0.pick([.seconds(1), .seconds(900), .seconds(41_400)]) }
        return pairing
    }

    private mutating func signal() -> DeviceSignal {
        let from = time()
        return DeviceSignal(
            rssi: Int8(number(-127...20)),
            movement: pick([
                .still, .wandering,
                .path(to: Int8(number(-127...20)), over: .seconds(number(1...9)), returns: chance()),
            ]),
            absences: several(2) { maker in
                .init(
                    from: from,
                    until: maker.maybe { _ in from + .seconds(1) },
                    every: maker.maybe { $0.time(atLeast: .seconds(2)) }
                )
            }
        )
    }

    // MARK: - Advertising

    private mutating func advertising() -> DeviceAdvertising {
        let isExtended = chance(70)
        let kind: DeviceAdvertising.Kind =
            isExtended
            ? .extended(
                sid: UInt8(number(0...15)),
                isConnectable: chance(),
                primaryPHY: pick([.le1M, .coded]),
                secondaryPHY: pick([.le1M, .le2M, .coded])
            ) : pick([.connectable, .scannable, .nonConnectable])
        return DeviceAdvertising(
            kind,
            interval: .microseconds(625 * number(32...16_384)),
            frames: several(2) { $0.frame(isExtended: isExtended) },
            scanResponse: maybe { $0.frame(isExtended: isExtended) },
            txPower: maybe { Int8($0.number(-127...20)) },
            target: kind == .connectable && chance(20)
                ? DeviceAddress(BluetoothAddress(rawValue: 0xC0FF_EE00_0001), chance() ? .random : .public) : nil
        )
    }

    private mutating func frame(isExtended: Bool) -> AdvertisingFrame {
        if !isExtended {
            return chance()
                ? AdvertisingFrame(.flags([.generalDiscoverable]), .txPower(Int8(number(-128...127))))
                : AdvertisingFrame([.octets(octets(1...31))])
        }
        var fields: [ADElement] = []
        if chance() { fields.append(.flags(ADFlags(rawValue: UInt8(number(1...255))))) }
        if chance() {
            let own = BluetoothUUID(bits128: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E)
            fields += ADServiceList.lists(
                pick([.complete, .incomplete, .solicited]),
                [0x180D, 0xABCD] + (chance() ? [own] : [])
            )
            .map { .services($0) }
        }
        if chance() { fields.append(.appearance(UInt16(number(0...0xFFFF)))) }
        if chance() { fields.append(.localName(ADLocalName(text(), isComplete: chance()))) }
        if chance() { fields.append(.txPower(Int8(number(-128...127)))) }
        if chance() { fields.append(.uri(ADURI("https://example.com/\(number(0...9))"))) }
        for data in several(2, { $0.octets(0...9) }) { fields.append(.serviceData(ADServiceData(0xFEED, data))) }
        for data in several(2, { $0.octets(0...9) }) {
            fields.append(.manufacturerData(ADManufacturerData(company: 0x004C, data)))
        }
        let beacon = IBeacon(uuid: 0x180D, major: 1, minor: UInt16(number(0...0xFFFF)), measuredPower: -60)
        if chance() { fields.append(.manufacturerData(beacon.manufacturerData)) }
        if chance(), let url = EddystoneURL(txPower: -10, url: "https://example.com/\(number(0...9))") {
            fields += DeviceBuilder.serviceData(of: url)
        }
        var frame = AdvertisingFrame(fields.map { .element($0) })
        if chance() {
            let temperature = Double(number(-32_768...32_767)) / 256
            frame.fields.append(.eddystoneTelemetry(millivolts: UInt16(number(0...0xFFFF)), temperature: temperature))
        }
        if chance() || frame.fields.isEmpty { frame.fields.append(.octets(octets(1...9))) }
        return frame
    }

    // MARK: - Services

    private mutating func service() -> DeviceService {
        DeviceService(
            pick([0x180D, 0x180F, 0xABCE, BluetoothUUID(bits128: 0x6E40_0001_B5A3_F393_E0A9_E50E_24DC_CA9E)]),
            isPrimary: chance(80),
            label: maybe { "service-\($0.number(0...9))" },
            characteristics: several(4) { $0.characteristic() }
        )
    }

    private mutating func requirement() -> AccessRequirement {
        let isAuthenticated = chance(30)
        return AccessRequirement(
            encryption: isAuthenticated || chance(),
            authentication: isAuthenticated,
            authorization: chance(30)
        )
    }

    private mutating func permissions() -> AttributePermissions {
        var permissions = AttributePermissions(read: maybe { $0.requirement() }, write: maybe { $0.requirement() })
        let keySize = UInt8(pick([7, 7, 16]))
        permissions.read?.minimumKeySize = keySize
        permissions.write?.minimumKeySize = keySize
        return permissions
    }

    private mutating func reference() -> CharacteristicReference {
        chance() ? .label(pick(labels)) : .uuid(0xAB00, service: maybe { _ in 0xABCD })
    }

    private mutating func characteristic() -> DeviceCharacteristic {
        let uuid: BluetoothUUID = pick([0x2A19, 0x2A37, 0x2A6E, 0x2A00, 0x2A01, 0xAB01, 0x2A2B, 0x2A9F])
        var characteristic = DeviceCharacteristic(uuid, [.read, .notify], value: maybe { $0.value(of: uuid) })
        characteristic.properties.formUnion(CharacteristicProperties(rawValue: UInt8(number(0...255))))
        characteristic.extendedProperties = .init(rawValue: UInt16(number(0...3)))
        characteristic.permissions = maybe { $0.permissions() }
        characteristic.subscription = requirement()
        characteristic.lengths = maybe { maker in
            let low = maker.number(0...10)
            return low...low + maker.number(0...10)
        }
        if case .replay? = characteristic.value { characteristic.stream = DeviceStream(every: nil) }
        if chance() {
            characteristic.stream = DeviceStream(
                every: chance()
                    ? .fixed(time(atLeast: .milliseconds(1))) : .value(of: reference(), unit: .milliseconds(10)),
                onlyChanges: chance(),
                while: several(2) { DeviceStream.Condition($0.reference(), is: $0.octets(0...3)) },
                idleValue: maybe { $0.octets(0...3) }
            )
        }
        characteristic.onRead = pick([.value, .value, .silence, .refuse(ATTErrorCode(UInt8(number(1...255))))])
        if chance() { characteristic.descriptors.append(.userDescription(text())) }
        if chance() {
            characteristic.descriptors.append(
                .presentationFormat(format: 4, exponent: Int8(number(-3...3)), unit: UInt16(number(0x2700...0x2730)))
            )
        }
        if chance(30) { characteristic.descriptors.append(.clientConfiguration(writing: requirement())) }
        if chance(30) {
            var permissions = permissions()
            permissions.write = requirement()
            permissions.write?.minimumKeySize = permissions.read?.minimumKeySize ?? 7
            characteristic.descriptors.append(
                DescriptorDefinition(0x2901, value: .stored(octets(0...9), lengths: 0...20), permissions: permissions)
            )
        }
        return characteristic
    }

    // MARK: - Values

    private mutating func value(of uuid: BluetoothUUID) -> DeviceValue {
        let u16 = ValueFormat(.unsigned(octets: 2), isBigEndian: chance())
        switch number(0...5) {
        case 0: return .number(.generated(generator(0...200)), u16)
        case 1: return .sequence([.octets(octets(0...4)), .number(.generated(generator(0...200)), u16)])
        case 2:
            return .replay(
                ValueReplay(
                    (0..<number(1...3)).map { .init(at: .seconds($0), octets(0...4)) },
                    period: maybe { _ in .seconds(10) }
                )
            )
        case 3: return .program(ProgramReference("heart", "measurement"))
        case 4 where uuid == 0x2A19: return .fields(uuid, .number(.generated(generator(0...100))))
        case 4 where uuid == 0x2A37:
            return .fields(uuid, .object([.init("heart_rate_bpm", .number(.generated(generator(30...200))))]))
        default: return .octets(octets(0...9))
        }
    }

    private mutating func generator(_ range: ClosedRange<Int>) -> NumberGenerator {
        let low = DecimalNumber(number(range.lowerBound...range.lowerBound + 10))
        let high = DecimalNumber(number(range.upperBound - 10...range.upperBound))
        switch number(0...8) {
        case 0: return .ramp(from: high, to: low, over: time(atLeast: .milliseconds(1)), repeats: chance())
        case 1: return .sine(low: low, high: high, period: time(atLeast: .milliseconds(1)))
        case 2: return .walk(low: low, high: high, step: decimal(1...9), start: maybe { _ in low })
        case 3: return .random(low: low, high: high)
        case 4: return .steps([low, high, low], every: maybe { $0.time(atLeast: .milliseconds(1)) })
        case 5: return .timetable([.init(at: .zero, low), .init(at: time(), high)], repeats: chance())
        case 6: return .counter(from: low, step: decimal(), limit: maybe { _ in high })
        case 7: return .clock(unit: time(atLeast: .milliseconds(1)))
        default:
            let format = ValueFormat(.signed(octets: 2), isBigEndian: chance())
            return .follower(
                NumberFollower(
                    reference(),
                    field: maybe { _ in "field" },
                    format: maybe { _ in format },
                    factor: decimal(),
                    offset: low
                )
            )
        }
    }

    // MARK: - Behaviour

    private mutating func conditions() -> [WriteCondition] {
        var conditions: [WriteCondition] = []
        if chance(30) { conditions.append(.equals(octets(0...4))) }
        if chance(30) { conditions.append(.starts(octets(0...4))) }
        if chance(30) { conditions.append(.length(number(0...3)...number(3...9))) }
        if chance(30) { conditions.append(.number(-5...Int64(number(0...100)), ValueFormat(.signed(octets: 1)))) }
        if chance(30) { conditions.append(.bits(mask: [0xF0, 1], value: octets(2...2))) }
        if chance(30) { conditions.append(.not(.equals(octets(0...4)))) }
        if chance(30) { conditions.append(.not(.not(.length(1...1)))) }
        return conditions
    }

    private mutating func payload() -> DeviceAction.Payload {
        chance() ? .written : .value(chance() ? .octets(octets(0...4)) : value(of: 0xAB00))
    }

    private mutating func action(databases: [String], isAnswer: Bool, isInner: Bool = false) -> DeviceAction {
        var actions: [DeviceAction] = [
            .send(reference(), payload()), .set(reference(), payload()), .append(reference(), payload()),
            .run(ProgramReference("heart", "reset-energy")), .disconnect, .leave(time()), .restart,
            .connectable(chance()), .database(databases.first),
        ]
        if isAnswer {
            actions += [.store, .silence, .delay(time()), .refuse(ATTErrorCode(UInt8(number(1...255))))]
        }
        if !isInner {
            actions.append(.after(time(), action(databases: databases, isAnswer: isAnswer, isInner: true)))
        }
        return pick(actions)
    }
}
