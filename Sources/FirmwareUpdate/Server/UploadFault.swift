// SPDX-License-Identifier: MIT

/// What goes wrong once with a simulated device, when an upload comes to an offset.
package struct UploadFault: Hashable, Sendable {
    package enum Effect: String, Hashable, Sendable, CaseIterable {
        /// The part is refused, as if the flash could not be written.
        case refuse
        /// The part is written wrongly.
        case damage
        /// The part is not answered, and not written.
        case lose
        /// The device starts anew.
        case restart
    }

    /// The octets of the upload at which it happens.
    package var offset: Int
    package var effect: Effect

    package init(offset: Int, effect: Effect) {
        self.offset = offset
        self.effect = effect
    }
}

extension [UploadFault] {
    /// The fault that a part of an upload meets which ends at an offset. It is over then.
    mutating func take(before end: Int) -> UploadFault.Effect? {
        guard let index = firstIndex(where: { $0.offset < end }) else { return nil }
        return remove(at: index).effect
    }
}
