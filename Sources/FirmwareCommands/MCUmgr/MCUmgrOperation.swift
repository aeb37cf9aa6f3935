// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import FirmwareUpdate
import Records
import Terminal
import Toolkit

/// Carries an order out on a device, and prints what it answers.
struct MCUmgrOperation: DeviceOperation {
    /// How long a device may take to erase a slot.
    private static let eraseLimit = Duration.seconds(60)
    /// The octets of a request that servers have room for: the size of Zephyr's buffers unless an application chooses.
    private static let usualBuffer = 384
    /// The most octets of a file that is read.
    private static let fileLimit = 64 << 20

    let order: MCUmgrOrder
    let output: Output

    func action(on device: DeviceReference) -> String { "\(order.words) on \(device.text)" }

    func run(on device: ConnectedDevice, in context: OperationContext) async throws {
        do {
            var server = try await MCUmgrLink.open(
                device.peripheral,
                CommandEnvironment(device: device, context: context)
            )
            let answers: [MCUmgrAnswer]
            do {
                answers = try await self.answers(&server, context)
            } catch {
                // Whoever holds the link goes on with it.
                await server.close()
                throw error
            }
            for answer in answers {
                try await output.emit(
                    MCUmgrResult(device: device.reference, answer: answer, timestamp: Timestamp(context.time))
                )
            }
            await server.close()
            if case .shell = order, let status = answers.first?.number, status != 0 {
                throw BlectlError(
                    .expectationFailed,
                    cannot: action(on: device.reference),
                    "the device's shell ends it with status \(status)"
                )
            }
        } catch let error as RadioError where order.endsLink && error.isLossOfDevice {
            // It has started anew before its answer was sent.
        } catch {
            throw BlectlError(ofUpdate: error, on: device.reference, cannot: action(on: device.reference)) ?? error
        }
    }

    private func answers(_ server: inout MCUmgrLink, _ context: OperationContext) async throws -> [MCUmgrAnswer] {
        switch order {
        case .echo(let text): return [MCUmgrAnswer("echo", text: try await perform(MCUmgrEcho(text), &server, context))]
        case .information: return try await information(&server)
        case .reset:
            try await server.perform(MCUmgrReset())
            return []
        case .images: return try await server.perform(MCUmgrReadImages()).map { MCUmgrAnswer($0) }
        case .confirm:
            let images = try await server.perform(MCUmgrSetImage.confirmRunning)
            return (images ?? []).map { MCUmgrAnswer($0) }
        case .erase:
            try await server.perform(MCUmgrErase(), within: Self.eraseLimit)
            return []
        case .statisticsGroups:
            return try await server.perform(MCUmgrStatisticsGroups()).map { MCUmgrAnswer("stats", name: $0, text: $0) }
        case .statistics(let name):
            return try await server.perform(MCUmgrStatistics(name)).map {
                MCUmgrAnswer("stats", name: $0.name, number: $0.value, text: "\($0.name): \($0.value)")
            }
        case .readSetting(let name):
            let value = try await server.perform(MCUmgrReadSetting(name))
            return [MCUmgrAnswer("settings", name: name, octets: value, text: "0x\(Hex.string(value))")]
        case .writeSetting(let name, let value):
            try await perform(MCUmgrWriteSetting(name, value), &server, context)
            return []
        case .deleteSetting(let name):
            try await server.perform(MCUmgrDeleteSetting(name))
            return []
        case .readFile(let path):
            let octets = try await file(path, &server, context)
            return [MCUmgrAnswer("fs", name: path, octets: octets, text: nil)]
        case .writeFile: return []
        case .storeFile(let path, let octets):
            try await store(octets, path, &server, context)
            return []
        case .shell(let words):
            let result = try await perform(MCUmgrShell(words), &server, context)
            let text = result.output.last == "\n" ? String(result.output.dropLast()) : result.output
            return [MCUmgrAnswer("shell", number: result.status, text: text)]
        case .tasks:
            return try await server.perform(MCUmgrTasks()).map { MCUmgrAnswer($0) }
        case .readTime: return [MCUmgrAnswer("datetime", text: try await server.perform(MCUmgrReadTime()))]
        case .setTime(let time):
            try await server.perform(MCUmgrSetTime(time))
            return []
        }
    }

