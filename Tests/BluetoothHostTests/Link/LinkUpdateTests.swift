// SPDX-License-Identifier: MIT

import Bluetooth
import BluetoothHost
import Testing

@Suite("Changes of a link")
struct LinkUpdateTests {
    private static let link = ConnectionHandle(rawValue: 0x0040)
    private static let other = ConnectionHandle(rawValue: 0x0041)
    private static let start = Instant(nanoseconds: 0)
    private static let limit = Duration.seconds(5)

    private static func request(_ change: (inout LinkRequest) -> Void) -> LinkRequest {
        var request = LinkRequest()
        change(&request)
        return request
    }

    private static func update(_ request: LinkRequest, on state: LinkState = LinkState()) -> LinkUpdate {
        LinkUpdate(link, request, on: state, timeout: limit)
    }

    private static func phyEvent(_ phy: LEPHY, _ status: HCIStatus = .success) -> HCIEvent {
        .known(LEPHYUpdateCompleteEvent(status: status, link, transmit: phy, receive: phy))
    }

    fileprivate static func parameters(_ interval: UInt32, latency: UInt16 = 0, timeout: UInt32 = 42) -> HCIEvent {
        .known(
            LEConnectionUpdateCompleteEvent(
                link,
                interval: .init(rawValue: interval),
                latency: latency,
                supervisionTimeout: .init(rawValue: timeout)
            )
        )
    }

    private static let twoM = request { $0.phy = .init(.le2M) }
    private static let fast = request { $0.interval = .init(rawValue: 12) ... .init(rawValue: 12) }

    private static var setPHY: LinkUpdate.Command {
        .setPHY(LESetPHY(link, LEPHYPreference(transmit: .le2M, receive: .le2M)))
    }

    fileprivate static func subrate(_ factor: UInt16, _ status: HCIStatus = .success) -> HCIEvent {
        .known(
            LESubrateChangeEvent(
                status: status,
                link,
                factor: factor,
                latency: 1,
                continuationNumber: 1,
                supervisionTimeout: .init(rawValue: 100)
            )
        )
    }

