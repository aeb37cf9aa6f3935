// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
import BluetoothHost
package import BluetoothProfiles
import Toolkit

/// The GATT server at one end of the links of a capture.
struct CapturedServer: Hashable {
    enum Place: Hashable {
        /// The host that has captured.
        case host
        /// A device. Its database outlasts a link, because hosts remember it.
        case device(DeviceAddress)
        /// A device at a connection that began before the capture.
        case connection(ConnectionHandle)
    }

    let port: CapturedPort
    let place: Place
}

/// What a capture tells of the GATT databases at both ends of its links: discovery names the handles, and the names
/// last until the server announces a change, has another Database Hash, or shows other attributes at known handles.
///
/// Spec: Core 5.4, Vol 3, Part G, 2.5.2 and 7
package struct CapturedGATT {
    /// Bounds for the memory. A capture may be of any size.
    private enum Limit {
        /// The servers whose databases are known at a time.
        static let tables = 1_024
        /// The attributes of all of them.
        static let attributes = 262_144
        /// The devices whose names are known.
        static let names = 16_384
        /// The unknown handles that are told at the end.
        static let unknownHandles = 1_024
    }

    /// The databases of devices as something else than the capture tells them.
    package typealias Knowledge = (BluetoothAddress) -> DiscoveredDatabase?

    private let catalogue: FormatCatalogue
    private let knowledge: Knowledge?
    private var tables: [CapturedServer: CapturedTable] = [:]
    /// The identities of private devices. Those of an earlier reading hold from the beginning.
    package var identities = CapturedIdentities()
    /// Whether the names in advertisements are wanted. To learn them takes a tenth of the time of a long capture.
    package var learnsAdvertisedNames = true
    private var attributeCount = 0
    private var names: [BluetoothAddress: String] = [:]
    /// The addresses with names, the oldest first, from `oldestName` on.
    private var named: [BluetoothAddress] = []
    private var oldestName = 0
    /// The handles without a type that PDUs with values were about, by the device that has them.
    private(set) package var unknownHandles: [BluetoothAddress: Set<Handle>] = [:]
    private var unknownCount = 0

    /// - Parameters:
    ///   - catalogue: The names and the formats of characteristics.
    ///   - knowledge: What is known of devices from elsewhere; `nil` for nothing.
    package init(_ catalogue: FormatCatalogue = .assigned, knowing knowledge: Knowledge? = nil) {
        self.catalogue = catalogue
        self.knowledge = knowledge
    }

    /// The name of a device as it was advertised or read; not safe to print.
    package func name(of address: BluetoothAddress) -> String? { names[address] }

    /// The devices that have called themselves so.
    package func addresses(named name: String) -> Set<BluetoothAddress> {
        Set(names.lazy.filter { DeviceIdentifier.isSameName($0.value, name) }.map(\.key))
    }

    /// The database of a device, as far as it is known. Where the capture contradicts what is known from elsewhere, the
    /// capture is right.
    package func database(of device: BluetoothAddress) -> DiscoveredDatabase? {
        guard let known = knowledge?(device) else { return captured(device) }
        guard let captured = captured(device) else { return known }
        return captured.merging(known) ?? captured
    }

    private func captured(_ device: BluetoothAddress) -> DiscoveredDatabase? {
        let found = tables.filter { server, _ in
            guard case .device(let address) = server.place else { return false }
            return address.address == device
        }
        return found.values.max { $0.attributeCount < $1.attributeCount }?.database
    }

    /// What this capture tells, for another one of the same devices.
    package var databases: Knowledge {
        var databases: [BluetoothAddress: DiscoveredDatabase] = [:]
        for case .device(let device) in tables.keys.map(\.place) {
            databases[device.address] = database(of: device.address)
        }
        return { [databases] in databases[$0] }
    }

    /// Learns from a packet, and names the attributes that it is about.
    package mutating func add(_ event: inout CapturedEvent) {
        identities.apply(to: &event)
        identities.learn(event)
        switch event.content {
        case .att(let octets, let pdu?): add(pdu, octets.count, &event)
        case .hci(.event(let packet)):
            if event.beginsLink, let connection = event.connection {
                // Another device may have the handle from now on.
                remove(CapturedServer(port: event.port, place: .connection(connection)))
            }
            learnNames(packet)
        default: break
        }
    }

    // MARK: - Attributes

    private mutating func add(_ pdu: ATTPDU, _ length: Int, _ event: inout CapturedEvent) {
        guard let server = Self.server(of: pdu, event) else { return }
        // Taken out, so that a change does not copy what the dictionary would still hold.
        var table = tables.removeValue(forKey: server) ?? CapturedTable()
        let before = table.attributeCount
        table.lastUse = event.number
        let request = event.answered?.request
        if let request, let answer = pdu.answer, let discovery = CapturedDiscovery(request, answer) {
            table.learn(discovery)
        }
        let device = DeviceReference(
            address: event.device ?? DeviceAddress(BluetoothAddress(rawValue: 0), .random),
            name: event.device.flatMap { names[$0.address] }
        )
        if case .client(.request(.write(let write))) = pdu { table.learn(write) }
        let elsewhere = server.place == .host ? nil : knowledge?(device.address.address)
        // The longest PDU may have only the beginning of a value.
        let mayBeCut = pdu.isAnswerWithValue && length >= Int(event.mtu)
        var attributes = pdu.attributes(answering: request)
        if case .client(.request(.readByType(let request))) = pdu, let handle = table.handle(sought: request) {
            attributes.append((handle, nil))
        }
        event.attributes = attributes.map { handle, value in
            let reference = table.reference(handle, device, catalogue, fallback: elsewhere)
            if value != nil, reference.uuid == nil, reference.decode == nil { noteUnknown(handle, of: device) }
            return CapturedAttribute(
                reference: reference,
                valueHandle: table.valueHandle(of: reference),
                value: value,
                mayBeCut: mayBeCut
            )
        }
        if !pdu.isFromClient {
            for attribute in event.attributes {
                guard let value = attribute.value else { continue }
                learn(value, of: attribute.reference, device, &table, isUpdate: request == nil)
            }
            // A new hash makes everything forgotten, also what this answer has told.
            if let request, let answer = pdu.answer, request.readsValuesByType,
                let discovery = CapturedDiscovery(request, answer)
            {
                table.learn(discovery)
            }
        }
        attributeCount += table.attributeCount - before
        tables[server] = table
        makeRoom()
    }

    /// Learns from a value that describes its server.
    private mutating func learn(
        _ value: [UInt8],
        of attribute: AttributeReference,
        _ device: DeviceReference,
        _ table: inout CapturedTable,
        isUpdate: Bool
    ) {
        table.learn(value, of: attribute.handle, isUpdate: isUpdate)
        guard attribute.characteristic == .deviceName, attribute.descriptor == nil, !isUpdate,
            let name = String(validating: value, as: UTF8.self)
        else { return }
        if learn(name, of: device.address.address) { table.forgetReferences() }
    }

    private static func server(of pdu: ATTPDU, _ event: CapturedEvent) -> CapturedServer? {
        guard let connection = event.connection else { return nil }
        let isOfHost = pdu.isFromClient == (event.direction == .received)
        let place: CapturedServer.Place =
            isOfHost ? .host : event.device.map { .device($0) } ?? .connection(connection)
        return CapturedServer(port: event.port, place: place)
    }

    private mutating func remove(_ server: CapturedServer) {
        guard let table = tables.removeValue(forKey: server) else { return }
        attributeCount -= table.attributeCount
    }

    /// Forgets the databases that were used longest ago, if there are too many: a quarter at once, so that a crowd of
    /// devices does not have to look for the oldest one at each link.
    private mutating func makeRoom() {
        guard tables.count > Limit.tables || attributeCount > Limit.attributes else { return }
        for (server, _) in tables.map({ ($0.key, $0.value.lastUse) }).sorted(by: { $0.1 < $1.1 }) {
            let isRoomy = tables.count <= Limit.tables * 3 / 4 && attributeCount <= Limit.attributes * 3 / 4
            guard !isRoomy, tables.count > 1 else { return }
            remove(server)
        }
    }

    private mutating func noteUnknown(_ handle: Handle, of device: DeviceReference) {
        guard unknownCount < Limit.unknownHandles,
            unknownHandles[device.address.address, default: []].insert(handle).inserted
        else { return }
        unknownCount += 1
    }

    // MARK: - Names

    private mutating func learnNames(_ packet: HCIEventPacket) {
        // Most reports of a long capture are of devices without a name, so that they are not decoded for it.
        guard learnsAdvertisedNames, packet.code == .leMeta, packet.parameters.contains(where: \.isTypeOfName) else {
            return
        }
        for report in packet.advertisingReports where names[report.address.address] == nil {
            guard report.mayHaveName, let name = AdvertisingData(parsing: report.data).name?.text else { continue }
            learn(name, of: report.address.address)
        }
    }

    /// Returns whether the name is a new one.
    @discardableResult
    private mutating func learn(_ name: String, of address: BluetoothAddress) -> Bool {
        guard !name.isEmpty, names[address] != name else { return false }
        if names.updateValue(name, forKey: address) == nil { named.append(address) }
        if names.count > Limit.names {
            names[named[oldestName]] = nil
            oldestName += 1
            // Seldom, because all that follow move.
            if oldestName > Limit.names {
                named.removeFirst(oldestName)
                oldestName = 0
            }
        }
        return true
    }
}

