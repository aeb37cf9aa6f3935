// SPDX-License-Identifier: MIT

package import Bluetooth

/// An image in a slot of a device.
///
/// Spec: Zephyr, Application/Software Image Management Group, Get state of images response
package struct MCUmgrImageState: Hashable, Sendable {
    /// The number of the program: 0, unless the device has several processors.
    package var image = 0
    /// The slot of that program: usually 0 for the one that runs, and 1 for the next one.
    package var slot: Int
    /// The version as the server writes it: `1.2.3` or `1.2.3.4`.
    package var version: String
    /// The hash in its TLV; `nil` if the server does not say it.
    package var hash: [UInt8]?
    package var isBootable = true
    /// Whether it will be started next.
    package var isPending = false
    /// Whether it stays, also after the next start.
    package var isConfirmed = false
    package var isActive = false
    /// Whether it will stay after the next start without being confirmed.
    package var isPermanent = false
}

extension MCUmgrImageState {
    init(_ fields: CBORMap) throws(DecodeError) {
        self.init(
            image: try fields.optional("image", \.count) ?? 0,
            slot: try fields.required("slot", \.count),
            version: try fields.required("version", \.string),
            hash: try fields.optional("hash", \.bytes),
            isBootable: try fields.optional("bootable", \.flag) ?? false,
            isPending: try fields.optional("pending", \.flag) ?? false,
            isConfirmed: try fields.optional("confirmed", \.flag) ?? false,
            isActive: try fields.optional("active", \.flag) ?? false,
            isPermanent: try fields.optional("permanent", \.flag) ?? false
        )
    }

    /// The fields as a server sends them.
    var fields: CBORMap {
        CBORMap([
            "image": CBORValue(image), "slot": CBORValue(slot), "version": .text(version),
            "hash": hash.map { .octets($0) }, "bootable": .bool(isBootable), "pending": .bool(isPending),
            "confirmed": .bool(isConfirmed), "active": .bool(isActive), "permanent": .bool(isPermanent),
        ])
    }

    fileprivate static func list(in fields: CBORMap) throws(DecodeError) -> [MCUmgrImageState] {
        var images: [MCUmgrImageState] = []
        for item in try fields.required("images", \.elements) {
            guard let fields = item.fields else { throw DecodeError("images", .inconsistent("one is not a map")) }
            images.append(try MCUmgrImageState(fields))
        }
        return images
    }
}

/// Asks for the images. Spec: Zephyr, Image Management Group, Get state of images
package struct MCUmgrReadImages: MCUmgrRequest {
    package static let call = MCUmgrCall(.image, 0, .read)

    package init() {}

    package static func response(_ fields: CBORMap) throws(DecodeError) -> [MCUmgrImageState] {
        try MCUmgrImageState.list(in: fields)
    }
}

/// Has an image started once, or for good. Spec: Zephyr, Image Management Group, Set state of image
package struct MCUmgrSetImage: MCUmgrRequest {
    package static let call = MCUmgrCall(.image, 0, .write)
    package static let mayRepeat = true

    /// The hash of the image; `nil` for the one that runs.
    package let hash: [UInt8]?
    /// Whether it stays. Otherwise the next start is a test: the image before comes back at the start after it.
    package let isConfirmed: Bool

    /// Has the image of a hash started at the next start, for a test or for good.
    package init(hash: [UInt8], isConfirmed: Bool) {
        self.hash = hash
        self.isConfirmed = isConfirmed
    }

    private init() { (hash, isConfirmed) = (nil, true) }

    /// Keeps the image that runs.
    package static let confirmRunning = MCUmgrSetImage()

    package var fields: CBORMap { CBORMap(["hash": hash.map { .octets($0) }, "confirm": .bool(isConfirmed)]) }

    /// The images then. Some servers leave them out.
    package static func response(_ fields: CBORMap) throws(DecodeError) -> [MCUmgrImageState]? {
        fields["images"] == nil ? nil : try MCUmgrImageState.list(in: fields)
    }
}

/// A part of an image. Spec: Zephyr, Image Management Group, Image upload
package struct MCUmgrUpload: MCUmgrRequest {
    package static let call = MCUmgrCall(.image, 1, .write)

    /// What the first part says of the whole.
    package struct Announcement: Hashable, Sendable {
        /// The number of the program; `nil` for the only one.
        package let image: Int?
        /// The octets of the file.
        package let length: Int
        /// The hash of the whole file, by which a device knows an upload that was broken off.
        package let hash: [UInt8]
    }

    /// What the device says of a part.
    package struct Progress: Hashable, Sendable {
        /// The octets that it has, and wants the next part from.
        package let offset: Int
        /// Whether what it has written is the file that was announced; `nil` if it did not look.
        package var isMatch: Bool?
    }

    /// Where the part begins in the file.
    package let offset: Int
    package let data: [UInt8]
    /// What the first part says; `nil` for the others.
    package var announcement: Announcement?

    package var fields: CBORMap {
        CBORMap([
            "off": CBORValue(offset), "data": .octets(data), "len": announcement.map { CBORValue($0.length) },
            "sha": announcement.map { .octets($0.hash) },
            "image": announcement?.image.map { CBORValue($0) },
        ])
    }

    package static func response(_ fields: CBORMap) throws(DecodeError) -> Progress {
        Progress(offset: try fields.required("off", \.count), isMatch: try fields.optional("match", \.flag))
    }
}

/// Erases a slot. Spec: Zephyr, Image Management Group, Image erase
package struct MCUmgrErase: MCUmgrRequest {
    package static let call = MCUmgrCall(.image, 5, .write)

    /// The slot; `nil` for the one of the next image.
    package let slot: Int?

    package init(slot: Int? = nil) { self.slot = slot }

    package var fields: CBORMap { CBORMap(["slot": slot.map { CBORValue($0) }]) }

    package typealias Response = Void
}

/// Asks how large the slots are. Spec: Zephyr, Image Management Group, Slot info
package struct MCUmgrReadSlots: MCUmgrRequest {
    package static let call = MCUmgrCall(.image, 6, .read)

    package struct Slot: Hashable, Sendable {
        /// The number of the program.
        package let image: Int
        package let slot: Int
        /// Its octets; `nil` if the server cannot tell.
        package let size: Int?
        /// The largest image of the program, in octets; `nil` if the server does not say it.
        package let maximumImageSize: Int?
    }

    package init() {}

    package static func response(_ fields: CBORMap) throws(DecodeError) -> [Slot] {
        var slots: [Slot] = []
        for item in try fields.required("images", \.elements) {
            guard let program = item.fields else { throw DecodeError("images", .inconsistent("one is not a map")) }
            let image = try program.required("image", \.count)
            let maximum = try program.optional("max_image_size", \.count)
            for item in try program.required("slots", \.elements) {
                guard let slot = item.fields else { throw DecodeError("slots", .inconsistent("one is not a map")) }
                slots.append(
                    Slot(
                        image: image,
                        slot: try slot.required("slot", \.count),
                        size: try slot.optional("size", \.count),
                        maximumImageSize: maximum
                    )
                )
            }
        }
        return slots
    }
}
