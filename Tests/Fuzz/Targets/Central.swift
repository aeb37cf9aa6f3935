// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

@testable import Bluetooth
@testable import BluetoothHost

/// Operations on one device, several at once, some cancelled after a while. The input controls the device, its links
/// and its answers. The first octets select the operations; each step decides the course of a connection attempt or the
/// reaction to a PDU. After the last step, the device answers correctly.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let settings = input.octet()
    let jobs = (0..<1 + input.octet() % 6).map { _ in
        Job(what: input.octet(), argument: input.octet(), delay: input.octet(), limit: input.octet())
    }
    let events = (0..<input.octet() % 8).map { _ in Event(input.octet(), input.octet(), input.octet()) }
    let play = Play(input)
    inVirtualTime { time, scope in
        let bond = Bond(
            isEncrypted: settings & 0x08 != 0,
            hasHash: settings & 0x10 == 0,
            isRemembered: settings & 0x20 != 0
        )
        let device = Device(play, scope, time, maximumMTU: settings & 0x01 == 0 ? 517 : 23, bond)
        let radio = FuzzRadio(att: { deadline throws(RadioError) in try await device.connect(until: deadline) })
        let configuration = Peripheral.Configuration(
            reconnection: settings & 0x02 == 0 ? nil : .unlimited(),
            store: settings & 0x04 == 0 ? nil : Shelf()
        )
        let peripheral = Peripheral(
            FuzzRadio.device,
            radio: radio,
            scope: scope,
            time: time,
            configuration: configuration
        )
        await withTaskGroup(of: Void.self) { group in
            for job in jobs { group.addTask { await job.run(peripheral, device, time) } }
            for event in events {
                group.addTask {
                    try? await time.sleep(for: .milliseconds(Int64(event.moment) * 100))
                    device.take(event)
                }
            }
        }
        await peripheral.disconnect()
        await checkAfterwards(peripheral, device)
        await peripheral.disconnect()
        check(time.now < .zero + .seconds(1_000_000), "it takes until \(time.now)")
    }
}

/// Checks that the device, which follows the rules from now on, can be used. If it always has, the known database must
/// be true.
private func checkAfterwards(_ peripheral: Peripheral, _ device: Device) async {
    device.behave()
    guard let last = RichDatabase.database.characteristic(0x2A01)?.valueHandle else { return }
    let value = try? await peripheral.attribute(at: last).read().value
    check(value != nil && value == device.value(at: last), "a device that behaves gives \(value ?? [])")
    guard device.isHonest else { return }
    guard let tree = try? await peripheral.tree() else { return check(false, "a device that behaves has no tree") }
    check(tree.services.map(\.service) == RichDatabase.database.services, "found \(tree.services.map(\.service))")
    for service in tree.services {
        let real = RichDatabase.database.characteristics(in: service.service.range)
        let found = service.characteristics.map(\.characteristic)
        check(found == real, "found \(found) of \(real)")
    }
}

/// A store that keeps everything.
private final class Shelf: DatabaseStore {
    private let stored = Mutex<StoredDatabase?>(nil)

    func load(_ device: DeviceAddress) -> StoredDatabase? { stored.withLock { $0 } }

    func save(_ new: StoredDatabase, of device: DeviceAddress) { stored.withLock { $0 = new } }
}

/// An operation on the device, with the time after which it is cancelled.
private struct Job: Sendable {
    let what: UInt8
    let argument: UInt8
    let delay: UInt8
    let limit: UInt8

    func run(_ peripheral: Peripheral, _ device: Device, _ time: VirtualTime) async {
        try? await time.sleep(for: .milliseconds(Int64(delay) * 100))
        // Half of the operations have unlimited time, unless they wait for values that may never come.
        let isUnlimited = limit & 0x01 == 0 && what % 16 != 11
        let deadline = isUnlimited ? nil : time.now + .milliseconds(Int64(limit) * 100)
        _ = try? await withDeadline(deadline, time, operation: "job") { try await work(peripheral, device) }
    }

