// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import BluetoothProfiles
import Captures
import CommandLineInterface
import Terminal
import Toolkit

/// The operations of the client in a capture as a script of `run`, with the answers as expectations (`trace --script`).
struct CaptureReplay {
    /// The maximum number of steps, so that the memory is bounded.
    private static let limit = 50_000

    /// One line, with a target whose name depends on what else the device has.
    private enum Step {
        case plain(String)
        /// The words before the target, the attribute, whether its characteristic is the target, and the words after.
        case about(String, AttributeReference, isCharacteristic: Bool, String)
    }

    /// The device that the script is about: the first one that the host has used as a client.
    private(set) var device: DeviceAddress?
    private var steps: [Step] = []
    /// The name of the device in the script.
    private static let name = "peer"
    /// The streams that run, by the handles of their characteristics.
    private var streams: Set<Handle> = []
    /// When the last step was, for the waits.
    private var last: Duration?
    private var isEncrypted = false
    /// The attributes that were refused because the link had too little security.
    private var refused: Set<Handle> = []
    /// Whether one of the two has asked for protection against a man in the middle.
    private var isAuthenticated = false
    /// The other devices that the host has used, and the operations that no step can repeat.
    private var otherDevices: Set<DeviceAddress> = []
    private var leftOut = 0

    /// Takes a packet: a link may begin, be encrypted or end.
    mutating func add(_ event: CapturedEvent, _ gatt: CapturedGATT) {
        guard let device, event.device == device else { return }
        switch event.content {
        case .hci(.event(let packet)) where packet.code == .encryptionChange:
            guard case .known(let change as EncryptionChangeEvent)? = try? HCIEvent(packet), change.status == .success,
                change.encryption != 0
            else { return }
            pair(event.elapsed)
        case .hci(.event(let packet)) where packet.code == .disconnectionComplete:
            guard case .known(let complete as DisconnectionCompleteEvent)? = try? HCIEvent(packet),
                complete.status == .success
            else { return }
            // The device may end the link by itself again.
            guard complete.reason == .connectionTerminatedByLocalHost else {
                streams = []
                return
            }
            disconnect(event.elapsed)
        case .frame(let frame) where frame.channel == .securityManager:
            switch try? SecurityManagerPDU(decoding: frame.payload) {
            case .pairingRequest(let features)?, .pairingResponse(let features)?:
                isAuthenticated = isAuthenticated || features.requirements.contains(.manInTheMiddleProtection)
            default: break
            }
        default: break
        }
    }

    private mutating func disconnect(_ elapsed: Duration) {
        // That ends the streams, too.
        streams = []
        append(.plain("disconnect \(Self.name)"), elapsed)
    }

    /// The link has got more security. The digits that a person saw are in no capture: `clone --from` gives the device
    /// these.
    private mutating func pair(_ elapsed: Duration) {
        guard !isEncrypted else { return }
        isEncrypted = true
        let digits = isAuthenticated ? " --io keyboard-display --passkey 000000 --confirm yes" : ""
        append(.plain("pair \(Self.name)\(digits)"), elapsed)
    }

    mutating func add(_ operation: CapturedOperation) {
        guard !operation.isOfHost, !operation.attribute.isOfProtocol else { return }
        let peer = operation.attribute.device.address
        device = device ?? peer
        guard peer == device else {
            otherDevices.insert(peer)
            return
        }
        // No step can have this handle, which is never that of an attribute.
        guard operation.attribute.handle != .invalid, operation.valueHandle != .invalid else {
            leftOut += 1
            return
        }
        switch operation.outcome {
        case .refused(let code) where code.asksForSecurity: refused.insert(operation.attribute.handle)
        // Where the capture has no events of the controller, the success is the only sign of a pairing. A descriptor may
        // be open, and its value not.
        case .success where refused.contains(operation.attribute.handle):
            pair(operation.elapsed)
        case .success, .refused, .unanswered, .discarded: break
        }
        switch operation.kind {
        case .read:
            add("read \(Self.name) ", "", operation, expecting: operation.mayBeCut ? nil : operation.value)
        case .readMultiple: leftOut += 1
        case .write where operation.isSubscription: subscribe(operation)
        case .write(let procedure):
            let option =
                switch procedure {
                case .writeCommand: " --no-response"
                case .signedWriteCommand: " --signed"
                case .writeRequest, .longWrite, .reliableWrite: ""
                }
            guard operation.offset == 0, operation.outcome != .discarded else {
                leftOut += 1
                return
            }
            let value = operation.value.isEmpty ? "''" : "hex:\(Hex.string(operation.value))"
            add("write \(Self.name) ", " \(value)\(option)", operation, expecting: nil)
        case .notification, .indication:
            let handle = operation.attribute.handle
            // The device may know of the subscription from an earlier link.
            if streams.insert(handle).inserted { append(stream(operation), operation.elapsed) }
            let gap = last.map { operation.elapsed - $0 } ?? .zero
            let longest = DurationSyntax.longest.components.seconds
            let within = gap > .seconds(5) ? " within \(min(gap.components.seconds * 2 + 10, longest))s" : ""
            let expectation = operation.mayBeCut ? "" : " \(Self.expectation(of: operation.value))"
            append(.plain("await \(Self.stream(handle))\(within)\(expectation)"), operation.elapsed)
        }
    }

    /// A subscription is a stream, which ends with the step that takes it back.
    private mutating func subscribe(_ operation: CapturedOperation) {
        guard operation.outcome == .success else {
            return add("notify \(Self.name) ", " --count 1", operation, isCharacteristic: true, expecting: nil)
        }
        let handle = operation.valueHandle
        if operation.value.contains(where: { $0 != 0 }) {
            if streams.insert(handle).inserted { append(stream(operation), operation.elapsed) }
        } else if streams.remove(handle) != nil {
            append(.plain("stop \(Self.stream(handle))"), operation.elapsed)
        }
    }

