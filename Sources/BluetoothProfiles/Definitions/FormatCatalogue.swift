// SPDX-License-Identifier: MIT

public import Bluetooth

/// The names of attributes and the formats of their values: those that are assigned, and those of private services and
/// characteristics, which come first.
public struct FormatCatalogue: Hashable, Sendable {
    /// A private service.
    public struct Service: Hashable, Sendable {
        /// The UUID.
        public let uuid: BluetoothUUID
        /// The name.
        public let name: String

        /// Creates an entry.
        public init(_ uuid: BluetoothUUID, _ name: String) {
            self.uuid = uuid
            self.name = name
        }
    }

    /// A private characteristic.
    public struct Characteristic: Hashable, Sendable {
        /// The UUID.
        public let uuid: BluetoothUUID
        /// The name.
        public let name: String
        /// The service in which it is, if that is known.
        public let service: BluetoothUUID?
        /// The format of its values; `nil` if only the name is known.
        public let format: CharacteristicFormat?

        /// Creates an entry.
        public init(
            _ uuid: BluetoothUUID,
            _ name: String,
            service: BluetoothUUID? = nil,
            format: CharacteristicFormat? = nil
        ) {
            self.uuid = uuid
            self.name = name
            self.service = service
            self.format = format
        }
    }

    /// The private services.
    public let services: [Service]
    /// The private characteristics.
    public let characteristics: [Characteristic]
    /// The names that device files give to their services and characteristics. They count first, and are not shown.
    private var labels: [AssignedNumber] = []
    /// The model of the device whose values are decoded, on which some assigned formats depend; `nil` if it is not known.
    public private(set) var model: DeviceModel?

    /// Only assigned services and characteristics.
    public static let assigned = FormatCatalogue()

    /// Creates a catalogue of the assigned and of private services and characteristics.
    public init(services: [Service] = [], characteristics: [Characteristic] = []) {
        self.services = services
        self.characteristics = characteristics
    }

    /// The same catalogue with the labels of device files, which name services and characteristics before all others.
    package func adding(labels: [AssignedNumber]) -> FormatCatalogue {
        var catalogue = self
        catalogue.labels += labels
        return catalogue
    }

    /// The same catalogue for the values of a device of that model.
    public func on(_ model: DeviceModel?) -> FormatCatalogue {
        var catalogue = self
        catalogue.model = model
        return catalogue
    }

    private func own(_ uuid: BluetoothUUID) -> Characteristic? {
        characteristics.isEmpty ? nil : characteristics.first { $0.uuid == uuid }
    }

    /// The format of the values of a characteristic; `nil` if it is not known.
    public func format(of uuid: BluetoothUUID) -> CharacteristicFormat? {
        own(uuid)?.format ?? CharacteristicFormat.of(uuid)?.on(model)
    }

    /// The decoder for the values of a characteristic; `nil` if their format is not known.
    public func decoder(of uuid: BluetoothUUID) -> CharacteristicValue.Decoder? {
        guard let format = format(of: uuid) else { return nil }
        return { format.decodeAsFarAsPossible($0) }
    }

    /// The models on which the format of a characteristic depends; none if it is a private one.
    package func models(sharing uuid: BluetoothUUID) -> [DeviceModel] {
        own(uuid)?.format == nil ? DeviceModel.models(sharing: uuid) : []
    }

    /// The name of a characteristic; `nil` if it is not known.
    public func name(ofCharacteristic uuid: BluetoothUUID) -> String? {
        own(uuid)?.name ?? AssignedNumbers.name(ofCharacteristic: uuid)
    }

    /// The name of a service; `nil` if it is not known.
    public func name(ofService uuid: BluetoothUUID) -> String? {
        services.first { $0.uuid == uuid }?.name ?? AssignedNumbers.name(ofService: uuid)
    }

    /// The service to which a characteristic belongs; `nil` if it is not known, or if it may be in several.
    public func service(ofCharacteristic uuid: BluetoothUUID) -> BluetoothUUID? {
        own(uuid)?.service ?? AssignedNumbers.service(ofCharacteristic: uuid)
    }

    /// The UUIDs with a name, the private ones first. Only letters and digits count.
    public func uuids(
        named name: some StringProtocol,
        kinds: Set<AssignedNumber.Kind> = Set(AssignedNumber.Kind.allCases)
    ) -> [AssignedNumber] {
        uuids(named: String(name), among: AssignedNumber.Kind.allCases.filter(kinds.contains))
    }

    /// The UUIDs of `uuids(named:kinds:)`, each kind once.
    package func uuids(named name: String, among kinds: [AssignedNumber.Kind]) -> [AssignedNumber] {
        let key = NameKey(name.utf8)
        let labelled = labels.filter { kinds.contains($0.kind) && $0.name == name }
        if !labelled.isEmpty { return labelled }
        var found: [AssignedNumber] = []
        if kinds.contains(.service) {
            for service in services where key.matches(service.name.utf8) {
                found.append(AssignedNumber(uuid: service.uuid, kind: .service, name: service.name))
            }
        }
        if kinds.contains(.characteristic) {
            for own in characteristics where key.matches(own.name.utf8) {
                found.append(AssignedNumber(uuid: own.uuid, kind: .characteristic, name: own.name))
            }
        }
        return found.isEmpty ? AssignedNumbers.uuids(named: name, among: kinds) : found
    }

    /// The private names as on a command line.
    public func ownSlugs(_ kind: AssignedNumber.Kind) -> [String] {
        switch kind {
        case .service: services.map { AssignedNumber.slug($0.name) }
        case .characteristic: characteristics.map { AssignedNumber.slug($0.name) }
        case .descriptor: []
        }
    }
}
