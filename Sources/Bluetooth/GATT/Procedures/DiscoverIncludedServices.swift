// SPDX-License-Identifier: MIT

/// Finds the services that a service includes. An include declaration has no room for a 128-bit UUID, so that one is
/// read from the declaration of the included service.
///
/// Spec: Core 5.4, Vol 3, Part G, 4.5.1
public struct DiscoverIncludedServices: GATTProcedure {
    private let extent: DiscoveryExtent
    private var cursor: DiscoveryCursor
    private var result: [GATTIncludedService] = []
    /// The positions in `result` of the services whose UUIDs have not been read yet.
    private var unnamed: ArraySlice<Int> = []

    /// Searches the handles of a service.
    public init(in range: HandleRange, _ extent: DiscoveryExtent = .all) {
        self.extent = extent
        cursor = DiscoveryCursor(range, isOptional: true)
    }

    /// The first step.
    public mutating func start(mtu: UInt16) -> GATTStep<[GATTIncludedService]> { step() }

    /// The next step, after an answer.
    public mutating func received(_ answer: ATTAnswer, mtu: UInt16) -> GATTStep<[GATTIncludedService]> {
        do throws(GATTError) {
            if let index = unnamed.first {
                try takeName(answer, index)
            } else {
                switch answer {
                case .success(let response): try take(response)
                case .failure(let error) where cursor.isEnd(error): return .done(result)
                case .failure(let error): throw .refused(error)
                }
            }
            return step()
        } catch {
            return .failed(error)
        }
    }

    private func step() -> GATTStep<[GATTIncludedService]> {
        if let index = unnamed.first { return .send(.read(ReadRequest(handle: result[index].range.start))) }
        guard !(extent == .firstAnswer && cursor.hasMoved), let remaining = cursor.remaining else {
            return .done(result)
        }
        return .send(.readByType(ReadByTypeRequest(range: remaining, attributeType: .include)))
    }

    private mutating func take(_ response: ATTResponse) throws(GATTError) {
        guard case .readByType(let list) = response else { throw .invalidResponse(.unexpected(response.opcode)) }
        for entry in list.entries {
            try cursor.advance(over: entry.handle)
            let include: IncludeDeclaration
            do throws(DecodeError) {
                include = try IncludeDeclaration(decoding: entry.value)
            } catch {
                throw .invalidResponse(.malformed(error, at: entry.handle))
            }
            guard include.range.isValid else { throw .invalidResponse(.rangeBackwards(include.range)) }
            if include.uuid == nil { unnamed.append(result.count) }
            result.append(GATTIncludedService(handle: entry.handle, range: include.range, uuid: include.uuid))
        }
    }

    /// Takes the UUID of an included service. If its declaration cannot be read, the service stays in the result
    /// without a UUID, because it exists nevertheless.
    private mutating func takeName(_ answer: ATTAnswer, _ index: Int) throws(GATTError) {
        unnamed.removeFirst()
        switch answer {
        case .success(.read(let response)):
            let found = result[index]
            let uuid = try response.value.uuid(at: found.range.start)
            result[index] = GATTIncludedService(handle: found.handle, range: found.range, uuid: uuid)
        case .success(let response):
            throw .invalidResponse(.unexpected(response.opcode))
        case .failure:
            break
        }
    }
}
