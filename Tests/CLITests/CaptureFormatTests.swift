// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Captures of other formats", .startsPrograms())
struct CaptureFormatTests {
    private static let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"

    private static func has(_ programs: String...) async throws -> Bool {
        try await ProgramSlots.use { _ in
            let wanted = programs.map { "command -v \($0)" }.joined(separator: " && ")
            return try await Blectl.shell(wanted, environment: ["PATH": path]).status == 0
        }
    }

    /// Runs other programs, of which none may fail.
    private func shell(_ line: String) async throws -> String {
        let run = try await Blectl.shell(line, environment: ["PATH": Self.path, "HOME": "/nonexistent"])
        #expect(run.status == 0, "\(run.stderr)")
        return run.stdout
    }

    /// The lines of a capture, without those of the file itself.
    private func trace(_ path: String) async throws -> [Substring] {
        let run = try await Blectl.run(["trace", path])
        #expect(run.status == 0 && run.stderr.isEmpty, "\(run.stderr)")
        return run.stdout.split(separator: "\n").filter { !$0.contains(" = note ") }
    }

    @Test(.enabled("gzip and Python are not installed") { try await has("gzip", "python3") })
    func `gzip and zip of other programs`() async throws {
        try await TemporaryFolder.use { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path }
            try Data(CaptureSample.phone).write(to: URL(filePath: path("run.log")))
            let expected = try await trace(path("run.log"))
            #expect(expected.count == 11)
            _ = try await shell("gzip -k \(path("run.log"))")
            #expect(try await trace(path("run.log.gz")) == expected)
            let entry = "FS/data/misc/bluetooth/logs/btsnoop_hci.log"
            for method in ["ZIP_DEFLATED", "ZIP_STORED"] {
                let zip = "zipfile.ZipFile('\(path("b.zip"))', 'w', zipfile.\(method))"
                _ = try await shell("python3 -c \"import zipfile; \(zip).write('\(path("run.log"))', '\(entry)')\"")
                #expect(try await trace(path("b.zip")) == expected)
            }
            // From a pipe, the former can be read, and the latter cannot.
            let piped = try await Blectl.run(
                ["trace", "-"],
                input: Array(Data(contentsOf: URL(filePath: path("run.log.gz"))))
            )
            #expect(piped.status == 0 && piped.stdout.split(separator: "\n").count == 11)
            let archive = try await Blectl.shell("cat '\(path("b.zip"))' | \"$BLECTL\" trace -")
            #expect(archive.status == 65 && archive.stderr.contains("from a pipe"), "\(archive.stderr)")
        }
    }

    @Test(.enabled("gzip and Python are not installed") { try await has("gzip", "python3") })
    func `bombs end with status 65 and a bounded memory`() async throws {
        try await TemporaryFolder.use { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path }
            // Records of zeros: a capture as far as it goes.
            let record = "b'\\\\0\\\\2\\\\0\\\\0' * 2 + bytes(16 + 131072)"
            let make =
                "open('\(path("run.log"))', 'wb').write(b'btsnoop\\\\0' + bytes([0, 0, 0, 1, 0, 0, 3, 234]) + (\(record)) * 400)"
            _ = try await shell("python3 -c \"\(make)\"; gzip -9 -k \(path("run.log"))")
            let zip =
                "zipfile.ZipFile('\(path("b.zip"))', 'w', zipfile.ZIP_DEFLATED).write('\(path("run.log"))', 'btsnoop.log')"
            _ = try await shell("python3 -c \"import zipfile; \(zip)\"")
            for name in ["run.log.gz", "b.zip"] {
                let run = try await Blectl.run(["trace", path(name)])
                #expect(run.status == 65 && run.stderr.contains("more than 200 octets come of one"), "\(run.stderr)")
            }
        }
    }

    @Test(.enabled("editcap is not installed") { try await has("editcap") }, arguments: ["pcapng", "pcap", "nsecpcap"])
    func `what editcap makes of a capture has the same packets`(_ format: String) async throws {
        try await TemporaryFolder.use { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path }
            let run = try await Blectl.simulate("inspect 'Pulse HR' --values --capture \(path("run.btsnoop"))")
            #expect(run.status == 0, "\(run.stderr)")
            let expected = try await trace(path("run.btsnoop"))
            _ = try await shell("editcap -F \(format) \(path("run.btsnoop")) \(path("other"))")
            #expect(try await trace(path("other")) == expected && expected.count > 20)
        }
    }

    @Test(.enabled("tshark is not installed") { try await has("tshark") }, arguments: ["pcapng", "pcap"])
    func `Wireshark reads what --capture writes`(_ suffix: String) async throws {
        try await TemporaryFolder.use { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path }
            let line = "read battery-level -d 'Pulse HR'"
            for name in ["run.\(suffix)", "run.btsnoop"] {
                let run = try await Blectl.simulate("\(line) --capture \(path(name))")
                #expect(run.status == 0, "\(run.stderr)")
            }
            let packets = try await trace(path("run.btsnoop"))
            let own = try await trace(path("run.\(suffix)"))
            // pcapng tells the adapter.
            #expect(own.map { $0.replacingOccurrences(of: " hci0", with: "") } == packets.map(String.init))
            let fields = "-e frame.encap_type -e hci_h4.direction -e frame.interface_name"
            let frames = try await shell("tshark -r \(path("run.\(suffix)")) -T fields \(fields)").split(
                separator: "\n"
            )
            #expect(frames.count == packets.count)
            #expect(frames.allSatisfy { $0.hasPrefix("99\t") }, "\(frames.prefix(2))")
            #expect(frames.contains { $0.contains("0x00") } && frames.contains { $0.contains("0x01") })
            let malformed = try await shell("tshark -r \(path("run.\(suffix)")) -Y _ws.malformed")
            #expect(malformed.isEmpty)
            if suffix == "pcapng" {
                #expect(frames.allSatisfy { $0.hasSuffix("\thci0") })
                let comment = try await shell("capinfos \(path("run.pcapng"))")
                #expect(
                    comment.contains("blectl") && comment.contains("read battery-level -d 'Pulse HR'"),
                    "\(comment)"
                )
            }
        }
    }

    @Test func `several captures in the order of time, and files of other kinds`() async throws {
        try await TemporaryFolder.use { folder in
            func path(_ name: String) -> String { folder.appending(path: name).path }
            for name in ["a", "b"] { try Data(CaptureSample.phone).write(to: URL(filePath: path(name))) }
            let run = try await Blectl.run(["trace", path("a"), path("b")])
            #expect(run.status == 0)
            let lines = run.stdout.split(separator: "\n")
            #expect(lines.count == 22 && lines.map { $0.prefix(27) } == lines.map { $0.prefix(27) }.sorted())
            #expect(lines[0].contains(path("a")) && lines[1].contains(path("b")))
            // Each answer belongs to the request of its own capture.
            #expect(lines.count { $0.hasSuffix("+4.000 ms") } == 2)
            try Data("BZh91AY&SY".utf8).write(to: URL(filePath: path("run.bz2")))
            let other = try await Blectl.run(["trace", path("run.bz2")])
            #expect(
                other.status == 65
                    && other.stderr == """
                        blectl: \(path("run.bz2")) is compressed with bzip2
                        hint: unpack it: bzip2 -dc \(path("run.bz2")) > capture

                        """
            )
        }
    }
}
