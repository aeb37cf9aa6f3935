// SPDX-License-Identifier: MIT

import BluetoothProfiles

/// The values that a device sends unasked, decoded; see `Peripheral.values`.
///
/// A value that does not have the format of its characteristic is skipped and reported, because one malformed value
/// should not end the sequence.
public struct TypedValues<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value
    public typealias Failure = BluetoothError

    let values: ReceivedValues
    let key: CharacteristicKey<Value>

    public func makeAsyncIterator() -> Iterator { Iterator(values, key) }

    /// Subscribes while it exists.
    public struct Iterator: AsyncIteratorProtocol {
        private let onEvent: @Sendable (SubscriptionEvent) async -> Void
        private let key: CharacteristicKey<Value>
        private var values: ReceivedValues.Iterator
        private let peripheral: Peripheral

        fileprivate init(_ values: ReceivedValues, _ key: CharacteristicKey<Value>) {
            onEvent = values.onEvent
            self.key = key
            self.values = values.makeAsyncIterator()
            peripheral = values.characteristic.peripheral
        }

        /// The next value. Throws like `ReceivedValues.Iterator.next`.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(BluetoothError) -> Value? {
            while let event = try await values.next(isolation: actor) {
                do throws(DecodeError) {
                    guard let decode = key.decodeOnModel else { return try key.decode(event.value) }
                    // Without an answer the model is not known, and the value is malformed for all that is known.
                    return try decode(event.value, try? await peripheral.model(for: key.characteristic))
                } catch {
                    await onEvent(.malformed(event.value, error))
                }
            }
            return nil
        }
    }
}
