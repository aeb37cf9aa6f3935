// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Foundation
import Glibc
import SimulatedRadio
import Testing

@testable import Toolkit

@Suite("The file of bonds")
struct BondFilesTests {
    private static let adapter = BluetoothAddress(rawValue: 0x0011_2233_4455)
    private static let device = DeviceAddress(BluetoothAddress(rawValue: 0xC411_2233_4455), .random)
    private static let secret = SecurityKey(0x0123_4567_89AB_CDEF_0123_4567_89AB_CDEF)

    private static func bond(_ last: UInt64 = 0x55) -> Bond {
        let device = DeviceAddress(BluetoothAddress(rawValue: 0xC411_2233_4400 | last), .random)
        let address = ManagementAddress(device)
        let signature = SignatureResolvingKey(device: address, kind: .authenticatedRemote, value: SecurityKey(3))
        return Bond(
            adapter: adapter,
            device: device,
            name: "Vault",
            longTermKeys: [
                LongTermKey(
                    device: address,
                    kind: .authenticatedLegacy,
                    isCentral: true,
                    encryptionSize: 7,
                    diversifier: 0xFFFF,
                    randomNumber: .max,
                    value: secret
                )
            ],
            identityKey: SecurityKey(2),
            signing: [.init(key: signature, counter: 4_000_000_000)],
            since: WallTime(nanosecondsSince1970: 1_795_000_000_000_000_001)
        )
    }