    private var attribute: GATTAttribute {
        let attributes = RichDatabase.database.attributes
        return attributes[Int(argument) % attributes.count]
    }

    private var uuid: BluetoothUUID {
        let uuids: [BluetoothUUID] = [0x2A37, 0x2A38, 0x2A19, 0x2A00, 0x2A8B, 0x2A05, 0x2AFF]
        return uuids[Int(argument) % uuids.count]
    }

    private func characteristic(of peripheral: Peripheral) -> Characteristic {
        switch argument >> 6 {
        case 0: peripheral.characteristic(uuid)
        case 1: peripheral.characteristic(uuid, index: Int(argument >> 4 & 0x03))
        case 2: peripheral.service(0x180D).characteristic(uuid)
        default: peripheral.characteristic(at: attribute.handle)
        }
    }

    private func work(_ peripheral: Peripheral, _ device: Device) async throws {
        let value = [UInt8](repeating: argument, count: Int(argument) * 2)
        let at = peripheral.attribute(at: attribute.handle)
        switch what % 16 {
        case 0: expect(try await peripheral.perform(ReadValue(attribute.handle)).value, device, longest: 22)
        case 1: expect(try await at.read().value, device, longest: GATTLimits.maximumValueLength)
        case 2: _ = try await characteristic(of: peripheral).read()
        case 3: _ = try await peripheral.exchangeMTU()
        case 4: _ = try await peripheral.services(argument & 0x01 == 0 ? nil : 0x180D)
        case 5: _ = try await peripheral.tree()
        case 6: _ = try await characteristic(of: peripheral).definition()
        case 7: _ = try await at.write(value)
        case 8: try await at.writeWithoutResponse(value)
        case 9:
            let others = [(peripheral.characteristic(0x2A8A), value), (characteristic(of: peripheral), [1])]
            try await peripheral.writeReliably(others)
        case 10: await peripheral.disconnect()
        case 11: try await observe(peripheral)
        case 12 where argument & 0x01 == 0:
            _ = try await characteristic(of: peripheral).descriptor(0x2901).write(value)
            _ = try await characteristic(of: peripheral).write(value)
        case 12:
            _ = try await characteristic(of: peripheral).descriptor(0x2902).read()
            _ = try await characteristic(of: peripheral).descriptors()
        case 13: _ = try await peripheral.read([characteristic(of: peripheral), peripheral.characteristic(0x2A01)])
        case 14:
            _ = try await peripheral.service(0x180D).characteristics()
            _ = try await peripheral.service(0x180D).includedServices()
        default: _ = try await peripheral.perform(FindAttributes(in: .all))
        }
    }

    private func observe(_ peripheral: Peripheral) async throws {
        let observation = await peripheral.observation(limit: 4)
        do {
            try await observation.subscribe(to: characteristic(of: peripheral))
            if argument & 0x01 != 0 { try await observation.subscribe(to: peripheral.characteristic(0x2A38)) }
            while true { _ = try await observation.next() }
        } catch {
            await observation.end()
            throw error
        }
    }

    /// Expects the true value from a device that follows the rules, even if earlier operations were cancelled or late.
    private func expect(_ value: [UInt8], _ device: Device, longest: Int) {
        guard device.isHonest, let real = device.value(at: attribute.handle) else { return }
        let isStart = real.starts(with: value) && (value.count == real.count || value.count >= longest)
        check(isStart, "\(attribute.handle) is \(real), not \(value)")
    }
}

/// An event without a request, with its time.
private struct Event: Sendable {
    let moment: UInt8
    let what: UInt8
    let argument: UInt8

    init(_ moment: UInt8, _ what: UInt8, _ argument: UInt8) {
        self.moment = moment
        self.what = what
        self.argument = argument
    }
}

