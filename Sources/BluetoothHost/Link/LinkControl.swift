// SPDX-License-Identifier: MIT

public import Bluetooth
import Synchronization

/// Reads and changes the properties of links by commands to the controller, and follows its events about them.
///
/// `LinkTracker` and `LinkUpdate` decide; this actor moves commands and events, and waits.
public actor LinkControl {
    /// The number of events about links that wait for a change of properties. Beyond it the oldest are dropped.
    private static let eventLimit = 256
    /// How long to wait for what a peer says of itself. Each device has an answer, after few connection events.
    private static let answerLimit = Duration.seconds(5)

    private let radio: any Radio
    private let scope: TaskScope
    private let time: any TimeSource

    /// The open channel; `nil` before `listen`.
    private var listening: (controller: HCIController, links: FollowedLinks)?
    /// The channel for the commands that the kernel allows to everybody; `nil` before the first of them. Its
    /// `FollowedLinks` show whether it has ended.
    private var questions: (controller: HCIController, links: FollowedLinks)?

    /// A control that does not listen yet.
    ///
    /// - Parameters:
    ///   - radio: The adapter.
    ///   - scope: The scope of its tasks.
    ///   - time: The clock of its deadlines.
    public init(_ radio: any Radio, scope: TaskScope, time: any TimeSource) {
        self.radio = radio
        self.scope = scope
        self.time = time
    }

    // MARK: - Listening

    /// Listens to the controller from now on, if that is possible. Links that are made later are known from their
    /// beginning.
    public func listen() async { _ = try? opened() }

    /// Ends listening, and closes the channel for questions as well.
    public func close() async {
        let controllers = [listening?.controller, questions?.controller]
        listening = nil
        questions = nil
        for controller in controllers { await controller?.close() }
    }

    /// The channel for every command and event, which is opened again if it has ended. Throws why there is none.
    private func opened() throws(RadioError) -> HCIController {
        if let listening, !listening.links.hasEnded { return listening.controller }
        let links = FollowedLinks()
        let controller = try HCIController.open(radio, followedBy: links.received, scope: scope, time: time)
        listening = (controller, links)
        return controller
    }

    /// The properties of a link as its events have reported them; `nil` without such an event.
    private func state(of connection: ConnectionHandle) -> LinkState? { listening?.links.state(of: connection) }

    // MARK: - Reading

    /// The properties of a link.
    ///
    /// - Parameters:
    ///   - handle: The handle of the link; `nil` if it has none.
    ///   - known: The properties that the channel of the link knows.
    ///   - asksPeer: Whether to ask the peer for its version and features, and the controller for the channels.
    public func reading(
        of handle: UInt16?,
        knowing known: LinkState = LinkState(),
        asksPeer: Bool = false
    ) async -> LinkReading {
        var reading = LinkReading()
        let properties = LinkReading.Property.allCases.filter { asksPeer || !$0.isAskedForAlone }
        guard let handle else {
            reading.state = known
            let error = RadioError(.noController, during: "state of the link")
            for property in properties { reading.unknown[property] = .failed(error) }
            reading.forgetReasonsOfKnown()
            return reading
        }
        let connection = ConnectionHandle(rawValue: handle)
        do throws(RadioError) {
            let controller = try opened()
            await measure(&reading, connection, by: controller)
            // A radio in another process reports only now that its controller cannot be used.
            if let end = await controller.end { throw end }
            await readPHY(of: connection, by: controller, &reading)
            if asksPeer {
                await readChannels(of: connection, by: controller, &reading)
                await ask(connection, by: controller, knowing: known, &reading)
            }
        } catch {
            for property in properties { reading.unknown[property] = .failed(error) }
            await measureWithoutPrivilege(&reading, connection)
        }
        reading.state = (state(of: connection) ?? LinkState()).completed(by: reading.state).completed(by: known)
        for property in [LinkReading.Property.role, .dataLength, .parameters, .subrate]
        where reading.unknown[property] == nil {
            reading.unknown[property] = .notHeard
        }
        reading.forgetReasonsOfKnown()
        return reading
    }

    /// The strength of a peer's signal in dBm; `nil` if the controller does not know it.
    public func signal(of handle: UInt16) async throws(RadioError) -> Int8? {
        let connection = ConnectionHandle(rawValue: handle)
        // The kernel allows the command to everybody.
        let asked: HCIController
        if let listening, !listening.links.hasEnded { asked = listening.controller } else { asked = try questioner() }
        return try await asked.perform(HCIReadRSSI(connection)).rssi
    }

    /// The channel for questions, which is opened again if it has ended. Throws why there is none.
    private func questioner() throws(RadioError) -> HCIController {
        if let questions, !questions.links.hasEnded { return questions.controller }
        let links = FollowedLinks()
        let controller = try HCIController.open(
            radio,
            for: .questions,
            followedBy: links.received,
            scope: scope,
            time: time
        )
        questions = (controller, links)
        return controller
    }

    /// The commands that the kernel allows to everybody.
    private func measureWithoutPrivilege(_ reading: inout LinkReading, _ connection: ConnectionHandle) async {
        guard let controller = try? questioner() else { return }
        await measure(&reading, connection, by: controller)
    }

    private func measure(
        _ reading: inout LinkReading,
        _ connection: ConnectionHandle,
        by controller: HCIController
    ) async {
        do throws(RadioError) {
            reading.rssi = try await controller.perform(HCIReadRSSI(connection)).rssi
            reading.unknown[.signal] = reading.rssi == nil ? .notMeasured : nil
        } catch {
            reading.unknown[.signal] = .failed(error)
        }
        do throws(RadioError) {
            reading.transmitPower = try await controller.perform(HCIReadTransmitPowerLevel(connection)).power
            reading.unknown[.power] = reading.transmitPower == nil ? .notMeasured : nil
        } catch {
            reading.unknown[.power] = .failed(error)
        }
    }

    private func readPHY(
        of connection: ConnectionHandle,
        by controller: HCIController,
        _ reading: inout LinkReading
    ) async {
        do throws(RadioError) {
            let answer = try await controller.perform(LEReadPHY(connection))
            reading.state.transmitPHY = answer.transmit
            reading.state.receivePHY = answer.receive
        } catch  where error.cause == .commandRejected(.unknownHCICommand) {
            // A controller without the command has no other PHY.
            reading.state.transmitPHY = .le1M
            reading.state.receivePHY = .le1M
        } catch {
            reading.unknown[.phy] = .failed(error)
        }
    }

    private func readChannels(
        of connection: ConnectionHandle,
        by controller: HCIController,
        _ reading: inout LinkReading
    ) async {
        do throws(RadioError) {
            if try await controller.tellsChannels() {
                reading.channels = try await controller.perform(LEReadChannelMap(connection)).channels
            } else {
                reading.unknown[.channels] = .notMeasured
            }
        } catch {
            reading.unknown[.channels] = .failed(error)
        }
    }

    /// Asks the peer for what it says of itself, unless that is known.
    private func ask(
        _ connection: ConnectionHandle,
        by controller: HCIController,
        knowing known: LinkState,
        _ reading: inout LinkReading
    ) async {
        let state = (state(of: connection) ?? LinkState()).completed(by: known)
        // One after the other, because a link has one procedure at a time.
        if state.peerFeatures == nil {
            let command = LEReadRemoteFeatures(connection)
            reading.unknown[.peerFeatures] = await asking(command, of: connection, controller) { event in
                (event as? LEReadRemoteFeaturesCompleteEvent)?.status
            }
        }
        if state.peerVersion == nil {
            let command = HCIReadRemoteVersionInformation(connection)
            reading.unknown[.peerVersion] = await asking(command, of: connection, controller) { event in
                (event as? ReadRemoteVersionInformationCompleteEvent)?.status
            }
        }
    }

    /// Sends a command and waits for its event, which `FollowedLinks` notes. Returns why there is no success.
    private func asking(
        _ command: some HCICommand,
        of connection: ConnectionHandle,
        _ controller: HCIController,
        _ status: @escaping @Sendable (any HCIEventParameters) -> HCIStatus?
    ) async -> LinkReading.Unknown? {
        let events = await controller.observe(limit: Self.eventLimit) { event in
            event.linkConnection == connection && event.parameters.flatMap(status) != nil
        }
        let answer = await answer(to: command, in: events, controller, status)
        await controller.stopObserving(events)
        return answer
    }

    private func answer(
        to command: some HCICommand,
        in events: HCIObservation,
        _ controller: HCIController,
        _ status: (any HCIEventParameters) -> HCIStatus?
    ) async -> LinkReading.Unknown? {
        // The kernel may have asked for the same a moment ago: its answer will do.
        let busy: [RadioError.Cause] = [.commandRejected(.commandDisallowed), .commandRejected(.controllerBusy)]
        if let refusal = await refusal(of: command, controller), !busy.contains(refusal.cause) {
            return .failed(refusal)
        }
        let during = "answer of the device"
        do {
            let event = try await untilDeadline(time.now + Self.answerLimit, time) { try await events.queue.next() }
            guard let result = event?.parameters.flatMap(status) else { return .notAnswered }
            return result == .success ? nil : .failed(RadioError(.commandRejected(result), during: during))
        } catch {
            return .failed(error as? RadioError ?? RadioError(.cancelled, during: during))
        }
    }

    private func refusal(of command: some HCICommand, _ controller: HCIController) async -> RadioError? {
        do throws(RadioError) {
            _ = try await controller.perform(command)
            return nil
        } catch {
            return error
        }
    }

    // MARK: - Changing

    /// Changes the properties of a link, and returns when that has succeeded or failed.
    ///
    /// Throws a `RadioError` if the controller cannot be used, because the capability is missing or the controller has
    /// gone.
    ///
    /// - Parameters:
    ///   - handle: The handle of the link; `nil` if it has none.
    ///   - request: The requested changes.
    ///   - limit: The time for each procedure.
    public func change(_ handle: UInt16?, to request: LinkRequest, within limit: Duration) async throws -> LinkChange {
        guard let handle else { throw RadioError(.noController, during: "change of the link") }
        let connection = ConnectionHandle(rawValue: handle)
        let controller = try opened()
        var phys: LEReadPHY.ReturnParameters?
        // The owner of a shared link sends its known properties with the first answer.
        if state(of: connection)?.transmitPHY == nil {
            phys = try? await controller.perform(LEReadPHY(connection))
        }
        var before = state(of: connection) ?? LinkState()
        if before.transmitPHY == nil, let phys {
            before.transmitPHY = phys.transmit
            before.receivePHY = phys.receive
        }
        // Before the first command, because its event may arrive as soon as its answer.
        let events = await controller.observe(limit: Self.eventLimit, where: { $0.linkConnection != nil })
        var update = LinkUpdate(connection, request, on: before, timeout: limit)
        var actions = update.begin(now: time.now)
        try await withCleanup {
            while !actions.contains(.finished) {
                if case .perform(let command)? = actions.first {
                    actions = update.commandAnswered(try await status(of: command, controller), now: time.now)
                } else if let deadline = update.nextDeadline {
                    let event = try await untilDeadline(deadline, time) { try await events.queue.next() }
                    actions =
                        event.map { update.received($0, now: time.now) } ?? update.timerFired(now: time.now)
                } else {
                    break
                }
            }
        } cleanup: {
            await controller.stopObserving(events)
        }
        return LinkChange(request: request, before: before, after: update.link, results: update.results)
    }

    private func status(
        of command: LinkUpdate.Command,
        _ controller: HCIController
    ) async throws(RadioError) -> HCIStatus {
        do throws(RadioError) {
            switch command {
            case .setPHY(let command): try await controller.perform(command)
            case .readFeatures(let command): try await controller.perform(command)
            case .setDataLength(let command): try await controller.perform(command)
            case .update(let command): try await controller.perform(command)
            case .subrate(let command): try await controller.perform(command)
            }
            return .success
        } catch {
            guard case .commandRejected(let status) = error.cause else { throw error }
            return status
        }
    }
}

