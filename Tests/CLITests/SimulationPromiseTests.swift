// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

/// What a simulation of Bluetooth devices has to do, and the tests that hold each point: what the libraries before blectl
/// could do, and what they got wrong.
@Suite("Requirements of the simulation")
struct SimulationPromiseTests {
    struct Point: CustomTestStringConvertible, Sendable {
        let number: String
        let promise: String
        /// The names of the tests: `NamedTest`.
        let tests: [String]

        init(_ number: String, _ promise: String, _ tests: String...) {
            (self.number, self.promise, self.tests) = (number, promise, tests)
        }

        var testDescription: String { "\(number): \(promise)" }
    }

    /// The adapter and the devices.
    private static let world = [
        Point(
            "W1",
            "simulation is switched on and off for each run, and never by accident",
            "LimitTests/`an option of the simulated world does not run on the real radio`",
            "NoBluetoothTests/`a command that needs a radio ends with 69, one line and a hint`"
        ),
        Point(
            "W2",
            "the adapter can be off, blocked, missing or in trouble, and change while somebody uses it",
            "SimulatedKernelTests/switching",
            "AdapterTests/`each state has its exit status and a remedy`",
            "WorldControlTests/`adapters are powered off and on`",
            "RemoteWorldTests/`other processes see at once that an adapter is switched off`"
        ),
        Point(
            "W3",
            "any number of devices, each with an identity of its own, told apart by name and by address",
            "BuiltInWorldTests/`addresses are what their types say, and no two are the same`",
            "WorldFileTests/`places devices of every origin, with changes`",
            "ScaleTests/`a thousand advertisers are all heard`",
            "DeviceChoiceTests/`a device is found by its name in any case, and by its address in any spelling`"
        ),
        Point(
            "W4",
            "a device is data, and the same on a simulated radio, in a shared world and on a real one",
            "BuiltInDeviceTests/`every device is written as a file, and read back equal`",
            "ThreeLivesTests/`twenty commands have the same records in memory and in a shared world`",
            "ServeFileTests/`its values are read and notified as the file says`"
        ),
        Point(
            "W5",
            "one model of a value decodes it for a client and publishes it for a device",
            "DeviceFileReaderTests/`reads services with values of every form`",
            "DeviceFileWriterTests/`constant values become fields where these have the same octets`"
        ),
        Point(
            "W6",
            "values are static, or made for each read: ramps, waves, walks, steps, replays, counters, clocks",
            "WorkbenchTests/`each read increments the counter`",
            "StreamTests/`a value is sent regularly while somebody is subscribed`",
            "NumberSamplerTests/`a ramp rises evenly, and stays or begins again`",
            "NumberSamplerTests/`a walk takes steps within its limits, from its start`"
        ),
        Point(
            "W7",
            "a device is changed while it runs: a value with its notification, a link, the range, the offer of a connection",
            "WorldControlTests/`a value that is set is read, sent to subscribers, and stays`",
            "WorldControlTests/`a device is disconnected, and connectable off and on`",
            "WorldControlTests/`a device is moved out of range, back, and nearer`",
            "SharedWorldTests/`devices are changed from outside`"
        ),
        Point(
            "W8",
            "what a device does by itself happens on time, whether somebody is connected or not",
            "DeviceTimelineTests/`a device leaves, and comes back`",
            "DeviceTimelineTests/`a device stops accepting connections, and accepts them again`",
            "TimelineTests/`times count from the start, and repeated entries continue`"
        ),
        Point(
            "W9",
            "tests wait for events and never for wall time: an hour passes in a moment, in the same way each time",
            "VirtualTimeTests/`the clock jumps to the next sleeper and stands still otherwise`",
            "DeterminismTests/`two runs with one seed write the same messages`",
            "ScaleTests/`six devices are the same for the same seed`",
            "ScaleTests/`an hour of six devices needs no more memory than ten minutes`"
        ),
        Point(
            "W10",
            "when a run ends, nothing is left: no link, no sleeper, no waiting request",
            "ConnectingTests/`when channels are closed and scans stopped, no task sleeps any more`",
            "ConnectingTests/`the end of the scope closes open channels`",
            "SleeperQueueTests/`timeouts that are always cancelled cost no memory and no time`"
        ),
        Point(
            "W11",
            "a TI SensorTag with its seven services, the calibration of its barometer, periods and keys",
            "SensorTagTests/`a sensor measures while its configuration says so`",
            "SensorTagTests/`the barometer measures after its calibration is requested`",
            "SensorTagTests/`the periods are in units of 10 ms`",
            "SensorTagTests/`its keys are notified when they are pressed`"
        ),
    ]

