// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth

/// What one request of somebody else and its answer reveal of a server's database.
struct CapturedDiscovery {
    let step: DiscoveryStep
    let finding: DiscoveryFinding

    /// Reads a transaction as the client's own procedures do, so that an answer that they refuse reveals nothing here
    /// either.
    ///
    /// - Returns: `nil` if the request does not search, or if its answer is an error that says nothing of the database.
    init?(_ request: ATTRequest, _ answer: ATTAnswer) {
        switch request {
        case .readByGroupType(let request):
            let isPrimary = request.groupType == .primaryService
            guard isPrimary || request.groupType == .secondaryService,
                let found = Self.outcome(
                    of: DiscoverServices(primary: isPrimary, in: request.range, .firstAnswer),
                    answer
                )
            else { return nil }
            self.init(.services(isPrimary: isPrimary, request.range), .services(found))
        case .findByTypeValue(let request):
            var reader = ByteReader(request.value)
            guard BluetoothUUID(request.attributeType) == .primaryService,
                let uuid = try? BluetoothUUID(restOf: &reader, "service UUID"),
                let found = Self.outcome(
                    of: DiscoverServicesByUUID(
                        uuid,
                        in: request.range,
                        .firstAnswer,
                        isLong: request.value.count > 2
                    ),
                    answer
                )
            else { return nil }
            self.init(.servicesByUUID(uuid, request.range), .services(found))
        case .readByType(let request): self.init(request, answer)
        case .findInformation(let request):
            guard let found = Self.outcome(of: FindAttributes(in: request.range, .firstAnswer), answer) else {
                return nil
            }
            self.init(.attributes(request.range), .attributes(found))
        case .exchangeMTU, .read, .readBlob, .readMultiple, .write, .prepareWrite, .executeWrite,
            .readMultipleVariable:
            return nil
        }
    }

    /// Declarations describe themselves in their values; of any other attribute the answer tells the type.
    private init?(_ request: ReadByTypeRequest, _ answer: ATTAnswer) {
        let range = request.range
        switch request.attributeType {
        case .characteristicDeclaration:
            guard let found = Self.outcome(of: DiscoverCharacteristics(in: range, .firstAnswer), answer) else {
                return nil
            }
            self.init(.characteristics(range), .characteristics(found))
        case .include:
            guard let found = Self.outcome(of: DiscoverIncludedServices(in: range, .firstAnswer), answer) else {
                return nil
            }
            self.init(.includes(range), .includes(found))
        case let type:
            // What lies between the handle asked for and the one found is of other types, which are not known.
            guard case .success(.readByType(let list)) = answer, let first = list.entries.first?.handle,
                range.contains(first)
            else { return nil }
            self.init(
                .attributes(HandleRange(first, first)),
                .attributes([AttributeType(handle: first, uuid: type)])
            )
        }
    }

    private init(_ step: DiscoveryStep, _ finding: DiscoveryFinding) {
        self.step = step
        self.finding = finding
    }

    /// The findings of one answer; `nil` if the procedure refuses it.
    private static func outcome<Procedure: GATTProcedure>(
        of procedure: Procedure,
        _ answer: ATTAnswer
    ) -> Procedure.Output? {
        var procedure = procedure
        guard case .send(let request) = procedure.start(mtu: ATTBearer.minimumMTU) else { return nil }
        var step = procedure.received(answer, mtu: ATTBearer.minimumMTU)
        // The UUID of an included service of 128 bits is asked for by a request of its own, which is not answered here.
        // Each refusal takes one of the services of the answer.
        while case .send = step {
            step = procedure.received(.failure(request.refused(.attributeNotFound)), mtu: ATTBearer.minimumMTU)
        }
        guard case .done(let output) = step else { return nil }
        return output
    }

    /// The types of attributes that the finding names.
    var types: [AttributeType] {
        switch finding {
        case .services(let services):
            services.map {
                AttributeType(handle: $0.range.start, uuid: $0.isPrimary ? .primaryService : .secondaryService)
            }
        case .includes(let includes): includes.map { AttributeType(handle: $0.handle, uuid: .include) }
        case .characteristics(let characteristics):
            characteristics.flatMap {
                [
                    AttributeType(handle: $0.declaration, uuid: .characteristicDeclaration),
                    AttributeType(handle: $0.valueHandle, uuid: $0.uuid),
                ]
            }
        case .attributes(let attributes): attributes
        }
    }
}
