// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// How a link that observers need is made again after it was lost: for ever, with pauses that grow.
public struct Reconnection: Sendable, Hashable {
    /// The pause after the first attempt that fails; each further one is twice as long.
    public var firstPause: Duration
    /// The longest pause. A link that is lost again within that time counts as an attempt that failed.
    public var longestPause: Duration
    /// How long it may take, on a link that was made, to subscribe to everything again.
    public var subscriptionTimeout: Duration

    /// Makes a policy.
    public init(
        firstPause: Duration = .milliseconds(500),
        longestPause: Duration = .seconds(5),
        subscriptionTimeout: Duration = .seconds(10)
    ) {
        self.firstPause = firstPause
        self.longestPause = longestPause
        self.subscriptionTimeout = subscriptionTimeout
    }

    /// The pause after the failure of attempt number `attempt` (from 1); none before the first one.
    public func pause(afterAttempt attempt: Int) -> Duration {
        guard attempt > 0 else { return .zero }
        var pause = firstPause
        for _ in 1..<attempt {
            guard pause < longestPause else { break }
            pause = pause * 2
        }
        return min(pause, longestPause)
    }

    /// Whether there is no use in trying again. An adapter that is down, blocked or gone may come back.
    public func isHopeless(_ error: any Error) -> Bool {
        switch error {
        case let error as ConnectFailure: isHopeless(error.error)
        case let error as RadioError:
            switch error.cause {
            case .permissionDenied, .noKernelSupport, .socket(_, .notASocket), .socket(_, .notPermitted), .cancelled:
                true
            default: false
            }
        default: error.isLastingRefusal || error is CancellationError
        }
    }
}

extension Error {
    /// Whether the device will not let a characteristic be subscribed to, however often it is asked.
    var isLastingRefusal: Bool {
        switch self {
        case is MissingAttribute, is NotObservable:
            true
        case let error as GATTError:
            if case .refused(let response) = error { !response.code.mayPass } else { false }
        default:
            false
        }
    }
}

extension ATTErrorCode {
    /// Whether a device that answers so may answer otherwise a moment later.
    fileprivate var mayPass: Bool {
        [.unlikelyError, .insufficientResources, .databaseOutOfSync, .procedureAlreadyInProgress].contains(self)
    }
}
