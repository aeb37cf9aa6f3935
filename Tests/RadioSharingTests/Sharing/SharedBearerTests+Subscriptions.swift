// SPDX-License-Identifier: MIT

import Bluetooth
import Testing

@testable import BluetoothHost
@testable import RadioSharing

/// Subscriptions whose client leaves, and devices whose attributes change or have neighbours.
extension SharedBearerTests {
    private func value(at handle: UInt16) -> [UInt8] {
        HandleValueNotification(handle: Handle(handle), value: [9]).encoded()
    }

    private func refusal(_ opcode: ATTOpcode, _ code: ATTErrorCode) -> [UInt8] {
        ATTErrorResponse(requestOpcode: opcode, handle: Self.configuration, code: code).encoded()
    }

    // MARK: - A changed database

    @Test func `after a change of the database a subscription is written again, once`() {
        var bearer = bearer()
        subscribe(1, &bearer)
        #expect(bearer.clientSent(configure(.notification), 2, now: .zero) == [.send(written, to: 2)])
        let changed = HandleValueIndication(handle: 0x0003, value: [0x01, 0x00, 0xFF, 0xFF]).encoded()
        _ = bearer.deviceSent(changed, now: .zero)
        subscribe(1, &bearer)
        #expect(bearer.clientSent(configure(.notification), 2, now: .zero) == [.send(written, to: 2)])
        // The values are switched off as before.
        #expect(bearer.clientLeft(1, now: .zero) == [])
        #expect(bearer.clientLeft(2, now: .zero) == [.sendToDevice(configure([]))])
    }

    @Test func `after a change of the database a client that leaves without a request clears the subscription`() {
        var bearer = bearer()
        subscribe(1, &bearer)
        let changed = HandleValueIndication(handle: 0x0003, value: [0x01, 0x00, 0xFF, 0xFF]).encoded()
        _ = bearer.deviceSent(changed, now: .zero)
        #expect(bearer.clientLeft(1, now: .zero) == [.sendToDevice(question)])
        #expect(bearer.deviceSent(isConfiguration, now: .zero) == [.sendToDevice(configure([]))])
    }

    // MARK: - A client that leaves

    @Test func `a client that has left does not get its subscription back after a refusal`() {
        var bearer = bearer()
        subscribe(1, &bearer)
        #expect(bearer.clientSent(configure(.notification), 2, now: .zero) == [.send(written, to: 2)])
        let both = configure([.notification, .indication])
        #expect(bearer.clientSent(both, 1, now: .zero) == [.sendToDevice(both)])
        #expect(bearer.clientLeft(1, now: .zero) == [])
        #expect(bearer.deviceSent(refusal(.writeRequest, .writeRequestRejected), now: .zero) == [])
        #expect(bearer.deviceSent(notification(1), now: .zero) == [.send(notification(1), to: 2)])
        #expect(bearer.clientLeft(2, now: .zero) == [.sendToDevice(configure([]))])
    }

    @Test func `a write that the device refuses after its client has left is not kept`() {
        var bearer = bearer(keeping: 2)
        subscribe(1, &bearer)
        let both = configure([.notification, .indication])
        #expect(bearer.clientSent(both, 1, now: .zero) == [.sendToDevice(both)])
        #expect(bearer.clientLeft(1, now: .zero) == [])
        #expect(bearer.deviceSent(refusal(.writeRequest, .writeRequestRejected), now: .zero) == [])
        // What it had before is kept.
        #expect(bearer.deviceSent(notification(1), now: .zero) == [])
        #expect(bearer.kept.count == 1)
    }

    // MARK: - Kept values

