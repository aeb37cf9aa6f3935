// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothProfiles
import Records
import Synchronization
import Toolkit

/// Reports values of characteristics as measurements of their profiles.
///
/// It keeps the parts of earlier values that a later one needs, such as the revolutions of the last Cycling Speed and
/// Cadence value.
final class MeasurementReporter: Sendable {
    private let device: ConnectedDevice
    private let results: any ResultSink
    // A reference contains names from the assigned numbers, so each is made only once.
    private let references = AttributeReferences()
    private let decoder: Mutex<MeasurementDecoder>
    private let labelWidth: Int?

    init(
        device: ConnectedDevice,
        settings: MeasurementDecoder.Settings,
        labelWidth: Int?,
        results: any ResultSink
    ) {
        self.device = device
        self.results = results
        self.labelWidth = labelWidth
        decoder = Mutex(MeasurementDecoder(settings))
    }

    func calibrated(_ source: ProfileSource, _ bytes: [UInt8]) throws(DecodeError) {
        try decoder.withLock { decoder throws(DecodeError) in try decoder.calibrated(source, bytes) }
    }

    /// Reports a value.
    ///
    /// - Parameters:
    ///   - bytes: The value as the device gave it.
    ///   - watched: The source that it belongs to; its profile names the measurement.
    ///   - sequence: The number of the measurement, from 1. It counts dropped values, too.
    ///   - timestamp: The moment of arrival, for derived values such as speeds.
    func report(
        _ bytes: [UInt8],
        at handle: Handle,
        of watched: WatchedSource,
        _ sequence: Int,
        _ timestamp: Timestamp
    ) async throws {
        let attribute: AttributeReference
        if let known = references.known(watched.target.text, handle) {
            attribute = known
        } else {
            let formats = await device.formats(for: watched.source.characteristic)
            attribute = references.reference(watched.target.text, handle) {
                AttributeReference(
                    device: device.reference,
                    target: watched.profile.name,
                    handle: handle,
                    service: watched.source.service,
                    characteristic: watched.source.characteristic,
                    descriptor: nil,
                    formats: formats
                )
            }
        }
        let result = MeasurementResult(
            profile: watched.profile.name,
            attribute: attribute,
            presentation: try presentation(bytes, of: attribute, watched.source, timestamp.monotonic),
            sequence: sequence,
            timestamp: timestamp,
            label: watched.label,
            labelWidth: labelWidth
        )
        try await results.emit(.measurement(result))
    }

    /// The value in the source's own format, with the numbers that follow from it and earlier values.
    private func presentation(
        _ bytes: [UInt8],
        of attribute: AttributeReference,
        _ source: ProfileSource,
        _ now: Instant
    ) throws -> ValuePresentation {
        // Most sources have neither: their characteristic has one format for everybody.
        guard source.format != nil || source.derivation != nil else {
            return try ValuePresentation(bytes, of: attribute, format: nil)
        }
        var presentation = try ValuePresentation(bytes, of: attribute, format: nil)
        if let format = source.format {
            presentation = ValuePresentation(bytes, meaning: format.decodeAsFarAsPossible(bytes))
        }
        // Nothing follows from a value that is not whole.
        guard let value = presentation.decoded, value.fault?.isEnd != true,
            let derived = decoder.withLock({ $0.derived(from: value, bytes, of: source, at: now) })
        else { return presentation }
        let whole = DecodedValue(
            text: derived.text,
            content: derived.content,
            surplus: value.surplus,
            fault: value.fault
        )
        return ValuePresentation(bytes, meaning: whole)
    }
}
