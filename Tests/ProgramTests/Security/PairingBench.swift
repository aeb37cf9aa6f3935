// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Commands
import SimulatedRadio
import Testing

@testable import Records
@testable import Scripting
@testable import Terminal
@testable import Toolkit

/// A command among the devices of the world `security`, in virtual time.
struct PairingBench: Sendable {
    /// The devices by their names in the world.
    enum Partner: UInt64 {
        case justWorks = 0xC5EC_0000_0001
        case passkeyShown = 0xC5EC_0000_0002
        case compare = 0xC5EC_0000_0004

        var address: DeviceAddress { DeviceAddress(BluetoothAddress(rawValue: rawValue), .random) }
    }

    var context: CommandContext
    let radio: any Radio
    let bonds: MemoryBonds
    let messages: MessageSink
    /// The records on standard output.
    let records: StepRecords

    /// Runs a test.
    ///
    /// - Parameters:
    ///   - traits: The conditions of the adapter.
    ///   - answers: What the person at the terminal types; `nil` if there is none.
    ///   - isJSON: Whether the results are records.
    static func run(
        _ traits: Set<AdapterTrait> = [],
        typing answers: String? = nil,
        isJSON: Bool = false,
        _ body: @escaping @Sendable (PairingBench) async throws -> Void
    ) throws {
        let time = VirtualTime()
        try time.run { () async throws -> Void in
            try await withTaskScope { scope in
                let devices = try DeviceFiles.world(["security"]).devices.map { try SimulatedDevice($0) }
                let world = SimulatedWorld(adapter: traits, devices: devices)
                let system = SimulatedRadioSystem(world, time: time, scope: scope)
                try await body(PairingBench(system, time, scope, answers, isJSON))
            }
        }
    }

    private init(
        _ system: SimulatedRadioSystem,
        _ time: VirtualTime,
        _ scope: TaskScope,
        _ answers: String?,
        _ isJSON: Bool
    ) throws {
        let (messages, records, bonds) = (MessageSink(), StepRecords(), MemoryBonds())
        var options = GlobalOptions()
        options.radio = .simulation(.virtual)
        context = CommandContext(
            commands: .all,
            options: options,
            system: system,
            time: time,
            scope: scope,
            output: isJSON ? Output { records.add($0) } : Output(MessageSink(), isJSON: false, style: .plain),
            diagnostics: Diagnostics(messages, style: .plain, isQuiet: false, verbosity: 0),
            stores: DataStores(bonds: bonds)
        )
        if let answers {
            var pairing = context.pairing
            pairing.person = PromptedPerson(TerminalKeyboard(ByteSource(Array(answers.utf8)), context.diagnostics))
            context = context.with(pairing: pairing)
        }
        radio = try system.radio(named: nil)
        (self.messages, self.records, self.bonds) = (messages, records, bonds)
    }

    /// A bond with a device, which no pairing has made.
    func bond(with partner: Partner, _ kind: LongTermKey.Kind) -> Bond {
        let key = LongTermKey(
            device: ManagementAddress(partner.address),
            kind: kind,
            isCentral: false,
            encryptionSize: 16,
            diversifier: 0,
            randomNumber: 0,
            value: SecurityKey(7)
        )
        return Bond(
            adapter: radio.adapter.address,
            device: partner.address,
            longTermKeys: [key],
            since: context.time.wallClock
        )
    }

    /// Runs `body` with the only link to a device, which nothing has been sent on.
    func connected<Value: Sendable>(
        to partner: Partner,
        _ body: (DeviceReference, ATTConnection) async throws -> Value
    ) async throws -> Value {
        var options = DeviceOptions()
        options.selector = .address(partner.address.address, partner.address.type)
        // The link itself is not to be protected before the test begins.
        let stranger = context.with(stores: DataStores(state: context.stores.state))
        return try await stranger.ownConnection(for: options).withDevice { device in
            try await body(device.reference, try await device.peripheral.connection())
        }
    }

    /// The keys of bonds, as a command gives them to the kernel.
    var kernel: KernelBonds {
        KernelBonds(
            store: bonds,
            system: context.system,
            scope: context.scope,
            time: context.time,
            notes: context.diagnostics
        )
    }

    /// What the guard of a new link to a device decides.
    ///
    /// - Parameter radio: Another radio than that of the machine.
    func verdict(
        _ partner: Partner,
        to level: SecurityLevel,
        through radio: (any Radio)? = nil
    ) async throws -> LinkVerdict {
        let kernel = kernel
        await kernel.load(for: self.radio.adapter)
        return try await connected(to: partner) { device, link in
            try await DeviceLinkGuard(device: device, radio: radio ?? self.radio, kernel: kernel, context: context)
                .mayRaise(link, to: level, within: .seconds(4))
        }
    }

    /// The error with which the guard of a new link to a device refuses.
    func refusal(_ partner: Partner, to level: SecurityLevel) async throws -> BlectlError {
        try #require(await #expect(throws: BlectlError.self) { _ = try await verdict(partner, to: level) })
    }
}
