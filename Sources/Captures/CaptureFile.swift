// SPDX-License-Identifier: GPL-2.0-or-later

import Bluetooth
import BluetoothHost
import CommandLineInterface
import Glibc
import Toolkit

/// A capture that is written record by record, so that it is whole whenever the program ends.
///
/// Each record is one call of write(2). A file on a disk takes it at once. A pipe may be full: the writer does not wait
/// for the reader, and btsnoop and pcapng count the dropped records in the next one.
///
/// The btsnoop capture of one adapter is in H4. That datalink does not distinguish adapters, so the file becomes one of
/// the Linux monitor when the packets of a second adapter come. The header of a pipe is already sent by then, so a pipe
/// needs the decision at the beginning. pcapng has an interface for each adapter, and pcap has one adapter.
struct CaptureFile: Sendable {
    private final class Descriptor: Sendable {
        let number: Int32
        init(_ number: Int32) { self.number = number }
        deinit { close(number) }
    }

    /// Why no more records can be written; `nil` while all is well.
    private(set) var failure: BlectlError?

    private let path: String
    /// The open file. It is a class, so that the file is closed when the last copy of the value is gone.
    private let descriptor: Descriptor
    /// Whether it is a file on a disk, which can be cut after a partial record.
    private let isRegular: Bool
    private let format: CaptureFileFormat
    private var datalink: BTSnoopDatalink
    private var interfaces = PcapNGEncoding()
    private var toldDrops: UInt32 = 0
    /// The adapter of all records in H4; `nil` before the first one.
    private var adapter: ManagementIndex?
    /// The number of octets of whole records.
    private var length = 0
    /// The rest of a record that a pipe has taken only in part.
    private var rest: ArraySlice<UInt8> = []
    /// The number of records that a full pipe did not take.
    private var dropCount: UInt32 = 0

    /// Creates the file of a run with these adapters. A btsnoop pipe for several is one of the Linux monitor from the
    /// beginning.
    ///
    /// - Parameter comment: What the run is, for a format with comments.
    init(
        _ path: String,
        for adapters: AdapterSelection,
        _ style: CaptureStyle = .file,
        comment: String? = nil
    ) throws(BlectlError) {
        var status = stat()
        let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
        try self.init(path, isPipe && adapters.isSeveral ? .linuxMonitor : .h4, style, comment: comment)
    }

    /// Creates the file, or empties it, and writes its header. A full disk is a `failure` here as later, so that the run
    /// goes on.
    init(
        _ path: String,
        _ datalink: BTSnoopDatalink,
        _ style: CaptureStyle = .file,
        comment: String? = nil
    ) throws(BlectlError) {
        format = style == .file ? CaptureFileFormat(path) : .pcapng
        // Opening a pipe must not wait for its reader, except for Wireshark, which opens it when this program runs.
        let waits = style == .file ? O_NONBLOCK : 0
        let number = open(path, O_WRONLY | O_CREAT | O_TRUNC | waits | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw BlectlError(uncreated: path, errno, reader: "wireshark -k -i") }
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        var status = stat()
        isRegular = fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        self.path = path
        descriptor = Descriptor(number)
        self.datalink = datalink
        switch format {
        case .btsnoop: write(BTSnoopHeader(datalink).encoded())
        case .pcap: write(PcapEncoding.header)
        case .pcapng: write(PcapNGEncoding.section(by: "\(Program.name) \(Program.version)", comment: comment))
        }
    }

    package var droppedCount: Int { Int(dropCount) }

    /// Appends a packet, with its adapter if there are several.
    package mutating func write(_ packet: CaptureConverter.Packet) {
        guard failure == nil else { return }
        if format != .pcapng, datalink == .h4 {
            let first = adapter ?? packet.adapter
            adapter = first
            if packet.adapter != first { noteAdapters(first, packet.adapter) }
        }
        switch format {
        case .btsnoop: write(packet.record(in: datalink))
        case .pcap where failure == nil && hasRoom(): write(PcapEncoding.record(packet))
        case .pcapng where hasRoom():
            let (told, block) = (dropCount, interfaces.packet(packet, lost: dropCount &- toldDrops))
            guard write(block) else { return }
            toldDrops = told
            interfaces.remember(packet.adapter)
        case .pcap, .pcapng: break
        }
    }

