// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

@Suite("Options of advertise")
struct AdvertiseOptionsTests {
    private func sets(_ line: String) throws -> [DeviceAdvertising] {
        guard let options = (try request("advertise \(line)").command as? AdvertiseCommand)?.options else {
            throw WrongCommand(.advertise)
        }
        return options.sets
    }

    /// A command line, the octets of its advertisement and, if there is one, of its scan response.
    struct Row: Sendable, CustomTestStringConvertible {
        let line: String
        let data: String
        let response: String?

        init(_ line: String, _ data: String, _ response: String? = nil) {
            (self.line, self.data, self.response) = (line, data, response)
        }

        var testDescription: String { line }
    }

    @Test(arguments: [
        Row(
            "ibeacon e2c56db5-dffb-48d2-b060-d0f5a71096e0 --major 258 --minor 772 --power -59",
            "0201061aff4c000215e2c56db5dffb48d2b060d0f5a71096e001020304c5"
        ),
        Row("ibeacon 0x180D", "0201061aff4c0002150000180d00001000800000805f9b34fb00000000c5"),
        Row(
            "altbeacon 000102030405060708090a0b0c0d0e0f --major 1 --minor 2 --power -66 --company 0x004C",
            "0201061bff4c00beac000102030405060708090a0b0c0d0e0f00010002be00"
        ),
        Row(
            "altbeacon 000102030405060708090a0b0c0d0e0f10111213",
            "0201061bff1801beac000102030405060708090a0b0c0d0e0f10111213c500"
        ),
        Row(
            "eddystone-uid 0102030405060708090a a1a2a3a4a5a6",
            "0201060303aafe1716aafe00ee0102030405060708090aa1a2a3a4a5a60000"
        ),
        Row("eddystone-url https://www.example.com/ --power 0", "0201060303aafe0e16aafe100001" + "6578616d706c6500"),
        Row("eddystone-eid 0102030405060708", "0201060303aafe0d16aafe30ee0102030405060708"),
        Row(
            "eddystone-tlm --battery 3000 --temperature 21.5",
            "0201060303aafe1116aafe20000bb815800000000000000000"
        ),
        Row("eddystone-tlm", "0201060303aafe1116aafe2000000080000000000000000000"),
        Row("raw 0x0102", "0102"),
        Row(
            "--local-name Foo --service-uuid heart-rate --service-uuid 0x180F",
            "0201060503" + "0d180f18" + "0409466f6f"
        ),
        Row("--local-name Foo --no-flags", "0409466f6f"),
        Row("--short-name Foo --tx-power -4 --no-flags", "0408466f6f020afc"),
        Row("--appearance heart-rate-belt --no-flags", "03194103"),
        Row("--appearance 0x0341 --no-flags", "03194103"),
        Row("--service-data feaa:1000 --service-data battery:u8:100 --no-flags", "0516aafe1000" + "04160f1864"),
        Row(
            "--manufacturer-data apple:0215 --manufacturer-data 89:text:hi --no-flags",
            "05ff4c000215" + "05ff59006869"
        ),
        Row("--uri https://a.b --no-flags", "0724172f2f612e62"),
        Row("--local-name A --data 02:03 --no-flags", "0209410203"),
        Row("--service-uuid b1ec0501-5ec7-4c3a-9d0e-51a1b1ec0001 --no-flags", "11070100ecb1a1510e9d3a4cc75e0105ecb1"),
        Row("--service-uuid heart-rate --scan-response --local-name Foo", "02010603030d18", "0409466f6f"),
        Row("--connectable", "020106"),
        Row("--to C0:00:00:00:00:01/random", ""),
        Row("--extended --scan-response --local-name Foo", "", "0409466f6f"),
    ])
    func `octets`(_ row: Row) throws {
        let set = try #require(try sets(row.line).first)
        #expect(Hex.string(set.data(.start)) == row.data)
        #expect(set.scanResponse.map { Hex.string($0.encoded(at: .start)) } == row.response)
    }

    @Test func `a plus sign begins another advertisement with options of its own`() throws {
        let sets = try sets(
            "--local-name A --interval 1s + --connectable --local-name B --scan-response --tx-power 1 --interval 2s + raw 01"
        )
        #expect(sets.map(\.kind) == [.nonConnectable, .connectable, .nonConnectable])
        #expect(sets.map(\.interval) == [.seconds(1), .seconds(2), .milliseconds(100)])
        #expect(sets.map { Hex.string($0.data(.start)) } == ["020106020941", "020106020942", "01"])
        #expect(sets.map { $0.scanResponse != nil } == [false, true, false])
    }

