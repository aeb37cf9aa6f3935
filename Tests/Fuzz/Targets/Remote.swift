// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import RadioSharing
import Synchronization

/// Processes that connect to one that lends its radio: each step is a packet of one of four connections, or the end of one.
/// The packets are also read by themselves, in both directions.
func fuzz(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    var steps: [FuzzInput.Step] = []
    while steps.count < 256, let step = input.step() { steps.append(step) }
    for step in steps { readAlone(step.bytes) }
    let played = steps
    inVirtualTime { time, scope in
        let server = RemoteRadioServer(time: time) {
            RemoteRadioServer.Machine(LentSystem(scope: scope, time: time), leave: {})
        } control: { _ in
            [.done]
        }
        let member = Mutex<UInt64>(0)
        let processes = (0..<4).map { _ in
            FuzzChannel { _, packet in
                guard let answer = try? RemotePacket(decoding: packet) else {
                    return check(false, "the server sends what nobody understands")
                }
                if case .joined(let number) = answer { member.withLock { $0 = number } }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for process in processes { group.addTask { await server.serve(process) } }
            for step in played {
                let process = processes[Int(step.kind & 3)]
                if step.kind & 0x80 != 0 {
                    process.end(.closedByPeer(nil))
                } else {
                    process.deliver(named(step.bytes, member.withLock { $0 }))
                }
                try? await time.sleep(for: .milliseconds(Int64(step.kind >> 2 & 0x1F)))
            }
            for process in processes { process.end(.closedByPeer(nil)) }
        }
        check(server.memberCount == 0, "a machine is left behind")
        check(time.now < .zero + .seconds(600), "it takes until \(time.now)")
    }
}

/// A request with the number of the machine that has joined in place of eight octets 0xFF, because chance would not find it.
private func named(_ bytes: [UInt8], _ member: UInt64) -> [UInt8] {
    guard let place = bytes.firstRange(of: [UInt8](repeating: 0xFF, count: 8)) else { return bytes }
    var number = ByteWriter()
    number.uint64(member)
    return Array(bytes[..<place.lowerBound]) + number.bytes + bytes[place.upperBound...]
}

/// Reads a packet as each of its kinds. What is read is written so that it is read again as the same.
private func readAlone(_ bytes: [UInt8]) {
    if let value = try? RemoteRequest(decoding: bytes) {
        check((try? RemoteRequest(decoding: value.encoded())) == value, "a request changes")
    }
    if let value = try? RemotePacket(decoding: bytes) {
        check(value.encoded().count <= 3 * bytes.count + 64, "a packet grows")
        check((try? RemotePacket(decoding: value.encoded())) != nil, "a packet is not read again")
    }
    if let value = try? WorldRequest(decoding: bytes) {
        check((try? WorldRequest(decoding: value.encoded())) != nil, "a request to the world is not read again")
    }
    _ = try? WorldLabel.labels(in: bytes)
    if let value = try? WorldAnswer(decoding: bytes) {
        check((try? WorldAnswer(decoding: value.encoded())) != nil, "an answer of the world is not read again")
    }
}

extension FuzzChannel: ManagementChannel {}

/// A machine whose channels swallow everything, and end after a second.
private struct LentSystem: RadioSystem {
    let scope: TaskScope
    let time: any TimeSource

    func adapters() -> [AdapterDescription] { [radio.adapter] }

    func radio(named name: String?) -> any Radio { radio }

    func openManagement() -> any ManagementChannel { FuzzChannel { _, _ in } }

    private var radio: FuzzRadio {
        FuzzRadio(
            hci: { FuzzChannel(overflow: .dropOldest) { $0.deliver($1) } },
            att: { _ in FuzzChannel { $0.deliver($1) } }
        )
    }
}
