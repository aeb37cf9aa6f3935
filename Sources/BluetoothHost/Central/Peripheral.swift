// SPDX-License-Identifier: GPL-2.0-or-later

public import Bluetooth

/// A device in the role of GATT server, as seen from here.
///
/// It connects by itself when an operation needs the link, and operations that need the same connection share it.
public actor Peripheral {
    /// How connections are made.
    public struct Configuration: Sendable {
        /// How long one attempt may take.
        public var connectTimeout: Duration
        /// What happens after a failed attempt.
        public var retries: RetryPolicy
        /// Told after a failed attempt that is followed by another: attempt number, error, pause.
        public var onRetry: @Sendable (Int, RadioError, Duration) -> Void
        /// Told of what is odd but survivable in the device's behaviour.
        public var onDiagnostic: @Sendable (String) -> Void

        /// Makes a configuration.
        public init(
            connectTimeout: Duration = .seconds(10),
            retries: RetryPolicy = RetryPolicy(),
            onRetry: @escaping @Sendable (Int, RadioError, Duration) -> Void = { _, _, _ in },
            onDiagnostic: @escaping @Sendable (String) -> Void = { _ in }
        ) {
            self.connectTimeout = connectTimeout
            self.retries = retries
            self.onRetry = onRetry
            self.onDiagnostic = onDiagnostic
        }
    }

    private enum Link {
        case none
        case connecting(SharedOperation<ATTConnection>)
        case connected(ATTConnection)
    }

    /// Where the device is.
    public nonisolated let address: DeviceAddress

    private let radio: any Radio
    private let scope: TaskScope
    private let time: any TimeSource
    private let configuration: Configuration
    private var link = Link.none

    /// How many attempts the present or last connection took.
    public private(set) var attempts = 0

    /// A device at an address; nothing is sent yet.
    public init(
        _ address: DeviceAddress,
        radio: any Radio,
        scope: TaskScope,
        time: any TimeSource,
        configuration: Configuration = Configuration()
    ) {
        self.address = address
        self.radio = radio
        self.scope = scope
        self.time = time
        self.configuration = configuration
    }

    // MARK: - Link

    /// The connection, made where there is none; callers that come meanwhile wait for the same one.
    public func connection() async throws -> ATTConnection {
        switch link {
        case .connected(let connection):
            if connection.end == nil { return connection }
        case .connecting(let operation):
            if !operation.isAbandoned { return try await operation.value() }
        case .none:
            break
        }
        let operation = SharedOperation(in: scope) { try await self.connect() }
        link = .connecting(operation)
        do {
            return try await operation.value()
        } catch {
            if case .connecting(let current) = link, current === operation { link = .none }
            throw error
        }
    }

    private func connect() async throws -> ATTConnection {
        attempts = 0
        while true {
            attempts += 1
            do throws(RadioError) {
                let channel = try await radio.connectATT(to: address, deadline: time.now + configuration.connectTimeout)
                let connection = ATTConnection.start(
                    channel,
                    scope: scope,
                    time: time,
                    onDiagnostic: configuration.onDiagnostic
                )
                guard !Task.isCancelled else {
                    await connection.close()
                    throw RadioError(.cancelled, during: "connection to \(address.address)")
                }
                link = .connected(connection)
                return connection
            } catch {
                guard let pause = configuration.retries.pause(afterAttempt: attempts, failedWith: error) else {
                    throw ConnectFailure(error: error, attempts: attempts)
                }
                configuration.onRetry(attempts, error, pause)
                try await time.sleep(for: pause)
            }
        }
    }

    /// Whether there is a link.
    public var isConnected: Bool {
        if case .connected(let connection) = link { connection.end == nil } else { false }
    }

    /// Closes the link, if there is one.
    public func disconnect() async {
        if case .connected(let connection) = link { await connection.close() }
        link = .none
    }

    /// Runs a GATT procedure on the link, connecting first where needed.
    public func perform<Procedure: GATTProcedure & Sendable>(
        _ procedure: Procedure
    ) async throws -> Procedure.Output {
        try await connection().perform(procedure)
    }
}

/// A connection could not be made.
public struct ConnectFailure: Error, Sendable {
    /// Why the last attempt failed.
    public let error: RadioError
    /// How many attempts there were.
    public let attempts: Int
}
