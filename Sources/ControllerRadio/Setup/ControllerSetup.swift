// SPDX-License-Identifier: MIT

import Bluetooth

/// Brings a controller up: resets it, asks what it has, and tells it what this host wants.
///
/// One command after the other, each when the one before was answered. What a controller refuses is left out, unless
/// nothing works without it.
struct ControllerSetup: Sendable {
    enum Step: Hashable, Sendable {
        /// Send the command, and hand its answer to `answered`.
        case send(HCICommandPacket)
        case ready(ControllerFacts)
        /// The controller is none for Low Energy, or has refused what nothing works without.
        case unusable(HCIOpcode, HCIStatus?)
        /// The controller needs firmware of its maker, which it does not have.
        case needsFirmware(maker: String)
    }

    private enum Stage: Int, CaseIterable, Sendable {
        case reset
        case version
        case commands
        case features
        case address
        case lowEnergyFeatures
        case lowEnergyBuffers
        case sharedBuffers
        case acceptList
        case resolvingList
        case eventMask
        case lowEnergyEventMask
        case hostSupport
        case dataLength
        case phys
        case subrating
        case defaultSubrate
        case randomAddress
    }

    /// The longest data packets, and their longest time on LE 1M and LE 2M.
    ///
    /// Spec: Core 5.4, Vol 6, Part B, 4.5.10
    static let longestPackets = LEDataLength(octets: 251, microseconds: 2_120)

    private let randomAddress: BluetoothAddress
    private var stage = Stage.reset
    private var facts = ControllerFacts()

    /// Creates a setup.
    ///
    /// - Parameter randomAddress: The static random address of a controller without a public one.
    init(randomAddress: BluetoothAddress) { self.randomAddress = randomAddress }

    /// The first command.
    func begin() -> Step { .send(HCIReset().packet) }

    /// Takes the answer to the last command: the return parameters after the status, or the status of a refusal.
    mutating func answered(_ answer: Result<[UInt8], CommandRefusal>) -> Step {
        do throws(DecodeError) {
            switch answer {
            case .success(let parameters): try take(parameters)
            case .failure(let refusal):
                if let step = unusable(refusal.status) { return facts.firmwareMaker.map(Step.needsFirmware) ?? step }
            }
        } catch {
            if let step = unusable(nil) { return step }
        }
        if facts.isBare, let maker = facts.firmwareMaker { return .needsFirmware(maker: maker) }
        return next()
    }

    /// The end, if the command that has failed is one that nothing works without.
    private func unusable(_ status: HCIStatus?) -> Step? {
        switch stage {
        case .reset: .unusable(HCIReset.opcode, status)
        case .lowEnergyBuffers: .unusable(LEReadBufferSize.opcode, status)
        case .sharedBuffers: .unusable(HCIReadBufferSize.opcode, status)
        // Without these events no link would be seen.
        case .eventMask: .unusable(HCISetEventMask.opcode, status)
        case .lowEnergyEventMask: .unusable(LESetEventMask.opcode, status)
        case .version, .commands, .features, .address, .lowEnergyFeatures, .acceptList, .resolvingList, .hostSupport,
            .dataLength, .phys, .subrating, .defaultSubrate, .randomAddress:
            nil
        }
    }