extension LinkReading {
    /// Removes the reasons why properties are not known that are known nevertheless.
    fileprivate mutating func forgetReasonsOfKnown() {
        if state.role != nil { unknown[.role] = nil }
        if state.transmitPHY != nil, state.receivePHY != nil { unknown[.phy] = nil }
        if state.transmitLength != nil, state.receiveLength != nil { unknown[.dataLength] = nil }
        if state.interval != nil, state.latency != nil, state.supervisionTimeout != nil { unknown[.parameters] = nil }
        if state.subrateFactor != nil, state.continuationNumber != nil { unknown[.subrate] = nil }
        if state.peerFeatures != nil { unknown[.peerFeatures] = nil }
        if state.peerVersion != nil { unknown[.peerVersion] = nil }
    }
}

extension LinkReading.Property {
    /// Whether it costs questions that few programs need an answer to.
    fileprivate var isAskedForAlone: Bool {
        switch self {
        case .channels, .peerVersion, .peerFeatures: true
        case .role, .phy, .dataLength, .parameters, .signal, .power, .subrate: false
        }
    }
}

extension HCIController {
    /// The company, and the revisions of the host interface and of the link layer, of Android's emulator (rootcanal 1.10).
    /// It lists LE Read Channel Map, and ends at that command, for all who use it.
    private static let endingAtChannelMap: (UInt16, UInt16, UInt16) = (0x00E0, 0, 0)

