// SPDX-License-Identifier: GPL-2.0-or-later

import Synchronization

@testable import Bluetooth
@testable import BluetoothDevices
@testable import BluetoothHost

/// A device that is served to four centrals, which the input controls: each step connects one, opens an enhanced bearer,
/// sends a PDU over a bearer, ends a bearer or a link, or lets time pass.
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
    case .serving, .connected, .secured, .bearer, .disconnected, .address, .remark, .stopping: break
    }
    return .goOn
}

private func take(_ step: FuzzInput.Step, _ hall: Hall, _ time: VirtualTime) async {
    let number = Int(step.kind >> 4 & 0x03)
    let first = step.bytes.first ?? 0
    switch step.kind & 0x0F {
    case 0...5: hall.send(step.bytes, from: Hall.Place(number))
    case 6: hall.send(Array(step.bytes.dropFirst()), from: Hall.Place(number, Int(first & 0x07)))
    case 7: hall.open(Hall.Place(number, Int(first & 0x07)), mtu: 60 + UInt16(first >> 3) * 8)
    case 8, 9:
        let handle = RichDatabase.configurations[Int(first) % RichDatabase.configurations.count].rawValue
        let wanted = step.bytes.count > 1 ? step.bytes[1] : 1
        let low = UInt8(truncatingIfNeeded: handle)
        hall.send([0x12, low, UInt8(truncatingIfNeeded: handle >> 8), wanted, 0], from: Hall.Place(number))
    case 10, 11: hall.connect(number)
    case 12: hall.end(number, FuzzChannel.cause(first))
    case 13: hall.close(Hall.Place(number, Int(first & 0x07)))
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
    /// A bearer of a central: 0 for that of the link.
    struct Place: Hashable {
        let central: Int
        let bearer: Int

        init(_ central: Int, _ bearer: Int = 0) {
            self.central = central
            self.bearer = bearer
        }
    }

    private struct Bearer {
        let channel: FuzzChannel
        var mtu = 23
        var owed: [[UInt8]] = []
    }

    private let arrivals = BoundedQueue<any ATTChannel>(limit: 64, overflow: .pauseProducer)
    private let bearers = Mutex<[Place: Bearer]>([:])

    func accept() async throws(RadioError) -> any ATTChannel { try await arrivals.next() }

    func close() { arrivals.finish(RadioError(.closedLocally, during: "listener")) }

    // MARK: - Actions of centrals

    func connect(_ number: Int) {
        end(number, .closedByPeer(nil))
        let place = Place(number)
        let channel = FuzzChannel { [weak self] in self?.received($1, place, $0) }
        bearers.withLock { $0[place] = Bearer(channel: channel) }
        arrivals.push(channel)
    }

    func open(_ place: Place, mtu: UInt16) {
        guard place.bearer > 0, let link = bearers.withLock({ $0[Place(place.central)]?.channel }) else { return }
        close(place)
        let channel = FuzzChannel(maximumMTU: mtu) { [weak self] in self?.received($1, place, $0) }
        bearers.withLock { $0[place] = Bearer(channel: channel, mtu: Int(mtu)) }
        link.open(channel)
        if link.isClosed { close(place) }
    }

    func close(_ place: Place) {
        guard place.bearer > 0 else { return }
        bearers.withLock { $0.removeValue(forKey: place) }?.channel.end(.closedByPeer(nil))
    }

    /// Ends a link with its bearers.
    func end(_ number: Int, _ cause: RadioError.Cause) {
        let ended = bearers.withLock { bearers in
            defer { bearers = bearers.filter { $0.key.central != number } }
            return bearers.filter { $0.key.central == number }.values.map(\.channel)
        }
        for channel in ended { channel.end(cause) }
    }

    func send(_ pdu: [UInt8], from place: Place) {
        guard let channel = bearers.withLock({ $0[place]?.channel }), !channel.isClosed else { return }
        if Self.wantsAnswer(pdu) { bearers.withLock { $0[place]?.owed.append(pdu) } }
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

    private func received(_ pdu: [UInt8], _ place: Place, _ channel: FuzzChannel) {
        check((try? ATTPDU(decoding: pdu))?.encoded() == pdu, "no PDU: \(pdu)")
        bearers.withLock { bearers in
            guard var bearer = bearers[place], bearer.channel === channel else { return }
            check(pdu.count <= bearer.mtu, "\(pdu.count) octets where \(bearer.mtu) are allowed")
            switch ATTCatalog.format(of: ATTOpcode(pdu[0]))?.kind {
            case .response:
                check(!bearer.owed.isEmpty, "\(pdu) answers nothing")
                let request = bearer.owed.removeFirst()
                check(pdu[0] == 0x01 ? pdu[1] == request[0] : pdu[0] == request[0] + 1, "\(pdu) answers \(request)")
                if pdu[0] == 0x03 { bearer.mtu = max(23, min(517, Int(request[1]) | Int(request[2]) << 8)) }
            case .notification, .indication, .confirmation: break
            case .request, .command, nil: check(false, "a server sends \(pdu)")
            }
            bearers[place] = bearer
        }
    }

    func checkDebts() {
        bearers.withLock { bearers in
            for bearer in bearers.values where !bearer.channel.isClosed {
                check(bearer.owed.isEmpty, "\(bearer.owed) are not answered")
            }
        }
    }

    func checkClosed() {
        bearers.withLock { bearers in
            for bearer in bearers.values { check(bearer.channel.isClosed, "a bearer is left behind") }
        }
    }
}
