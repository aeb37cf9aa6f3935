// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothDevices
import BluetoothHost
import Testing

/// The behaviour of a device that serves a transcript's database.
struct TranscriptFirmware: DeviceFirmware {
    /// The values that the application provides.
    let values: [Handle: Result<[UInt8], ATTRefusal>]
    /// The value that is sent to subscribers.
    let told: HandleValue?

    func read(_ request: GATTServer.ReadContext, _ device: inout DeviceContext) -> DeviceAnswer<[UInt8]> {
        switch values[request.handle] {
        case .success(let value): .answer(value)
        case .failure(let refusal): .refuse(refusal.code)
        case nil: .refuse(.unlikelyError)
        }
    }

    func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    ) {
        guard let told, told.handle == handle, !configuration.isEmpty else { return }
        device.notify(told.value, of: handle)
    }
}

/// A radio with one central, which is connected.
struct WireRadio: Radio {
    let arrivals = BoundedQueue<any ATTChannel>(limit: 16, overflow: .pauseProducer)

    var onlyPeer: DeviceAddress? { .other }
    var adapter: AdapterDescription {
        AdapterDescription(name: "wire", index: 0, address: DeviceAddress.other.address, state: .up, bus: "test")
    }

    func openHCI() throws(RadioError) -> any HCIChannel { throw RadioError(.noController, during: "wire") }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        try await arrivals.next()
    }

    func listenATT() throws(RadioError) -> any ATTListener { WireListener(arrivals: arrivals) }
}

struct WireListener: ATTListener {
    let arrivals: BoundedQueue<any ATTChannel>

    func accept() async throws(RadioError) -> any ATTChannel { try await arrivals.next() }
    func close() { arrivals.finish(RadioError(.closedLocally, during: "wire")) }
}

/// A served device, from the point of view of its centrals.
struct Served: Sendable {
    /// The first central.
    let client: any OtherEnd
    private let wire: Wire
    private let radio: WireRadio

    init(over wire: Wire, on radio: WireRadio) throws {
        self.wire = wire
        self.radio = radio
        client = try Self.connect(wire, radio)
    }

    /// Connects another central, or the same one again.
    func connect() throws -> any OtherEnd { try Self.connect(wire, radio) }

    private static func connect(_ wire: Wire, _ radio: WireRadio) throws -> any OtherEnd {
        let (ours, theirs) = try wire.connect()
        radio.arrivals.push(ours)
        return theirs
    }

    /// Sends a PDU in hexadecimal, and expects exactly these answers.
    func expect(
        _ requests: String...,
        answers: [String],
        from client: (any OtherEnd)? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let client = client ?? self.client
        for request in requests { try client.send(octets(request, sourceLocation: sourceLocation)) }
        let expected = answers.map { Hex.string(octets($0, sourceLocation: sourceLocation)) }
        var came: [String] = []
        for _ in expected { came.append(Hex.string(try await client.receive())) }
        #expect(came == expected, "to \(requests)", sourceLocation: sourceLocation)
        try await expectNothingMore(from: client, sourceLocation: sourceLocation)
    }

    /// Sends a request that every server refuses. Expects the refusal as the next PDU, so that the server has sent
    /// nothing before it.
    func expectNothingMore(
        from client: (any OtherEnd)? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let client = client ?? self.client
        try client.send([0x0A, 0x00, 0x00])
        let answer = Hex.string(try await client.receive())
        #expect(answer == "010a000001", "came behind the last answer", sourceLocation: sourceLocation)
    }
}

/// Serves a device at one end of a wire, and runs `body` at the other end.
func serving(
    _ device: DeviceImage,
    over wire: Wire,
    _ body: @escaping @Sendable (Served) async throws -> Void
) async throws {
    let radio = WireRadio()
    let served = try Served(over: wire, on: radio)
    try await withTaskScope { scope in
        let host = PeripheralHost(device, radio: radio, scope: scope, time: PatientTime())
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Serving never ends by itself.
            group.addTask { try await host.serve { _ in .goOn } }
            group.addTask {
                defer { served.client.close() }
                try await body(served)
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
