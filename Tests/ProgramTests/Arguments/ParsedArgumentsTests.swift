// SPDX-License-Identifier: GPL-2.0-or-later

import BluetoothProfiles
import Testing

@testable import CommandLineInterface
@testable import Commands
@testable import Toolkit

/// Parses a command line that runs a command.
func parse(
    _ arguments: String...,
    environment: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> ParsedArguments {
    guard case .run(let parsed) = try Invocation(arguments, environment: { environment[$0] }) else {
        throw NotACommand(arguments: arguments)
    }
    return parsed
}

/// The command line asks for a text instead of a command.
struct NotACommand: Error {
    let arguments: [String]
}

@Suite("Parsed arguments")
struct ParsedArgumentsTests {
    @Test("the value of an option follows it, or an equals sign, or its letter")
    func forms() throws {
        #expect(try parse("scan", "--count", "5")[ScanCommand.count] == 5)
        #expect(try parse("scan", "--count=5")[ScanCommand.count] == 5)
        #expect(try parse("scan", "-n", "5")[ScanCommand.count] == 5)
        #expect(try parse("scan", "-n5")[ScanCommand.count] == 5)
        #expect(try parse("scan", "-n=5")[ScanCommand.count] == 5)
        #expect(try parse("scan", "--name=a=b")[ScanCommand.name] == ["a=b"])
    }

    @Test("an optional value is in the word of its option, or absent")
    func optionalValues() throws {
        #expect(try parse("scan")[GlobalSpec.simulate] == nil)
        #expect(try parse("scan", "--simulate")[GlobalSpec.simulate] == [])
        #expect(try parse("scan", "--simulate=a", "--simulate", "--simulate=b")[GlobalSpec.simulate] == ["a", "b"])
        #expect(throws: UsageError(.missingValue(of: "--simulate=", next: nil), command: .scan)) {
            try parse("scan", "--simulate=")
        }
        #expect(throws: UsageError(.unexpectedArguments(["a"]), command: .scan)) {
            try parse("scan", "--simulate", "a")
        }
    }

    @Test("letters without a value share a dash, and the last may take a value")
    func clusters() throws {
        let parsed = try parse("scan", "-vvn5", "-v")
        #expect(parsed[GlobalSpec.verbose] == 3)
        #expect(parsed[ScanCommand.count] == 5)
        #expect(try parse("read", "-vd", "Strap", "battery-level")[DeviceSpec.device] == .name("Strap"))
    }

    @Test("options stand before the command, between its arguments, and after them")
    func positions() throws {
        for line in [["-d", "X", "read", "a", "b"], ["read", "a", "-d", "X", "b"], ["read", "a", "b", "-d", "X"]] {
            guard case .run(let parsed) = try Invocation(line) else { throw NotACommand(arguments: line) }
            #expect(parsed.command == .read)
            #expect(parsed[DeviceSpec.device] == .name("X"))
            #expect(parsed[ReadCommand.targets] == ["a", "b"])
        }
        #expect(try parse("--count", "5", "watch", "battery")[WatchCommand.count] == 5)
    }

    @Test("two dashes end the options; a single one is an argument")
    func dashes() throws {
        #expect(try parse("read", "--", "-d", "--json", "--")[ReadCommand.targets] == ["-d", "--json", "--"])
        #expect(try parse("--", "read", "-x")[ReadCommand.targets] == ["-x"])
        #expect(try parse("write", "0xFF01", "-")[WriteCommand.value] == ["-"])
        #expect(try parse("scan", "--name", "-")[ScanCommand.name] == ["-"])
    }

    @Test("a negative number is a value or an argument; another word with a dash needs an equals sign")
    func negativeNumbers() throws {
        #expect(try parse("scan", "--rssi", "-70")[ScanCommand.rssi] == -70)
        #expect(try parse("scan", "--rssi=-70")[ScanCommand.rssi] == -70)
        #expect(try parse("write", "0xFF01", "-5")[WriteCommand.value] == ["-5"])
        #expect(try parse("write", "0xFF01", "-.5")[WriteCommand.value] == ["-.5"])
        #expect(try parse("scan", "--name=-x")[ScanCommand.name] == ["-x"])
        #expect(try parse("scan", "--name=--json")[ScanCommand.name] == ["--json"])
    }

    @Test("the last value wins, unless all are used")
    func repetition() throws {
        let parsed = try parse("scan", "--count", "1", "--name", "a", "--json", "--json", "--count", "2", "--name", "b")
        #expect(parsed[ScanCommand.count] == 2)
        #expect(parsed[ScanCommand.name] == ["a", "b"])
        #expect(parsed[GlobalSpec.json])
        #expect(try parse("read", "x", "--name", "a", "--name", "b")[DeviceSpec.name] == "b")
    }

    @Test("an option that is not given is absent, or has its default")
    func defaults() throws {
        let parsed = try parse("read", "battery-level")
        #expect(parsed[GlobalSpec.json] == false)
        #expect(parsed[GlobalSpec.verbose] == 0)
        #expect(parsed[GlobalSpec.timeout] == .seconds(10))
        #expect(parsed[GlobalSpec.deadline] == nil)
        #expect(parsed[GlobalSpec.color] == .automatic)
        #expect(parsed[GlobalSpec.simulateSeed] == 1)
        #expect(parsed[DeviceSpec.device] == nil)
        #expect(parsed[DeviceSpec.service] == [])
        #expect(parsed[DeviceSpec.retries] == 2)
        #expect(parsed[ReadCommand.format] == nil)
        #expect(parsed.isGiven(GlobalSpec.timeout) == false)
        #expect(try parse("inspect")[DeviceSpec.operand] == nil)
    }

    @Test("values are read as their types")
    func types() throws {
        #expect(try parse("scan", "--duration", "1.5m")[ScanCommand.duration] == .seconds(90))
        #expect(try parse("scan", "--phy", "1m")[ScanCommand.phy] == .oneM)
        #expect(try parse("scan", "--color=never")[GlobalSpec.color] == .never)
        #expect(try parse("scan", "--simulate-seed", "18446744073709551615")[GlobalSpec.simulateSeed] == .max)
        #expect(try parse("inspect", "--address-type", "public")[DeviceSpec.addressType] == .public)
        #expect(try parse("read", "x", "--as", "u16be")[ReadCommand.format] == ValueFormat("u16be"))
        #expect(try parse("watch", "heart-rate")[WatchCommand.profiles].map(\.text) == ["heart-rate"])
        #expect(try parse("watch", "Heart Rate")[WatchCommand.profiles].map(\.text) == ["Heart Rate"])
    }

    @Test("every argument finds its place")
    func arguments() throws {
        let parsed = try parse("write", "0xFF01", "u16:500")
        #expect(parsed[WriteCommand.target] == "0xFF01")
        #expect(parsed[WriteCommand.value] == ["u16:500"])
        #expect(try parse("inspect", "Strap")[DeviceSpec.operand] == .name("Strap"))
    }

    @Test("the environment stands in for an option that is not given")
    func environment() throws {
        let environment = ["BLECTL_DEVICE": "Strap"]
        let parsed = try parse("read", "x", environment: environment)
        #expect(parsed[DeviceSpec.device] == .name("Strap"))
        #expect(parsed.isGiven(DeviceSpec.device))
        #expect(try parse("read", "x", "-d", "Other", environment: environment)[DeviceSpec.device] == .name("Other"))
        #expect(try parse("read", "x", environment: ["BLECTL_DEVICE": ""])[DeviceSpec.device] == nil)
    }

    @Test("the environment yields to everything that excludes the option")
    func environmentYields() throws {
        let environment = ["BLECTL_DEVICE": "Strap"]
        #expect(try parse("read", "x", "--name", "Other", environment: environment)[DeviceSpec.device] == nil)
        #expect(try parse("read", "x", "--service", "battery", environment: environment)[DeviceSpec.device] == nil)
        let parsed = try parse("inspect", "Other", environment: environment)
        #expect(parsed[DeviceSpec.device] == nil)
        #expect(parsed[DeviceSpec.operand] == .name("Other"))
    }

    @Test("a command can refuse a text in the words of the parser")
    func refusal() throws {
        let parsed = try parse("scan", "--manufacturer", "nobody")
        let error = parsed.invalid(ScanCommand.manufacturer, "nobody", "expected a company")
        #expect(
            error.text == """
                blectl: invalid value 'nobody' for '--manufacturer ID|NAME': \
                expected a company
                hint: see 'blectl scan --help'

                """
        )
        let other = try parse("read", "x").invalid(ReadCommand.targets, "x", "expected a UUID or an assigned name")
        #expect(other.message == "invalid value 'x' for TARGET: expected a UUID or an assigned name")
    }

    #if DEBUG
        @Test("a command that asks for an option outside its table is caught")
        func foreignOption() async {
            await #expect(processExitsWith: .failure) {
                _ = try parse("adapters")[ScanCommand.duration]
            }
        }
    #endif

    @Test("a command that asks for an argument outside its table is caught")
    func foreignArgument() async {
        await #expect(processExitsWith: .failure) {
            _ = try parse("adapters")[WriteCommand.target]
        }
    }
}
