// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

@Suite("Traces", .startsPrograms())
struct TraceTests {
    @Test func `reading by UUID takes one request and one response, as gatttool does it`() async throws {
        let run = try await Blectl.simulate("read battery-level -d \(World.strap) --address-type random -v")
        #expect(run.stdout == "87 %\n")
        #expect(
            Trace(run.stderr).pdus == [
                Trace.PDU(isSent: true, name: "Read By Type Request", rest: "0x0001…0xFFFF 0x2A19"),
                Trace.PDU(isSent: false, name: "Read By Type Response", rest: "0x0018 57"),
            ]
        )
        #expect(run.stderr.split(separator: "\n").count == 2, "one line each, and nothing else")
    }

    @Test func `a device of known type is connected to without a scan`() async throws {
        let known = try await Blectl.simulate("read battery-level -d \(World.strap) --address-type random -vv")
        #expect(Trace(known.stderr).scanSwitches.isEmpty)
        let unknown = try await Blectl.simulate("read battery-level -d \(World.strap) -vv")
        #expect(Trace(unknown.stderr).scanSwitches == ["on", "off"])
        #expect(unknown.stdout == known.stdout)
    }

    @Test func `a named service costs one request more`() async throws {
        let run = try await Blectl.simulate("read battery/battery-level -d \(World.strap) -v")
        #expect(run.stdout == "87 %\n")
        let sent = Trace(run.stderr).sent
        #expect(sent.map(\.name) == ["Find By Type Value Request", "Read By Type Request"])
        #expect(sent.first?.rest == "0x0001…0xFFFF 0x2800 0f18")
    }

    @Test func `a handle takes one request, and no discovery`() async throws {
        let run = try await Blectl.simulate("read handle:0x0018 -d \(World.strap) -v")
        #expect(Trace(run.stderr).sent == [Trace.PDU(isSent: true, name: "Read Request", rest: "0x0018")])
    }

    @Test func `known facts about the connection are not requested again`() async throws {
        let run = try await Blectl.simulate("read \(Workbench.long) \(Workbench.long) -d Workbench --as raw -v")
        #expect(run.stdoutBytes.count == 1_024)
        #expect(Trace(run.stderr).sent.filter { $0.name == "Exchange MTU Request" }.count == 1)
    }

    @Test func `each PDU is one line with a time, a direction, the device and its meaning`() async throws {
        let run = try await Blectl.simulate("inspect -d Workbench --values -v")
        // One attribute never answers, which is reported at the end.
        let lines = run.stderr.split(separator: "\n").filter { !$0.hasPrefix("blectl: ") && !$0.hasPrefix("hint: ") }
        #expect(lines.count > 50)
        for line in lines {
            let isTrace = line.wholeMatch(of: /\S+Z \s*\d+\.\d{6} [<>] att D3:6F:10:2C:84:B7 [A-Z].+/) != nil
            #expect(isTrace, "\(line)")
        }
        let trace = Trace(run.stderr)
        #expect(!trace.pdus.contains { $0.name == "?" })
        #expect(!run.stderr.contains("malformed"))
    }

    @Test func `a packet and the value in it have the same time of day`() async throws {
        let run = try await Blectl.simulate("notify heart-rate-measurement -d \(World.strap) --count 1 -v")
        let value = try #require(run.stdout.split(separator: " ").first)
        let packet = try #require(run.stderr.split(separator: "\n").last { $0.contains("Handle Value Notification") })
        #expect(packet.hasPrefix("\(value)  "), "\(packet)")
    }

    @Test func `HCI is shown with the second -v only`() async throws {
        let once = try await Blectl.simulate("scan --count 1 -v")
        let twice = try await Blectl.simulate("scan --count 1 -vv")
        #expect(Trace(once.stderr).packets.isEmpty)
        let packets = Trace(twice.stderr).packets
        #expect(packets.contains { $0.hasPrefix("> LE Set Extended Scan Enable: on") })
        #expect(packets.contains { $0.hasPrefix("< LE Extended Advertising Report: ") })
        #expect(!twice.stderr.contains("malformed"))
        #expect(once.stdout == twice.stdout)
    }

    @Test func `a trace does not change results`() async throws {
        for line in ["watch heart-rate --count 5 --json", "inspect 'Thermo 1' --values"] {
            let plain = try await TypedCommand(line).run()
            let traced = try await TypedCommand("\(line) -vv").run()
            #expect(plain.stdoutBytes == traced.stdoutBytes)
        }
    }
}
