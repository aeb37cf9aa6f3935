// SPDX-License-Identifier: GPL-2.0-or-later

package import Bluetooth
package import BluetoothHost
package import BluetoothProfiles

/// A device with a link, and the name that results and errors use for it.
package struct ConnectedDevice: Sendable {
    package let reference: DeviceReference
    package let peripheral: Peripheral
    package let formats: FormatCatalogue

    /// The device as the subject of an error, with the security of its link if that has the keys of a bond: then a device
    /// that demands more has to be paired with again, and not for the first time.
    package var subjectOfError: DeviceReference {
        get async {
            var reference = reference
            if let security = await peripheral.linkSecurity, security.hasBond, security.isEncrypted {
                reference.bondedSecurity = security
            }
            return reference
        }
    }

    /// The error of a request to the device in words; `nil` for one that has none, such as a cancellation.
    package func described(
        _ error: any Error,
        doing action: String,
        about subject: RequestSubject?
    ) async -> BlectlError? {
        let subject = await completed(subject, by: error)
        return BlectlError(describing: error, doing: action, to: await subjectOfError, about: subject)
    }

    /// Whether only the device can tell the format of the values: that of the characteristic is not known.
    private func isFormatUnknown(of characteristic: BluetoothUUID?) -> Bool {
        characteristic.map { formats.format(of: $0) == nil } ?? true
    }

    /// The names and formats of the values of a characteristic: where the format depends on the model of the device,
    /// that of its model. All commands decide here. A failure to learn the model leaves the value without one.
    package func formats(for characteristic: BluetoothUUID?) async -> FormatCatalogue {
        guard let characteristic, !formats.models(sharing: characteristic).isEmpty else { return formats }
        if let model = try? await peripheral.model(for: characteristic) { return formats.on(model) }
        return formats.on(.named(reference.name, for: characteristic))
    }

    /// The subject of a failed request, with the service that has the attribute: it names the error codes of
    /// applications. The device is asked for the service of such a code only if the command line does not tell.
    package func completed(_ subject: RequestSubject?, by error: any Error) async -> RequestSubject? {
        guard case GATTError.refused(let refusal) = error, refusal.code.isOfApplication, subject?.target?.service == nil
        else { return subject }
        var completed = subject ?? RequestSubject()
        var service = await peripheral.database.knownService(of: refusal.handle)
        if service == nil, subject?.target?.characteristic == nil, await peripheral.isConnected {
            service = try? await peripheral.service(containing: refusal.handle, within: .seconds(3))
        }
        completed.foundService = service?.uuid
        return completed
    }

    /// What to look up about an attribute before results refer to it.
    package enum LookUp {
        /// What the attribute of a handle is, and the format that the device gives to its value. What is stored of the
        /// device is confirmed by one request.
        case format
        /// The same without the format, and without a request.
        case place
    }

    /// How results refer to an attribute of this device. A failure to look something up leaves it unknown.
    package func attribute(_ target: AttributeTarget, _ handle: Handle, lookingUp lookUp: LookUp) async
        -> AttributeReference
    {
        var (service, characteristic, descriptor) = (target.service, target.characteristic, target.descriptor)
        var declaration: BluetoothUUID?
        if target.handle != nil,
            let place = (try? await peripheral.place(of: handle, confirming: lookUp == .format)) ?? nil
        {
            service = place.service
            if place.attribute.isDeclaration {
                declaration = place.attribute
            } else if let parent = place.characteristic {
                characteristic = parent
                descriptor = place.attribute == parent ? nil : place.attribute
            }
        }
        var format: PresentationFormats?
        // Where its type gives none, an earlier look at its descriptors may have found one.
        if lookUp == .format, declaration == nil, descriptor == nil, isFormatUnknown(of: characteristic) {
            let octets = (try? await peripheral.presentationFormat(of: handle)) ?? nil
            format = octets.flatMap { try? PresentationFormats(decoding: $0) }
        }
        // A descriptor has the format of its own type.
        let known = descriptor == nil ? await self.formats(for: characteristic) : formats
        return AttributeReference(
            device: reference,
            target: target.text,
            handle: handle,
            service: service,
            characteristic: characteristic,
            descriptor: descriptor,
            declaration: declaration,
            formats: known,
            format: format
        )
    }
}

extension ATTErrorCode {
    /// Whether the service of the attribute defines its meaning. One service has a code outside of the range.
    ///
    /// Spec: Core 5.4, Vol 3, Part F, 3.4.1.1
    fileprivate var isOfApplication: Bool { (0x80...0xA0).contains(rawValue) }
}

extension ConnectedDevice {
    package func read(
        _ target: AttributeTarget,
        within limit: Duration,
        in context: OperationContext
    ) async throws -> AttributeValue {
        let readable = target.attribute(of: peripheral)
        return try await context.withTimeout("read \(target)", within: limit) { try await readable.read() }
    }

    /// Reads several targets at once, if the link has bearers for that; else nothing. The results are in the order of the
    /// targets.
    package func readAhead(
        _ targets: [AttributeTarget],
        within limit: Duration,
        in context: OperationContext
    ) async -> [Result<AttributeValue, any Error>] {
        guard targets.count > 1, await peripheral.requestsAtOnce > 1 else { return [] }
        return await withTaskGroup(of: (Int, Result<AttributeValue, any Error>).self) { group in
            for (index, target) in targets.enumerated() {
                group.addTask {
                    do {
                        return (index, .success(try await read(target, within: limit, in: context)))
                    } catch {
                        return (index, .failure(error))
                    }
                }
            }
            var results: [Int: Result<AttributeValue, any Error>] = [:]
            for await (index, result) in group { results[index] = result }
            return targets.indices.compactMap { results[$0] }
        }
    }
}