    private mutating func take(_ parameters: [UInt8]) throws(DecodeError) {
        switch stage {
        case .version:
            let version = try HCIReadLocalVersionInformation.returnParameters(decoding: parameters)
            facts.hciVersion = version.hciVersion
            facts.company = version.company
            facts.lmpSubversion = version.lmpSubversion
        case .commands:
            facts.commands = try HCIReadLocalSupportedCommands.returnParameters(decoding: parameters)
        case .features:
            facts.lmpFeatures = try HCIReadLocalSupportedFeatures.returnParameters(decoding: parameters).features
        case .address: facts.publicAddress = try HCIReadBDADDR.returnParameters(decoding: parameters).address
        case .lowEnergyFeatures:
            facts.leFeatures = try LEReadLocalSupportedFeatures.returnParameters(decoding: parameters)
        case .lowEnergyBuffers:
            let buffers = try LEReadBufferSize.returnParameters(decoding: parameters)
            facts.packetLength = Int(buffers.packetLength)
            facts.packetCount = Int(buffers.packetCount)
        case .sharedBuffers:
            let buffers = try HCIReadBufferSize.returnParameters(decoding: parameters)
            facts.packetLength = Int(buffers.packetLength)
            facts.packetCount = Int(buffers.packetCount)
        case .acceptList:
            facts.acceptListSize = Int(try LEReadFilterAcceptListSize.returnParameters(decoding: parameters).size)
        case .resolvingList: facts.resolvingListSize = Int(parameters.first ?? 0)
        case .reset, .eventMask, .lowEnergyEventMask, .hostSupport, .dataLength, .phys, .subrating, .defaultSubrate,
            .randomAddress:
            break
        }
    }

    private mutating func next() -> Step {
        guard stage != .features || facts.hasLowEnergy else { return .unusable(LEReadBufferSize.opcode, nil) }
        while let following = Stage(rawValue: stage.rawValue + 1) {
            stage = following
            if let command = command(of: stage) { return .send(command.packet) }
        }
        // No data could ever be sent.
        guard facts.packetLength > 0, facts.packetCount > 0 else {
            return .unusable(HCIReadBufferSize.opcode, nil)
        }
        return .ready(facts)
    }

    /// The command of a stage; `nil` if this controller does not need it.
    private func command(of stage: Stage) -> (any HCICommand)? {
        switch stage {
        case .reset: return HCIReset()
        case .version: return HCIReadLocalVersionInformation()
        case .commands: return HCIReadLocalSupportedCommands()
        case .features: return HCIReadLocalSupportedFeatures()
        case .address: return HCIReadBDADDR()
        case .lowEnergyFeatures: return LEReadLocalSupportedFeatures()
        case .lowEnergyBuffers: return LEReadBufferSize()
        case .sharedBuffers:
            return facts.packetLength == 0 || facts.packetCount == 0 ? HCIReadBufferSize() : nil
        case .acceptList: return LEReadFilterAcceptListSize()
        case .resolvingList: return facts.canResolve ? LEReadResolvingListSize() : nil
        case .eventMask: return HCISetEventMask(mask: EventMasks.all)
        case .lowEnergyEventMask: return LESetEventMask(mask: EventMasks.lowEnergy(facts))
        case .hostSupport: return facts.isDualMode ? WriteLEHostSupport() : nil
        case .dataLength:
            let isSupported = facts.leFeatures.contains(.dataPacketLengthExtension)
            return isSupported ? LEWriteSuggestedDefaultDataLength(transmit: Self.longestPackets) : nil
        case .phys:
            // The peer may choose: this host prefers none of those that it has.
            var phys: LEPHYSet = [.le1M]
            if facts.leFeatures.contains(.le2MPHY) { phys.insert(.le2M) }
            if facts.leFeatures.contains(.codedPHY) { phys.insert(.coded) }
            let isListed = facts.lists(LESetDefaultPHY.self)
            return isListed ? LESetDefaultPHY(LEPHYPreference(transmit: phys, receive: phys)) : nil
        // Without it, the controller refuses the central's requests.
        case .subrating: return facts.hasSubrating ? LESetHostFeature(.connectionSubratingHost) : nil
        // A peripheral may have each factor; this host asks for none of itself.
        case .defaultSubrate: return facts.hasSubrating ? LESetDefaultSubrate(.any) : nil
        case .randomAddress: return facts.ownAddressType == .random ? LESetRandomAddress(randomAddress) : nil
        }
    }
}

struct CommandRefusal: Error, Hashable, Sendable {
    /// Why the controller has refused it; `nil` if its answer lacks a status, or if it did not answer in time.
    let status: HCIStatus?
}
