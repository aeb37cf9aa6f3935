// SPDX-License-Identifier: MIT

import BluetoothDevices
import Testing

@testable import BluetoothHost

@Suite("Heap")
struct HeapTests {
    @Test func `elements come out in order, whatever the order of insertion`() {
        var generator = SeededGenerator(seed: 11)
        for count in 0..<60 {
            var heap = Heap<UInt64>()
            let numbers = (0..<count).map { _ in generator.next() % 32 }
            for number in numbers { heap.insert(number) }
            #expect(heap.count == count && heap.first == numbers.min())
            heap.removeAll { $0.isMultiple(of: 3) }
            var taken: [UInt64] = []
            while let number = heap.popFirst() { taken.append(number) }
            #expect(taken == numbers.filter { !$0.isMultiple(of: 3) }.sorted())
        }
    }
}
