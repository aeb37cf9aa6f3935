// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
package import Toolkit

/// What happened in a capture: devices, links, and how often which attribute was used.
package struct CaptureSummary {
    /// Bounds for the memory. A capture may be of any size; what is beyond them is only counted.
    private enum Limit {
        static let devices = 16_384
        static let links = 4_096
        static let attributes = 16_384
    }

    /// A device that was heard or connected to.
    package struct Device {
        package let address: DeviceAddress
        package var name: String?
        package var reports = 0
        /// Its links, by their indices in `links`.
        package var links: [Int] = []
    }

    /// A link, from its beginning or the beginning of the capture to its end or that of the capture.
    package struct Link {
        package let connection: ConnectionHandle
        package let device: DeviceAddress?
        package var privateAddress: BluetoothAddress?
        package let role: LERole?
        package let adapter: ManagementIndex?
        /// When it began; `nil` if that was before the capture.
        package let begin: Duration?
        /// When it ended; `nil` if that was after the capture.
        package var end: Duration?
        package var reason: HCIStatus?
        /// The parameters, as the last event has them; `nil` if none has.
        package var parameters: Parameters?
        package var mtu = ATTBearer.minimumMTU
        package var isEncrypted = false
        package var packets = 0
    }

    package struct Parameters: Equatable {
        package let interval: LEInterval<1_250>
        package let latency: UInt16
        package let supervisionTimeout: LEInterval<10_000>
    }

    /// What was done with an attribute.
    package struct Attribute {
        package let reference: AttributeReference
        /// Whether it is one of the host that has captured.
        package let isOfHost: Bool
        package var reads = 0
        package var writes = 0
        package var notifications = 0
        package var indications = 0
        package var refusals: [ATTErrorCode: Int] = [:]
        package var unanswered = 0
        /// The operation that had a value last.
        package var last: CapturedOperation?
    }

    private struct AttributeKey: Hashable {
        let device: DeviceAddress
        let isOfHost: Bool
        let handle: Handle
    }

    private struct LinkKey: Hashable {
        let port: CapturedPort
        let connection: ConnectionHandle
    }

    package private(set) var devices: [Device] = []
    package private(set) var links: [Link] = []
    package private(set) var attributes: [Attribute] = []
    package private(set) var packets = 0
    package private(set) var malformed = 0
    /// The time of the first packet, and the duration to the last one.
    package private(set) var start: WallTime?
    package private(set) var duration = Duration.zero
    /// Whether there was more than is kept.
    package private(set) var isCut = false

    private var deviceIndex: [BluetoothAddress: Int] = [:]
    private var openLinks: [LinkKey: Int] = [:]
    private var attributeIndex: [AttributeKey: Int] = [:]
    /// The attributes of each device, by their indices.
    private var ofDevice: [DeviceAddress: [Int]] = [:]

    package init() {}

    /// Takes a packet that has passed `CapturedGATT`.
    package mutating func add(_ event: CapturedEvent) {
        if event.isPacket { packets += 1 }
        if event.isMalformed { malformed += 1 }
        start = start ?? event.time
        duration = event.elapsed
        if case .hci(.event(let packet)) = event.content {
            for report in packet.advertisingReports {
                guard let index = device(DeviceAddress(report.address.address, report.address.type.connectionType))
                else {
                    continue
                }
                devices[index].reports += 1
            }
        }
        if event.endsAllLinks {
            for (key, index) in openLinks where key.port == event.port {
                links[index].end = event.elapsed
                openLinks[key] = nil
            }
        }
        guard let connection = event.connection, let index = link(connection, event) else { return }
        if case .hci(.event(let packet)) = event.content { note(packet, index) }
        links[index].packets += 1
        if event.bearer == 0 { links[index].mtu = max(links[index].mtu, event.mtu) }
        links[index].privateAddress = event.privateAddress ?? links[index].privateAddress
        if event.endsLink {
            links[index].end = event.elapsed
            openLinks[LinkKey(port: event.port, connection: connection)] = nil
        }
    }

    package mutating func add(_ operation: CapturedOperation) {
        let key = AttributeKey(
            device: operation.attribute.device.address,
            isOfHost: operation.isOfHost,
            handle: operation.attribute.handle
        )
        guard let index = attributeIndex[key] ?? newAttribute(key, operation) else { return }
        switch operation.kind {
        case .read, .readMultiple: attributes[index].reads += 1
        case .write: attributes[index].writes += 1
        case .notification: attributes[index].notifications += 1
        case .indication: attributes[index].indications += 1
        }
        switch operation.outcome {
        case .refused(let code): attributes[index].refusals[code, default: 0] += 1
        case .unanswered: attributes[index].unanswered += 1
        case .success: attributes[index].last = operation
        case .discarded: break
        }
    }

    /// Takes the names at the end.
    package mutating func finish(_ gatt: CapturedGATT) {
        for index in devices.indices { devices[index].name = gatt.name(of: devices[index].address.address) }
    }

    /// The attributes of a device or of the host on links to it, in the order of their handles.
    package func attributes(of device: DeviceAddress, ofHost isOfHost: Bool) -> [Attribute] {
        (ofDevice[device] ?? []).map { attributes[$0] }.filter { $0.isOfHost == isOfHost }
            .sorted { $0.reference.handle < $1.reference.handle }
    }

    // MARK: - Parts

    private mutating func newAttribute(_ key: AttributeKey, _ operation: CapturedOperation) -> Int? {
        guard attributes.count < Limit.attributes else {
            isCut = true
            return nil
        }
        attributes.append(Attribute(reference: operation.attribute, isOfHost: operation.isOfHost))
        attributeIndex[key] = attributes.count - 1
        ofDevice[key.device, default: []].append(attributes.count - 1)
        return attributes.count - 1
    }

    /// The index of a device, which is added if it is new.
    private mutating func device(_ address: DeviceAddress) -> Int? {
        guard address.address.rawValue != 0, address.type != .anonymous else { return nil }
        if let index = deviceIndex[address.address] { return index }
        guard devices.count < Limit.devices else {
            isCut = true
            return nil
        }
        devices.append(Device(address: address))
        deviceIndex[address.address] = devices.count - 1
        return devices.count - 1
    }

    /// The index of the link that an event belongs to, which is added if it is new.
    private mutating func link(_ connection: ConnectionHandle, _ event: CapturedEvent) -> Int? {
        let key = LinkKey(port: event.port, connection: connection)
        let isNew = event.beginsLink
        if let index = openLinks[key], !isNew { return index }
        guard links.count < Limit.links else {
            isCut = true
            return nil
        }
        links.append(
            Link(
                connection: connection,
                device: event.device,
                privateAddress: event.privateAddress,
                role: event.role,
                adapter: event.adapter,
                begin: isNew ? event.elapsed : nil
            )
        )
        openLinks[key] = links.count - 1
        if let device = event.device.flatMap({ device($0) }) { devices[device].links.append(links.count - 1) }
        return links.count - 1
    }

    private mutating func note(_ packet: HCIEventPacket, _ index: Int) {
        guard packet.code != .numberOfCompletedPackets, let known = try? HCIEvent(packet) else { return }
        switch known {
        case .known(let complete as LEConnectionCompleteEvent): links[index].parameters = Parameters(complete)
        case .known(let complete as LEEnhancedConnectionCompleteEvent):
            links[index].parameters = Parameters(complete.connection)
        case .known(let update as LEConnectionUpdateCompleteEvent) where update.status == .success:
            links[index].parameters = Parameters(
                interval: update.interval,
                latency: update.latency,
                supervisionTimeout: update.supervisionTimeout
            )
        case .known(let change as EncryptionChangeEvent) where change.status == .success:
            links[index].isEncrypted = change.encryption != 0
        case .known(let complete as DisconnectionCompleteEvent): links[index].reason = complete.reason
        default: break
        }
    }
}

extension CaptureSummary.Parameters {
    /// The parameters of a new link. Zeros stand where a capture of sockets has none.
    fileprivate init?(_ complete: LEConnectionCompleteEvent) {
        guard complete.interval.rawValue != 0 else { return nil }
        self.init(
            interval: complete.interval,
            latency: complete.latency,
            supervisionTimeout: complete.supervisionTimeout
        )
    }
}

extension CapturedEvent {
    package var beginsLink: Bool {
        guard case .hci(.event(let packet)) = content, connection != nil, !isRepeated else { return false }
        if let link = ClassicLink(packet) { return link.status == .success }
        guard packet.code == .leMeta, role != nil else { return false }
        return switch try? HCIEvent(packet) {
        case .known(let event as LEConnectionCompleteEvent): event.status == .success
        case .known(let event as LEEnhancedConnectionCompleteEvent): event.connection.status == .success
        default: false
        }
    }
}
