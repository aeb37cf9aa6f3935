// SPDX-License-Identifier: MIT

package import Bluetooth

/// A device with MCUboot as MCUmgr sees it: the server of a simulated or served device.
///
/// Pure: what is written and the time go in, what is sent and restarts come out.
package struct MCUmgrServer: Sendable {
    package struct Configuration: Hashable, Sendable {
        /// The version that it runs at first.
        package var version = FirmwareVersion(1, 0, 0)
        /// The octets of a slot.
        package var slotSize = 480 << 10
        /// The buffers for requests.
        package var buffers = MCUmgrParameters.Buffers(size: 2_475, count: 4)
        /// Whether it joins the packets of a request.
        package var joinsPackets = true
        /// How long it takes to erase a slot.
        package var eraseTime = Duration.seconds(2)
        /// How long it takes to write 1,024 octets.
        package var writeTime = Duration.milliseconds(4)
        /// How long it is away when it starts anew.
        package var startTime = Duration.seconds(3)
        /// Whether it has another address after each start.
        package var changesAddress = false
        /// Whether an image that was uploaded runs. One that does not is put back by the boot loader.
        package var startsNewImages = true
        /// What goes wrong in an upload.
        package var faults: [UploadFault] = []

        /// A device without faults.
        package init() {}
    }

    /// Between the answer to a reset and the reset.
    private static let resetDelay = Duration.milliseconds(250)

    private struct Job: Sendable {
        let due: Instant
        /// `nil` for the reset.
        let request: MCUmgrFrame?
    }

    let configuration: Configuration
    private var slots: ImageSlots
    private var store = DeviceStore()
    private var reassembler = MCUmgrReassembler()
    private var length = 0
    /// The requests that wait, each with the time of its answer.
    private var jobs: [Job] = []
    private var faults: [UploadFault]
    /// When it was started.
    private var epoch = Instant.zero
    private var time: String?

    /// A device that runs its first image.
    package init(_ configuration: Configuration) {
        self.configuration = configuration
        slots = ImageSlots(size: configuration.slotSize, version: configuration.version)
        faults = configuration.faults
    }

    package var version: FirmwareVersion { slots.version }

    /// When `timerFired` has to be called; `nil` for never.
    package var deadline: Instant? { jobs.first?.due }

    // MARK: - Events

    package mutating func received(_ packet: [UInt8], now: Instant) -> [UpdateServerAction] {
        if !configuration.joinsPackets { reassembler.reset() }
        if !reassembler.isInFrame { length = 0 }
        length += packet.count
        guard length <= configuration.buffers.size else {
            // As a server whose buffer is full: what came is forgotten, and the rest taken for a frame.
            reassembler.reset()
            return []
        }
        guard let request = try? reassembler.received(packet), request.operation.response != nil,
            jobs.count < configuration.buffers.count
        else { return [] }
        let due = max(now, jobs.last?.due ?? now) + duration(of: request)
        jobs.append(Job(due: due, request: request))
        return timerFired(now: now)
    }

    /// The time of `deadline` has come.
    package mutating func timerFired(now: Instant) -> [UpdateServerAction] {
        var actions: [UpdateServerAction] = []
        while let job = jobs.first, job.due <= now {
            jobs.removeFirst()
            guard let request = job.request else { return actions + restart(now) }
            guard let response = serve(request, now) else { continue }
            if case .restart = response { return actions + restart(now) }
            actions.append(response)
        }
        return actions
    }

    /// The link has ended. What was uploaded stays.
    package mutating func disconnected() {
        reassembler.reset()
        jobs.removeAll { $0.request != nil }
    }

    /// How long a request takes.
    private func duration(of request: MCUmgrFrame) -> Duration {
        guard request.group == .image, request.operation == .write else { return .zero }
        switch request.command {
        case MCUmgrErase.command: return configuration.eraseTime
        case MCUmgrUpload.command:
            let octets = request.fields["data"]?.bytes?.count ?? 0
            let writing = configuration.writeTime * octets / 1_024
            return slots.erases(request.fields) ? configuration.eraseTime + writing : writing
        default: return .zero
        }
    }

    private mutating func restart(_ now: Instant) -> [UpdateServerAction] {
        reassembler.reset()
        jobs = []
        slots.start(startsNewImages: configuration.startsNewImages)
        epoch = now
        return [.restart(configuration.startTime, isBootLoader: false)]
    }

    // MARK: - Requests

    /// Serves a request; `nil` if it has no answer.
    private mutating func serve(_ request: MCUmgrFrame, _ now: Instant) -> UpdateServerAction? {
        store.requests += 1
        var isDamaged = false
        if request.group == .image, request.command == MCUmgrUpload.command,
            let fault = faults.take(before: slots.offset(after: request.fields))
        {
            switch fault {
            case .lose: return nil
            case .restart: return .restart(.zero, isBootLoader: false)
            case .refuse: return respond(to: request, .failure(ImageSlots.Failure.flashWriteFailed.refusal))
            case .damage: isDamaged = true
            }
        }
        return respond(to: request, result(request, isDamaged: isDamaged, now))
    }

    private func respond(to request: MCUmgrFrame, _ result: Result<CBORMap, MCUmgrRefusal>) -> UpdateServerAction {
        let fields: CBORMap
        switch result {
        case .success(let success): fields = success
        case .failure(let refusal):
            // The first version of the protocol has no errors of groups.
            let isShared = refusal.group == nil || request.version == .second
            fields = isShared ? refusal.fields : MCUmgrRefusal.shared(.unknown).fields
        }
        return .send(request.response(fields).encoded(), from: .mcumgrData)
    }

    private mutating func result(
        _ request: MCUmgrFrame,
        isDamaged: Bool,
        _ now: Instant
    ) -> Result<CBORMap, MCUmgrRefusal> {
        let fields = request.fields
        switch (request.group, request.command, request.operation) {
        case (.os, _, _): return operatingSystem(request, now)
        case (.image, MCUmgrReadImages.command, .read): return .success(slots.list)
        case (.image, MCUmgrSetImage.command, .write): return slots.choose(fields)
        case (.image, MCUmgrUpload.command, .write): return slots.takePart(fields, isDamaged: isDamaged)
        case (.image, MCUmgrErase.command, .write): return slots.erase(fields)
        case (.image, MCUmgrReadSlots.command, .read): return .success(slotFields)
        case (.statistics, MCUmgrStatistics.command...MCUmgrStatisticsGroups.command, .read):
            return store.statistics(request.command, fields)
        case (.settings, MCUmgrReadSetting.command...MCUmgrDeleteSetting.command, _):
            return store.settings(request.command, request.operation, fields)
        case (.files, MCUmgrReadFile.command, _):
            // Room for the fields around the octets.
            return store.files(request.operation, fields, room: configuration.buffers.size - 64)
        case (.shell, MCUmgrShell.command, .write): return store.shell(fields, uptime: now - epoch)
        default: return .failure(.shared(.notSupported))
        }
    }

    private var slotFields: CBORMap {
        let slots = (0...1).map { slot in
            CBORValue.map(
                CBORMap([
                    "slot": CBORValue(slot), "size": CBORValue(configuration.slotSize),
                    "upload_image_id": slot == 1 ? CBORValue(0) : nil,
                ])
            )
        }
        let image = CBORMap([
            "image": CBORValue(0), "slots": .array(slots), "max_image_size": CBORValue(configuration.slotSize),
        ])
        return CBORMap(["images": .array([.map(image)])])
    }

    private mutating func operatingSystem(_ request: MCUmgrFrame, _ now: Instant) -> Result<CBORMap, MCUmgrRefusal> {
        switch (request.command, request.operation) {
        case (MCUmgrEcho.command, .write):
            guard let text = request.fields["d"]?.string else { return .failure(.shared(.invalidValue)) }
            return .success(CBORMap(["r": .text(text)]))
        case (MCUmgrTasks.command, .read):
            let task = CBORMap([
                "prio": CBORValue(15), "tid": CBORValue(0), "state": CBORValue(0), "stkuse": CBORValue(20),
                "stksiz": CBORValue(80), "cswcnt": CBORValue(store.requests), "runtime": CBORValue(0),
                "last_checkin": CBORValue(0), "next_checkin": CBORValue(0),
            ])
            return .success(CBORMap(["tasks": .map(CBORMap(["idle": .map(task)]))]))
        case (MCUmgrReadTime.command, .read):
            guard let time else { return .failure(MCUmgrRefusal(group: .os, code: 4)) }
            return .success(CBORMap(["datetime": .text(time)]))
        case (MCUmgrSetTime.command, .write):
            guard let text = request.fields["datetime"]?.string else { return .failure(.shared(.invalidValue)) }
            guard MCUmgrTime.isValid(text) else { return .failure(MCUmgrRefusal(group: .os, code: 2)) }
            time = text
            return .success(CBORMap())
        case (MCUmgrReset.command, .write):
            jobs.append(Job(due: max(now, jobs.last?.due ?? now) + Self.resetDelay, request: nil))
            return .success(CBORMap())
        case (MCUmgrParameters.command, .read):
            let buffers = configuration.buffers
            return .success(CBORMap(["buf_size": CBORValue(buffers.size), "buf_count": CBORValue(buffers.count)]))
        case (MCUmgrInformation.command, .read):
            return .success(CBORMap(["output": .text("blectl simulation \(version)")]))
        case (MCUmgrBootLoader.command, .read): return .success(CBORMap(["bootloader": .text("MCUboot")]))
        default: return .failure(.shared(.notSupported))
        }
    }
}
