// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

@testable import Bluetooth
@testable import BluetoothDevices
@testable import BluetoothHost

/// A device that is served to four centrals, which the input controls: each step connects one, sends a PDU, ends a
/// link, or lets time pass.
func fuzz(_ bytes: [UInt8]) {
    let play = Play(FuzzInput(bytes))
    inVirtualTime { time, scope in
        let hall = Hall()
        let radio = FuzzRadio(listener: hall, onlyPeer: FuzzRadio.device)
        let device = DeviceImage(
            name: "device",
            address: FuzzRadio.device,
            advertising: [],
            database: RichDatabase.database,
            firmware: Firmware()
        )
        let configuration = PeripheralHost.Configuration(maximumCentrals: 3)
        let host = PeripheralHost(device, radio: radio, scope: scope, time: time, configuration: configuration)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await host.serve { event in look(at: event) } }
            group.addTask {
                while let step = play.step() { await take(step, hall, time) }
                // Answers that have not come by now are missing.
                try? await time.sleep(for: .seconds(60))
                hall.checkDebts()
            }
            await group.next()
            group.cancelAll()
        }
        hall.checkClosed()
    }
}

private func look(at event: PeripheralEvent) -> ScanProgress {
    switch event {
    case .exchanged(let exchange): _ = exchange.request.description
    case .odd(_, let diagnostic): _ = diagnostic.description
    case .serving, .connected, .secured, .disconnected, .address, .remark, .stopping: break
    }
    return .goOn
}

private func take(_ step: FuzzInput.Step, _ hall: Hall, _ time: VirtualTime) async {
    let number = Int(step.kind >> 4 & 0x03)
    let first = step.bytes.first ?? 0
    switch step.kind & 0x0F {
    case 0...7: hall.send(step.bytes, from: number)
    case 8, 9:
        let handle = RichDatabase.configurations[Int(first) % RichDatabase.configurations.count].rawValue
        let wanted = step.bytes.count > 1 ? step.bytes[1] : 1
        let low = UInt8(truncatingIfNeeded: handle)
        hall.send([0x12, low, UInt8(truncatingIfNeeded: handle >> 8), wanted, 0], from: number)
    case 10, 11: hall.connect(number)
    case 12: hall.end(number, FuzzChannel.cause(first))
    default: try? await time.sleep(for: .milliseconds(Int64(first) * 100))
    }
    try? await time.sleep(for: .milliseconds(1))
}

/// The application: answers, refuses, sends values periodically, and changes the device on request.
private struct Firmware: DeviceFirmware {
    mutating func started(_ device: inout DeviceContext) { device.timer = device.now + .seconds(1) }

    mutating func read(_ request: GATTServer.ReadContext, _ device: inout DeviceContext) -> DeviceAnswer<[UInt8]> {
        request.offset > 2 ? .refuse(.invalidOffset) : .answer(Array(repeating: 7, count: Int(request.handle.rawValue)))
    }

    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
        switch request.value.first {
        case 0xFF: device.hangUp()
        case 0xFE:
            let number = Int(request.value.last ?? 0) % RichDatabase.others.count
            device.replaceDatabase(with: RichDatabase.others[number])
        case 0xFD: return .refuse(.writeNotPermitted)
        default: device.notify(request.value, of: request.handle)
        }
        return .accept
    }

    mutating func timerFired(_ device: inout DeviceContext) {
        for handle in RichDatabase.notifying { device.notify([1, 2, 3], of: handle) }
        device.timer = device.now + .seconds(1)
    }
}

/// The listener for the centrals.
private final class Hall: ATTListener {
    private struct Central {
        let channel: FuzzChannel
        var mtu = 23
        var owed: [[UInt8]] = []
    }

    private let arrivals = BoundedQueue<any ATTChannel>(limit: 64, overflow: .pauseProducer)
    private let centrals = Mutex<[Int: Central]>([:])

    func accept() async throws(RadioError) -> any ATTChannel { try await arrivals.next() }

    func close() { arrivals.finish(RadioError(.closedLocally, during: "listener")) }

    // MARK: - Actions of centrals

    func connect(_ number: Int) {
        end(number, .closedByPeer(nil))
        let channel = FuzzChannel { [weak self] in self?.received($1, number, $0) }
        centrals.withLock { $0[number] = Central(channel: channel) }
        arrivals.push(channel)
    }

    func end(_ number: Int, _ cause: RadioError.Cause) {
        centrals.withLock { $0.removeValue(forKey: number) }?.channel.end(cause)
    }

    func send(_ pdu: [UInt8], from number: Int) {
        guard let channel = centrals.withLock({ $0[number]?.channel }), !channel.isClosed else { return }
        if Self.wantsAnswer(pdu) { centrals.withLock { $0[number]?.owed.append(pdu) } }
        channel.deliver(pdu)
    }

    private static func wantsAnswer(_ pdu: [UInt8]) -> Bool {
        guard let opcode = pdu.first.map({ ATTOpcode($0) }) else { return false }
        switch ATTCatalog.format(of: opcode)?.kind {
        case .request: return true
        case nil: return !opcode.isCommand
        case .command, .confirmation, .response, .notification, .indication: return false
        }
    }

    // MARK: - Received PDUs

    private func received(_ pdu: [UInt8], _ number: Int, _ channel: FuzzChannel) {
        check((try? ATTPDU(decoding: pdu))?.encoded() == pdu, "no PDU: \(pdu)")
        centrals.withLock { centrals in
            guard var central = centrals[number], central.channel === channel else { return }
            check(pdu.count <= central.mtu, "\(pdu.count) octets where \(central.mtu) are allowed")
            switch ATTCatalog.format(of: ATTOpcode(pdu[0]))?.kind {
            case .response:
                check(!central.owed.isEmpty, "\(pdu) answers nothing")
                let request = central.owed.removeFirst()
                check(pdu[0] == 0x01 ? pdu[1] == request[0] : pdu[0] == request[0] + 1, "\(pdu) answers \(request)")
                if pdu[0] == 0x03 { central.mtu = max(23, min(517, Int(request[1]) | Int(request[2]) << 8)) }
            case .notification, .indication, .confirmation: break
            case .request, .command, nil: check(false, "a server sends \(pdu)")
            }
            centrals[number] = central
        }
    }

    func checkDebts() {
        centrals.withLock { centrals in
            for central in centrals.values where !central.channel.isClosed {
                check(central.owed.isEmpty, "\(central.owed) are not answered")
            }
        }
    }

    func checkClosed() {
        centrals.withLock { centrals in
            for central in centrals.values { check(central.channel.isClosed, "a link is left behind") }
        }
    }
}
