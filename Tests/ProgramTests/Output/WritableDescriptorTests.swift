// SPDX-License-Identifier: GPL-2.0-or-later

import Glibc
import Testing

@testable import Terminal

@Suite("Writing without waiting")
struct WritableDescriptorTests {
    private func write(_ bytes: [UInt8], _ descriptor: WritableDescriptor) -> WritableDescriptor.Outcome {
        bytes.withUnsafeBytes { descriptor.write($0) }
    }

    @Test(arguments: TestStream.Kind.allCases)
    func `a destination takes what it has room for, and nothing when it is full`(_ kind: TestStream.Kind) async throws {
        let stream = try TestStream(kind)
        let wasNonBlocking = stream.isNonBlocking
        let descriptor = WritableDescriptor(stream.writing)
        defer { descriptor.close() }
        let block = [UInt8](repeating: 0x55, count: 100_000)
        var total = 0
        // A write that waited for the reader would never come back.
        filling: while true {
            switch write(block, descriptor) {
            case .written(let count): total += count
            case .full: break filling
            case .failed(let failure): throw failure
            }
        }
        #expect(total > 0)
        #expect(stream.isNonBlocking == wasNonBlocking, "it is left as it is to those who share it")
        #expect(await stream.read(total).count == total)
    }

    @Test(arguments: [TestStream.Kind.pipe, .nonBlockingPipe, .socket])
    func `a closed reader is told apart from a failure`(_ kind: TestStream.Kind) throws {
        let stream = try TestStream(kind)
        let descriptor = WritableDescriptor(stream.writing)
        defer { descriptor.close() }
        stream.closeReader()
        #expect(write([1], descriptor) == .failed(.brokenPipe))
    }

    @Test func `a closed terminal is a closed reader`() throws {
        let stream = try TestStream(.terminal)
        let descriptor = WritableDescriptor(stream.writing)
        defer { descriptor.close() }
        stream.closeReader()
        #expect(write([1], descriptor) == .failed(.brokenPipe))
    }

    @Test func `files and devices take everything, or give a reason`() throws {
        for (path, outcome) in [
            ("/dev/null", WritableDescriptor.Outcome.written(3)),
            ("/dev/full", .failed(.failed("No space left on device"))),
        ] {
            let file = open(path, O_WRONLY | O_CLOEXEC)
            try #require(file >= 0)
            defer { close(file) }
            let descriptor = WritableDescriptor(file)
            #expect(write([1, 2, 3], descriptor) == outcome)
            descriptor.close()
            #expect(fcntl(file, F_GETFD) >= 0, "what was lent is not closed")
        }
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        #expect(write([1], WritableDescriptor(file)) == .failed(.failed("Bad file descriptor")))
    }

    @Test func `two descriptors share a place or do not`() throws {
        let (first, second) = (try TestStream(), try TestStream())
        let copy = dup(first.writing)
        defer { close(copy) }
        #expect(WritableDescriptor.leadToOnePlace(first.writing, copy))
        #expect(!WritableDescriptor.leadToOnePlace(first.writing, second.writing))
        #expect(!WritableDescriptor.leadToOnePlace(first.writing, -1))
    }
}
