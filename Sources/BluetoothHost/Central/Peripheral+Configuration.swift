// SPDX-License-Identifier: MIT

public import Bluetooth

extension Peripheral {
    /// How connections are made.
    public struct Configuration: Sendable {
        /// How long one attempt may take, from the moment at which this program has its turn.
        public var connectTimeout: Duration
        /// How long a typed read or write, or the subscription of `values`, may take, with the connection if there is
        /// none; and how long subscribing to everything again on a new link.
        public var timeout: Duration
        /// The attempts that follow a failed one.
        public var retries: RetryPolicy
        /// How long another program that has the device is waited for; zero refuses to wait.
        public var waits: Duration
        /// Called when a wait for another program begins, with the reason why there is no link yet.
        public var onWait: @Sendable (RadioError) -> Void
        /// Called after a failed attempt that is followed by another: attempt number, error, pause.
        public var onRetry: @Sendable (Int, RadioError, Duration) -> Void
        /// How a link that observers have lost is restored; `nil` does not restore it.
        public var reconnection: RetryPolicy?
        /// The store of databases; `nil` if they are not kept.
        public var store: (any DatabaseStore)?
        /// The security that a link must have, and whether it is raised if the device demands more.
        public var security: SecurityPolicy
        /// Completes `security` before each link with the current keys, because the device may be paired between two
        /// links; `nil` changes nothing.
        package var completeSecurity: (@Sendable (SecurityPolicy) async -> SecurityPolicy)?
        /// Has the say before the security of a link is raised; `nil`: the kernel alone has it.
        package var linkGuard: (any LinkGuard)?
        /// Chooses another way to the device when the process that has its link has ended; `nil` if there is none.
        package var chooseRoute: (@Sendable () async -> PeripheralRoute?)?
        /// The properties that each link must have before the first request; `nil` to leave them as they are.
        public var link: LinkRequest?
        /// The time for each procedure that changes the link.
        public var linkTimeout = Duration.seconds(8)
        /// Whether to listen to the controller before a link is made, so that all of its properties are known.
        public var observesLink = false
        /// How long the device may take to answer an exchange of the MTU. After that, or if it hangs up on the request, the
        /// exchange is left out on the next link.
        public var exchangeTimeout = MTUHistory.usualPatience
        /// The ATT bearers that each link gets before the first request.
        public var bearers = BearerRequest()
        /// Called when a link has got its bearers, unless they are the usual ones.
        public var onBearers: @Sendable (BearerOutcome) -> Void = { _ in }
        /// Called when a link has got the properties that it must have.
        public var onLinkChanged: @Sendable (LinkChange) -> Void = { _ in }
        /// Called when the security of a link was raised because the device had refused a request: its reason, and the
        /// security now.
        public var onSecurityRaised: @Sendable (ATTErrorCode, LinkSecurity) -> Void
        /// Called with behaviour of the device that is odd but harmless.
        public var onDiagnostic: @Sendable (LinkDiagnostic) -> Void

        /// Makes a configuration. Without `waits` another program is waited for as long as an attempt may take.
        public init(
            connectTimeout: Duration = .seconds(10),
            retries: RetryPolicy = RetryPolicy(),
            waits: Duration? = nil,
            reconnection: RetryPolicy? = nil,
            store: (any DatabaseStore)? = nil,
            timeout: Duration = .seconds(10),
            security: SecurityPolicy = SecurityPolicy(),
            onRetry: @escaping @Sendable (Int, RadioError, Duration) -> Void = { _, _, _ in },
            onWait: @escaping @Sendable (RadioError) -> Void = { _ in },
            onDiagnostic: @escaping @Sendable (LinkDiagnostic) -> Void = { _ in },
            onSecurityRaised: @escaping @Sendable (ATTErrorCode, LinkSecurity) -> Void = { _, _ in }
        ) {
            self.connectTimeout = connectTimeout
            self.timeout = timeout
            self.security = security
            self.onSecurityRaised = onSecurityRaised
            self.retries = retries
            self.waits = waits ?? connectTimeout
            self.onWait = onWait
            self.reconnection = reconnection
            self.store = store
            self.onRetry = onRetry
            self.onDiagnostic = onDiagnostic
        }
    }
}
