// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Synchronization

/// A radio on which the test acts as the centrals. It records the commands to the controller.
final class ServingRadio: Radio, ATTListener {
    let adapter: AdapterDescription
    let onlyPeer: DeviceAddress?
    let controller: AdvertisingController
    private let centrals = BoundedQueue<any ATTChannel>(limit: 16, overflow: .pauseProducer)
    private let closings = Mutex(0)

    /// Creates a radio with a controller, or a socket without one.
    init(_ controller: AdvertisingController? = nil) {
        self.controller = controller ?? AdvertisingController()
        onlyPeer = controller == nil ? .scripted : nil
        adapter = AdapterDescription(
            name: controller == nil ? "unix:test" : "hci7",
            index: 7,
            address: BluetoothAddress(rawValue: 0x0011_2233_4455),
            state: .up,
            bus: "virtual"
        )
    }

    /// Connects a central.
    func comes(_ channel: any ATTChannel) { centrals.push(channel) }

    /// Ends the listener.
    func ends(_ cause: RadioError.Cause) { centrals.finish(RadioError(cause, during: "test")) }

    var isClosed: Bool { closings.withLock { $0 > 0 } }

    func openHCI() throws(RadioError) -> any HCIChannel { controller }

    func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
        throw RadioError(.unsupported, during: "test")
    }

    func listenATT() throws(RadioError) -> any ATTListener { self }

    func accept() async throws(RadioError) -> any ATTChannel { try await centrals.next() }

    func close() {
        closings.withLock { $0 += 1 }
        ends(.closedLocally)
    }
}

/// A controller that records all commands, and accepts them unless a test lets it refuse them.
final class AdvertisingController: HCIChannel {
    private struct State {
        var log: [String] = []
        var refusals: [HCIOpcode: [HCIStatus]]
        var silences: [HCIOpcode]
    }

    private let state: Mutex<State>
    private let supported: HCISupportedCommands
    private let events = PacketQueue(limit: 64, overflow: .pauseProducer)

    /// - Parameter silences: Opcodes whose first command is not answered.
    init(isExtended: Bool = true, refusals: [HCIOpcode: [HCIStatus]] = [:], silences: [HCIOpcode] = []) {
        let extended: [any HCICommand.Type] = [
            LESetExtendedAdvertisingParameters.self, LESetExtendedAdvertisingEnable.self,
        ]
        supported = HCISupportedCommands(isExtended ? extended : [])
        state = Mutex(State(refusals: refusals, silences: silences))
    }

    /// The names and parameters of the commands so far, without questions.
    var log: [String] { state.withLock { $0.log } }

    /// Another program sends a command, which succeeds.
    func othersSend(_ command: some HCICommand) {
        events.push(HCIPacket.command(command.packet).encoded())
        tell(CommandCompleteEvent(opcode: command.packet.opcode, returnParameters: [0]).packet)
    }

    func tell(_ event: HCIEventPacket) { events.push(HCIPacket.event(event).encoded()) }

    func receive() async throws(RadioError) -> [UInt8] { try await events.next() }
    var droppedCount: Int { 0 }
    func drained() async throws(RadioError) {}
    func close() { events.finish(RadioError(.closedLocally, during: "test")) }

    func send(_ packet: [UInt8]) throws(RadioError) {
        guard case .command(let packet)? = try? HCIPacket(decoding: packet),
            let command = try? HCICommandCatalog.command(in: packet)
        else { return }
        if command is HCIReadLocalSupportedCommands {
            return tell(CommandCompleteEvent(HCIReadLocalSupportedCommands.self, supported).packet)
        }
        let refusal = state.withLock { state -> HCIStatus? in
            let refusal = state.refusals[packet.opcode]?.first
            if refusal != nil { state.refusals[packet.opcode]?.removeFirst() }
            state.log.append(refusal == nil || refusal == .success ? "\(command)" : "\(command) refused")
            return refusal == .success ? nil : refusal
        }
        let isSilent = state.withLock { state in
            guard let index = state.silences.firstIndex(of: packet.opcode) else { return false }
            state.silences.remove(at: index)
            return true
        }
        if isSilent { return }
        if let refusal { return tell(CommandCompleteEvent(packet.opcode, failed: refusal).packet) }
        switch command {
        case is LESetExtendedAdvertisingParameters:
            tell(CommandCompleteEvent(LESetExtendedAdvertisingParameters.self, .init(selectedTxPower: 0)).packet)
        case is HCIDisconnect:
            tell(CommandStatusEvent(packet.opcode, status: .success).packet)
        default:
            tell(CommandCompleteEvent(opcode: packet.opcode, returnParameters: [0]).packet)
        }
    }
}
