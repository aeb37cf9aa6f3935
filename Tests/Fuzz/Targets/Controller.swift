// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

@testable import Bluetooth
@testable import BluetoothDevices
@testable import BluetoothHost

/// Scans, advertising and commands, several at once, on a controller that the input controls. The first octets select
/// the operations; each step decides the answer to a command, or is an event that the controller sends on its own.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let jobs = (0..<1 + input.octet() % 4).map { _ in
        Job(what: input.octet(), argument: input.octet(), limit: input.octet())
    }
    let play = Play(input)
    inVirtualTime { time, scope in
        let board = Board(play, scope, time)
        let radio = FuzzRadio(hci: { () throws(RadioError) in
            FuzzChannel(overflow: .dropOldest) { board.received($1, on: $0) }
        })
        guard let controller = try? HCIController.open(radio, scope: scope, time: time) else {
            return check(false, "the controller is not opened")
        }
        await withTaskGroup(of: Void.self) { group in
            for job in jobs { group.addTask { await job.run(radio, controller, time) } }
        }
        await controller.close()
        board.checkAir()
        check(time.now < .zero + .seconds(100_000), "it takes until \(time.now)")
    }
}

/// An operation on the controller, with the time after which it is cancelled.
private struct Job: Sendable {
    let what: UInt8
    let argument: UInt8
    let limit: UInt8

    func run(_ radio: FuzzRadio, _ controller: HCIController, _ time: VirtualTime) async {
        let deadline = time.now + .milliseconds(1 + Int64(limit) * 50)
        // A cancelled operation cleans up in a scope that outlives it.
        _ = try? await withDeadline(deadline, time, operation: "job") { try await work(radio, controller, time) }
    }

    private func work(_ radio: FuzzRadio, _ controller: HCIController, _ time: VirtualTime) async throws {
        switch what % 8 {
        case 0...2: try await scan(controller, time)
        case 3: try await controller.perform(HCIReset())
        case 4: _ = try await controller.perform(HCIReadLocalSupportedCommands())
        case 5: await controller.disconnect(UInt16(argument))
        default: try await advertise(radio, controller, time)
        }
    }

    private func scan(_ controller: HCIController, _ time: VirtualTime) async throws {
        let parameters = ScanParameters(
            isActive: argument & 0x01 == 0,
            phys: argument & 0x02 == 0 ? [.le1M] : argument & 0x04 == 0 ? [.le1M, .coded] : [.coded]
        )
        let limit = Int(argument >> 4) + 1
        try await controller.withScan(parameters, time: time, takesOver: argument & 0x08 != 0) { scan in
            var count = 0
            try await scan.forEach { report in
                count += 1
                let longest = ExtendedReportReassembler.maximumDataLength
                check(report.report.data.count <= longest, "\(report.report.data.count) octets of data")
                return count < limit ? .goOn : .stop
            }
        }
    }

    private func advertise(_ radio: FuzzRadio, _ controller: HCIController, _ time: VirtualTime) async throws {
        let extended = DeviceAdvertising.Kind.extended(
            sid: 1,
            isConnectable: argument & 0x01 != 0,
            primaryPHY: .le1M,
            secondaryPHY: .le2M
        )
        let long = [UInt8](repeating: argument, count: Int(argument) * 7)
        let all = [
            DeviceAdvertising(.connectable, interval: .milliseconds(100), data: [2, 1, 6], scanResponse: [2, 10, 0]),
            DeviceAdvertising(
                .nonConnectable,
                interval: .seconds(1),
                frames: [[2, 1, 4], [2, 1, 6]].map { AdvertisingFrame([.octets($0)]) }
            ),
            DeviceAdvertising(extended, interval: .seconds(1), data: Array(long.prefix(1650))),
        ]
        let sets = Array(all.dropFirst(Int(argument >> 1 & 0x03)))
        guard !sets.isEmpty else { return }
        let advertiser = Advertiser(radio: radio, controller: controller, sets: sets, randomAddress: nil, time: time)
        let observation = await controller.observe(limit: 16)
        let started = try await advertiser.start { _ in }
        // Like the peripheral role, which removes its sets however it ends.
        let changing = advertiser.changing(started)
        let inputs = BoundedQueue<AdvertisingInput>(limit: 16, overflow: .dropOldest)
        await withTaskGroup(of: Void.self) { group in
            if !changing.isEmpty { group.addTask { try? await advertiser.renew(started.mode, changing) } }
            group.addTask { try? await advertiser.pass(observation.queue, to: inputs) }
            group.addTask { try? await advertiser.follow(inputs, started, maximumConnections: 2) { _ in } }
            await group.next()
            group.cancelAll()
        }
        await controller.stopObserving(observation)
        await advertiser.stop(started)
    }
}

