// SPDX-License-Identifier: MIT

import Bluetooth
import SimulatedRadio
import Synchronization
import Testing

@testable import BluetoothHost
@testable import RadioSharing

@Suite("The security of a shared link")
struct SharedLinkSecurityTests {
    private static let encrypted = LinkSecurity(isEncrypted: true, keySize: 16)

    /// A radio whose links are raised in one way after the other.
    private final class RaisingRadio: Radio {
        private let base: ScriptedRadio
        private let ways: Mutex<[ScriptedChannel.Raising]>

        init(_ base: ScriptedRadio, _ ways: [ScriptedChannel.Raising]) {
            self.base = base
            self.ways = Mutex(ways)
        }

        var adapter: AdapterDescription { base.adapter }

        func openHCI() throws(RadioError) -> any HCIChannel { try base.openHCI() }
        func listenATT() throws(RadioError) -> any ATTListener { try base.listenATT() }

        func connectATT(to device: DeviceAddress, deadline: Instant) async throws(RadioError) -> any ATTChannel {
            let channel = try await base.connectATT(to: device, deadline: deadline)
            let way = ways.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let way { (channel as? ScriptedChannel)?.whenRaised(way) }
            return channel
        }
    }

    @Test func `the owner raises the link for all, and a guest does not`() throws {
        try inVirtualTime { time, scope in
            let link = SharedLink(time: time, scope: scope)
            let device = ScriptedChannel(time, scope) { _ in nil }
            device.whenRaised(.becomes(Self.encrypted, after: .seconds(1)))
            link.begin(device)
            let (owner, guest) = (try link.join(isGuest: false), try link.join(isGuest: true))
            let refused = await #expect(throws: RadioError.self) { try await guest.raiseSecurity(to: .medium) }
            #expect(refused?.cause == .unsupported && device.raised == [])
            try await owner.raiseSecurity(to: .medium)
            #expect(device.raised == [.medium])
            #expect(guest.security == Self.encrypted && link.status.security == Self.encrypted)
            guest.close()
            #expect(link.status.isUp)
            owner.close()
            try await time.sleep(for: .seconds(1))
            #expect(!link.status.isUp, "without its owner the link would have no security")
        }
    }

    @Test func `guests wait until the owner has opened each link`() throws {
        try inVirtualTime { time, scope in
            let link = SharedLink(opensLater: true, time: time, scope: scope)
            for _ in 1...2 {
                let device = ScriptedChannel(time, scope) { _ in nil }
                link.begin(device)
                let guest = Running(scope, time) {
                    try await link.join(.scripted, by: time.now + .seconds(10)).close()
                }
                try await time.sleep(for: .seconds(2))
                #expect(guest.outcome == nil)
                link.open()
                try await time.sleep(for: .seconds(1))
                #expect(guest.outcome != nil)
            }
        }
    }

    /// Keeps a link that has to be encrypted, while the second link is raised in `ways` and the first one is lost.
    private func keep(_ ways: [ScriptedChannel.Raising]) throws -> (news: [String], raised: [[SecurityLevel]]) {
        try inVirtualTime { time, scope in
            let base = ScriptedRadio(
                ways.map { _ in .connects([turn("02 0502", "03 f700")]) },
                time,
                scope
            )
            let link = SharedLink(opensLater: true, time: time, scope: scope)
            var configuration = Peripheral.Configuration()
            configuration.security.level = .medium
            let peripheral = Peripheral(
                .scripted,
                radio: SharingRadio(RaisingRadio(base, ways), sharing: link),
                scope: scope,
                time: time,
                configuration: configuration
            )
            let news = Mutex<[String]>([])
            let add: @Sendable (String) -> Void = { text in
                news.withLock { $0.append("\(text), \(link.status.security.isEncrypted ? "encrypted" : "open")") }
            }
            let keeping = scope.spawnCancellable {
                do {
                    try await LinkKeeper(peripheral, time: time).keep(whenReady: { add("ready") }) { event in
                        switch event {
                        case .lost: add("lost")
                        case .failed(let error, _): add(error is SecurityFailure ? "not secured" : "\(error)")
                        case .restored: add("restored")
                        }
                    }
                } catch {
                    guard let failure = error as? SecurityFailure else { return }
                    add("ended: \(failure.reason)")
                }
            }
            try await time.sleep(for: .seconds(1))
            base.channels.first?.end(.linkLost(nil))
            try await time.sleep(for: .seconds(60))
            keeping.cancel()
            return (news.withLock { $0 }, base.channels.map(\.raised))
        }
    }

    @Test func `each link is encrypted before it is reported`() throws {
        let raised = ScriptedChannel.Raising.becomes(Self.encrypted, after: .milliseconds(100))
        let (news, levels) = try keep([raised, raised])
        #expect(news == ["ready, encrypted", "lost, open", "restored, encrypted"])
        #expect(levels == [[.medium], [.medium]])
    }

    @Test func `a link that could not be encrypted is closed`() throws {
        let raised = ScriptedChannel.Raising.becomes(Self.encrypted, after: .milliseconds(100))
        let failed = ScriptedChannel.Raising.becomes(.none, after: .milliseconds(100))
        let (news, levels) = try keep([raised, failed, raised])
        #expect(news == ["ready, encrypted", "lost, open", "not secured, open", "restored, encrypted"])
        #expect(levels == [[.medium], [.medium], [.medium]])
    }

    @Test func `a device silent during encryption is tried again, and one without the key is not`() throws {
        let raised = ScriptedChannel.Raising.becomes(Self.encrypted, after: .milliseconds(100))
        let silent = ScriptedChannel.Raising.ends(.linkLost(.connectionTimeout), after: .milliseconds(100))
        let (news, levels) = try keep([raised, silent, raised])
        #expect(news == ["ready, encrypted", "lost, open", "not secured, open", "restored, encrypted"])
        #expect(levels == [[.medium], [.medium], [.medium]])
        // So Linux reports it: the kernel ends the link.
        let refused = ScriptedChannel.Raising.ends(.closedLocally, after: .milliseconds(100))
        let (last, attempts) = try keep([raised, refused, raised])
        let end = "ended: the link could not be encrypted: the connection was closed, open"
        #expect(last == ["ready, encrypted", "lost, open", end])
        #expect(attempts == [[.medium], [.medium]])
    }
}
