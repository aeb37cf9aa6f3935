// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@Suite("Adapters in every state", .startsPrograms())
struct AdapterTests {
    private static let strap = World.strap
    private static let read = "read battery-level -d '\(strap)' --address-type random"

    struct Case: Sendable, CustomStringConvertible {
        let states: [String]
        let line: String
        let status: Int32
        /// Texts that standard error must contain.
        let says: [String]

        init(_ states: String..., line: String = AdapterTests.read, status: Int32, says: String...) {
            self.states = states
            self.line = line
            self.status = status
            self.says = says
        }

        var description: String { "\(states) \(line)" }

        var typed: String { states.map { "--simulate-adapter \($0) " }.joined() + line }
    }

    private static let cases: [Case] = [
        Case("le-off", status: 0, says: "blectl: Low Energy was off on hci0, and is switched on now\n"),
        Case("le-off", line: "scan --duration 1", status: 0),
        Case(
            "le-off",
            "unauthorized",
            status: 77,
            says: "Low Energy is off on hci0, and switching it on needs CAP_NET_ADMIN\n",
            "hint: sudo blectl adapter le on\n"
        ),
        Case("le-off", "unauthorized", line: "scan --duration 1", status: 77, says: "CAP_NET_RAW", "setcap"),
        Case(
            "le-off",
            "unauthorized",
            line: "serve pulse-strap --duration 1",
            status: 77,
            says: "hint: sudo blectl adapter le on\n"
        ),
        Case("le-off", line: "advertise --local-name A --duration 1", status: 0, says: "is switched on now"),
        Case("unauthorized", line: "advertise --local-name A --duration 1", status: 77, says: "CAP_NET_RAW", "setcap"),
        Case(
            "off",
            line: "advertise --local-name A --duration 1",
            status: 69,
            says: "hint: sudo blectl adapter power on\n"
        ),
        Case("le-off", line: "serve pulse-strap --duration 1", status: 0, says: "is switched on now"),
        Case("unauthorized", status: 0),
        Case("off", status: 69, says: "the adapter hci0 is down\n", "hint: sudo blectl adapter power on\n"),
        Case(
            "off",
            line: "\(read) --wait-adapter 3",
            status: 69,
            says: "waiting for an adapter: the adapter hci0 is down"
        ),
        Case("blocked", status: 69, says: "hint: sudo rfkill unblock bluetooth\n"),
        Case("gone", status: 69, says: "there is no Bluetooth adapter\n"),
        Case("gone", line: "scan --wait-adapter 20 --deadline 3", status: 124),
        Case("coming", status: 0, says: "waiting for an adapter: the adapter hci0 is starting"),
        Case("coming", line: "scan --duration 1", status: 0, says: "waiting for an adapter"),
        Case("returning", line: "scan --duration 4", status: 69, says: "unplugged"),
        Case(
            "off",
            line: "adapter power on",
            status: 0
        ),
        Case(
            "off",
            "unauthorized",
            line: "adapter power on",
            status: 77,
            says: "CAP_NET_ADMIN",
            "hint: sudo blectl adapter power on\n"
        ),
        Case("blocked", line: "adapter power on", status: 69, says: "hint: sudo rfkill unblock bluetooth\n"),
        Case("full", status: 0, says: "waiting for \(strap): the controller has no room for another connection\n"),
        Case(
            "full",
            line: "\(read) --no-wait",
            status: 75,
            says: "the controller has no room for another connection\n",
            "hint: end a program that is connected"
        ),
        Case("full", line: "\(read) --retries 0", status: 0),
        Case("full", line: "\(read) --connect-timeout 1", status: 75),
        Case(
            "held",
            status: 0,
            says: "waiting for \(strap): another program of this machine is connected to the device\n"
        ),
        Case(
            "held",
            line: "\(read) --no-wait",
            status: 75,
            says: "another program of this machine is connected to the device\n",
            "hint: end that program"
        ),
        Case("held", line: "\(read) --deadline 2", status: 124),
        // The device would answer: it is the controller that does not look for it.
        Case(
            "legacy-commands",
            line: "\(read) --connect-timeout 1",
            status: 124,
            says: "the controller refused to connect: command disallowed (0x0C)\n",
            "hint: sudo blectl adapter reset\n"
        ),
        Case(
            line: "adapter le off",
            status: 76,
            says: "without Basic Rate an adapter has nothing but Low Energy\n",
            "hint: sudo blectl adapter power off\n"
        ),
        Case(line: "adapter reset", status: 0),
        Case(line: "adapter power", status: 64, says: "hint: blectl adapter power on|off\n"),
        Case(line: "adapter show on", status: 64),
        Case(line: "adapter show --adapter hci7", status: 69, says: "hci7"),
        Case("gone", line: "adapter show", status: 69, says: "there is no Bluetooth adapter"),
    ]

