// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost

/// The scans of a search for a device, each on one PHY: LE 1M at first, and LE Coded now and then if nothing was found.
///
/// A radio listens to one PHY at a time, and nearly all devices advertise on LE 1M, so that a search of a few seconds
/// hears nothing else. A scan on both PHYs would cost those devices half of the time, and more with some controllers:
/// they claim LE Coded, and then hear hardly anything. Linux does not use that PHY on them.
struct LookupScan: Sendable {
    /// Listens with a scan until the end that is given. Returns whether the search is over.
    typealias Listener = @Sendable (_ scan: Scan, _ end: Instant) async throws -> Bool

    /// How long LE 1M alone is listened to at first.
    static let firstTurn = Duration.seconds(4)
    /// How long LE Coded has a turn.
    static let codedTurn = Duration.seconds(1)
    /// How long LE 1M has a turn again.
    static let laterTurn = Duration.seconds(2)

    let central: Central
    /// The folder of scan leases; `nil` for none.
    let state: StateFolder?
    /// The private addresses with which it scans; `nil` for the adapter's own.
    var privacy: PrivateAddresses?
    let notes: any NoteSink

    /// Scans for at most the time limit, one turn after the other, until the listener says that the search is over.
    func run(for limit: Duration, _ listen: @escaping Listener) async throws {
        let time = central.time
        try await central.withController { controller -> Void in
            let deadline = time.now + limit
            var isCoded = false
            var end = min(time.now + Self.firstTurn, deadline)
            while true {
                let isOver = try await turn(isCoded, until: end, of: deadline, controller, listen)
                if isOver || time.now >= deadline { return }
                isCoded.toggle()
                end = min(time.now + (isCoded ? Self.codedTurn : Self.laterTurn), deadline)
            }
        }
    }

    /// One scan. On LE 1M it lasts until the deadline if LE Coded cannot have a turn.
    private func turn(
        _ isCoded: Bool,
        until end: Instant,
        of deadline: Instant,
        _ controller: HCIController,
        _ listen: @escaping Listener
    ) async throws -> Bool {
        do {
            return try await controller.withLeasedScan(
                ScanParameters(phys: isCoded ? [.coded] : [.le1M]),
                in: state,
                privacy: privacy,
                time: central.time,
                notes: notes
            ) { scan in
                if try await listen(scan, end) { return true }
                if isCoded || end >= deadline { return false }
                // The last turn is one of LE 1M: a listener may go on with the last scan.
                if deadline - end > Self.codedTurn, await controller.mayScanCoded(after: scan) { return false }
                return try await listen(scan, deadline)
            }
        } catch let error as RadioError where isCoded && error.isRejection {
            // The controller claims LE Coded and does not scan there: the time belongs to LE 1M.
            return false
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
        let features = try? await perform(LEReadLocalSupportedFeatures()).features
        return features?.contains(.codedPHY) ?? false
    }
}

extension RadioError {
    /// Whether the controller has rejected a command.
    fileprivate var isRejection: Bool {
        if case .commandRejected = cause { true } else { false }
    }
}
