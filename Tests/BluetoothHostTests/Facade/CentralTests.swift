// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import SimulatedRadio
import Testing

@Suite("A central for a block")
struct CentralTests {
    @Test("a few lines find a device, connect to it and read from it")
    func battery() throws {
        try FacadeBench.run { bench in
            let (percent, manufacturer) = try await withCentral(on: bench.system) { central in
                let found = try await central.find { $0.services.contains(HeartRateService.uuid) && $0.isConnectable }
                return try await central.withPeripheral(found.address) { strap in
                    (try await strap.read(.batteryLevel).percent, try await strap.read(.manufacturerName))
                }
            }
            #expect(percent == 87)
            #expect(manufacturer == "blectl simulation")
        }
    }

    @Test("a name from the scan response stays known for the reports that follow")
    func merged() throws {
        try FacadeBench.run { bench in
            let found = try await withCentral(on: bench.system) { central in
                try await central.find { $0.name == "Pulse HR" && $0.services.contains(0x180D) }
            }
            #expect(found.address == (try await bench.address()))
            #expect(found.rssi != nil)
            #expect(found.droppedCount == 0)
        }
    }

    @Test("a scan ends at its duration")
    func duration() throws {
        try FacadeBench.run { bench in
            let count = try await withCentral(on: bench.system) { central in
                let start = bench.time.now
                var count = 0
                for try await _ in central.scan(for: .seconds(2)) { count += 1 }
                let duration = bench.time.now - start
                #expect(duration >= .seconds(2) && duration < .milliseconds(2_100))
                return count
            }
            #expect(count > 50)
        }
    }

    @Test("a scan ends when its loop is left, before the central ends")
    func leftLoop() throws {
        try FacadeBench.run { bench in
            try await withCentral(on: bench.system) { central in
                for try await _ in central.scan() { break }
                try await bench.time.sleep(for: .milliseconds(10))
                #expect(!bench.system.isScanning)
            }
        }
    }

    @Test("the scan is off after a device was found, and while connecting after a loop")
    func offBeforeConnecting() throws {
        try FacadeBench.run { bench in
            let address = try await bench.address()
            let commands = Record<String>()
            let tapped = TappedRadioSystem(bench.system, time: bench.time) { packet in
                if packet.channel == .hci, packet.direction == .sent { commands.add("command") }
            }
            try await withCentral(on: tapped) { central in
                _ = try await central.find { $0.name == FacadeBench.strap }
                #expect(!bench.system.isScanning)
                for try await _ in central.scan() { break }
                let before = commands.all.count
                _ = try await central.connect(to: address)
                // Nothing more is said to the controller: the scan was switched off before.
                #expect(!bench.system.isScanning)
                #expect(commands.all.count == before + 1)
            }
        }
    }

    @Test("a cancelled task ends its scan and its link, and leaves no other task behind")
    func cancelled() throws {
        try FacadeBench.run { bench in
            let address = try await bench.address()
            let app = Running(bench.scope, bench.time) {
                try await withCentral(on: bench.system) { central in
                    try await central.withPeripheral(address) { strap in
                        for try await _ in central.scan() {}
                    }
                }
            }
            try await bench.time.sleep(for: .seconds(5))
            #expect(bench.system.isScanning)
            #expect(bench.system.linkCount == 1)
            app.cancel()
            try await bench.time.sleep(for: .seconds(3))
            #expect(app.outcome?.text == "cannot scan: the task was cancelled")
        }
    }

    @Test("a missing device ends the search, and the message has the limit")
    func notFound() throws {
        try FacadeBench.run { bench in
            let error = try await #require(throws: BluetoothError.self) {
                try await withCentral(on: bench.system) { central in
                    _ = try await central.find(within: .seconds(4)) { $0.name == "Nobody" }
                }
            }
            #expect("\(error)" == "cannot find the device: timed out after 4 s")
        }
    }

    @Test("without an adapter the error has the words of the tool")
    func noAdapter() throws {
        try FacadeBench.run([.gone]) { bench in
            let error = try await #require(throws: BluetoothError.self) {
                try await withCentral(on: bench.system) { _ in }
            }
            #expect("\(error)" == "cannot use Bluetooth: there is no Bluetooth adapter")
            #expect((error.cause as? RadioError)?.cause == .noAdapter)
        }
    }

    @Test("the error for a device that does not answer has its address")
    func silent() throws {
        try FacadeBench.run { bench in
            let address = try await bench.address()
            try bench.control.setSignal(FacadeBench.strap, .outOfRange)
            let error = try await #require(throws: BluetoothError.self) {
                try await withCentral(on: bench.system) { central in
                    try await central.withPeripheral(address) { _ in }
                }
            }
            #expect("\(error)" == "cannot connect to \(address.address): the device did not answer")
            #expect(error.cause is ConnectFailure)
        }
    }

    @Test("open links end with the central")
    func forgottenLink() throws {
        try FacadeBench.run { bench in
            let address = try await bench.address()
            try await withCentral(on: bench.system) { central in
                _ = try await central.connect(to: address)
                #expect(bench.system.linkCount == 1)
            }
        }
    }

    @Test("work in a lasting scope survives its caller's cancellation, and ends with the block")
    func lastingScope() throws {
        try inVirtualTime { time, scope in
            let events = Record<String>()
            let app = Running(scope, time) {
                try await withLastingTaskScope(time) { lasting in
                    lasting.spawn {
                        do {
                            try await time.sleep(for: .seconds(60))
                            events.add("slept")
                        } catch {
                            events.add("ended at \(time.now.milliseconds)")
                        }
                    }
                    do {
                        try await time.sleep(for: .seconds(60))
                    } catch {
                        let answer = try await lasting.shielded {
                            try await time.sleep(for: .seconds(1))
                            return "cleaned up at \(time.now.milliseconds)"
                        }
                        events.add(answer)
                        throw error
                    }
                }
            }
            try await time.sleep(for: .seconds(2))
            app.cancel()
            try await time.sleep(for: .seconds(5))
            #expect(events.all == ["cleaned up at 3000", "ended at 3000"])
            #expect(app.outcome?.text == "cancelled")
        }
    }
}
