// SPDX-License-Identifier: MIT

import BluetoothProfiles
import Testing

@Suite("Conversation with a Record Access Control Point")
struct RecordConversationTests {
    @Test("first the number of records, then the records, then the end")
    func complete() {
        var conversation = RecordConversation(.all)
        #expect(conversation.begin() == .write([4, 1]))
        #expect(conversation.answered([5, 0, 2, 0]) == .write([1, 1]))
        conversation.recordReceived()
        conversation.recordReceived()
        #expect(conversation.ending == nil)
        #expect(conversation.answered([6, 0, 1, 1]) == .end)
        #expect(conversation.ending == .complete(received: 2, announced: 2))
    }

    @Test("a device that cannot count reports without a number")
    func withoutNumber() {
        var conversation = RecordConversation(.last)
        #expect(conversation.begin() == .write([4, 6]))
        #expect(conversation.answered([6, 0, 4, 2]) == .write([1, 6]))
        conversation.recordReceived()
        #expect(conversation.answered([6, 0, 1, 1]) == .end)
        #expect(conversation.ending == .complete(received: 1, announced: nil))
    }

    @Test("no records and refusals end it")
    func failures() {
        for answer in [[5, 0, 0, 0], [6, 0, 4, 6]] as [[UInt8]] {
            var conversation = RecordConversation(.all)
            _ = conversation.begin()
            #expect(conversation.answered(answer) == .end)
            #expect(conversation.ending == .noRecords)
        }
        var conversation = RecordConversation(.since(7))
        #expect(conversation.begin() == .write([4, 3, 1, 7, 0]))
        #expect(conversation.answered([5, 0, 1, 0]) == .write([1, 3, 1, 7, 0]))
        #expect(conversation.answered([6, 0, 1, 10]) == .end)
        #expect(conversation.ending == .refused(.init(rawValue: 10)))
    }

    @Test("other indications are skipped, and a new link starts a new conversation")
    func strays() {
        var conversation = RecordConversation(.all)
        #expect(conversation.answered([6, 0, 1, 1]) == .wait)
        _ = conversation.begin()
        for stray in [[], [6], [6, 0, 1, 1], [9, 9, 9, 9]] as [[UInt8]] {
            #expect(conversation.answered(stray) == .wait)
        }
        _ = conversation.answered([5, 0, 3, 0])
        conversation.recordReceived()
        #expect(conversation.begin() == .write([4, 1]))
        _ = conversation.answered([5, 0, 1, 0])
        conversation.recordReceived()
        _ = conversation.answered([6, 0, 1, 1])
        #expect(conversation.ending == .complete(received: 1, announced: 1))
    }
}