    @Test(arguments: [
        (UInt16(3), HCIStatus.success, LinkUpdate.Outcome.reached), (4, .success, .different),
        (1, .unsupportedRemoteFeature, .refused(.unsupportedRemoteFeature)),
    ])
    func `a subrate factor is asked for with a latency and a timeout that fit`(
        _ factor: UInt16,
        _ status: HCIStatus,
        _ outcome: LinkUpdate.Outcome
    ) {
        let state = LinkTrackerTests.state
        var update = Self.update(Self.request { $0.subrate = 2...3 }, on: state)
        // 30 ms, 3 events, latency 2: a silence of 540 ms.
        let parameters = LESubrateParameters(factors: 2...3, maximumLatency: 2, supervisionTimeout: .init(rawValue: 55))
        #expect(
            update.begin(now: Self.start) == [.perform(.subrate(LESubrateRequest(Self.link, parameters)))]
        )
        _ = update.commandAnswered(.success, now: Self.start)
        #expect(update.received(Self.subrate(factor, status), now: Self.start) == [.finished])
        #expect(update.results == [.init(setting: .subrate, outcome: outcome)])
        #expect(update.link.subrateFactor == (status == .success ? factor : 1))
    }

    @Test func `a factor and a latency that leave too few events cannot be asked for`() throws {
        let state = LinkTrackerTests.state
        // A latency that nobody wants becomes smaller: (2 + 1) × 200 is more than 500.
        #expect(try Self.request { _ in }.subrating(200...200, on: state).maximumLatency == 1)
        #expect(throws: LinkRequest.Problem.tooFewEvents) {
            try Self.request { $0.latency = 2 }.subrating(200...200, on: state)
        }
        #expect(throws: LinkRequest.Problem.unknownInterval) {
            try Self.request { _ in }.subrating(2...2, on: LinkState())
        }
        #expect(throws: LinkRequest.Problem.timeoutTooShort(least: .init(rawValue: 55))) {
            try Self.request { $0.supervisionTimeout = .init(rawValue: 54) }.subrating(3...3, on: state)
        }
    }

    @Test func `an empty request ends at once`() {
        var update = Self.update(LinkRequest())
        #expect(update.begin(now: Self.start) == [.finished])
        #expect(update.results.isEmpty && update.nextDeadline == nil)
        #expect(update.begin(now: Self.start) == [])
    }

    @Test func `a PHY is reached when the event names it for both directions`() {
        var update = Self.update(Self.twoM)
        #expect(update.begin(now: Self.start) == [.perform(Self.setPHY)])
        #expect(update.nextDeadline == Self.start + Self.limit)
        #expect(update.commandAnswered(.success, now: Self.start) == [])
        #expect(update.received(Self.phyEvent(.le2M), now: Self.start) == [.finished])
        #expect(update.results == [.init(setting: .phy, outcome: .reached)])
        #expect(update.link.transmitPHY == .le2M && update.link.receivePHY == .le2M)
    }

    @Test func `a success with another PHY is different`() {
        var update = Self.update(Self.twoM)
        _ = update.begin(now: Self.start)
        _ = update.commandAnswered(.success, now: Self.start)
        let half = HCIEvent.known(LEPHYUpdateCompleteEvent(Self.link, transmit: .le2M, receive: .le1M))
        #expect(update.received(half, now: Self.start) == [.finished])
        #expect(update.results == [.init(setting: .phy, outcome: .different)])
        #expect(update.link.receivePHY == .le1M)
    }

    @Test func `events of other links, and of other procedures, change nothing`() {
        var update = Self.update(Self.twoM)
        _ = update.begin(now: Self.start)
        _ = update.commandAnswered(.success, now: Self.start)
        let theirs = HCIEvent.known(LEPHYUpdateCompleteEvent(Self.other, transmit: .le2M, receive: .le2M))
        #expect(update.received(theirs, now: Self.start) == [])
        let end = HCIEvent.known(DisconnectionCompleteEvent(Self.other, reason: .connectionTimeout))
        #expect(update.received(end, now: Self.start) == [])
        #expect(update.received(Self.parameters(24), now: Self.start) == [])
        #expect(update.results.isEmpty)
        #expect(update.link.interval == .init(rawValue: 24))
    }

    @Test func `a refusal of the peer has its reason, and ends everything`() {
        var update = Self.update(
            Self.request {
                $0.phy = .init(.le2M); $0.dataLength = 100
            }
        )
        _ = update.begin(now: Self.start)
        _ = update.commandAnswered(.success, now: Self.start)
        #expect(update.received(Self.phyEvent(.le1M, .unsupportedRemoteFeature), now: Self.start) == [.finished])
        #expect(update.results == [.init(setting: .phy, outcome: .refused(.unsupportedRemoteFeature))])
        #expect(update.received(Self.phyEvent(.le2M), now: Self.start) == [])
        #expect(update.timerFired(now: Self.start + .seconds(60)) == [])
    }

    @Test(arguments: [
        (HCIStatus.unknownHCICommand, LinkUpdate.Outcome.rejected(.unknownHCICommand)),
        (.unsupportedFeatureOrParameterValue, .rejected(.unsupportedFeatureOrParameterValue)),
        (.unsupportedRemoteFeature, .refused(.unsupportedRemoteFeature)),
        (.unknownConnectionIdentifier, .ended(.unknownConnectionIdentifier)),
    ])
    func `a command that is refused`(_ status: HCIStatus, _ outcome: LinkUpdate.Outcome) {
        var update = Self.update(Self.twoM)
        _ = update.begin(now: Self.start)
        #expect(update.commandAnswered(status, now: Self.start) == [.finished])
        #expect(update.results == [.init(setting: .phy, outcome: outcome)])
    }

    @Test func `a peer that does not answer`() {
        var update = Self.update(Self.twoM)
        _ = update.begin(now: Self.start)
        _ = update.commandAnswered(.success, now: Self.start)
        #expect(update.timerFired(now: Self.start + .seconds(4)) == [])
        #expect(update.timerFired(now: Self.start + Self.limit) == [.finished])
        #expect(update.results == [.init(setting: .phy, outcome: .unanswered)])
    }

    @Test func `a response timeout of the Link Layer is a peer that does not answer`() {
        var update = Self.update(Self.twoM)
        _ = update.begin(now: Self.start)
        _ = update.commandAnswered(.success, now: Self.start)
        #expect(update.received(Self.phyEvent(.le1M, .linkLayerResponseTimeout), now: Self.start) == [.finished])
        #expect(update.results == [.init(setting: .phy, outcome: .unanswered)])
    }

    @Test func `the end of the link`() {
        var update = Self.update(Self.fast)
        _ = update.begin(now: Self.start)
        let end = HCIEvent.known(DisconnectionCompleteEvent(Self.link, reason: .linkLayerResponseTimeout))
        #expect(update.received(end, now: Self.start) == [.finished])
        #expect(update.results == [.init(setting: .parameters, outcome: .ended(.linkLayerResponseTimeout))])
        #expect(update.received(end, now: Self.start) == [])
    }

    @Test func `a collision is tried again after a pause, until the deadline`() {
        var update = Self.update(Self.twoM)
        _ = update.begin(now: Self.start)
        _ = update.commandAnswered(.success, now: Self.start)
        #expect(update.received(Self.phyEvent(.le1M, .linkLayerProcedureCollision), now: Self.start) == [])
        let again = Self.start + .milliseconds(100)
        #expect(update.nextDeadline == again)
        #expect(update.timerFired(now: again) == [.perform(Self.setPHY)])
        #expect(update.commandAnswered(.controllerBusy, now: again) == [])
        // The pauses do not move the deadline.
        let late = Self.start + .milliseconds(4_950)
        #expect(update.timerFired(now: late) == [.perform(Self.setPHY)])
        #expect(update.commandAnswered(.commandDisallowed, now: late) == [])
        #expect(update.nextDeadline == Self.start + Self.limit)
        #expect(update.timerFired(now: Self.start + Self.limit) == [.finished])
        #expect(update.results == [.init(setting: .phy, outcome: .rejected(.commandDisallowed))])
    }

    @Test func `a procedure that collides until the deadline ends without an answer, even after a refusal`() {
        var update = Self.update(Self.twoM)
        _ = update.begin(now: Self.start)
        _ = update.commandAnswered(.commandDisallowed, now: Self.start)
        let late = Self.start + .milliseconds(4_950)
        #expect(update.timerFired(now: late) == [.perform(Self.setPHY)])
        _ = update.commandAnswered(.success, now: late)
        #expect(update.received(Self.phyEvent(.le1M, .linkLayerProcedureCollision), now: late) == [])
        #expect(update.timerFired(now: Self.start + Self.limit) == [.finished])
        #expect(update.results == [.init(setting: .phy, outcome: .unanswered)])
    }

    @Test func `longer packets are requested if the peer has the feature`() {
        var update = Self.update(Self.request { $0.dataLength = 100 })
        let begin = update.begin(now: Self.start)
        #expect(begin == [.perform(.readFeatures(LEReadRemoteFeatures(Self.link)))])
        _ = update.commandAnswered(.success, now: Self.start)
        let features = HCIEvent.known(
            LEReadRemoteFeaturesCompleteEvent(Self.link, features: .dataPacketLengthExtension)
        )
        let set = LESetDataLength(Self.link, transmit: .init(octets: 100, microseconds: 912))
        #expect(update.received(features, now: Self.start) == [.perform(.setDataLength(set))])
        _ = update.commandAnswered(.success, now: Self.start)
        let length = LEDataLength(octets: 100, microseconds: 912)
        let change = HCIEvent.known(LEDataLengthChangeEvent(Self.link, transmit: length, receive: length))
        #expect(update.received(change, now: Self.start) == [.finished])
        #expect(update.results == [.init(setting: .dataLength, outcome: .reached)])
    }

    @Test func `less than the wanted length is different`() {
        var update = Self.update(Self.request { $0.dataLength = 251 })
        _ = update.begin(now: Self.start)
        _ = update.commandAnswered(.success, now: Self.start)
        let features = HCIEvent.known(
            LEReadRemoteFeaturesCompleteEvent(Self.link, features: .dataPacketLengthExtension)
        )
        _ = update.received(features, now: Self.start)
        _ = update.commandAnswered(.success, now: Self.start)
        let length = LEDataLength(octets: 60, microseconds: 592)
        let change = HCIEvent.known(LEDataLengthChangeEvent(Self.link, transmit: length, receive: length))
        #expect(update.received(change, now: Self.start) == [.finished])
        #expect(update.results == [.init(setting: .dataLength, outcome: .different)])
    }

    @Test func `a peer without longer packets refuses`() {
        var update = Self.update(Self.request { $0.dataLength = 100 })
        _ = update.begin(now: Self.start)
        _ = update.commandAnswered(.success, now: Self.start)
        let features = HCIEvent.known(LEReadRemoteFeaturesCompleteEvent(Self.link, features: .le2MPHY))
        #expect(update.received(features, now: Self.start) == [.finished])
        #expect(update.results == [.init(setting: .dataLength, outcome: .refused(.unsupportedRemoteFeature))])
    }

    @Test func `a length that the link has already needs no command`() {
        var state = LinkState()
        state.transmitLength = LEDataLength(octets: 251, microseconds: 2_120)
        var update = Self.update(Self.request { $0.dataLength = 251 }, on: state)
        #expect(update.begin(now: Self.start) == [.finished])
        #expect(update.results == [.init(setting: .dataLength, outcome: .reached)])
    }

    @Test func `parameters are reached when the event has them`() {
        var update = Self.update(Self.fast)
        let parameters = LEConnectionParameters(
            minimumInterval: .init(rawValue: 12),
            maximumInterval: .init(rawValue: 12),
            supervisionTimeout: .init(rawValue: 42)
        )
        #expect(update.begin(now: Self.start) == [.perform(.update(LEConnectionUpdate(Self.link, parameters)))])
        _ = update.commandAnswered(.success, now: Self.start)
        #expect(update.received(Self.parameters(12), now: Self.start) == [.finished])
        #expect(update.results == [.init(setting: .parameters, outcome: .reached)])
    }

    @Test(arguments: [(24, 0, 42), (12, 1, 42), (12, 0, 43)])
    func `other parameters are different`(_ interval: UInt32, _ latency: UInt16, _ timeout: UInt32) {
        var update = Self.update(Self.fast)
        _ = update.begin(now: Self.start)
        _ = update.commandAnswered(.success, now: Self.start)
        let event = Self.parameters(interval, latency: latency, timeout: timeout)
        #expect(update.received(event, now: Self.start) == [.finished])
        #expect(update.results == [.init(setting: .parameters, outcome: .different)])
    }

    @Test func `settings are changed one after the other`() {
        var update = Self.update(
            Self.request {
                $0.phy = .init(.le2M); $0.interval = .init(rawValue: 6) ... .init(rawValue: 9)
            }
        )
        _ = update.begin(now: Self.start)
        _ = update.commandAnswered(.success, now: Self.start)
        let later = Self.start + .seconds(1)
        let actions = update.received(Self.phyEvent(.le2M), now: later)
        guard actions.count == 1, case .perform(.update(let command))? = actions.first else {
            Issue.record("no update")
            return
        }
        #expect(command.parameters.minimumInterval.rawValue == 6 && command.parameters.maximumInterval.rawValue == 9)
        #expect(update.nextDeadline == later + Self.limit)
        _ = update.commandAnswered(.success, now: later)
        #expect(update.received(Self.parameters(8), now: later) == [.finished])
        #expect(update.results.map(\.outcome) == [.reached, .reached])
    }

    @Test func `without a known interval the other parameters cannot be set`() {
        var update = Self.update(Self.request { $0.latency = 4 })
        #expect(update.begin(now: Self.start) == [.finished])
        #expect(update.results == [.init(setting: .parameters, outcome: .impossible(.unknownInterval))])
    }
}

