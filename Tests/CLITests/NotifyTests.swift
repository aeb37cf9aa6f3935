// SPDX-License-Identifier: GPL-2.0-or-later

import Foundation
import TestProcesses
import Testing

@Suite("Notify: several targets", .startsPrograms())
struct NotifyTests {
    @Test func `one failed target of several does not stop the others`() async throws {
        let run = try await Blectl.simulate(
            "notify temperature heart-rate-measurement body-sensor-location -d 'Pulse HR' --count 3 --json"
        )
        // A missing characteristic determines the status (68), before one that cannot notify (76).
        #expect(run.status == 68, "\(run.stderr)")
        let records = try run.records()
        let errors = records.filter { $0["type"] == .string("error") }
        #expect(errors.map { $0["target"] } == [.string("temperature"), .string("body-sensor-location")])
        #expect(errors.map { $0["status"] } == [.integer(68), .integer(76)])
        let values = records.filter { $0["type"] == .string("notification") }
        #expect(values.count == 3 && records.count == 5)
        #expect(values.allSatisfy { $0["target"] == .string("heart-rate-measurement") })
        #expect(run.stderr.contains("cannot subscribe to temperature of Pulse HR (\(World.strap)): the device has no"))
        let reason = "it neither notifies nor indicates, only: read"
        #expect(run.stderr.contains("cannot subscribe to body-sensor-location of Pulse HR (\(World.strap)): \(reason)"))
    }

    @Test func `if all fail there is nothing to listen to`() async throws {
        let run = try await Blectl.simulate("notify body-sensor-location temperature -d 'Pulse HR' --json")
        #expect(run.status == 76, "\(run.stderr)")
        #expect(try run.records().count == 2)
    }

    @Test func `a failure of the only target ends the command`() async throws {
        let run = try await Blectl.simulate("notify temperature -d 'Pulse HR' --json")
        #expect(run.status == 68, "\(run.stderr)")
        #expect(try run.records().map { $0["type"] } == [.string("error")])
    }
}
