// SPDX-License-Identifier: MIT

final class CharacteristicCode: Sendable {
    typealias Read = @Sendable (inout DeviceContext) throws -> [UInt8]
    /// Accepts a written value, or throws.
    typealias Write = @Sendable ([UInt8], inout DeviceContext) throws -> Void
    typealias Subscription = @Sendable (Bool, inout DeviceContext) throws -> Void

    let read: Read?
    let write: Write?
    let subscription: Subscription?

    /// The closures of a characteristic, with another one among them.
    init(
        _ before: DeviceCharacteristic,
        read: Read? = nil,
        write: Write? = nil,
        subscription: Subscription? = nil
    ) {
        self.read = read ?? before.closures?.read
        self.write = write ?? before.closures?.write
        self.subscription = subscription ?? before.closures?.subscription
    }
}

extension DeviceCharacteristic {
    /// The closures; `nil` if there are none.
    var closures: CharacteristicCode? { code?.code as? CharacteristicCode }
}