@Suite("Parameters of a request")
struct LinkRequestTests {
    private static func parameters(
        _ state: LinkState = LinkState(),
        _ change: (inout LinkRequest) -> Void
    ) throws(LinkRequest.Problem) -> LEConnectionParameters {
        var request = LinkRequest()
        change(&request)
        return try request.parameters(on: state)
    }

    @Test func `parameters that are not requested stay`() throws {
        var state = LinkState()
        state.interval = .init(rawValue: 24)
        state.latency = 3
        state.supervisionTimeout = .init(rawValue: 600)
        let parameters = try Self.parameters(state) { $0.latency = 4 }
        #expect(parameters.minimumInterval.rawValue == 24 && parameters.maximumInterval.rawValue == 24)
        #expect(parameters.latency == 4 && parameters.supervisionTimeout.rawValue == 600)
        let faster = try Self.parameters(state) { $0.interval = .init(rawValue: 6) ... .init(rawValue: 12) }
        #expect(faster.latency == 3 && faster.maximumInterval.rawValue == 12)
    }

    @Test func `a supervision timeout that is too short becomes the shortest that is allowed`() throws {
        // 1 s and latency 1 allow a silence of 2 s.
        let parameters = try Self.parameters {
            $0.interval = .init(rawValue: 800) ... .init(rawValue: 800)
            $0.latency = 1
        }
        #expect(parameters.supervisionTimeout.rawValue == 401)
    }

