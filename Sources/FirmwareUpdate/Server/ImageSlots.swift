// SPDX-License-Identifier: MIT

/// The two slots of a simulated device and its boot loader, as MCUboot's with a swap of the slots.
///
/// Spec: MCUboot, Bootloader, Boot swap types; Zephyr, Image Management Group
struct ImageSlots: Hashable, Sendable {
    /// An image in a slot, as far as it is known.
    private struct Image: Hashable, Sendable {
        let version: FirmwareVersion
        let hash: [UInt8]
        /// What was uploaded; empty for the image with which the device was made.
        var octets: [UInt8] = []
    }

    private struct Upload: Hashable, Sendable {
        let length: Int
        let hash: [UInt8]
        var octets: [UInt8] = []
    }

    /// What happens to the other image at the next start.
    private enum Wish: Hashable, Sendable {
        case stays
        /// It is started once, and goes back at the start after that unless it is confirmed.
        case isTested
        /// It is started for good.
        case isKept
    }

    /// The errors of this group. Spec: Zephyr, `img_mgmt_err_code_t`
    enum Failure: Int {
        case noImage = 3
        case hashNotFound = 8
        case noFreeSlot = 9
        case flashWriteFailed = 12
        case invalidSlot = 14
        case invalidOffset = 20
        case invalidLength = 21
        case invalidHeader = 22
        case invalidMagic = 23
        case tooLarge = 30
        case dataOverrun = 31
        case testOfActiveDenied = 33

        var refusal: MCUmgrRefusal { MCUmgrRefusal(group: .image, code: rawValue) }
    }

    let size: Int
    private var running: Image
    private var other: Image?
    private var upload: Upload?
    private var wish = Wish.stays
    /// Whether the running image stays at the next start.
    private var isConfirmed = true

    /// Slots of a size in octets, with an image in the first one.
    init(size: Int, version: FirmwareVersion) {
        self.size = size
        running = Image(version: version, hash: SHA256.hash(Array("firmware \(version)".utf8)))
    }

    var version: FirmwareVersion { running.version }

    /// The images, that of the first slot first.
    var states: [MCUmgrImageState] {
        let first = MCUmgrImageState(
            slot: 0,
            version: running.version.description,
            hash: running.hash,
            isConfirmed: isConfirmed,
            isActive: true
        )
        guard let other else { return [first] }
        // The image that was replaced for a test comes back, so that it is the confirmed one.
        let second = MCUmgrImageState(
            slot: 1,
            version: other.version.description,
            hash: other.hash,
            isPending: wish != .stays,
            isConfirmed: !isConfirmed,
            isPermanent: wish == .isKept
        )
        return [first, second]
    }

    // MARK: - Upload

    /// Whether a part begins an upload, for which the slot is erased.
    func erases(_ fields: CBORMap) -> Bool { fields["off"]?.count == 0 && !goesOn(fields) }

    /// Whether a first part belongs to the upload that has begun.
    private func goesOn(_ fields: CBORMap) -> Bool {
        guard let upload, !upload.octets.isEmpty, let hash = fields["sha"]?.bytes else { return false }
        return hash == upload.hash
    }

    /// How many octets there are after a part.
    func offset(after fields: CBORMap) -> Int { (fields["off"]?.count ?? 0) + (fields["data"]?.bytes?.count ?? 0) }

    /// Takes a part. Returns the fields of the response.
    mutating func takePart(_ fields: CBORMap, isDamaged: Bool) -> Result<CBORMap, MCUmgrRefusal> {
        guard let offset = fields["off"]?.count else { return .failure(Failure.invalidOffset.refusal) }
        guard var data = fields["data"]?.bytes else { return .failure(.shared(.invalidValue)) }
        if offset == 0 {
            if goesOn(fields) { return .success(progress) }
            if let failure = begin(fields, data) { return .failure(failure.refusal) }
        }
        guard var upload, offset == upload.octets.count else { return .success(progress) }
        guard data.count <= upload.length - offset else { return .failure(Failure.dataOverrun.refusal) }
        if isDamaged, !data.isEmpty { data[data.count - 1] ^= 0x01 }
        upload.octets += data
        guard upload.octets.count == upload.length else {
            self.upload = upload
            return .success(progress)
        }
        self.upload = nil
        // The boot loader starts an image only if it is whole. It is listed also otherwise, if its header is.
        other = (try? MCUbootImage(upload.octets)).map {
            Image(version: $0.version, hash: $0.hash, octets: upload.octets)
        }
        let isMatch = upload.hash.isEmpty ? nil : SHA256.hash(upload.octets) == upload.hash
        return .success(CBORMap(["off": CBORValue(upload.length), "match": isMatch.map { .bool($0) }]))
    }

    private var progress: CBORMap { CBORMap(["off": CBORValue(upload?.octets.count ?? 0)]) }

    private mutating func begin(_ fields: CBORMap, _ data: [UInt8]) -> Failure? {
        // There is one program, whose number is 0.
        guard fields["image"]?.count ?? 0 == 0 else { return .noFreeSlot }
        guard let length = fields["len"]?.count else { return .invalidLength }
        guard length <= size else { return .tooLarge }
        guard data.count >= min(32, length), length >= 32 else { return .invalidHeader }
        guard data.starts(with: [0x3D, 0xB8, 0xF3, 0x96]) else { return .invalidMagic }
        guard isFree else { return .noFreeSlot }
        other = nil
        upload = Upload(length: length, hash: fields["sha"]?.bytes ?? [])
        return nil
    }

    /// Whether the second slot may be written: nobody needs its image.
    private var isFree: Bool { isConfirmed && wish == .stays }

    mutating func erase(_ fields: CBORMap) -> Result<CBORMap, MCUmgrRefusal> {
        guard fields["slot"]?.count ?? 1 == 1 else { return .failure(Failure.invalidSlot.refusal) }
        guard isFree else { return .failure(Failure.noFreeSlot.refusal) }
        (other, upload) = (nil, nil)
        return .success(CBORMap())
    }

    // MARK: - Start

    /// Chooses the image of the next start, or keeps the one that runs.
    mutating func choose(_ fields: CBORMap) -> Result<CBORMap, MCUmgrRefusal> {
        let isConfirmed = fields["confirm"]?.flag ?? false
        guard let hash = fields["hash"]?.bytes else {
            guard isConfirmed else { return .failure(.shared(.invalidValue)) }
            self.isConfirmed = true
            return .success(list)
        }
        if hash == running.hash {
            guard isConfirmed else { return .failure(Failure.testOfActiveDenied.refusal) }
            self.isConfirmed = true
        } else if hash == other?.hash {
            // The image before is confirmed already, and comes back by itself.
            if self.isConfirmed { wish = isConfirmed ? .isKept : .isTested }
        } else {
            return .failure(Failure.hashNotFound.refusal)
        }
        return .success(list)
    }

    var list: CBORMap {
        CBORMap(["images": .array(states.map { .map($0.fields) }), "splitStatus": CBORValue(0)])
    }

    /// The device starts. An upload that has begun is forgotten.
    ///
    /// - Parameter startsNewImages: Whether an image that was chosen runs. One that does not is put back at once.
    mutating func start(startsNewImages: Bool) {
        upload = nil
        let isWanted = wish != .stays && startsNewImages
        let isPutBack = !isConfirmed
        if isWanted || isPutBack, let new = other { (running, other) = (new, running) }
        isConfirmed = !isWanted || wish == .isKept
        wish = .stays
    }
}
