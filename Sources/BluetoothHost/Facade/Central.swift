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
    /// A device that is connected usually does not advertise: see `connectedDevices`.
    ///
    /// - Parameters:
    ///   - limit: The time limit.
    ///   - isWanted: Whether an advertisement fits.
    /// - Throws: An error with `isTimeout` if none came in time.
    public func find(
        within limit: Duration = .seconds(10),
        where isWanted: (Advertisement) -> Bool
    ) async throws(BluetoothError) -> Advertisement {
        var found: Advertisement?
        for try await advertisement in scan(for: limit) where isWanted(advertisement) {
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

    /// The devices with which the adapter has a link, also a link of another program.
    public var connectedDevices: [DeviceAddress] {
        radio.connectedAddresses().sorted { $0.rawValue < $1.rawValue }.compactMap { radio.connectedDevice($0) }
    }

    /// The device at an address. It is connected to when an operation needs the link.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - configuration: How connections are made; `nil` for the object that the program has for the address already,
    ///     so that all its parts share one link, or else for a new one with the usual configuration.
    public func peripheral(
        _ address: DeviceAddress,
        configuration: Peripheral.Configuration? = nil
    ) -> Peripheral {
        peripherals.peripheral(address, isNew: configuration != nil) {
            Peripheral(
                address,
                radio: radio,
                scope: scope,
                time: time,
                configuration: configuration ?? Peripheral.Configuration()
            )
        }
    }

    /// Connects to a device. The link ends with `disconnect` or with the central.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - configuration: How connections are made; `nil` for the object that the program has for the address already.
    public func connect(
        to address: DeviceAddress,
        configuration: Peripheral.Configuration? = nil
    ) async throws(BluetoothError) -> Peripheral {
        let peripheral = peripheral(address, configuration: configuration)
        try await connect(peripheral)
        return peripheral
    }

    private func connect(_ peripheral: Peripheral) async throws(BluetoothError) {
        // The kernel scans for the device itself. Switching off a scan of this program then would end that one, too.
        await ending.areOver()
        do {
            _ = try await peripheral.connection()
        } catch {
            throw BluetoothError.from(error, doing: "connect to \(peripheral.address.address)")
        }
    }

    /// Runs `body` with a connected device, and then unsubscribes and disconnects, unless the link was there before.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - configuration: How connections are made; `nil` for the object that the program has for the address already.
    ///   - body: Uses the device.
    /// - Throws: A `BluetoothError` if there is no link, or the error of `body`.
    public func withPeripheral<Value>(
        _ address: DeviceAddress,
        configuration: Peripheral.Configuration? = nil,
        _ body: (Peripheral) async throws -> Value
    ) async throws -> Value {
        let peripheral = peripheral(address, configuration: configuration)
        let wasConnected = await peripheral.isConnected
        try await connect(peripheral)
        return try await withCleanup {
            try await body(peripheral)
        } cleanup: {
            if !wasConnected { await peripheral.unsubscribeAndDisconnect() }
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

    /// The last one with that address, or one that is made now.
    func peripheral(_ address: DeviceAddress, isNew: Bool, _ make: () -> Peripheral) -> Peripheral {
        references.withLock { references in
            references.removeAll { $0.peripheral == nil }
            if !isNew,
                let known = references.reversed().lazy.compactMap(\.peripheral).first(where: { $0.address == address })
            {
                return known
            }
            let made = make()
            references.append(Reference(peripheral: made))
            return made
        }
    }
}