/// A controller that answers as the input decides, and correctly when the input is used up.
private final class Board: Sendable {
    private struct State {
        var isScanning = false
        var advertisingSets: Set<UInt8> = []
        /// Whether every command was answered truthfully.
        var isReliable = true
        var commands = 0
    }

    private let play: Play
    private let scope: TaskScope
    private let time: VirtualTime
    private let state = Mutex(State())

    init(_ play: Play, _ scope: TaskScope, _ time: VirtualTime) {
        self.play = play
        self.scope = scope
        self.time = time
    }

    func received(_ packet: [UInt8], on channel: FuzzChannel) {
        check((try? HCIPacket(decoding: packet))?.encoded() == packet, "no packet: \(packet)")
        check(packet.count >= 4 && packet[0] == 0x01, "no command: \(packet)")
        let commands = state.withLock { state in
            state.commands += 1
            return state.commands
        }
        check(commands < 100_000, "commands without end")
        // Events of the controller's own come before the answer.
        while let step = play.step() {
            switch step.kind & 0x0F {
            case 0...3: return answer(packet, status: 0, on: channel)
            case 4: return answer(packet, status: step.bytes.first ?? 0x0C, on: channel)
            case 5:
                makeUnreliable()
                return channel.deliver(step.bytes)
            case 6: return makeUnreliable()
            case 7:
                makeUnreliable()
                return channel.end(FuzzChannel.cause(step.bytes.first ?? 0))
            case 8:
                let delay = Duration.milliseconds(Int64(step.bytes.first ?? 0) * 12)
                // Commands behind this one may time out before they are sent.
                if delay > .milliseconds(400) { makeUnreliable() }
                scope.spawn { [time] in
                    try? await time.sleep(for: delay)
                    self.answer(packet, status: 0, on: channel)
                }
                return
            case 9:
                let (delay, event) = (Duration.milliseconds(Int64(step.bytes.first ?? 0) * 10), step.bytes.dropFirst())
                scope.spawn { [time] in
                    try? await time.sleep(for: delay)
                    self.tell(Array(event), on: channel)
                }
            default: tell(step.bytes, on: channel)
            }
        }
        answer(packet, status: 0, on: channel)
    }

    /// Sends an event of the controller's own. It may answer a command untruthfully.
    private func tell(_ event: [UInt8], on channel: FuzzChannel) {
        if event.first == 0x0E || event.first == 0x0F { makeUnreliable() }
        channel.deliver([0x04] + event)
    }

    private func makeUnreliable() { state.withLock { $0.isReliable = false } }

    private func answer(_ packet: [UInt8], status: UInt8, on channel: FuzzChannel) {
        let opcode = Array(packet[1...2])
        if status == 0 {
            take(opcode, Array(packet.dropFirst(4)))
        } else if packet.count > 4, packet[4] == 0 {
            // The refused command may be the one that switches scanning or advertising off.
            makeUnreliable()
        }
        let isStatus = opcode == [0x06, 0x04] || opcode == [0x1D, 0x04]
        let returned = status == 0 ? Self.returned[Int(opcode[1]) << 8 | Int(opcode[0])] ?? [] : []
        let complete = [0x0E, UInt8(4 + returned.count), 1] + opcode + [status] + returned
        channel.deliver([0x04] + (isStatus ? [0x0F, 4, status, 1] + opcode : complete))
    }

    /// The return parameters of commands, without the status.
    private static let returned: [Int: [UInt8]] = [
        0x1002: Array(repeating: 0xFF, count: 64), 0x1009: [1, 0, 0, 0, 0x10, 0], 0x2036: [7], 0x203A: [0x72, 0x06],
        0x203B: [2],
    ]

    private func take(_ opcode: [UInt8], _ parameters: [UInt8]) {
        let first = parameters.first ?? 0
        state.withLock { state in
            switch Int(opcode[1]) << 8 | Int(opcode[0]) {
            case 0x0C03:
                state.isScanning = false
                state.advertisingSets = []
            case 0x200C, 0x2042: state.isScanning = first != 0
            case 0x200A: setAdvertising(0, first != 0, &state)
            case 0x2039: if parameters.count > 2 { setAdvertising(parameters[2], first != 0, &state) }
            default: break
            }
        }
    }

    private func setAdvertising(_ number: UInt8, _ isOn: Bool, _ state: inout State) {
        if isOn { state.advertisingSets.insert(number) } else { state.advertisingSets.remove(number) }
    }

    /// Checks that scanning and advertising are off, unless the controller itself has prevented it.
    func checkAir() {
        let state = state.withLock { $0 }
        guard state.isReliable else { return }
        check(!state.isScanning, "the controller is left scanning")
        check(state.advertisingSets.isEmpty, "the controller is left advertising")
    }
}
