// SPDX-License-Identifier: MIT

public import Bluetooth
import Synchronization

/// This program in the role of central on one adapter: it listens to advertisers and connects to them.
public struct Central: Sendable {
    /// The adapter.
    public let radio: any Radio
    /// The clock for all deadlines.
    public let time: any TimeSource

    private let scope: TaskScope
    private let scans: TaskScope
    private let peripherals: OwnPeripherals
    /// The scans without readers, until they are off.
    let ending: EndingScans

    /// A central in a scope of the caller, in which its links and scans run.
    ///
    /// `withCentral` is the usual way to one. This is for programs that have a scope already.
    public init(_ radio: any Radio, scope: TaskScope, time: any TimeSource) {
        self.radio = radio
        self.time = time
        self.scope = scope
        scans = scope
        peripherals = OwnPeripherals()
        ending = EndingScans()
    }

    /// The same central, with its scans in a scope that ends first.
    init(_ central: Central, scans: TaskScope) {
        radio = central.radio
        time = central.time
        scope = central.scope
        peripherals = central.peripherals
        ending = central.ending
        self.scans = scans
    }

    /// A central on the named adapter, or on the first one that can be used. Waits for one that is coming up.
    ///
    /// - Parameters:
    ///   - system: The adapters. All deadlines are on its clock.
    ///   - adapter: The name of the adapter, such as `hci0`, or its address; `nil` for the first one that can be used.
    ///   - adapterTimeout: The time to wait for an adapter that is missing, off or blocked; `nil` to wait only for one
    ///     coming up, and briefly.
    ///   - isForLinks: Whether links will be made. They need Low Energy, which is switched on if it is off.
    ///   - scope: The scope of its links and scans.
    ///   - onNote: Called when an adapter is waited for, and when Low Energy was switched on.
    public static func open(
        on system: any RadioSystem,
        named adapter: String? = nil,
        adapterTimeout: Duration? = nil,
        isForLinks: Bool = true,
        scope: TaskScope,
        onNote: @escaping @Sendable (AdapterReadiness.Note) -> Void = { _ in }
    ) async throws(RadioError) -> Central {
        let readiness = AdapterReadiness(system, scope: scope, time: system.time, onNote: onNote)
        let radio = try await readiness.radio(named: adapter, timeout: adapterTimeout, isForLinks: isForLinks)
        return Central(radio, scope: scope, time: system.time)
    }

    // MARK: - Listening

    /// Runs `body` with the adapter's controller, and closes its channel.
    public func withController<Value>(_ body: (HCIController) async throws -> Value) async throws -> Value {
        let controller = try HCIController.open(radio, scope: scope, time: time)
        return try await withCleanup {
            try await body(controller)
        } cleanup: {
            await controller.close()
        }
    }

    /// The advertisements that the adapter receives.
    ///
    /// The scan begins with the first element that is asked for, and ends when the loop is left, when its task is
    /// cancelled, or after the duration.
    ///
    /// - Parameters:
    ///   - duration: The time after which the sequence ends; `nil` for none.
    ///   - parameters: How the controller listens.
    public func scan(for duration: Duration? = nil, _ parameters: ScanParameters = ScanParameters()) -> Advertisements {
        Advertisements(central: self, scope: scans, duration: duration, parameters: parameters)
    }

    /// The first advertisement that fits. It includes what earlier advertisements of the device contained.
    ///
    /// - Parameters:
    ///   - limit: The time limit.
    ///   - isWanted: Whether an advertisement fits.
    /// - Throws: A `BluetoothError` with `DeadlineExceeded` if none came in time.
    public func find(
        within limit: Duration = .seconds(10),
        where isWanted: (Advertisement) throws -> Bool
    ) async throws -> Advertisement {
        var found: Advertisement?
        for try await advertisement in scan(for: limit) where try isWanted(advertisement) {
            found = advertisement
            break
        }
        // The caller usually connects next, and the end of this scan would end that of the kernel for the connection.
        await ending.areOver()
        guard let found else {
            throw BluetoothError.from(DeadlineExceeded("scan", limit: limit), doing: "find the device")
        }
        return found
    }

    // MARK: - Connecting

    /// The device at an address. It is connected to when an operation needs the link.
    public func peripheral(
        _ address: DeviceAddress,
        configuration: Peripheral.Configuration = Peripheral.Configuration()
    ) -> Peripheral {
        let peripheral = Peripheral(address, radio: radio, scope: scope, time: time, configuration: configuration)
        peripherals.add(peripheral)
        return peripheral
    }

    /// Connects to a device. The link ends with `disconnect` or with the central.
    ///
    /// - Throws: A `BluetoothError` with a `ConnectFailure`, or `CancellationError`.
    public func connect(
        to address: DeviceAddress,
        configuration: Peripheral.Configuration = Peripheral.Configuration()
    ) async throws -> Peripheral {
        let peripheral = peripheral(address, configuration: configuration)
        // The kernel scans for the device itself. Switching off a scan of this program then would end that one, too.
        await ending.areOver()
        do {
            _ = try await peripheral.connection()
        } catch {
            throw BluetoothError.from(error, doing: "connect to \(address.address)")
        }
        return peripheral
    }

    /// Runs `body` with a connected device, and then unsubscribes and disconnects.
    ///
    /// - Throws: A `BluetoothError` if there is no link, or the error of `body`.
    public func withPeripheral<Value>(
        _ address: DeviceAddress,
        configuration: Peripheral.Configuration = Peripheral.Configuration(),
        _ body: (Peripheral) async throws -> Value
    ) async throws -> Value {
        let peripheral = try await connect(to: address, configuration: configuration)
        return try await withCleanup {
            try await body(peripheral)
        } cleanup: {
            await peripheral.unsubscribeAndDisconnect()
        }
    }

    func disconnectAll() async {
        for peripheral in peripherals.all { await peripheral.unsubscribeAndDisconnect() }
    }
}

/// The devices that a central has made, held weakly: as long as the program uses them.
private final class OwnPeripherals: Sendable {
    private struct Reference: Sendable {
        weak let peripheral: Peripheral?
    }

    private let references = Mutex<[Reference]>([])

    var all: [Peripheral] { references.withLock { $0.compactMap(\.peripheral) } }

    func add(_ peripheral: Peripheral) {
        references.withLock { references in
            references.removeAll { $0.peripheral == nil }
            references.append(Reference(peripheral: peripheral))
        }
    }
}
