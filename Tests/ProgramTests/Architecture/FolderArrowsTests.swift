// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import Testing

/// Which folder of a module may use the types of which other folder. SwiftPM sees to the modules only.
@Suite("Arrows between folders")
struct FolderArrowsTests {
    /// The folders that each folder may use, by module. A line that nothing uses any more is to be removed.
    private static let allowed: [String: [String: Set<String>]] = [
        "Bluetooth": [
            "Bytes": [],
            "Values": ["Bytes"],
            "ATT": ["Bytes", "Values"],
            "Security": ["Bytes", "Values"],
            "GATT": ["ATT", "Bytes", "Security", "Values"],
            // A report is an event's content, and what it says of PHYs and channels are parameters of commands.
            "HCI": ["Advertising", "Bytes", "Values"],
            // Sensors encrypt what they advertise.
            "Advertising": ["Bytes", "HCI", "Security", "Values"],
            "Link": ["HCI"],
            "Management": ["Bytes"],
            // A channel has the security of attributes.
            "L2CAP": ["Bytes", "GATT", "HCI"],
        ],
        "BluetoothHost": [
            "Time": [],
            "Seam": ["Time"],
            "HCI": ["Seam", "Time"],
            "Multiplexing": ["Seam", "Time"],
            "Scanning": ["HCI", "Seam", "Time"],
            "Management": ["HCI", "Seam", "Time"],
            "Link": ["HCI", "Seam", "Time"],
            // A record is a packet of any kind.
            "Capture": ["Management"],
            // The two roles know nothing of each other.
            "GATT": ["Seam", "Time"],
            "Central": ["GATT", "Link", "Seam", "Time"],
            // The keys of devices seen from here, and of centrals.
            "Bonds": ["Management", "Seam", "Time"],
            // What an adapter's host does for pairings, and for credit-based channels.
            "Security": ["Management", "Seam"],
            "Channels": ["Seam", "Time"],
            // A pairing raises the link of a device seen from here, and that of a served one.
            "Pairing": ["Bonds", "Central", "GATT", "Management", "Seam", "Serving", "Time"],
            "Serving": ["Bonds", "HCI", "Scanning", "Seam", "Time"],
            "Update": ["Central", "GATT", "Seam", "Time"],
            // What an app begins with.
            "Facade": [
                "Central", "GATT", "HCI", "Link", "Management", "Scanning", "Seam", "Serving", "Time", "Update",
            ],
            // What can be asked of a simulated world.
            "World": [],
        ],
        "FirmwareUpdate": [
            // Where a device has the service.
            "Service": [],
            "CBOR": [],
            "MCUboot": [],
            "MCUmgr": ["CBOR"],
            "DFU": ["MCUboot"],
            "Upload": ["MCUboot", "MCUmgr"],
            "Server": ["CBOR", "DFU", "MCUboot", "MCUmgr"],
        ],
        "FirmwareCommands": [
            "Device": [],
            "MCUmgr": ["Device"],
            "Update": ["Device"],
        ],
        "ControllerCommands": ["Places": [], "Radio": []],
        // What is compared may be cloned first.
        "CaptureCommands": ["Clone": [], "Diff": ["Clone"], "Extcap": [], "Trace": []],
        "RadioSharing": [
            "Joint": [],
            "Remote": [],
            // The link that several processes share, and the way of the others to it.
            "Sharing": ["Remote"],
        ],
        "LinuxRadio": [
            "System": [],
            "IO": ["System"],
            "Adapters": ["System"],
            "Channels": ["Adapters", "IO", "System"],
            "Turns": ["Channels", "IO", "System", "Unix"],
            "Unix": ["Channels", "IO", "System"],
            "USB": ["Adapters", "Channels", "IO", "System"],
            "Streams": ["Adapters", "Channels", "IO", "System", "USB", "Unix"],
        ],
        "ControllerRadio": [
            "Transport": [],
            "Setup": [],
            "Links": ["Setup"],
            // A command has an owner, which may be an attempt to connect.
            "Commands": ["Links", "Setup"],
            // A program that pairs has a channel, as one that sends commands.
            "Security": ["Commands", "Links", "Setup"],
            "Machine": ["Commands", "Links", "Security", "Setup"],
            "Radio": ["Commands", "Links", "Machine", "Security", "Setup", "Transport"],
        ],
        "BluetoothDevices": [
            "Random": [],
            // A device as data, with the faults that it shows.
            "Definition": [],
            "Faults": ["Definition", "Random"],
            // The machine runs an image; it knows neither the rules nor the files that an image was made of.
            "Machine": ["Definition", "Faults", "Random"],
            "Hooks": ["Definition", "Machine"],
            "Programs": ["Definition", "Random"],
            "Behavior": ["Definition", "Hooks", "Machine", "Programs", "Random"],
            "Comparison": ["Behavior", "Definition"],
            "File": ["Definition", "Faults", "Programs"],
            "Formats": ["File"],
            // A definition in Swift may have firmware in Swift.
            "Building": ["Definition", "Faults", "File", "Hooks", "Machine"],
            "BuiltIn": ["Definition", "File"],
        ],
    ]