    @Test(arguments: [
        ("--local-name A", DeviceAdvertising.Kind.nonConnectable),
        ("--local-name A --connectable", .connectable),
        ("--local-name A --scan-response --local-name B", .scannable),
        ("--to F0:F1:F2:F3:F4:F5", .connectable),
        ("--local-name A --extended", .extended(sid: 0, isConnectable: false, primaryPHY: .le1M, secondaryPHY: .le1M)),
        (
            "--local-name A --sid 7 --connectable --secondary-phy 2m",
            .extended(sid: 7, isConnectable: true, primaryPHY: .le1M, secondaryPHY: .le2M)
        ),
        (
            "--local-name A --primary-phy coded",
            .extended(sid: 0, isConnectable: false, primaryPHY: .coded, secondaryPHY: .coded)
        ),
    ])
    func `kinds`(_ line: String, _ kind: DeviceAdvertising.Kind) throws {
        #expect(try sets(line).map(\.kind) == [kind])
    }

    @Test func `the target and the limits belong to the whole command and to one advertisement`() throws {
        let line = "advertise --local-name A + --to 001122334455 -n 2 --duration 3"
        guard let options = (try request(line).command as? AdvertiseCommand)?.options else {
            throw WrongCommand(.advertise)
        }
        #expect(options.limits == StopLimits(count: 2, duration: .seconds(3)))
        let address = try #require(BluetoothAddress("00:11:22:33:44:55"))
        #expect(options.sets.map(\.target) == [nil, DeviceAddress(address, .public)])
    }

    @Test(arguments: [
        ("", "there is nothing to advertise"),
        ("--local-name A +", "there is nothing to advertise"),
        ("ibeacn", "did you mean 'ibeacon'?"),
        ("ibeacon", "missing UUID for 'ibeacon'"),
        ("eddystone-uid 0102030405060708090a", "missing INSTANCE"),
        ("ibeacon 0x180D 1", "unexpected argument '1'"),
        ("ibeacon thing", "expected a UUID"),
        ("altbeacon 0102", "expected 20 octets"),
        ("altbeacon 000102030405060708090a0b0c0d0e0f10111213 --major 1", "expected 20 octets"),
        ("eddystone-uid 01 02", "expected 10 octets in hex"),
        ("eddystone-url ftp://a", "expected http:// or https://"),
        ("eddystone-url https://0123456789.abcdefgh", "19 octets after the scheme"),
        ("eddystone-eid 01", "expected 8 octets"),
        ("--major 1 --local-name A", "'--major' belongs to ibeacon or altbeacon"),
        ("eddystone-url https://a --major 1", "'--major' belongs to ibeacon or altbeacon, not to eddystone-url"),
        ("--local-name A --scan-response 01", "unexpected '01' in a scan response"),
        ("--local-name A --scan-response --local-name B --scan-response --local-name C", "one scan response"),
        ("--local-name A --count 1", "'--count' counts connections"),
        ("--local-name A --interval 10ms", "expected 20ms to 10.24s"),
        ("--local-name A --interval 11s", "expected 20ms to 10.24s"),
        ("--local-name A --to 00:11:22:33:44:55", "carries no data"),
        ("--to 00:11:22:33:44:55 --scan-response --local-name A", "carries no data"),
        ("--to nobody", "expected an address"),
        ("--extended --connectable --scan-response --local-name A", "has no scan response"),
        ("--extended --local-name A --scan-response --local-name B", "and not both"),
        ("--appearance heart-rate-bel", "did you mean 'heart-rate-belt'?"),
        ("--manufacturer-data 0x004C", "expected a colon"),
        ("--manufacturer-data nordic:00", "several companies"),
        ("--manufacturer-data nobody-at-all:00", "expected a company identifier"),
        ("--service-data nothing:00", "expected a UUID"),
        ("--service-data feaa:0", "odd number"),
        (
            "--local-name 0123456789012345678901234567",
            "33 octets, and a legacy one has room for 31: Flags 3, Complete Local Name 30"
        ),
        ("raw 00 --scan-response --data \(String(repeating: "00", count: 32))", "the scan response has 32"),
    ])
    func `mistakes`(_ line: String, _ words: String) {
        let error = #expect(throws: UsageError.self) { try sets(line) }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }

    @Test func `more sets than a controller can number are refused`() {
        let line = Array(repeating: "raw 00", count: 17).joined(separator: " + ")
        #expect(throws: UsageError.self) { try sets(line) }
        #expect(throws: Never.self) { try sets(String(line.dropLast(" + raw 00".count))) }
    }

}