    /// Makes the capture of one adapter one of several.
    private mutating func noteAdapters(_ first: ManagementIndex, _ second: ManagementIndex) {
        guard format == .btsnoop else {
            failure = BlectlError(
                .ioError,
                cannot: "write the packets of \(second) to \(path)",
                "pcap has no place for a second adapter; the capture ends here",
                hint: "a name that ends with .pcapng has one"
            )
            return
        }
        guard isRegular else {
            failure = BlectlError(
                .ioError,
                cannot: "write the packets of \(second) to \(path)",
                "its reader was told of one adapter; the capture ends here",
                hint: "-i \(first),\(second) tells it at the beginning"
            )
            return
        }
        do {
            length = try rewritten(of: first)
            datalink = .linuxMonitor
        } catch {
            let reason = (error as? BlectlError)?.message ?? "\(error)"
            failure = BlectlError(.ioError, cannot: "rewrite \(path) for a second adapter", reason)
        }
    }

    /// Rewrites the records in place, each with the adapter. They are shorter, so that none is overwritten before it
    /// was read. Returns the new length.
    private func rewritten(of adapter: ManagementIndex) throws -> Int {
        // Opened again, for reading from the beginning. By its number, because the path may name another file by now.
        let source = Descriptor(open("/proc/self/fd/\(descriptor.number)", O_RDONLY | O_CLOEXEC))
        var reader = BTSnoopReader()
        var octets = BTSnoopHeader(.linuxMonitor).encoded()
        var end = 0
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = try Self.checked(read(source.number, &chunk, chunk.count))
            if count == 0 { break }
            reader.append(chunk.prefix(count))
            while let record = try reader.next() {
                let packet = try CapturedPacket(record, of: .h4)
                guard case .hci(let hci) = packet.content else { continue }
                let new = CapturedPacket.record(
                    hci: hci,
                    packet.direction,
                    in: .linuxMonitor,
                    adapter: adapter,
                    at: record.timestamp
                )
                octets += new.encoded()
            }
            while !octets.isEmpty {
                let count = try Self.checked(pwrite(descriptor.number, octets, octets.count, off_t(end)))
                octets.removeFirst(count)
                end += count
            }
        }
        _ = try Self.checked(Int(ftruncate(descriptor.number, off_t(end))))
        _ = try Self.checked(Int(lseek(descriptor.number, off_t(end), SEEK_SET)))
        return end
    }

    /// The result of a system call, unless it has failed.
    private static func checked(_ result: Int) throws(BlectlError) -> Int {
        guard result >= 0 else { throw BlectlError(.ioError, String(cString: strerror(errno))) }
        return result
    }

    /// Appends a record. Does nothing after a failure.
    package mutating func write(_ record: BTSnoopRecord) {
        guard failure == nil, hasRoom() else { return }
        let counted = BTSnoopRecord(
            record.data,
            originalLength: record.originalLength,
            flags: record.flags,
            cumulativeDrops: dropCount,
            at: record.timestamp
        )
        write(counted.encoded())
    }

    /// Whether the record before is written to its end. Otherwise the next one is dropped.
    private mutating func hasRoom() -> Bool {
        if !rest.isEmpty { finishRecord() }
        if !rest.isEmpty { dropCount &+= 1 }
        return rest.isEmpty
    }

    /// Writes a record, or leaves it out as a whole if a pipe takes nothing of it. The rest of a part is written
    /// before the next record, because a part alone would damage all records after it.
    ///
    /// - Returns: Whether the record is in the file, or will be.
    @discardableResult
    private mutating func write(_ octets: [UInt8]) -> Bool {
        rest = octets[...]
        finishRecord()
        if rest.isEmpty {
            length += octets.count
        } else if failure == nil, rest.count == octets.count {
            // The pipe has taken nothing: the record is left out as a whole.
            rest = []
            dropCount &+= 1
            return false
        }
        return failure == nil
    }

    /// Writes as much of the record as there is room for.
    private mutating func finishRecord() {
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                let reason = String(cString: strerror(errno))
                failure = BlectlError(.ioError, cannot: "write to \(path)", "\(reason); the capture ends here")
                // A part of a record at the end would be an error for every reader.
                if isRegular { _ = ftruncate(descriptor.number, off_t(length)) }
                return
            }
        }
    }
}