    /// The commands that use types of others: options that both have, and what one lists or writes.
    private static let bridges: [String: Set<String>] = [
        "Adapter": ["Adapters"], "Bench": ["L2CAP"],
        "Completion": ["Advertise", "Help", "Profile", "Serve"],
        "DeviceFile": ["Serve"],
        "Encode": ["Decode"], "Forget": ["Devices"], "Help": ["Completion", "Manual"], "L2CAP": ["Watch"],
        "Notify": ["Read"], "Pair": ["Serve"], "Program": ["Completion", "Help", "Manual"],
        "Scan": ["Advertise"], "Serve": ["Pair"], "Shell": ["Completion", "Program"], "Simulate": ["Adapter"],
    ]

    /// The folders that use each other, by module. What a scan reports is in events, and they have its types.
    private static let cycles: [String: Set<String>] = ["Bluetooth": ["Advertising", "HCI"]]

    /// The types of `Output` that an operation may use: values, and nothing that writes.
    private static let outputOfOperations: Set<String> = ["NoteSink", "OutputFailure"]

    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources").standardized

    /// What the sources of a folder declare at their top level, and all words in their code.
    private struct Folder {
        var declared: Set<String> = []
        var words: Set<String> = []

        init(_ url: URL) throws {
            let files = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                    add(line)
                }
            }
        }

        private mutating func add(_ line: Substring) {
            let words = Self.words(of: line)
            self.words.formUnion(words)
            let keywords: Set<String> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
            guard line.first != " ", let first = words.first, first != "private", first != "fileprivate",
                let index = words.firstIndex(where: keywords.contains), index + 1 < words.count,
                words[..<index].allSatisfy(["public", "package", "final", "indirect"].contains)
            else { return }
            declared.insert(words[index + 1])
        }

        /// The words of a line outside of comments and texts. What is interpolated into a text does not count.
        private static func words(of line: Substring) -> [String] {
            var words: [String] = []
            var word = ""
            var isText = false
            var last: UInt8 = 0
            for octet in line.utf8 {
                defer { last = octet }
                switch octet {
                case UInt8(ascii: "\"") where last != UInt8(ascii: "\\"): isText.toggle()
                case UInt8(ascii: "/") where !isText && last == UInt8(ascii: "/"): return words
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    guard !isText else { continue }
                    word.unicodeScalars.append(Unicode.Scalar(octet))
                    continue
                default: break
                }
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            return word.isEmpty ? words : words + [word]
        }
    }

    private func folders(of module: String) throws -> [String: Folder] {
        let url = Self.sources.appending(path: module)
        var folders: [String: Folder] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: url.path()) where !name.contains(".") {
            folders[name] = try Folder(url.appending(path: name))
        }
        return folders
    }

    @Test("folders use only the allowed folders", arguments: Self.allowed.keys.sorted())
    func arrows(module: String) throws {
        let folders = try folders(of: module)
        let allowed = try #require(Self.allowed[module])
        #expect(Set(folders.keys) == Set(allowed.keys), "each folder of \(module) needs a line here")
        for (name, targets) in allowed {
            let folder = try #require(folders[name], "there is no folder \(module)/\(name)")
            for (other, target) in folders where other != name {
                let used = target.declared.subtracting(folder.declared).intersection(folder.words).sorted()
                if targets.contains(other) {
                    #expect(!used.isEmpty, "\(module)/\(name) does not use \(other) any more")
                } else {
                    #expect(used.isEmpty, "\(module)/\(name) uses \(other): \(used.joined(separator: ", "))")
                }
            }
        }
    }

    @Test("no folders form a cycle, except the known ones", arguments: Self.allowed.keys.sorted())
    func cycles(module: String) throws {
        var arrows = try #require(Self.allowed[module])
        // A folder that uses no other, or that no other uses, is in no cycle.
        while let free = arrows.keys.first(where: { name in
            arrows[name]?.isEmpty == true || !arrows.values.contains { $0.contains(name) }
        }) {
            arrows[free] = nil
            for name in arrows.keys { arrows[name]?.remove(free) }
        }
        #expect(Set(arrows.keys) == Self.cycles[module] ?? [])
    }

    @Test("a command is an island: its folder uses no type of another command's")
    func islands() throws {
        let commands = try folders(of: "Commands")
        for (name, folder) in commands {
            for (other, target) in commands where other != name {
                let used = target.declared.subtracting(folder.declared).intersection(folder.words).sorted()
                #expect(
                    used.isEmpty != (Self.bridges[name]?.contains(other) ?? false),
                    "\(name) uses \(other): \(used)"
                )
            }
        }
    }

    @Test("an operation reports results and writes nothing")
    func operations() throws {
        let operations = try #require(try folders(of: "Toolkit")["Operations"])
        let output = try #require(try folders(of: "Terminal")["Output"])
        let used = output.declared.union(["Output", "StandardStreams"]).intersection(operations.words)
        #expect(used == Self.outputOfOperations)
    }

    @Test("a use is found, and a comment or a text is not one")
    func scanner() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "arrows-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = """
            /// Mentions Commented.
            public final class Declared {
                struct Nested {}
                let text = "Quoted \\" // Quoted" + Used.name // and Trailing
            }
            private struct Hidden {}
            """
        try source.write(to: folder.appending(path: "File.swift"), atomically: true, encoding: .utf8)
        let seen = try Folder(folder)
        #expect(seen.declared == ["Declared"])
        #expect(seen.words.isSuperset(of: ["Declared", "Nested", "Used", "name"]))
        #expect(seen.words.isDisjoint(with: ["Commented", "Quoted", "Trailing"]))
    }
}
