// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothDevices
import Testing

@Suite("Differences between the advertising of two devices")
struct AdvertisingComparisonTests {
    private static func told(_ first: [DeviceAdvertising], _ second: [DeviceAdvertising]) throws -> [DeviceDifference] {
        let devices = [first, second].map {
            DeviceDefinition(label: "device", address: .scripted, advertising: $0)
        }
        return try DeviceComparison(devices[0], devices[1]).differences
    }

    private static func words(_ differences: [DeviceDifference]) -> [String] {
        differences.map { "\($0.change.rawValue) \($0.aspect.rawValue)" }
    }

    private static func set(
        _ kind: DeviceAdvertising.Kind = .connectable,
        milliseconds: Int = 100,
        _ elements: ADElement...,
        response: [UInt8]? = nil
    ) -> DeviceAdvertising {
        DeviceAdvertising(
            kind,
            interval: .milliseconds(milliseconds),
            frames: [AdvertisingFrame(elements.map { .element($0) })],
            scanResponse: response.map { AdvertisingFrame([.octets($0)]) }
        )
    }

    @Test func `the same octets are the same, however they are written`() throws {
        let written = Self.set(.connectable, .txPower(4))
        let raw = DeviceAdvertising(.connectable, interval: .milliseconds(100), data: octets("02 0a 04"))
        #expect(try Self.told([written], [raw]).isEmpty)
    }

    @Test func `an interval is an estimate`() throws {
        #expect(try Self.told([Self.set()], [Self.set(milliseconds: 109)]).isEmpty)
        let differences = try Self.told([Self.set()], [Self.set(milliseconds: 115)])
        #expect(Self.words(differences) == ["changed interval"])
        #expect(differences.first?.second == .duration(.milliseconds(115)))
        #expect(try Self.told([Self.set(milliseconds: 1_000)], [Self.set(milliseconds: 1_050)]).isEmpty)
    }

    @Test func `data differ by their structures`() throws {
        let first = Self.set(.connectable, .txPower(4), .appearance(1))
        let second = Self.set(.connectable, .txPower(5), .securityManagerOOBFlags(1))
        let differences = try Self.told([first], [second])
        #expect(Self.words(differences) == ["changed data", "added data", "removed data"])
        #expect(differences.first?.first == .structure(ADStructure(.txPowerLevel, [4])))
    }

    @Test func `the order of structures counts`() throws {
        let first = Self.set(.connectable, .txPower(4), .appearance(1))
        let second = Self.set(.connectable, .appearance(1), .txPower(4))
        #expect(Self.words(try Self.told([first], [second])) == ["changed data"])
    }

    @Test func `frames that are sent in turn may begin anywhere`() throws {
        func set(_ numbers: [Int8]) -> DeviceAdvertising {
            DeviceAdvertising(
                .nonConnectable,
                interval: .seconds(1),
                frames: numbers.map { AdvertisingFrame(.txPower($0)) }
            )
        }
        #expect(try Self.told([set([1, 2, 3])], [set([3, 1, 2])]).isEmpty)
        #expect(Self.words(try Self.told([set([1, 2, 3])], [set([3, 2, 1])])) == ["changed data"])
    }

    @Test func `a scan response that one side lacks`() throws {
        let differences = try Self.told([Self.set()], [Self.set(response: octets("02 0a 04"))])
        #expect(Self.words(differences) == ["added scan-response"])
        #expect(try Self.told([Self.set()], [Self.set(response: [])]).isEmpty, "an empty one says nothing")
    }

    @Test func `sets are found by their PDUs and their numbers`() throws {
        func extended(_ sid: UInt8, _ power: Int8?) -> DeviceAdvertising {
            DeviceAdvertising(
                .extended(sid: sid, isConnectable: false, primaryPHY: .le1M, secondaryPHY: .le2M),
                interval: .seconds(1),
                frames: [],
                txPower: power
            )
        }
        #expect(try Self.told([Self.set(), extended(1, 4)], [extended(1, 4), Self.set()]).isEmpty)
        #expect(try Self.told([extended(1, 4)], [extended(1, nil)]).isEmpty, "not every controller tells the power")
        #expect(Self.words(try Self.told([extended(1, 4)], [extended(1, 5)])) == ["changed tx-power"])
        #expect(Self.words(try Self.told([extended(1, 4)], [extended(2, 4)])) == ["changed kind"])
        #expect(Self.words(try Self.told([Self.set()], [Self.set(), extended(1, 4)])) == ["added advertising"])
        #expect(Self.words(try Self.told([Self.set(), extended(1, 4)], [Self.set()])) == ["removed advertising"])
        #expect(Self.words(try Self.told([Self.set()], [Self.set(.scannable)])) == ["changed kind"])
    }

    @Test func `a directed set`() throws {
        var directed = Self.set()
        directed.target = .scripted
        #expect(Self.words(try Self.told([Self.set()], [directed])) == ["added target"])
    }

    @Test func `advertising is compared only if both have some`() throws {
        let silent = DeviceDefinition(label: "device", address: .scripted)
        var loud = silent
        loud.advertising = [Self.set()]
        let comparison = try DeviceComparison(silent, loud)
        #expect(comparison.differences.isEmpty && comparison.lacksAdvertising && !comparison.isAdvertisingCompared)
        #expect(try DeviceComparison(loud, loud).isAdvertisingCompared)
        #expect(try !DeviceComparison(loud, loud, ignoring: .advertising).isAdvertisingCompared)
    }
}
