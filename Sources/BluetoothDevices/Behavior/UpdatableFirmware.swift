// SPDX-License-Identifier: MIT

import Bluetooth
import FirmwareUpdate

/// The behaviour of a definition on a device whose firmware can be updated, with the server and the boot loader.
///
/// The version that runs is the value of Firmware Revision String, whatever the definition says. All clients share one server.
struct UpdatableFirmware: ValueKeepingFirmware {
    private var inner: RuleFirmware
    private var server: any UpdateServer
    /// What the device is while its boot loader runs.
    private let bootLoader: DeviceGuise?
    /// What it is otherwise.
    private var application: DeviceGuise
    private var isInBootLoader = false
    /// The moments that the behaviour has asked for.
    private var innerTimer: Instant?
    private var innerRadioTimer: Instant?

    /// Puts a server beside the behaviour of a definition.
    init(_ server: any UpdateServer, _ application: DeviceGuise, _ bootLoader: DeviceGuise?, around inner: RuleFirmware)
    {
        self.inner = inner
        self.server = server
        self.application = application
        self.bootLoader = bootLoader
    }

    /// The database in which the server answers for its characteristics.
    func prepared(_ database: GATTDatabase) -> GATTDatabase {
        database.handing(over: server.characteristics.compactMap { database.characteristic($0)?.valueHandle })
    }

    // MARK: - The server

    private mutating func carryOut(_ actions: [UpdateServerAction], _ device: inout DeviceContext) {
        for action in actions {
            switch action {
            case .send(let octets, let characteristic):
                if let handle = device.valueHandle(of: characteristic) { device.notifyInParts(octets, of: handle) }
            case .restart(let time, let isBootLoader): restart(for: time, isBootLoader: isBootLoader, &device)
            }
        }
        setTimers(&device)
    }

    private mutating func restart(for time: Duration, isBootLoader: Bool, _ device: inout DeviceContext) {
        device.leave(for: time)
        let guise = isBootLoader ? bootLoader : nil
        if server.changesAddress {
            application.address = DeviceAddress(application.address.address.ofBootLoader, application.address.type)
        }
        if server.changesAddress || (guise != nil) != isInBootLoader { device.appear(as: guise ?? application) }
        isInBootLoader = guise != nil
        if let guise {
            (innerTimer, innerRadioTimer) = (nil, nil)
            device.replaceDatabase(with: prepared(guise.database))
        } else {
            run(&device) { $0.restart(&$1) }
            showVersion(&device)
        }
    }

    private func showVersion(_ device: inout DeviceContext) {
        guard !isInBootLoader, let handle = device.valueHandle(of: .firmwareRevision) else { return }
        device.setValue(Array(server.revision.utf8), of: handle)
    }

    // MARK: - Timers

    /// Runs the behaviour with its own timers, and sees to a database that it puts in place.
    private mutating func run<Result>(
        _ device: inout DeviceContext,
        _ body: (inout RuleFirmware, inout DeviceContext) -> Result
    ) -> Result {
        (device.timer, device.radioTimer) = (innerTimer, innerRadioTimer)
        let result = body(&inner, &device)
        (innerTimer, innerRadioTimer) = (device.timer, device.radioTimer)
        if device.hasReplacedDatabase {
            device.mapDatabase(prepared)
            showVersion(&device)
        }
        setTimers(&device)
        return result
    }

    /// Runs the behaviour unless the boot loader does.
    private mutating func runApplication(
        _ device: inout DeviceContext,
        _ body: (inout RuleFirmware, inout DeviceContext) -> Void
    ) {
        if !isInBootLoader { run(&device, body) }
    }

    /// The next moment of the behaviour or of the server. A reset happens without a client, too.
    private func setTimers(_ device: inout DeviceContext) {
        device.timer = [innerTimer, server.deadline].compactMap { $0 }.min()
        device.radioTimer = [innerRadioTimer, server.deadline].compactMap { $0 }.min()
    }

    mutating func timerFired(_ device: inout DeviceContext) {
        if let innerTimer, innerTimer <= device.now {
            (self.innerTimer, innerRadioTimer) = (nil, nil)
            run(&device) { $0.timerFired(&$1) }
        }
        carryOut(server.timerFired(now: device.now), &device)
    }

    // MARK: - Other events

    mutating func started(_ device: inout DeviceContext) {
        run(&device) { $0.started(&$1) }
        showVersion(&device)
    }

    mutating func connected(_ client: GATTServer.ClientID, _ device: inout DeviceContext) {
        runApplication(&device) { $0.connected(client, &$1) }
    }

    /// Passes the end of a connection on. What was uploaded stays.
    mutating func disconnected(_ client: GATTServer.ClientID, _ device: inout DeviceContext) {
        server.disconnected()
        runApplication(&device) { $0.disconnected(client, &$1) }
    }

    func answers(for handle: Handle) -> Bool { inner.answers(for: handle) }

    func whole(_ request: GATTServer.WriteContext, _ device: DeviceContext) -> Result<[UInt8], ATTRefusal> {
        inner.whole(request, device)
    }

    mutating func read(_ request: GATTServer.ReadContext, _ device: inout DeviceContext) -> DeviceAnswer<[UInt8]> {
        isInBootLoader ? .refuse(.readNotPermitted) : run(&device) { $0.read(request, &$1) }
    }

    mutating func write(_ request: GATTServer.WriteContext, _ device: inout DeviceContext) -> DeviceAnswer<Void> {
        let characteristic = server.characteristics.first { device.valueHandle(of: $0) == request.handle }
        guard let characteristic else {
            return isInBootLoader ? .refuse(.writeNotPermitted) : run(&device) { $0.write(request, &$1) }
        }
        carryOut(server.written(request.value, to: characteristic, now: device.now), &device)
        return .accept
    }

    mutating func valueWritten(_ handle: Handle, _ device: inout DeviceContext) {
        runApplication(&device) { $0.valueWritten(handle, &$1) }
    }

    mutating func subscriptionChanged(
        _ client: GATTServer.ClientID,
        _ handle: Handle,
        _ configuration: ClientConfiguration,
        _ device: inout DeviceContext
    ) {
        runApplication(&device) { $0.subscriptionChanged(client, handle, configuration, &$1) }
    }

    var databaseNames: [String] { inner.databaseNames }

    mutating func switchDatabase(to name: String?, _ device: inout DeviceContext) -> Bool {
        !isInBootLoader && run(&device) { $0.switchDatabase(to: name, &$1) }
    }
}

extension BluetoothUUID {
    /// Firmware Revision String. Spec: Device Information Service 1.1, 3.4
    fileprivate static let firmwareRevision: BluetoothUUID = 0x2A26
}