/// The properties by which stored data of a device can be confirmed.
private struct Bond: Sendable {
    /// Whether links are encrypted.
    let isEncrypted: Bool
    /// Whether there is a Database Hash.
    let hasHash: Bool
    /// Whether the device remembers the subscription to Service Changed on the next link.
    let isRemembered: Bool

    private static let configuration = RichDatabase.database.characteristic(0x2A05).flatMap { changed in
        RichDatabase.database.attributes.first { changed.valueHandle < $0.handle && $0.type == 0x2902 }?.handle
    }

    /// The answer to a request for these properties; `nil` if the server answers.
    func answer(to pdu: [UInt8]) -> [UInt8]? {
        switch try? ATTPDU(decoding: pdu) {
        case .client(.request(.readByType(let request))) where request.attributeType == 0x2B2A && !hasHash:
            [0x01, 0x08] + request.range.start.encoded() + [0x0A]
        case .client(.request(.read(let request))) where request.handle == Self.configuration && isRemembered:
            [0x0B, 0x02, 0x00]
        default: nil
        }
    }
}

/// A device whose links break, and whose answers are late, wrong or missing, as the input decides.
private final class Device: Sendable {
    private struct State {
        var server: HonestServer
        var isHonest = true
        var isBehaving = false
        /// Whether a request on the current link has no answer.
        var isPending = false
        var packets = 0
        var channel: FuzzChannel?
    }

    private let play: Play
    private let scope: TaskScope
    private let time: VirtualTime
    private let maximumMTU: UInt16
    private let bond: Bond
    private let state: Mutex<State>

    init(_ play: Play, _ scope: TaskScope, _ time: VirtualTime, maximumMTU: UInt16, _ bond: Bond) {
        self.play = play
        self.scope = scope
        self.time = time
        self.maximumMTU = maximumMTU
        self.bond = bond
        state = Mutex(State(server: HonestServer(maximumMTU: maximumMTU)))
    }

    /// Whether it has followed the rules so far. Late or missing answers are allowed.
    var isHonest: Bool { state.withLock { $0.isHonest } }

    /// The value of an attribute that never changes.
    func value(at handle: Handle) -> [UInt8]? {
        guard case .fixed(let value)? = RichDatabase.database[handle]?.storage else { return nil }
        return value
    }

    /// Makes the device follow the rules from now on.
    func behave() { state.withLock { $0.isBehaving = true } }

    private func step() -> FuzzInput.Step? {
        state.withLock { $0.isBehaving } ? nil : play.step()
    }

    // MARK: - Links

    func connect(until deadline: Instant) async throws(RadioError) -> FuzzChannel {
        var moment = time.now
        if let step = step() {
            let first = step.bytes.first ?? 0
            switch step.kind & 0x0F {
            case 10: throw RadioError(FuzzChannel.cause(first), during: "connection")
            case 11, 12: moment = min(deadline, moment + .milliseconds(Int64(first) * 100))
            case 13: moment = deadline
            default: break
            }
        }
        do {
            try await time.sleep(until: moment)
        } catch {
            throw RadioError(.cancelled, during: "connection")
        }
        guard moment < deadline else { throw RadioError(.connectTimedOut, during: "connection") }
        let channel = FuzzChannel(maximumMTU: maximumMTU, isEncrypted: bond.isEncrypted) { [weak self] in
            self?.received($1, on: $0)
        }
        state.withLock { state in
            state.server = HonestServer(maximumMTU: maximumMTU)
            state.isPending = false
            state.channel = channel
        }
        return channel
    }

    /// Performs an event without a request: values, another database, or the end of the link.
    func take(_ event: Event) {
        guard let channel = state.withLock({ $0.channel }), !channel.isClosed else { return }
        switch event.what % 4 {
        case 0, 1: notify(event.argument, Array(repeating: event.what, count: Int(event.what >> 2)), on: channel)
        case 2: become(event.argument, on: channel)
        default: channel.end(FuzzChannel.cause(event.argument))
        }
    }

