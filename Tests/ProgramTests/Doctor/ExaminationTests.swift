// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Foundation
import SimulatedRadio
import Testing

@testable import Commands
@testable import Records
@testable import Scripting
@testable import Terminal
@testable import Toolkit

@Suite("What doctor looks at")
struct ExaminationTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("blectl-\(UUID().uuidString)")
    private var place: StateFolder {
        StateFolder(base: "/", shared: folder.pathComponents.dropFirst().map(\.self), own: ["blectl"])
    }
    private var mark: String { folder.appendingPathComponent("blectl/scanning-hci0").path }

    /// Looks at a simulated machine, with files in the folder. Returns what was seen, and whether a scan runs at the end.
    private func look(
        _ traits: Set<AdapterTrait> = [],
        adapter: String? = nil,
        radio: GlobalOptions.RadioSource = .adapters,
        bonds: (any BondStore)? = nil
    ) throws -> (snapshot: MachineSnapshot, isScanning: Bool) {
        let time = VirtualTime()
        let place = place
        return try time.run { () async throws -> (MachineSnapshot, Bool) in
            try await withTaskScope { scope in
                let world = SimulatedWorld(adapter: traits, devices: try SimulatedDevice.builtIn())
                let system = SimulatedRadioSystem(world, time: time, scope: scope)
                var options = GlobalOptions()
                options.radio = radio
                options.adapters = adapter.map(AdapterSelection.one) ?? .first
                let context = CommandContext(
                    commands: .all,
                    options: options,
                    system: system,
                    time: time,
                    scope: scope,
                    output: Output(MessageSink(), isJSON: true, style: .plain),
                    diagnostics: Diagnostics(MessageSink(), style: .plain, isQuiet: false, verbosity: 0),
                    stores: DataStores(
                        state: place,
                        databases: DatabaseFiles(folder: place.subfolder("gatt"), time: time),
                        bonds: bonds ?? BondFiles(folder: place, time: time)
                    ),
                    process: ProcessResources(machine: system)
                )
                return (try await Examination(context: context).snapshot(), system.isScanning)
            }
        }
    }

    private func write(_ text: String, _ path: String) throws {
        let url = URL(filePath: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    @Test("It leaves no scan and no file behind, and names the places of files")
    func tidy() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (snapshot, isScanning) = try look()
        #expect(!isScanning)
        #expect(snapshot.scan == .started(.extended) && !snapshot.isScanOrphaned)
        #expect(snapshot.cache == .usable(path: folder.appendingPathComponent("blectl/gatt").path, count: 0))
        #expect(snapshot.bonds == .usable(path: folder.appendingPathComponent("blectl/bonds").path, count: 0))
        #expect(!FileManager.default.fileExists(atPath: mark))
        #expect(Diagnosis(snapshot).error == nil)
    }

    @Test("The scan of a killed blectl is named, and its mark stays for the scan that ends it")
    func orphan() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(String(decoding: ScanLease.thisBoot, as: UTF8.self), mark)
        let (snapshot, isScanning) = try look([.leftoverScan])
        #expect(snapshot.scan == .started(.listeningAlong) && snapshot.isScanOrphaned)
        #expect(isScanning, "a scan of somebody else is left alone")
        #expect(FileManager.default.contents(atPath: mark).map(Array.init) == ScanLease.thisBoot)
        #expect(Diagnosis(snapshot).findings.first { $0.check == .scan }?.remedy?.command == "blectl scan --duration 1")
    }

    @Test("A mark whose scan was ended, or one of an earlier boot, means nothing")
    func noOrphan() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(String(decoding: ScanLease.thisBoot, as: UTF8.self), mark)
        #expect(try !look().snapshot.isScanOrphaned)
        try write("4f2b7a0e-1111-2222-3333-444455556666\n", mark)
        let (snapshot, _) = try look([.leftoverScan])
        #expect(snapshot.scan == .started(.listeningAlong) && !snapshot.isScanOrphaned)
    }

    @Test("The lease of a running scan is not an orphan's")
    func running() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let isOrphaned = await ScanLease.held(adapter: "hci0", in: place) { lease in
            lease.note(isOurs: true)
            return ScanLease.isOrphaned(adapter: "hci0", in: place)
        }
        #expect(!isOrphaned)
    }

    @Test("Damaged bonds prevent a connection, and an unusable folder does not")
    func files() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("{", folder.appendingPathComponent("blectl/bonds").path)
        let damaged = Diagnosis(try look().snapshot)
        #expect(damaged.error?.status == .badData)
        #expect(damaged.error?.message.contains("blectl/bonds is damaged") == true)
        #expect(damaged.obstacle(to: .scan) == nil && damaged.obstacle(to: .connection)?.check == .bonds)
        try FileManager.default.removeItem(at: folder)
        try write("a file in the way", folder.appendingPathComponent("blectl").path)
        let refused = Diagnosis(try look().snapshot)
        #expect(refused.error == nil)
        let root = folder.appendingPathComponent("blectl").path
        for check in [DoctorCheck.cache, .bonds] {
            let finding = refused.findings.first { $0.check == check }
            #expect(finding?.state == .warning && finding?.text.hasPrefix("nothing can be kept in \(root)") == true)
            #expect(finding?.remedy == .command("mv \(root) \(root).old"))
        }
    }

    @Test("A home that does not exist is named, before a pairing fails because of it")
    func noHome() throws {
        let home = folder.appendingPathComponent("gone").path
        let state = StateFolder(base: home, shared: [".local", "state"], own: ["blectl"])
        #expect(state.obstacle?.text == "there is no \(home)")
        let bonds = BondFiles(folder: state, time: VirtualTime())
        let finding = Diagnosis(try look(bonds: bonds).snapshot).findings.first { $0.check == .bonds }
        #expect(finding?.state == .warning && finding?.text.hasSuffix("there is no \(home)") == true)
    }

    @Test("A folder that could be created is no trouble, and is not created")
    func creatable() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(place.obstacle == nil)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        guard geteuid() != 0 else { return }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path)
        #expect(place.obstacle?.text == "create blectl: Permission denied")
    }

    @Test("Messages are about the requested adapter")
    func named() throws {
        #expect(try look([.off], adapter: "hci0").snapshot.adapter?.name == "hci0")
        let other = try look(adapter: "hci7").snapshot
        #expect(other.adapter == nil && other.problem?.cause == .adapterNotFound("hci7"))
        #expect(Diagnosis(other).error?.message == "cannot scan or connect: there is no adapter hci7")
    }

    @Test("Bonds without a file have the real reason")
    func bondsInMemory() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        for (radio, reason) in [
            (GlobalOptions.RadioSource.simulation(.virtual), "virtual time has no file of bonds"),
            (.socket(path: "/tmp/s"), "the far end of a socket has no bonds"),
        ] {
            #expect(try look(radio: radio, bonds: MemoryBonds()).snapshot.bonds == .noPlace(reason))
        }
    }
}
