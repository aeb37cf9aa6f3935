// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import Synchronization

/// Finds the reason why a connection attempt was in vain in the controller's answers to the commands of the kernel.
///
/// To connect, the kernel scans for the device first, and does not report to the socket that the controller refuses the
/// scan: the attempt then lasts until its deadline, as if the device were silent.
struct SearchAnswers {
    /// The commands without which no scan begins. A controller refuses them if a program has used those of the other
    /// generation. Spec: Core 5.4, Vol 4, Part E, 3.1.1
    private static let commands: Set<HCIOpcode> = [
        LESetScanParameters.opcode, LESetScanEnable.opcode, LESetExtendedScanParameters.opcode,
        LESetExtendedScanEnable.opcode,
    ]
    private static let starts: Set<HCIOpcode> = [LESetScanEnable.opcode, LESetExtendedScanEnable.opcode]

    /// The time in which answers that the kernel has seen already arrive on another socket.
    private static let arrivalTime = Duration.milliseconds(100)

    private var refused: HCIStatus?
    private var hasStarted = false

    init() {}

    /// Why the controller did not scan; `nil` if it did, if it was not asked to, or if that is not known.
    var refusal: HCIStatus? { hasStarted ? nil : refused }

    /// The reason in the packets that have arrived.
    static func refusal(in answers: any HCIChannel, _ time: any TimeSource) async -> HCIStatus? {
        let seen = Mutex(SearchAnswers())
        // Nothing marks the last packet, so that the deadline always ends this.
        try? await withDeadline(time.now + arrivalTime, time, operation: "answers") {
            while true {
                let packet = try await answers.receive()
                seen.withLock { $0.take(packet) }
            }
        }
        return seen.withLock { $0.refusal }
    }

    mutating func take(_ packet: [UInt8]) {
        guard case .event(let event)? = try? HCIPacket(decoding: packet) else { return }
        switch try? HCIEvent(event) {
        case .known(let complete as CommandCompleteEvent)?: take(complete.opcode, complete.status)
        case .known(let status as CommandStatusEvent)?: take(status.opcode, status.status)
        default: break
        }
    }

    private mutating func take(_ opcode: HCIOpcode, _ status: HCIStatus?) {
        guard Self.commands.contains(opcode), let status else { return }
        if status != .success {
            refused = status
        } else if Self.starts.contains(opcode) {
            // Another program may have been refused at the same time; the kernel's scan was not, or not for long.
            hasStarted = true
        }
    }
}