    /// Adds a step with the outcome as its expectation.
    private mutating func add(
        _ start: String,
        _ end: String,
        _ operation: CapturedOperation,
        isCharacteristic: Bool = false,
        expecting value: [UInt8]?
    ) {
        let expectation: String
        switch operation.outcome {
        case .success: expectation = value.map { " \(Self.expectation(of: $0))" } ?? ""
        case .refused(let code):
            // A command would pair otherwise.
            let option = code.mayRaiseSecurity ? " --no-pair" : ""
            expectation = "\(option) expect error 0x\(Hex.string(code.rawValue, minimumDigits: 2))"
        case .unanswered: expectation = " expect silence within 1 s"
        case .discarded:
            leftOut += 1
            return
        }
        let step = Step.about(start, operation.attribute, isCharacteristic: isCharacteristic, end + expectation)
        append(step, operation.elapsed)
        // The link has an open request then.
        if operation.outcome == .unanswered { disconnect(operation.elapsed) }
    }

    private mutating func append(_ step: Step, _ elapsed: Duration) {
        guard steps.count < Self.limit else {
            leftOut += 1
            return
        }
        steps.append(step)
        last = elapsed
    }

    // MARK: - Words

    private static func stream(_ handle: Handle) -> String { "s\(Hex.string(handle.rawValue, minimumDigits: 4))" }

    /// The step that begins the stream of an operation's characteristic.
    private func stream(_ operation: CapturedOperation) -> Step {
        .about(
            "notify \(Self.name) ",
            operation.attribute,
            isCharacteristic: true,
            " as \(Self.stream(operation.valueHandle))"
        )
    }

    private static func expectation(of value: [UInt8]) -> String {
        value.isEmpty ? "expect length 0" : "expect 0x\(Hex.string(value))"
    }

    /// A characteristic in a service.
    private struct Name: Hashable {
        let service: BluetoothUUID?
        let characteristic: BluetoothUUID
    }

    /// The characteristics that a device has more than once, so that only a handle tells which one is meant.
    private static func ambiguous(_ database: DiscoveredDatabase?) -> Set<Name> {
        var once: Set<Name> = []
        var ambiguous: Set<Name> = []
        // No target names a secondary service.
        let secondary = (database?.services ?? []).filter { !$0.isPrimary }.map(\.range)
        for declaration in database?.declarations ?? [] {
            let place = database?.knownPlace(of: declaration.valueHandle)
            let name = Name(service: place?.service, characteristic: declaration.uuid)
            if !once.insert(name).inserted || secondary.contains(where: { $0.contains(declaration.declaration) }) {
                ambiguous.insert(name)
            }
        }
        return ambiguous
    }

    /// The characteristic or the descriptor; its handle if it is not known which one has that.
    private static func target(of attribute: AttributeReference, isCharacteristic: Bool, _ ambiguous: Set<Name>)
        -> String
    {
        guard let characteristic = attribute.characteristic,
            !ambiguous.contains(Name(service: attribute.service, characteristic: characteristic))
        else { return "handle:\(attribute.handle)" }
        var parts = [name(AssignedNumbers.name(ofCharacteristic: characteristic), characteristic, .characteristic)]
        // With the service, because a device may have the same characteristic in two.
        if let service = attribute.service {
            parts.insert(name(AssignedNumbers.name(ofService: service), service, .service), at: 0)
        }
        if let descriptor = attribute.descriptor, !isCharacteristic { parts.append("\(descriptor)") }
        return parts.joined(separator: "/")
    }

    /// The assigned name as a word, if it means nothing else; otherwise the UUID.
    private static func name(_ name: String?, _ uuid: BluetoothUUID, _ kind: AssignedNumber.Kind) -> String {
        guard let word = name.map({ AssignedNumber.slug($0) }),
            AssignedNumbers.uuids(named: word, kinds: [kind]).map(\.uuid) == [uuid]
        else { return "\(uuid)" }
        return word
    }

    // MARK: - The script

    /// The script. Throws if the host was the client of no device.
    func script(of options: TraceOptions, _ gatt: CapturedGATT) throws(BlectlError) -> String {
        let file = DeviceFiles.list(options.files)
        guard let device else {
            throw BlectlError(
                .notFound,
                "\(file) has no operation of a client on a device",
                hint: options.summaryHint
            )
        }
        guard otherDevices.isEmpty else {
            let all = [device] + otherDevices
            let list = all.map { "\($0.address)" }.sorted().joined(separator: ", ")
            throw BlectlError(
                .usage,
                "\(file) has operations on several devices: \(list)",
                hint: "-d ADDRESS chooses one"
            )
        }
        let label = gatt.name(of: device.address).map { " \(TerminalText.escaped($0))" } ?? ""
        var lines = ["# What a client did with\(label) \(device.address), made of \(TerminalText.escaped(file))."]
        let declaration = "-d \(device.address) --address-type \(device.type.connectionType)"
        lines.append("device \(Self.name) \(declaration)")
        lines.append("test \"replay\"")
        let ambiguous = Self.ambiguous(gatt.database(of: device.address))
        lines += steps.map { step in
            switch step {
            case .plain(let text): "  \(text)"
            case .about(let start, let attribute, let isCharacteristic, let end):
                "  \(start)\(Self.target(of: attribute, isCharacteristic: isCharacteristic, ambiguous))\(end)"
            }
        }
        if leftOut > 0 { lines.append("  # \(count: leftOut, "operation") without a step") }
        return lines.joined(separator: "\n")
    }
}