    @Test(arguments: cases)
    func `each state has its exit status and a remedy`(_ row: Case) async throws {
        let run = try await Blectl.simulate(row.typed)
        #expect(run.status == row.status, "\(run.stderr)")
        for text in row.says { #expect(run.stderr.contains(text), "\(run.stderr)") }
    }

    @Test(arguments: ["full", "held"])
    func `another program is waited for and reported once, without using a retry`(_ state: String) async throws {
        let run = try await Blectl.simulate("--simulate-adapter \(state) \(Self.read) --retries 0 --json")
        #expect(run.status == 0, "\(run.stderr)")
        #expect(try run.records().map { $0["value"] } == [.string("57")])
        #expect(run.stderr.split(separator: "\n").count == 1, "\(run.stderr)")
    }

    @Test func `notify continues after the adapter was pulled out and plugged in`() async throws {
        let run = try await Blectl.simulate(
            "--simulate-adapter returning notify heart-rate-measurement -d 'Pulse HR' --reconnect --count 8 --json"
        )
        #expect(run.status == 0, "\(run.stderr)")
        let types = try run.records().compactMap { $0["type"]?.string }
        #expect(types.contains("link-lost") && types.contains("link-restored"), "\(types)")
        #expect(types.filter { $0 == "notification" }.count == 8)
    }

    @Test func `the record shows the state of the adapter`() async throws {
        func adapter(_ line: String) async throws -> [String: JSON] {
            let run = try await Blectl.simulate(line)
            #expect(run.status == 0, "\(run.stderr)")
            return try #require(run.records().first)
        }
        let modern = try await adapter("adapters --json")
        #expect(modern["low_energy"] == .bool(true) && modern["basic_rate"] == .bool(false))
        #expect(modern["hci_version"] == .string("5.4") && modern["powered"] == .bool(true))
        let off = try await adapter("--simulate-adapter le-off adapter show --json")
        #expect(off["low_energy"] == .bool(false) && off["basic_rate"] == .bool(true))
        #expect(off["reason"] == .string("Low Energy is off: sudo blectl adapter le on"))
        let on = try await adapter("--simulate-adapter le-off adapter le on --json")
        #expect(on["low_energy"] == .bool(true) && on["reason"] == .null)
        let down = try await adapter("--simulate-adapter off adapters --json")
        #expect(down["state"] == .string("down") && down["usable"] == .bool(false))
        let powered = try await adapter("--simulate-adapter off adapter power on --json")
        #expect(powered["state"] == .string("up") && powered["type"] == .string("adapter"))
        let blocked = try await adapter("--simulate-adapter blocked adapters --json")
        #expect(blocked["blocked"] == .string("software"))
    }

    @Test func `management packets are traced with -vv, in both directions`() async throws {
        let run = try await Blectl.simulate("--simulate-adapter le-off \(Self.read) -vv")
        #expect(run.stderr.contains("> mgmt hci0 Read Controller Information\n"))
        #expect(run.stderr.contains("> mgmt hci0 Set Low Energy: on\n"))
        #expect(run.stderr.contains("< mgmt hci0 Command Complete: Set Low Energy: powered bondable br/edr le\n"))
        let quiet = try await Blectl.simulate("\(Self.read) -vv")
        #expect(!quiet.stderr.contains("mgmt"), "an adapter with Low Energy only is not asked")
    }
}