extension HCIEventPacket {
    /// The advertising reports of an event, of either kind; empty for another event.
    package var advertisingReports: [AdvertisingReport] {
        guard code == .leMeta, let event = try? HCIEvent(self) else { return [] }
        return switch event {
        case .known(let event as LEAdvertisingReportEvent): event.reports
        case .known(let event as LEExtendedAdvertisingReportEvent): event.reports
        default: []
        }
    }
}

extension ATTPDU {
    var isFromClient: Bool {
        if case .client = self { true } else { false }
    }

    /// The answer to a request; `nil` for other PDUs.
    var answer: ATTAnswer? {
        switch self {
        case .server(.response(let response)): .success(response)
        case .server(.error(let error)): .failure(error)
        case .client, .server: nil
        }
    }

    /// Whether it has a value that goes on in another answer if the PDU has no room for all of it. The messages of most
    /// applications fill a notification, and do not go on.
    fileprivate var isAnswerWithValue: Bool {
        switch self {
        case .server(.response(.read)), .server(.response(.readBlob)), .server(.response(.readByType)): true
        default: false
        }
    }
}

extension AdvertisingReport {
    /// Whether the data have a Local Name, whole or shortened, as far as their lengths are right.
    fileprivate var mayHaveName: Bool {
        var place = 0
        while place + 1 < data.count, data[place] > 0 {
            if data[place + 1].isTypeOfName { return true }
            place += Int(data[place]) + 1
        }
        return false
    }
}

extension UInt8 {
    /// Whether it is the type of a Local Name in advertising data, shortened or complete.
    fileprivate var isTypeOfName: Bool { self == 0x08 || self == 0x09 }
}