    /// Carries out a request of any length. A server drops one that is longer than its buffers, without an answer.
    private func perform<Request: MCUmgrRequest>(
        _ request: Request,
        _ server: inout MCUmgrLink,
        _ context: OperationContext
    ) async throws -> Request.Response {
        let length = request.frame(sequence: 0).encoded().count
        if length > Self.usualBuffer,
            let room = try await server.performIfSupported(MCUmgrParameters())?.size, room < length
        {
            throw BlectlError(
                .badData,
                "the request has \(length) octets, and the device has room for \(room)",
                hint: "its buffers: blectl mcumgr info"
            )
        }
        return try await server.perform(request)
    }

    /// What the device says of itself, as far as it was built to.
    private func information(_ server: inout MCUmgrLink) async throws -> [MCUmgrAnswer] {
        var answers: [MCUmgrAnswer] = []
        if let text = try await server.performIfSupported(MCUmgrInformation()) {
            answers.append(MCUmgrAnswer("info", name: "application", text: text))
        }
        if let text = try await server.performIfSupported(MCUmgrBootLoader()) {
            answers.append(MCUmgrAnswer("info", name: "bootloader", text: text))
        }
        if let buffers = try await server.performIfSupported(MCUmgrParameters()) {
            let text = "\(count: buffers.count, "buffer") of \(buffers.size) octets"
            answers.append(MCUmgrAnswer("info", name: "buffers", number: buffers.count, text: text))
        }
        for slot in try await server.performIfSupported(MCUmgrReadSlots()) ?? [] {
            guard let size = slot.size else { continue }
            let text = "slot \(slot.slot) of image \(slot.image): \(size) octets"
            var answer = MCUmgrAnswer("info", name: "slot", number: size, text: text)
            answer.place = (slot.image, slot.slot)
            answers.append(answer)
        }
        return answers
    }

    // MARK: - Files

    private func file(_ path: String, _ server: inout MCUmgrLink, _ context: OperationContext) async throws -> [UInt8] {
        var octets: [UInt8] = []
        var length: Int?
        repeat {
            let part = try await server.perform(MCUmgrReadFile(path, offset: octets.count))
            length = length ?? part.length
            guard let length, length <= Self.fileLimit, part.offset == octets.count,
                part.data.count <= length - octets.count, !part.data.isEmpty || length == 0
            else { throw BlectlError(.protocolError, cannot: "read \(path)", "the parts of it make no sense") }
            octets += part.data
            context.notes.progress("reading \(path): \(octets.count) of \(length) octets")
        } while octets.count < length ?? 0
        context.notes.clearProgress()
        return octets
    }

    private func store(
        _ octets: [UInt8],
        _ path: String,
        _ server: inout MCUmgrLink,
        _ context: OperationContext
    ) async throws {
        var offset = 0
        repeat {
            let empty = MCUmgrWriteFile(path, offset: offset, data: [], length: octets.count)
            // The length of a part takes up to three octets, of which one is counted already.
            let room = server.packet - empty.frame(sequence: 0).encoded().count - 2
            guard room > 0 else {
                throw BlectlError(.protocolError, cannot: "write \(path)", "a packet has no room for a part of it")
            }
            let data = Array(octets[offset...].prefix(room))
            let stored = try await server.perform(
                MCUmgrWriteFile(path, offset: offset, data: data, length: octets.count)
            )
            guard stored == offset + data.count else {
                throw BlectlError(.protocolError, cannot: "write \(path)", "the device has \(stored) octets of it")
            }
            offset = stored
            context.notes.progress("writing \(path): \(offset) of \(octets.count) octets")
        } while offset < octets.count
        context.notes.clearProgress()
    }
}
