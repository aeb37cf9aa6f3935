// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost

/// The kernel reports each failure with the same status; the reason comes on another socket, sooner or later.
@Suite("The reason of a failed pairing")
struct FailureReasonTests {
    private static let phone = DeviceAddress(BluetoothAddress(rawValue: 0x7A11_2233_4455), .random)
    private static let address = ManagementAddress(phone)
    private static let link = ConnectionHandle(rawValue: 0x40)
    private static let hci0 = ManagementIndex(0)
    private static let failed = AuthenticationFailedEvent(address, status: .authenticationFailed)
    private static let generic = PairingError.Problem.rejected(.authenticationFailed)

    // MARK: - The state machine

    private func process(total: Duration = .seconds(10), isObserved: Bool = true) -> PairingProcess {
        var process = PairingProcess(
            Self.phone,
            wantsBond: true,
            limits: .init(total: total),
            isAsked: true,
            isObserved: isObserved
        )
        #expect(process.start(now: .zero) == [.report(.started)])
        return process
    }

    private func moment(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    private func end(_ problem: PairingError.Problem) -> [PairingProcess.Action] {
        [.finished(.failure(PairingError(Self.phone, problem)))]
    }

    @Test func `a failure waits for its reason, and is reported with it`() {
        var process = process()
        #expect(process.received(.known(Self.failed), now: moment(100)) == [])
        #expect(process.nextDeadline == moment(1_100))
        #expect(process.timerFired(now: moment(1_099)) == [])
        #expect(process.observed(.securityRequest([.bonding])) == [])
        #expect(process.observed(.pairingFailed(.confirmValueFailed)) == end(.failed(.confirmValueFailed)))
        #expect(process.observed(.pairingFailed(.busy)) == [] && process.nextDeadline == nil)
    }

    @Test func `there is no wait for a reason that is known, or that nobody can observe`() {
        var known = process()
        #expect(known.observed(.pairingFailed(.confirmValueFailed)) == [])
        #expect(known.received(.known(Self.failed), now: .zero) == end(.failed(.confirmValueFailed)))
        var blind = process(isObserved: false)
        #expect(blind.received(.known(Self.failed), now: .zero) == end(Self.generic))
        var other = process()
        let busy = AuthenticationFailedEvent(Self.address, status: .busy)
        #expect(other.received(.known(busy), now: .zero) == end(.rejected(.busy)))
        var declined = process()
        let question = UserConfirmationRequestEvent(Self.address, isOnlyConsent: true, value: 0)
        _ = declined.received(.known(question), now: .zero)
        _ = declined.answered(.no, now: .zero)
        #expect(declined.received(.known(Self.failed), now: .zero) == end(.declined))
    }

    @Test func `the wait for a missing reason ends at its limit, or at the pairing's if that is earlier`() {
        for (total, limit) in [(10_000, 5_000), (4_300, 4_300)] as [(Int64, Int64)] {
            var process = process(total: .milliseconds(total))
            #expect(process.received(.known(Self.failed), now: moment(4_000)) == [])
            #expect(process.nextDeadline == moment(limit))
            #expect(process.timerFired(now: moment(limit)) == end(Self.generic))
        }
    }

    @Test func `during the wait there are no more questions, and nothing else changes the failure`() {
        var process = process()
        _ = process.received(.known(UserPasskeyRequestEvent(Self.address)), now: .zero)
        #expect(process.received(.known(Self.failed), now: .zero) == [.withdraw])
        #expect(process.answered(.passkey(7), now: .zero) == [])
        let gone = DeviceDisconnectedEvent(Self.address, reason: .closedByPeer)
        #expect(process.received(.known(gone), now: .zero) == [])
        #expect(process.linkEnded(RadioError(.closedByPeer(nil), during: "test"), now: .zero) == [])
        #expect(process.completed(.success(()), now: .zero) == [])
        #expect(process.superseded() == end(Self.generic) && process.superseded() == [])
    }

    @Test func `a failed command waits as well; a cancelled one does not`() {
        let failure = ManagementCommandFailure.rejected(.authenticationFailed)
        var process = PairingProcess(
            Self.phone,
            wantsBond: true,
            limits: .init(total: .seconds(10)),
            isObserved: true
        )
        _ = process.start(now: .zero)
        #expect(process.completed(.failure(failure), now: .zero) == [])
        var cancelled = process
        #expect(process.observed(.pairingFailed(.busy)) == end(.failed(.busy)))
        #expect(cancelled.cancelled(now: .zero) == [.finished(nil)])
    }

    // MARK: - Being paired with

    private typealias Report = (problem: PairingError.Problem?, milliseconds: Int64)

    /// The reported failures, with the time since the responder runs.
    private func reports(
        _ body:
            @escaping @Sendable (ScriptedKernel, ObservedRadio, PairingResponder, any TimeSource) async throws -> Void
    ) throws -> [Report] {
        try inVirtualTime { time, scope in
            let (system, radio) = (ScriptedKernel(time) { _ in [] }, ObservedRadio())
            let manager = try AdapterManager.open(system, scope: scope, time: time)
            let responder = PairingResponder(
                manager,
                on: Self.hci0,
                observing: SecurityObserver(radio, scope: scope),
                scope: scope,
                time: time
            )
            let reports = Mutex<[Report]>([])
            try await time.sleep(for: .milliseconds(1))
            let start = time.now
            let task = scope.spawnCancellable {
                await responder.run { _ in
                    Answers(given: nil)
                } report: { _, result in
                    guard case .failure(let error) = result else { return }
                    reports.withLock { $0.append((error.problem, time.now.milliseconds - start.milliseconds)) }
                }
            }
            try await time.sleep(for: .milliseconds(100))
            try await body(system, radio, responder, time)
            try await time.sleep(for: .seconds(60))
            task.cancel()
            radio.close()
            await manager.close()
            return reports.withLock { $0 }
        }
    }

    private static let request = SecurityManagerPDU.pairingRequest(
        PairingFeatures(ioCapability: .noInputNoOutput, requirements: [.bonding])
    )
    private static let reason = SecurityManagerPDU.pairingFailed(.confirmValueFailed)
    private static let failure = failed.packet(about: hci0)

    @Test func `a reason before the failure is reported at once`() throws {
        let reports = try reports { kernel, radio, responder, time in
            responder.connected(Self.phone, over: Self.link)
            radio.show(Self.request, on: Self.link)
            radio.show(Self.reason, on: Self.link)
            try await time.sleep(for: .milliseconds(100))
            kernel.tell([Self.failure])
        }
        #expect(reports.map(\.problem) == [.failed(.confirmValueFailed)])
        #expect(reports.map(\.milliseconds) == [200])
    }

    @Test func `a reason 500 ms after the failure is reported when it comes`() throws {
        let reports = try reports { kernel, radio, responder, time in
            responder.connected(Self.phone, over: Self.link)
            kernel.tell([Self.failure])
            try await time.sleep(for: .milliseconds(500))
            radio.show(Self.request, on: Self.link)
            radio.show(Self.reason, on: Self.link)
        }
        #expect(reports.map(\.problem) == [.failed(.confirmValueFailed)])
        #expect(reports.map(\.milliseconds) == [600])
    }

    @Test func `a reason on a link is reported when its central becomes known after the failure`() throws {
        let reports = try reports { kernel, radio, responder, time in
            radio.show(Self.request, on: Self.link)
            radio.show(Self.reason, on: Self.link)
            try await time.sleep(for: .milliseconds(100))
            kernel.tell([Self.failure])
            try await time.sleep(for: .milliseconds(500))
            responder.connected(Self.phone, over: Self.link)
        }
        #expect(reports.map(\.problem) == [.failed(.confirmValueFailed)])
        #expect(reports.map(\.milliseconds) == [700])
    }

    /// As on Linux, which drops the socket of a link that ends before it is accepted.
    @Test func `a reason on a link whose central never becomes known is reported after a second`() throws {
        let reports = try reports { kernel, radio, _, time in
            radio.show(Self.request, on: Self.link)
            radio.show(Self.reason, on: Self.link)
            kernel.tell([Self.failure])
        }
        #expect(reports.map(\.problem) == [.failed(.confirmValueFailed)])
        #expect(reports.map(\.milliseconds) == [1_100])
    }

    @Test func `a reason that two links or two centrals could have is nobody's`() throws {
        let links = try reports { kernel, radio, _, _ in
            radio.show(Self.reason, on: Self.link)
            radio.show(.pairingFailed(.busy), on: ConnectionHandle(rawValue: 0x0043))
            kernel.tell([Self.failure])
        }
        let central = AuthenticationFailedEvent(
            ManagementAddress(DeviceAddress(BluetoothAddress(rawValue: 0xC0_0000_0000_01), .random)),
            status: .authenticationFailed
        )
        let centrals = try reports { kernel, radio, _, _ in
            radio.show(Self.reason, on: Self.link)
            kernel.tell([Self.failure, central.packet(about: Self.hci0)])
        }
        let former = try reports { kernel, radio, _, time in
            radio.show(Self.reason, on: Self.link)
            try await time.sleep(for: .seconds(2))
            kernel.tell([Self.failure])
        }
        #expect(links.map(\.problem) == [Self.generic])
        #expect(centrals.map(\.problem) == [Self.generic, Self.generic])
        #expect(former.map(\.problem) == [Self.generic])
    }

    @Test func `without a reason the failure is reported alone, after a second`() throws {
        let reports = try reports { kernel, _, responder, _ in
            responder.connected(Self.phone, over: Self.link)
            kernel.tell([Self.failure])
        }
        #expect(reports.map(\.problem) == [Self.generic])
        #expect(reports.map(\.milliseconds) == [1_100])
    }

    @Test func `a waiting failure does not delay the prompt of the next pairing`() throws {
        let reports = try reports { kernel, _, _, time in
            kernel.tell([Self.failure])
            try await time.sleep(for: .milliseconds(100))
            kernel.tell([UserPasskeyRequestEvent(Self.address).packet(about: Self.hci0)])
        }
        #expect(reports.map(\.problem) == [Self.generic, .timedOut(.seconds(30))])
        #expect(reports.map(\.milliseconds) == [200, 30_200])
    }

    @Test func `the end of serving reports a waiting failure`() throws {
        let reports = try reports { kernel, _, responder, time in
            kernel.tell([Self.failure])
            try await time.sleep(for: .milliseconds(100))
            await responder.finish()
        }
        #expect(reports.map(\.problem) == [Self.generic])
        #expect(reports.map(\.milliseconds) == [700])
    }

    @Test func `a reused handle belongs to the next central, and not to the one that has left`() throws {
        let tablet = DeviceAddress(BluetoothAddress(rawValue: 0x0000_1111_2222), .public)
        let failed = AuthenticationFailedEvent(ManagementAddress(tablet), status: .authenticationFailed)
        let gone = DeviceDisconnectedEvent(Self.address, reason: .closedByPeer)
        let reports = try reports { kernel, radio, responder, time in
            responder.connected(Self.phone, over: Self.link)
            kernel.tell([gone.packet(about: Self.hci0)])
            try await time.sleep(for: .milliseconds(100))
            radio.show(Self.request, on: Self.link)
            radio.show(Self.reason, on: Self.link)
            try await time.sleep(for: .milliseconds(100))
            responder.connected(tablet, over: Self.link)
            try await time.sleep(for: .milliseconds(100))
            kernel.tell([failed.packet(about: Self.hci0)])
        }
        #expect(reports.map(\.problem) == [.failed(.confirmValueFailed)])
        #expect(reports.map(\.milliseconds) == [400])
    }

    @Test func `a reason is reported even if the link has ended before it is read`() throws {
        let reports = try reports { kernel, radio, responder, time in
            responder.connected(Self.phone, over: Self.link)
            kernel.tell([
                Self.failure, DeviceDisconnectedEvent(Self.address, reason: .closedByPeer).packet(about: Self.hci0),
            ])
            try await time.sleep(for: .milliseconds(100))
            radio.show(Self.reason, on: Self.link)
        }
        #expect(reports.map(\.problem) == [.failed(.confirmValueFailed)])
        #expect(reports.map(\.milliseconds) == [200])
    }

    @Test func `a link without a known central stores a limited number of the latest packets`() throws {
        let reports = try reports { kernel, radio, responder, time in
            radio.show(Self.request, on: Self.link)
            for _ in 1...20 { radio.show(Self.reason, on: Self.link) }
            try await time.sleep(for: .milliseconds(100))
            // The request is not there any more, so no pairing begins.
            responder.connected(Self.phone, over: Self.link)
        }
        #expect(reports.isEmpty)
    }
}