    private func inFolder(_ body: (URL, BondFiles) async throws -> Void) async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "bonds-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let folder = StateFolder(
            base: FileManager.default.temporaryDirectory.path,
            shared: [url.lastPathComponent],
            own: ["blectl"]
        )
        try await body(
            url.appending(path: "blectl/bonds"),
            BondFiles(folder: folder, time: PatientClock())
        )
    }

    private func mode(_ url: URL) -> mode_t {
        var status = stat()
        return stat(url.path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func `written bonds are read again, by this user only`() async throws {
        try await inFolder { url, files in
            #expect(try files.bonds().isEmpty)
            #expect(!FileManager.default.fileExists(atPath: url.path), "reading makes no file")
            try await files.keep(Self.bond())
            try await files.keep(Self.bond(0x56))
            try await files.keep(Self.bond())
            #expect(try files.bonds() == [Self.bond(0x56), Self.bond()])
            #expect(mode(url) == 0o600)
            #expect(mode(url.deletingLastPathComponent()) == 0o700)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path) == ["bonds"]
            )
        }
    }

    @Test func `whether bonds can be kept is known before there are any, and the try leaves nothing`() async throws {
        try await inFolder { url, files in
            try files.checkIsWritable()
            let folder = url.deletingLastPathComponent()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
            try await files.keep(Self.bond())
            try files.checkIsWritable()
            #expect(try files.bonds() == [Self.bond()])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["bonds"])
        }
        let time = PatientClock()
        let nowhere = BondFiles(folder: StateFolder(base: "/dev/null", own: ["blectl"]), time: time)
        #expect(throws: KeyFileFailure.self) { try nowhere.checkIsWritable() }
        do {
            try nowhere.checkIsWritable()
        } catch let failure as KeyFileFailure {
            #expect(failure.kind == .unwritable && failure.reason.contains("Not a directory"), "\(failure)")
        }
    }

    @Test(arguments: [
        (ENOSPC, CommandLineInterface.ExitStatus.ioError), (EDQUOT, .ioError), (EACCES, .cannotCreateOutput),
    ])
    func `a full disk has the status of one`(_ code: Int32, _ status: CommandLineInterface.ExitStatus) {
        errno = code
        let failure = KeyFileFailure(.bonds, .unwritable, "bonds", StateFolder.Failure("write", "bonds.new"))
        #expect(BlectlError(failure, doing: "pair").status == status)
    }

    @Test func `the memory of a served device is kept with the keys`() async throws {
        try await inFolder { url, files in
            var bond = Self.bond()
            bond.memory = GATTServer.ClientState(
                databaseHash: [UInt8](1...16),
                subscriptions: [
                    GATTServer.KeptSubscription(
                        descriptor: 0x000C,
                        value: 0x000B,
                        service: 0x180D,
                        characteristic: 0x2A37,
                        configuration: .notification
                    ),
                    GATTServer.KeptSubscription(
                        descriptor: 0xFFFF,
                        value: 0xFFFE,
                        service: nil,
                        characteristic: BluetoothUUID(bits128: 0xB1EC_0001_5EC7_4C3A_9D0E_51A1_B1EC_0001),
                        configuration: .indication
                    ),
                ],
                features: .robustCaching,
                isChangeAware: false
            )
            try await files.keep(bond)
            #expect(try files.bonds() == [bond])
            let text = try String(contentsOf: url, encoding: .utf8)
            for (part, other) in [("\"0x2A37\"", "\"rate\""), ("\"0x180D\"", "\"\""), ("0102030405", "01")] {
                #expect(text.contains(part), "\(text)")
                try Data(text.replacing(part, with: other).utf8).write(to: url)
                #expect(throws: KeyFileFailure.self, "\(part)") { try files.bonds() }
            }
        }
    }

    @Test func `an unknown kind of key is damage`() async throws {
        try await inFolder { url, files in
            try await files.keep(Self.bond())
            let text = try String(contentsOf: url, encoding: .utf8)
            // The kinds of the long-term key and of the signature key, see `bond`.
            for (part, other) in [("\"type\" : 1", "\"type\" : 5"), ("\"type\" : 3", "\"type\" : 77")] {
                #expect(text.contains(part), "\(text)")
                try Data(text.replacing(part, with: other).utf8).write(to: url)
                let error = #expect(throws: KeyFileFailure.self, "\(part)") { try files.bonds() }
                #expect(error?.kind == .damaged)
            }
        }
    }

    @Test func `a bond beyond the limit is refused, and the others stay`() async throws {
        try await inFolder { _, files in
            try await files.update { _ in (0..<4_096 as Range<UInt64>).map { Self.bond($0 << 8) } }
            let error = try #require(
                await #expect(throws: KeyFileFailure.self) { try await files.keep(Self.bond(0x55)) }
            )
            #expect(error.kind == .unwritable && error.reason.contains("4096 bonds"), "\(error)")
            #expect(try files.bonds().count == 4_096)
        }
    }

    @Test func `many writers lose nothing`() async throws {
        try await inFolder { _, files in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<16 { group.addTask { try await files.keep(Self.bond(UInt64(number))) } }
                try await group.waitForAll()
            }
            #expect(try files.bonds().count == 16)
        }
    }

    @Test(arguments: [
        "", "{}", "[]", "{\"schema\":\"blectl-bonds/9\",\"bonds\":[]}",
        "{\"schema\":\"blectl-bonds/1\",\"bonds\":[{\"adapter\":\"x\",\"address\":\"y\",\"type\":\"z\",\"since\":0,"
            + "\"ltk\":[],\"csrk\":[]}]}",
    ])
    func `a damaged file is an error that names it, and stays unchanged`(_ text: String) async throws {
        try await inFolder { url, files in
            try await files.keep(Self.bond())
            try Data(text.utf8).write(to: url)
            chmod(url.path, 0o600)
            let error = #expect(throws: KeyFileFailure.self) { try files.bonds() }
            #expect(error?.kind == .damaged && error?.path == url.path)
            await #expect(throws: KeyFileFailure.self) { try await files.keep(Self.bond()) }
            #expect(try Data(contentsOf: url) == Data(text.utf8))
            let told = try #require(error.map { BlectlError($0, doing: "list bonds") })
            #expect(told.status == .badData && told.message.contains(url.path))
        }
    }

    @Test func `a file that others could have placed is not trusted`() async throws {
        try await inFolder { url, files in
            try await files.keep(Self.bond())
            try FileManager.default.linkItem(at: url, to: url.appendingPathExtension("second"))
            let error = #expect(throws: KeyFileFailure.self) { try files.bonds() }
            #expect(error?.kind == .unreadable && error?.isOfFolder == false)
        }
    }

    @Test func `an unusable folder is told apart from an unreadable file`() async throws {
        try await inFolder { url, files in
            let folder = url.deletingLastPathComponent()
            try FileManager.default.createDirectory(
                at: folder.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try FileManager.default.createSymbolicLink(at: folder, withDestinationURL: URL(filePath: "/var/empty"))
            let error = #expect(throws: KeyFileFailure.self) { try files.bonds() }
            #expect(error?.kind == .unreadable && error?.isOfFolder == true)
        }
    }

    @Test func `no description has a key`() {
        let digits = Hex.string(Self.secret.octets)
        var dumped = ""
        dump(Self.bond(), to: &dumped)
        for text in ["\(Self.bond())", String(reflecting: Self.bond()), dumped] {
            #expect(!text.contains(digits) && !text.contains("\(Self.secret.value)"), "\(text)")
        }
    }
}