    @Test func `a wanted supervision timeout has to be long enough`() {
        #expect(throws: LinkRequest.Problem.timeoutTooShort(least: .init(rawValue: 401))) {
            try Self.parameters {
                $0.interval = .init(rawValue: 1600) ... .init(rawValue: 1600)
                $0.supervisionTimeout = .init(rawValue: 400)
            }
        }
        #expect(throws: LinkRequest.Problem.silenceTooLong) {
            try Self.parameters {
                $0.interval = .init(rawValue: 3200) ... .init(rawValue: 3200)
                $0.latency = 499
            }
        }
    }
}

@Suite("Links as events describe them")
struct LinkTrackerTests {
    private static let link = ConnectionHandle(rawValue: 0x0040)

    /// A link of 30 ms, a latency of 2 events and a timeout of 420 ms.
    fileprivate static var state: LinkState { LinkState(connected(link)) }

    private static func connected(_ handle: ConnectionHandle, _ status: HCIStatus = .success)
        -> LEConnectionCompleteEvent
    {
        LEConnectionCompleteEvent(
            status: status,
            handle,
            role: .central,
            peer: DeviceAddress(BluetoothAddress(rawValue: 1), .public),
            interval: .init(rawValue: 24),
            latency: 2,
            supervisionTimeout: .init(rawValue: 42)
        )
    }