    private func notify(_ number: UInt8, _ value: [UInt8], on channel: FuzzChannel) {
        let handle = RichDatabase.notifying[Int(number) % RichDatabase.notifying.count]
        for pdu in state.withLock({ $0.server.notify(value, of: handle) }) { send(pdu, on: channel) }
    }

    private func become(_ number: UInt8, on channel: FuzzChannel) {
        cheat()
        let other = RichDatabase.others[Int(number) % RichDatabase.others.count]
        for pdu in state.withLock({ $0.server.become(other) }) { send(pdu, on: channel) }
    }

    // MARK: - PDUs

    private func received(_ pdu: [UInt8], on channel: FuzzChannel) {
        check((try? ATTPDU(decoding: pdu))?.encoded() == pdu, "no PDU: \(pdu)")
        let isRequest = if case .request? = Self.kind(of: pdu) { true } else { false }
        state.withLock { state in
            state.packets += 1
            check(state.packets < 200_000, "PDUs without end")
            // A device that answers twice may already have answered the next request.
            check(!isRequest || !state.isPending || !state.isHonest, "a request before the answer to the last one")
            if isRequest { state.isPending = true }
        }
        while isRequest, let step = step() {
            let first = step.bytes.first ?? 0
            switch step.kind & 0x0F {
            case 0...2: break
            case 3:
                return later(Int(first) * 200) {
                    // The server of the next link has never received this PDU.
                    guard !channel.isClosed else { return }
                    for answer in self.answers(to: pdu) { self.send(answer, on: channel) }
                }
            case 4:
                cheat()
                for answer in answers(to: pdu) { send(changed(answer, by: step.bytes), on: channel) }
                return
            case 5:
                cheat()
                return send(step.bytes, on: channel)
            case 6: return
            case 7: return channel.end(FuzzChannel.cause(first))
            case 8:
                sendUnasked(step.bytes, on: channel)
                continue
            case 9:
                cheat()
                for answer in answers(to: pdu) { for _ in 0..<2 { send(answer, on: channel) } }
                return
            case 10:
                let value = Array(step.bytes.dropFirst())
                later(Int(step.kind >> 4) * 1_000) {
                    guard !channel.isClosed else { return }
                    self.notify(first, value, on: channel)
                }
                continue
            case 11:
                become(first, on: channel)
                continue
            case 12:
                for answer in answers(to: pdu) { send(answer, on: channel) }
                return later(Int(first) * 100) { channel.end(FuzzChannel.cause(step.kind >> 4)) }
            default:
                later(Int(step.kind >> 4) * 1_000) { self.sendUnasked(step.bytes, on: channel) }
                continue
            }
            break
        }
        for answer in answers(to: pdu) { send(answer, on: channel) }
    }

    private func answers(to pdu: [UInt8]) -> [[UInt8]] {
        bond.answer(to: pdu).map { [$0] } ?? state.withLock { $0.server.answers(to: pdu) }
    }

    private func send(_ pdu: [UInt8], on channel: FuzzChannel) {
        if case .response? = Self.kind(of: pdu) { state.withLock { $0.isPending = false } }
        channel.deliver(pdu)
    }

    private func sendUnasked(_ pdu: [UInt8], on channel: FuzzChannel) {
        // The server behind the device does not know of such an MTU, so it counts as a lie.
        if case .response? = Self.kind(of: pdu) { cheat() }
        if pdu.first == ATTOpcode.exchangeMTURequest.rawValue { cheat() }
        send(pdu, on: channel)
    }

    private func cheat() { state.withLock { $0.isHonest = false } }

    private func later(_ milliseconds: Int, _ work: @escaping @Sendable () -> Void) {
        scope.spawn { [time] in
            guard (try? await time.sleep(for: .milliseconds(Int64(milliseconds)))) != nil else { return }
            work()
        }
    }

    private static func kind(of pdu: [UInt8]) -> ATTPDUKind? {
        pdu.first.flatMap { ATTCatalog.format(of: ATTOpcode($0))?.kind }
    }
}