    /// What can be injected at each step of a connection.
    private static let faults = [
        Point(
            "F1",
            "every step can be late, fail, or stay unanswered: scan, connect, disconnect, both discoveries, signal strength, "
                + "read, write, subscribe, request, update",
            "FaultKindTests/`each effect on an operation has a command that shows it`",
            "FaultTests/outcome"
        ),
        Point(
            "F2",
            "an error replaces the operation: the device is not asked",
            "DeviceFaultTests/`a fault that acts is reported with the request that it refuses, an unused one as well`"
        ),
        Point(
            "F3",
            "what is paused is released together, in order; what ends meanwhile is dropped",
            "FaultMachineTests/`a timed pause ends at one moment for all that it holds, and may begin again`",
            "DeviceFaultTests/`packets that a pause holds are sent in order when released, and later ones at once`",
            "DeviceFaultTests/`packets that a fault holds are dropped with the link`",
            "WorldControlTests/`answers are held back and released, each to its client`"
        ),
        Point(
            "F4",
            "all answers of a device can be slow",
            "ConnectingTests/`slow answers come late, in order`"
        ),
        Point(
            "F5",
            "a device out of range lets a connection wait, which is made when it is back, or cancelled for good",
            "DeviceSignalTests/`a link is lost when the device goes, and an attempt waits for its return`",
            "ConnectingTests/`cancelling ends the wait at once and leaves nothing behind`"
        ),
        Point(
            "F6",
            "a signal strength that is unknown is no number",
            "FaultTests/`advertisements are cut, doubled, and changed in strength`"
        ),
        Point(
            "F7",
            "faults by chance follow the seed",
            "FaultMachineTests/`chance has the stated probability, follows the seed, and ignores other rules`",
            "FaultTests/`the same seed gives the same bytes, and another seed others`"
        ),
    ]

    /// The device's side.
    private static let devices = [
        Point(
            "D1",
            "reads, writes and subscriptions of each characteristic have rules of their own, also where a UUID occurs twice",
            "SportsWatchTests/`it has twelve primary services, and the same characteristic in two of them`",
            "ActionTests/`a write is echoed, and values are sent, set and appended`",
            "HookedFirmwareTests/`places are found by handle, by characteristic, and by service`"
        ),
        Point(
            "D2",
            "a program answers in place of the device, with a value or with an error",
            "ExecTests/`a program provides a value, and its environment describes the request`",
            "ExecTests/`a program gets the value, accepts it with status 0 and refuses it with another one`",
            "HookedFirmwareTests/`a refused question is an ATT error, and a second answer is ignored`"
        ),
        Point(
            "D3",
            "what waits for the radio is done when there is one",
            "AdapterReadinessTests/timeout",
            "AdapterTests/`notify continues after the adapter was pulled out and plugged in`"
        ),
        Point(
            "D4",
            "the end of a link is the end of its subscriptions, and the device is told",
            "FidelityTests/`a value is sent to subscribers, only while they are subscribed and connected`",
            "StreamTests/`a second subscriber does not change the rhythm, and the stream ends with the last one`"
        ),
        Point(
            "D5",
            "every request, connection and disconnection of a served device is told",
            "PeripheralHostTests/`two clients at once have separate MTUs, and are told apart`",
            "ServeTests/`a client reads, writes and inspects everything, and the server counts and cleans up`"
        ),
        Point(
            "D6",
            "descriptors are read and written like values",
            "DeviceChoiceTests/`a descriptor is named by its short name, and one digit after 0x is an octet`",
            "MuseumTests/`every attribute is found and read with the smallest MTU`"
        ),
        Point(
            "D7",
            "included and secondary services are there",
            "MuseumTests/`includes refer to services before and after, and contain only short UUIDs`",
            "WorkbenchTests/`twins, inclusions and secondary services are there`"
        ),
    ]

