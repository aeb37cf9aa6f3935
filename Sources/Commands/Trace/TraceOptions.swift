// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import CommandLineInterface
import Terminal
import Toolkit

struct TraceOptions: Sendable, Equatable {
    /// The name of the file; `-` for standard input.
    let file: String
    /// The addresses of the devices; empty for all.
    let devices: Set<BluetoothAddress>
    /// The attributes; empty for all.
    let handles: Set<Handle>
    let wantsATT: Bool
    let wantsHCI: Bool
}

extension TraceOptions {
    /// Reads the options from a command line. Throws if a device is given by its name, which a capture need not have.
    init(_ arguments: ParsedArguments) throws(UsageError) {
        file = arguments[TraceCommand.file]
        var devices: Set<BluetoothAddress> = []
        for identifier in arguments[TraceCommand.device] {
            guard case .address(let address) = identifier else {
                throw arguments.impossible(
                    "a capture knows devices by their addresses only",
                    hint:
                        "list the addresses: blectl trace \(Prose.word(arguments[TraceCommand.file])) | grep -i connect"
                )
            }
            devices.insert(address)
        }
        self.devices = devices
        handles = Set(arguments[TraceCommand.handles])
        wantsATT = arguments[TraceCommand.att]
        wantsHCI = arguments[TraceCommand.hci]
    }

    func match(_ event: CapturedEvent) -> Bool {
        guard devices.isEmpty || isAboutDevice(event) else { return false }
        if !handles.isEmpty { return event.handles.contains(where: handles.contains) }
        guard wantsATT || wantsHCI else { return true }
        switch event.content {
        case .att: return wantsATT
        case .hci: return wantsHCI
        case .frame, .part, .management, .remark, .malformed: return false
        }
    }

    private func isAboutDevice(_ event: CapturedEvent) -> Bool {
        if let address = event.privateAddress, devices.contains(address) { return true }
        if let device = event.device { return devices.contains(device.address) }
        guard case .hci(let packet) = event.content else { return false }
        // An advertising report and a command about a device have its address somewhere among the parameters.
        let octets = packet.encoded()
        return devices.contains { address in
            let address = address.encoded()
            return octets.indices.contains { octets[$0...].starts(with: address) }
        }
    }
}