    @Test(arguments: [ATTErrorCode.attributeNotFound, .unlikelyError, .insufficientResources])
    func `a kept subscription whose descriptor the device does not reveal is given up, with a report`(
        code: ATTErrorCode
    ) {
        var bearer = bearer(keeping: 2)
        subscribe(1, &bearer)
        _ = bearer.clientLeft(1, now: .zero)
        _ = bearer.linkEnded(Self.lost)
        _ = bearer.linkBegan(maximumMTU: 517, now: .zero)
        bearer.clientJoined(2)
        let read = ReadRequest(handle: 1).encoded()
        _ = bearer.clientSent(read, 2, now: .zero)
        let exchanged = bearer.deviceSent(ExchangeMTUResponse(serverRxMTU: 185).encoded(), now: .zero)
        #expect(exchanged == [.sendToDevice(question)])
        // The requests of clients follow.
        #expect(
            bearer.deviceSent(refusal(.findInformationRequest, code), now: .zero)
                == [.report(.configurationRefused(Self.configuration)), .sendToDevice(read)]
        )
    }

    @Test(
        arguments: [
            // The CCCD of the value.
            (FindInformationRequest(range: .all).encoded(), [0x05, 0x01, 0x10, 0x00, 0x02, 0x29]),
            // The declaration of the characteristic with the descriptor, found among the descriptors of the value.
            (FindInformationRequest(range: .all).encoded(), [0x05, 0x01, 0x1F, 0x00, 0x03, 0x28]),
            // The same, found as a declaration.
            (
                ReadByTypeRequest(range: .all, attributeType: .characteristicDeclaration).encoded(),
                [0x09, 0x07, 0x1F, 0x00, 0x10, 0x20, 0x00, 0x37, 0x2A]
            ),
        ] as [([UInt8], [UInt8])]
    )
    func `a value of another characteristic is not kept for a descriptor behind it`(
        request: [UInt8],
        answer: [UInt8]
    ) {
        var bearer = bearer(keeping: 2)
        #expect(bearer.clientSent(request, 2, now: .zero) == [.sendToDevice(request)])
        #expect(bearer.deviceSent(answer, now: .zero) == [.send(answer, to: 2)])
        subscribe(1, &bearer)
        // No one has asked for it, so it goes to all.
        let foreign = value(at: 0x000F)
        #expect(bearer.deviceSent(foreign, now: .zero) == [.send(foreign, to: 1), .send(foreign, to: 2)])
        #expect(bearer.deviceSent(notification(1), now: .zero) == [.send(notification(1), to: 1)])
        _ = bearer.clientLeft(1, now: .zero)
        _ = bearer.clientLeft(2, now: .zero)
        #expect(bearer.deviceSent(foreign, now: .zero) == [])
        #expect(bearer.kept.count == 0)
        #expect(bearer.deviceSent(notification(1), now: .zero) == [])
        #expect(bearer.kept.count == 1)
    }

    @Test func `types of attributes are replaced, and forgotten when there are too many`() {
        var types = SharedTypes()
        for handle in [0x30, 0x10, 0x20] as [Handle] { types.learn(.clientCharacteristicConfiguration, of: handle) }
        #expect(types.isBound(between: 0x0F, and: 0x20) && types.isBound(between: 0x10, and: 0x30))
        // Neither the value's handle nor the descriptor itself lies between.
        #expect(!types.isBound(between: 0x10, and: 0x20) && !types.isBound(between: 0x30, and: .last))
        #expect(!types.isBound(between: .last, and: .last))
        types.learn(.characteristicUserDescription, of: 0x20)
        #expect(types.isConfiguration(0x20) == false && !types.isBound(between: 0x10, and: 0x30))
        types.typeRefused(0x30)
        #expect(types.isConfiguration(0x30) == true)
        for handle in 0...UInt16(SharedTypes.limit) { types.learn(.primaryService, of: Handle(0x1000 + handle)) }
        #expect(types.isConfiguration(0x30) == nil && !types.isBound(between: 0x0F, and: 0x1000))
        #expect(types.isConfiguration(Handle(0x1000 + UInt16(SharedTypes.limit))) == false)
    }
}