    /// Where simulations are usually not like the air.
    private static let fidelity = [
        Point(
            "G1",
            "a central knows of a device what it has asked for, and nothing more",
            "FidelityTests/`a central knows only what it has received from the device`"
        ),
        Point(
            "G2",
            "updates go to those who have subscribed, and to nobody else",
            "FidelityTests/`a value is sent to subscribers, only while they are subscribed and connected`"
        ),
        Point(
            "G3",
            "a link carries so much, queues have an end, and what is lost is counted",
            "FidelityTests/`updates wait for the link: each connection event takes as many as it has room for`",
            "ConnectingTests/`a reader that does not keep up loses packets, and learns how many`",
            "ConnectingTests/`writes without response reach the speed of the link, and drained holds the sender back`"
        ),
        Point(
            "G4",
            "there is an MTU, and what is longer is cut, or read and written in parts",
            "FidelityTests/`a value is cut to the MTU, which both ends have to agree on`",
            "ConnectingTests/`the MTU is the smaller of both`",
            "WorkbenchTests/`512 octets are written in parts, and the length follows what was written`"
        ),
        Point(
            "G5",
            "an error of an attribute is one of ATT, with the device's code, and not one of the connection",
            "FidelityTests/`an error of an attribute comes from the device, and the link stays`",
            "WorkbenchTests/`each attribute refuses with its own error`"
        ),
        Point(
            "G6",
            "advertisements have data and scan responses, come again and again, and only while the device advertises",
            "FidelityTests/`an advertisement has the octets that the device states, and so has the scan response`",
            "ScanningTests/`advertisements come an interval and at most 10 ms apart`",
            "DeviceSignalTests/`a device out of range is not heard, and comes back`"
        ),
        Point(
            "G7",
            "properties and permissions are held to",
            "FidelityTests/`access that a characteristic does not permit is refused by the device`",
            "BondTests/`values that need encryption are accessible on an encrypted link`"
        ),
        Point(
            "G8",
            "a database that changes is announced, and found again",
            "FlakyStrapTests/`subscribers get Service Changed after twelve seconds`",
            "ShapeshifterTests/`it takes the requested shape, indicates the change to subscribers, and answers before`",
            "DeviceControlTests/`links are ended, and databases replaced`"
        ),
        Point(
            "G9",
            "connection parameters have the effect that they have on the air",
            "LinkCommandsTests/`other connection parameters change the time of an answer`",
            "LinkCommandsTests/`shorter packets make a long value slower`"
        ),
        Point(
            "G10",
            "a notification that nobody can read is told, and not passed over in silence",
            "FaultTests/`malformed notifications are reported and counted`"
        ),
        Point(
            "G11",
            "one attribute that is missing does not fail the others that are asked for with it",
            "FidelityTests/`an error of an attribute comes from the device, and the link stays`"
        ),
        Point(
            "G12",
            "a device that is taken is busy for others, and says so",
            "ConnectingTests/`a connected device refuses, and can be connected again after the link has ended`",
            "ConnectingTests/`of two clients that connect at the same moment one succeeds, and the other is refused`"
        ),
    ]

    static let points = world + faults + devices + fidelity

    @Test("each point has a test, and its own number")
    func noPointIsOpen() {
        #expect(Self.points.filter(\.tests.isEmpty).map(\.number) == [])
        #expect(Set(Self.points.map(\.number)).count == Self.points.count)
    }

    @Test("each test of the table exists", arguments: points)
    func namedTestsExist(point: Point) throws {
        for test in point.tests { try NamedTest.find(test) }
    }
}
