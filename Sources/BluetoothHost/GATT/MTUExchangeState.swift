// SPDX-License-Identifier: MIT

package import Bluetooth
import Synchronization

/// How a device takes the exchange of the MTU, over several links.
///
/// Some devices hang up on the request, and some never answer it, although both have to answer at least with an error.
/// The exchange is optional, so it is left out on the next link. A device may also hang up for another reason, for
/// example on the first client after another one: its first hang-up is taken for the exchange's only if the device had
/// answered something on that link before. The next link therefore begins with a request that every server answers.
///
/// Spec: Core 5.4, Vol 3, Part F, 3.4.2.1 and 3.2.8
package struct MTUExchangeState: Hashable, Sendable {
    /// The event that takes the place of an answer.
    package enum Failure: Hashable, Sendable {
        /// The device has ended the link.
        case hungUp
        /// Nothing came for this long.
        case silent(Duration)
    }

    private enum State: Hashable, Sendable {
        /// Nothing speaks against the exchange.
        case usual
        /// A link was lost during the exchange, perhaps for another reason.
        case suspected
        /// The exchange is left out. If this was not remembered, it is confirmed as soon as the device answers without
        /// the exchange.
        case refused(isConfirmed: Bool)
    }

    private var state: State

    /// - Parameter isRefused: Whether the device is remembered for that.
    package init(isRefused: Bool = false) { state = isRefused ? .refused(isConfirmed: true) : .usual }

    var isRefused: Bool { if case .refused = state { true } else { false } }

    /// Whether the device has to answer another request before the exchange.
    var needsProof: Bool { state == .suspected }

    /// An exchange has failed with the link. Returns whether the next link is made at once, without the exchange.
    ///
    /// - Parameter isProven: Whether the device had answered on that link before the exchange.
    mutating func failed(_ failure: Failure, isProven: Bool) -> Bool {
        if failure == .hungUp, !isProven {
            if state == .usual { state = .suspected }
            return false
        }
        state = .refused(isConfirmed: false)
        return true
    }

    /// An exchange was answered, be it by an error.
    mutating func exchanged() {
        if state == .suspected { state = .usual }
    }

    /// The device has answered something. Returns whether this shows that it works without the exchange, which is worth
    /// remembering.
    mutating func answered() -> Bool {
        guard state == .refused(isConfirmed: false) else { return false }
        state = .refused(isConfirmed: true)
        return true
    }
}

/// How a device takes the exchange, shared by its links.
package final class MTUHistory: Sendable {
    private let state: Mutex<MTUExchangeState>
    /// How long the device may take for its answer.
    package let patience: Duration
    private let onFailure: @Sendable (MTUExchangeState.Failure) -> Void
    private let onConfirmation: @Sendable () -> Void

    /// - Parameters:
    ///   - known: What is known of the device.
    ///   - patience: How long the device may take for its answer.
    ///   - onFailure: Called when the exchange is left out from now on.
    ///   - onConfirmation: Called when the device has shown that it works without the exchange.
    package init(
        _ known: MTUExchangeState = MTUExchangeState(),
        patience: Duration = MTUHistory.usualPatience,
        onFailure: @escaping @Sendable (MTUExchangeState.Failure) -> Void = { _ in },
        onConfirmation: @escaping @Sendable () -> Void = {}
    ) {
        state = Mutex(known)
        self.patience = patience
        self.onFailure = onFailure
        self.onConfirmation = onConfirmation
    }

    /// What a store remembers, and that is remembered there.
    ///
    /// - Parameters:
    ///   - store: The store; `nil` if nothing is remembered.
    ///   - patience: How long the device may take for its answer.
    ///   - scope: The scope in which the store is written.
    ///   - report: Called when the exchange is left out from now on.
    package convenience init(
        of device: DeviceAddress,
        in store: (any DatabaseStore)?,
        patience: Duration = MTUHistory.usualPatience,
        scope: TaskScope,
        report: @escaping @Sendable (LinkDiagnostic) -> Void
    ) {
        self.init(
            MTUExchangeState(isRefused: store?.refusesMTUExchange(device) ?? false),
            patience: patience,
            onFailure: { report(LinkDiagnostic(device, $0)) },
            onConfirmation: {
                guard let store else { return }
                scope.spawn { await store.saveMTUExchangeRefusal(of: device) }
            }
        )
    }

    /// How long a device may take by default.
    package static let usualPatience = Duration.seconds(4)

    /// Whether the exchange is left out.
    package var isRefused: Bool { state.withLock { $0.isRefused } }

    /// Whether the device has to answer another request before the exchange.
    package var needsProof: Bool { state.withLock { $0.needsProof } }

    /// An exchange has failed with the link. Returns whether the next link is made at once, without the exchange.
    package func failed(_ failure: MTUExchangeState.Failure, isProven: Bool) -> Bool {
        guard state.withLock({ $0.failed(failure, isProven: isProven) }) else { return false }
        onFailure(failure)
        return true
    }

    /// An exchange was answered, be it by an error.
    package func exchanged() { state.withLock { $0.exchanged() } }

    package func answered() {
        if state.withLock({ $0.answered() }) { onConfirmation() }
    }
}