    /// Whether the controller can be asked for the channels of a link.
    fileprivate func tellsChannels() async throws(RadioError) -> Bool {
        guard try await perform(HCIReadLocalSupportedCommands()).contains(LEReadChannelMap.self) else {
            return false
        }
        let version = try await perform(HCIReadLocalVersionInformation())
        return (version.company, version.hciSubversion, version.lmpSubversion) != Self.endingAtChannelMap
    }
}

/// The states of the links of a controller while its channel is open. Without the channel, events are missed, and the
/// known states may become wrong.
private final class FollowedLinks: Sendable {
    private let tracker = Mutex<LinkTracker?>(LinkTracker())

    var hasEnded: Bool { tracker.withLock { $0 == nil } }

    func state(of connection: ConnectionHandle) -> LinkState? { tracker.withLock { $0?.state(of: connection) } }

    /// Takes an event of the controller; `nil` at the end of its channel.
    func received(_ event: HCIEvent?) {
        guard let event else { return tracker.withLock { $0 = nil } }
        guard event.linkConnection != nil else { return }
        tracker.withLock { $0?.received(event) }
    }
}

extension HCIEvent {
    /// The link whose beginning, end or properties the event reports; `nil` for other events.
    package var linkConnection: ConnectionHandle? {
        switch self {
        case .known(let event as LEConnectionCompleteEvent): event.connection
        case .known(let event as LEEnhancedConnectionCompleteEvent): event.connection.connection
        case .known(let event as DisconnectionCompleteEvent): event.connection
        case .known(let event as LEConnectionUpdateCompleteEvent): event.connection
        case .known(let event as LEPHYUpdateCompleteEvent): event.connection
        case .known(let event as LEDataLengthChangeEvent): event.connection
        case .known(let event as LEReadRemoteFeaturesCompleteEvent): event.connection
        case .known(let event as ReadRemoteVersionInformationCompleteEvent): event.connection
        case .known(let event as LESubrateChangeEvent): event.connection
        default: nil
        }
    }
}