    @Test func `with another interval each event is used again`() throws {
        var tracker = LinkTracker()
        tracker.received(.known(Self.connected(Self.link)))
        #expect(tracker.state(of: Self.link)?.subrateFactor == 1)
        tracker.received(LinkUpdateTests.subrate(4))
        tracker.received(LinkUpdateTests.parameters(24))
        #expect(tracker.state(of: Self.link)?.subrateFactor == 4)
        tracker.received(LinkUpdateTests.parameters(12))
        let state = try #require(tracker.state(of: Self.link))
        #expect(state.subrateFactor == 1 && state.continuationNumber == 0)
    }

    @Test func `a new link has what its event says, and the shortest packets`() throws {
        var tracker = LinkTracker()
        tracker.received(.known(LEEnhancedConnectionCompleteEvent(Self.connected(Self.link))))
        let state = try #require(tracker.state(of: Self.link))
        #expect(state.role == .central && state.interval?.rawValue == 24 && state.latency == 2)
        #expect(state.supervisionTimeout?.rawValue == 42 && state.transmitPHY == nil)
        #expect(state.transmitLength == LEDataLength(octets: 27, microseconds: 328))
    }

    @Test func `changes are kept, and failed ones are not`() throws {
        var tracker = LinkTracker()
        tracker.received(.known(Self.connected(Self.link)))
        tracker.received(.known(LEPHYUpdateCompleteEvent(Self.link, transmit: .le2M, receive: .coded)))
        tracker.received(
            .known(
                LEPHYUpdateCompleteEvent(status: .unsupportedRemoteFeature, Self.link, transmit: .le1M, receive: .le1M)
            )
        )
        let state = try #require(tracker.state(of: Self.link))
        #expect(state.transmitPHY == .le2M && state.receivePHY == .coded)
        let failed = LEConnectionUpdateCompleteEvent(
            status: .unacceptableConnectionParameters,
            Self.link,
            interval: .init(rawValue: 6),
            latency: 0,
            supervisionTimeout: .init(rawValue: 10)
        )
        tracker.received(.known(failed))
        #expect(tracker.state(of: Self.link)?.interval?.rawValue == 24)
    }

    @Test func `for an older link only the observed properties are known`() throws {
        var tracker = LinkTracker()
        #expect(tracker.state(of: Self.link) == nil)
        let length = LEDataLength(octets: 251, microseconds: 2_120)
        tracker.received(.known(LEDataLengthChangeEvent(Self.link, transmit: length, receive: length)))
        let state = try #require(tracker.state(of: Self.link))
        #expect(state.transmitLength == length && state.interval == nil && state.role == nil)
    }

    @Test func `a link that has ended, or was never made, is forgotten`() {
        var tracker = LinkTracker()
        tracker.received(.known(Self.connected(Self.link, .connectionFailedToBeEstablished)))
        #expect(tracker.state(of: Self.link) == nil)
        tracker.received(.known(Self.connected(Self.link)))
        tracker.received(.known(DisconnectionCompleteEvent(Self.link, reason: .connectionTimeout)))
        #expect(tracker.state(of: Self.link) == nil)
    }

    @Test func `a hostile controller cannot exceed the limit of kept links`() {
        var tracker = LinkTracker()
        for number in 0..<UInt16(600) {
            tracker.received(.known(Self.connected(ConnectionHandle(rawValue: number))))
        }
        let kept = (0..<UInt16(600)).filter { tracker.state(of: ConnectionHandle(rawValue: $0)) != nil }
        #expect(kept.count <= 256 && kept.contains(599))
    }
}
