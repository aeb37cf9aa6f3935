// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Terminal
@testable import Toolkit

@Suite("Completion in the shell")
struct ShellCompletionTests {
    private let completion: ShellCompletion = {
        var database = DiscoveredDatabase()
        let service = GATTService(uuid: 0x180F, range: HandleRange(1, 9), isPrimary: true)
        database.learn(.services([service]), from: .services(isPrimary: true, .all))
        let level = GATTCharacteristic(declaration: 2, valueHandle: 3, properties: .read, uuid: 0x2A19, end: 4)
        let status = GATTCharacteristic(declaration: 5, valueHandle: 6, properties: .read, uuid: 0x2BED, end: 9)
        database.learn(.characteristics([level, status]), from: .characteristics(.all))
        return ShellCompletion(
            table: CommandSet.all.table,
            devices: ["Pulse HR", "Thermo 1", "Thermo 2", "C0:00:00:00:00:11"],
            jobs: [1, 12],
            database: database,
            files: { begun in ["/tmp/a file", "/tmp/folder/", "/tmp/steps.blectl"].filter { $0.hasPrefix(begun) } }
        )
    }()

    private func effect(_ text: String) -> CompletionEffect { completion.effect(behind: text) }

    @Test(arguments: [
        ("rea", "read "), ("insp", "inspect "), ("dev", "device"), ("disc", "disconnect "), ("hel", "help "),
    ])
    func `commands, of blectl and of the shell`(_ begun: String, _ whole: String) {
        #expect(effect(begun) == .replace(count: begun.count, with: whole))
        #expect(effect("blectl \(begun)") == .replace(count: begun.count, with: whole))
    }

    @Test func `the shell itself is not offered in it`() {
        #expect(effect("shel") == .nothing)
        #expect(effect("help shel") == .nothing)
        #expect(effect("completi") == .nothing)
    }

    @Test func `attributes of the connected device only`() {
        #expect(effect("read battery-l") == .replace(count: 9, with: "battery-level"))
        #expect(effect("read ") == .replace(count: 0, with: "battery-level"), "what all of them have in common")
        #expect(effect("read battery-level") == .list(["battery-level", "battery-level-status"]))
        #expect(effect("read heart") == .nothing)
        #expect(
            effect("read battery-level battery/battery-level-")
                == .replace(count: 22, with: "battery/battery-level-status ")
        )
        #expect(effect("write battery-level-s") == .replace(count: 15, with: "battery-level-status "))
        #expect(effect("write battery-level-status 0") == .nothing, "a value is no target")
    }

    @Test func `options of the command, and their values`() {
        #expect(effect("scan --dur") == .replace(count: 5, with: "--duration "))
        #expect(effect("scan --phy co") == .replace(count: 2, with: "coded "))
        #expect(effect("scan --phy=co") == .replace(count: 8, with: "--phy=coded "))
        #expect(effect("write --dur") == .nothing, "of this command only")
        #expect(effect("read --simul") == .nothing, "that is for the shell as a whole")
        #expect(effect("notify --reconn") == .nothing, "and so is that")
        #expect(effect("read --adapt") == .nothing, "the shell's adapter finds its device")
        #expect(effect("scan --adapt") == .replace(count: 7, with: "--adapter "))
        #expect(effect("read --service heart-r") == .replace(count: 7, with: "heart-rate "))
    }

    @Test func `devices, quoted as the line needs it`() {
        #expect(effect("read -d Pu") == .replace(count: 2, with: "Pulse\\ HR "))
        #expect(effect("read -d 'pul") == .replace(count: 4, with: "Pulse\\ HR "))
        #expect(effect("connect th") == .replace(count: 2, with: "Thermo\\ "))
        #expect(effect("use Thermo\\ ") == .list(["Thermo 1", "Thermo 2"]))
        #expect(effect("inspect --device c0") == .replace(count: 2, with: "C0:00:00:00:00:11 "))
        #expect(effect("use Pulse\\ HR x") == .nothing, "there is one argument only")
    }

    @Test func `jobs, topics and files`() {
        #expect(effect("stop a") == .replace(count: 1, with: "all "))
        #expect(effect("wait 1") == .list(["1", "12"]))
        #expect(effect("help sca") == .replace(count: 3, with: "scan "))
        #expect(effect("write battery-level @/tmp/a") == .replace(count: 7, with: "@/tmp/a\\ file "))
        #expect(effect("write battery-level @/tmp/s") == .replace(count: 7, with: "@/tmp/steps.blectl "))
        #expect(effect("diff /tmp/s") == .replace(count: 6, with: "/tmp/steps.blectl "))
        #expect(effect("diff /tmp/a") == .replace(count: 6, with: "/tmp/a\\ file "))
        #expect(effect("run /tmp/s") == .replace(count: 6, with: "/tmp/steps.blectl "))
        #expect(effect("run /tmp/f") == .replace(count: 6, with: "/tmp/folder/"))
        #expect(effect("run /tmp/a") == .nothing, "it is no script")
        #expect(effect("write battery-level @/tmp/f") == .replace(count: 7, with: "@/tmp/folder/"))
    }

    @Test func `nothing after an ampersand, in a comment or for an unknown command`() {
        #expect(effect("notify battery-level & re") == .nothing)
        #expect(effect("frobnicate ") == .nothing)
    }

    @Test func `hostile words are listed escaped`() {
        var hostile = completion
        hostile.devices = ["a\u{1B}[2J", "a\nb"]
        #expect(hostile.effect(behind: "use a") == .list(["a\\nb", "a\\u{1B}[2J"]))
    }
}
