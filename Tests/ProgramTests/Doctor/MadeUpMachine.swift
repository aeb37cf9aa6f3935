// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Foundation
import SimulatedRadio
import TestProcesses
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import LinuxRadio
@testable import Records
@testable import Scripting
@testable import Terminal
@testable import Toolkit

/// A Debian 12 whose kernel is files: its folders are in a root of their own, and its programs do to these files what
/// the real ones make the kernel do. Its adapter is a simulated one in the state that the files show.
struct MadeUpMachine: Sendable {
    let folders: MadeUpFolders

    private static let release = "6.1.0-13-amd64"
    private static let place = "1-2"

    /// Makes a machine on which all is well, with an adapter on USB.
    init(_ folders: MadeUpFolders) throws {
        self.folders = folders
        try folders.file("proc/sys/kernel/osrelease", "\(Self.release)\n")
        try folders.file("proc/self/status", "CapEff:\t0000000000003000\n")
        try folders.folder("lib/modules/\(Self.release)/kernel/net/bluetooth")
        try folders.folder("sys/module/bluetooth")
        try folders.file("etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n")
        try folders.file("etc/apt/sources.list", "deb http://deb.debian.org/debian bookworm main non-free-firmware\n")
        try plugIn()
        try install()
    }

    // MARK: - Troubles

    /// Replaces the adapter on USB by one of a vendor, in four hexadecimal digits.
    func plugIn(vendor: String = "0a5c", isSuspended: Bool = false, hasDriver: Bool = true) throws {
        try? FileManager.default.removeItem(at: folders.url.appending(path: "sys/bus"))
        try? FileManager.default.removeItem(at: folders.url.appending(path: "sys/class"))
        try? FileManager.default.removeItem(at: folders.url.appending(path: "sys/devices"))
        try folders.dongle(Self.place, vendor: vendor, suspended: isSuspended, driver: hasDriver)
        guard hasDriver else { return }
        try folders.link("sys/class/bluetooth/hci0/device", to: "sys/devices/usb1/\(Self.place)/\(Self.place):1.0")
        try set(.up)
    }

    /// The state of the adapter, if there is one.
    enum State: String, Sendable {
        case up
        case down
        /// Its firmware is missing, and the driver has given up.
        case failed
        /// The same with an older kernel, whose driver goes on without firmware.
        case readOnlyMemory = "rom"
    }

    /// Puts the adapter into a state.
    func set(_ state: State) throws { try folders.file("controller", "\(state.rawValue)\n") }

    /// The state of the simulated adapter that the files show.
    private var traits: Set<AdapterTrait> {
        guard folders.exists("sys/module/bluetooth") else { return [.noKernel] }
        guard folders.exists("sys/class/bluetooth/hci0") else { return [.gone] }
        guard folders.word("sys/class/rfkill/rfkill0/soft") != "1" else { return [.blocked] }
        switch State(rawValue: folders.word("controller")) {
        case .down, .failed: return [.off]
        case .readOnlyMemory: return [.noFirmware]
        case .up, nil: break
        }
        // One that wakes when it is needed has a mark.
        let status = folders.word("sys/bus/usb/devices/\(Self.place)/power/runtime_status")
        return status == "suspended" && !folders.exists("wakes") ? [.suspended] : []
    }

    // MARK: - Examination

    /// The adapter in the state of the files, and the folders.
    private struct System: RadioSystem, InspectedMachine {
        let simulated: SimulatedRadioSystem
        let folders: MadeUpFolders

        var time: any TimeSource { simulated.time }

        func adapters() async throws(RadioError) -> [AdapterDescription] {
            let adapters = try simulated.adapters()
            guard folders.word("controller") == State.failed.rawValue else { return adapters }
            return adapters.map { adapter in
                var adapter = adapter
                (adapter.address, adapter.lmpFeatures) = (BluetoothAddress(rawValue: 0), nil)
                return adapter
            }
        }

        func radio(named name: String?) throws(RadioError) -> any Radio { try simulated.radio(named: name) }

        func openManagement() throws(RadioError) -> any ManagementChannel { try simulated.openManagement() }

        func facts() -> MachineFacts { MachineFolders(under: folders.url.path).facts() }
    }

    /// Examines the machine as `blectl doctor` does.
    func diagnosis() throws -> Diagnosis {
        let time = VirtualTime()
        let (traits, folders) = (traits, folders)
        return try time.run { () async throws -> Diagnosis in
            try await withTaskScope { scope in
                let world = SimulatedWorld(adapter: traits, devices: [])
                let simulated = SimulatedRadioSystem(world, time: time, scope: scope)
                let system = System(simulated: simulated, folders: folders)
                let context = CommandContext(
                    commands: .all,
                    options: GlobalOptions(),
                    system: system,
                    time: time,
                    scope: scope,
                    output: Output(MessageSink(), isJSON: true, style: .plain),
                    diagnostics: Diagnostics(MessageSink(), style: .plain, isQuiet: false, verbosity: 0),
                    stores: DataStores(),
                    process: ProcessResources(machine: system)
                )
                return Diagnosis(try await Examination(context: context).snapshot())
            }
        }
    }

    // MARK: - The shell

    /// A line for this machine with its folders in the places where they are.
    private func on(_ root: URL, _ line: String) -> String {
        ["/sys/", "/proc/", "/etc/"].reduce(" \(line)") { line, folder in
            line.replacingOccurrences(of: " \(folder)", with: " \(root.path)\(folder)")
        }
    }

    /// Types a line as a user who may use sudo. Only programs of the made-up machine are found. Returns what it wrote.
    func type(_ line: String) async throws -> String {
        try await ProgramSlots.use { _ in
            let output = folders.url.appending(path: "output")
            try Data().write(to: output)
            let file = try FileHandle(forWritingTo: output)
            let child = try Child(
                Program("/bin/sh", ["-c", on(folders.url, line)]),
                input: try FileHandle(forReadingFrom: URL(filePath: "/dev/null")),
                output: file,
                error: file,
                environment: ["PATH": "\(folders.url.path)/usr/bin", "ROOT": folders.url.path]
            )
            _ = try await child.status()
            return folders.word("output")
        }
    }
}
