// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
package import Terminal

/// The scans of a search for a device, each on one PHY: LE 1M at first, and LE Coded now and then if nothing was found.
///
/// A radio listens to one PHY at a time, and nearly all devices advertise on LE 1M, so that a search of a few seconds
/// hears nothing else. A scan on both PHYs would cost those devices half of the time, and more with some controllers:
/// they claim LE Coded, and then hear hardly anything. Linux does not use that PHY on them.
package struct LookupScan: Sendable {
    /// Listens with a scan until the end that is given. Returns whether the search is over.
    package typealias Listener = @Sendable (_ scan: Scan, _ end: Instant) async throws -> Bool

    /// How long LE 1M alone is listened to at first.
    static let firstTurn = Duration.seconds(4)
    /// How long LE Coded has a turn.
    static let codedTurn = Duration.seconds(1)
    /// How long LE 1M has a turn again.
    static let laterTurn = Duration.seconds(2)

    private enum Ending: Sendable {
        case over
        /// It goes on with the other PHY, if there is time left.
        case goesOn
        /// The time is over, and LE Coded has had none of it.
        case codedFollows
    }

    package let central: Central
    /// The folder of scan leases; `nil` for none.
    package let state: StateFolder?
    /// The private addresses with which it scans; `nil` for the adapter's own.
    package var privacy: PrivateAddresses?
    package let notes: any NoteSink

    package init(central: Central, state: StateFolder?, privacy: PrivateAddresses? = nil, notes: any NoteSink) {
        self.central = central
        self.state = state
        self.privacy = privacy
        self.notes = notes
    }

    /// Scans for at most the time limit, one turn after the other, until the listener says that the search is over.
    ///
    /// - Parameter extra: How long LE Coded is listened to after a limit that is too short for a turn of it.
    package func run(for limit: Duration, thenCoded extra: Duration = .zero, _ listen: @escaping Listener) async throws
    {
        let time = central.time
        let codedFollows = extra > .zero && limit <= Self.firstTurn + Self.codedTurn
        try await central.withController { controller -> Void in
            let deadline = time.now + limit
            var isCoded = false
            var end = min(time.now + Self.firstTurn, deadline)
            while true {
                switch try await turn(isCoded, until: end, of: deadline, codedFollows, controller, listen) {
                case .over: return
                case .goesOn:
                    if time.now >= deadline { return }
                    isCoded.toggle()
                    end = min(time.now + (isCoded ? Self.codedTurn : Self.laterTurn), deadline)
                case .codedFollows:
                    let last = time.now + extra
                    _ = try await turn(true, until: last, of: last, false, controller, listen)
                    return
                }
            }
        }
    }

    /// One scan. On LE 1M it lasts until the deadline if LE Coded cannot have a turn.
    ///
    /// - Parameter codedFollows: Whether LE Coded is to be listened to after the deadline.
    private func turn(
        _ isCoded: Bool,
        until end: Instant,
        of deadline: Instant,
        _ codedFollows: Bool,
        _ controller: HCIController,
        _ listen: @escaping Listener
    ) async throws -> Ending {
        do {
            return try await controller.withLeasedScan(
                ScanParameters(phys: isCoded ? [.coded] : [.le1M]),
                in: state,
                privacy: privacy,
                time: central.time,
                notes: notes
            ) { (scan: Scan) async throws -> Ending in
                if try await listen(scan, end) { return .over }
                if isCoded { return .goesOn }
                if end < deadline {
                    // The last turn is one of LE 1M: a listener may go on with the last scan.
                    if deadline - end > Self.codedTurn, await controller.mayScanCoded(after: scan) { return .goesOn }
                    if try await listen(scan, deadline) { return .over }
                }
                guard codedFollows, await controller.mayScanCoded(after: scan) else { return .goesOn }
                return .codedFollows
            }
        } catch let error as RadioError where isCoded && error.isRejection {
            // The controller claims LE Coded and does not scan there: the time belongs to LE 1M.
            return .goesOn
        }
    }
}

extension HCIController {
    /// Whether a scan on LE Coded can follow a scan.
    ///
    /// Legacy commands cannot express it. While another program scans, its PHYs are listened to, whatever this one asks
    /// for.
    fileprivate func mayScanCoded(after scan: Scan) async -> Bool {
        guard scan.mode == .extended else { return false }
        let features = try? await perform(LEReadLocalSupportedFeatures())
        return features?.contains(.codedPHY) ?? false
    }
}

extension RadioError {
    /// Whether the controller has rejected a command.
    fileprivate var isRejection: Bool {
        if case .commandRejected = cause { true } else { false }
    }
}
