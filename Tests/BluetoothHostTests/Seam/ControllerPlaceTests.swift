// SPDX-License-Identifier: MIT

import BluetoothHost
import Testing

@Suite("Places of controllers")
struct ControllerPlaceTests {
    @Test(
        arguments: [
            ("unix:/tmp/bt-server-le", .unix(path: "/tmp/bt-server-le")), ("unix:a,b", .unix(path: "a,b")),
            ("tcp:localhost:6402", .tcp(host: "localhost", port: 6402)), ("tcp:[::1]:1", .tcp(host: "::1", port: 1)),
            ("serial:/dev/ttyACM0,115200", .serial(path: "/dev/ttyACM0", speed: 115_200, hasFlowControl: false)),
            ("serial:/dev/ttyS1,1000000,flow", .serial(path: "/dev/ttyS1", speed: 1_000_000, hasFlowControl: true)),
            ("user:hci0", .user(adapter: 0)), ("user:hci12", .user(adapter: 12)),
            ("tcp:10.0.0.1:65535", .tcp(host: "10.0.0.1", port: 65_535)),
            ("usb", .usb(.first)), ("usb:0a12:0001", .usb(.product(vendor: 0x0A12, product: 0x0001))),
            ("usb:1-1.4", .usb(.port("1-1.4"))), ("usb:12-3", .usb(.port("12-3"))),
            ("ssh:pi", .ssh(host: "pi", adapter: nil)), ("ssh:me@pi/hci1", .ssh(host: "me@pi", adapter: "hci1")),
            ("ssh:pi/serial:/dev/ttyACM0,flow", .ssh(host: "pi", adapter: "serial:/dev/ttyACM0,flow")),
        ] as [(String, ControllerPlace)]
    )
    func `a name means a place, and back`(name: String, place: ControllerPlace) {
        #expect(ControllerPlace(name) == place)
        #expect(place.name == name)
    }

    @Test(
        arguments: [
            ("pi", ["pi"]), ("me@pi:2222", ["-p", "2222", "me@pi"]), ("fe80::1", ["fe80::1"]), ("[::1]", ["::1"]),
            ("me@[fe80::1%eth0]:22", ["-p", "22", "me@fe80::1%eth0"]), ("pi:0", ["pi:0"]), ("pi:port", ["pi:port"]),
        ]
    )
    func `a host of ssh may have a port`(host: String, words: [String]) {
        #expect(ControllerPlace("ssh:\(host)/hci0") == .ssh(host: host, adapter: "hci0"))
        #expect(ControllerPlace.sshWords(for: host) == words)
    }

    @Test func `a serial port has the speed of Zephyr's firmware, unless one is given`() {
        #expect(ControllerPlace("serial:/dev/ttyACM0")?.name == "serial:/dev/ttyACM0,1000000")
        #expect(ControllerPlace("serial:/dev/ttyACM0,flow")?.name == "serial:/dev/ttyACM0,1000000,flow")
    }

    @Test(
        arguments: [
            ("hci0,ssh:a/hci1,hci2", ["hci0", "ssh:a/hci1", "hci2"]),
            ("serial:/dev/ttyACM0,1000000,flow,hci1", ["serial:/dev/ttyACM0,1000000,flow", "hci1"]),
            ("ssh:pi/serial:/dev/ttyACM0,flow,001a7dda7113", ["ssh:pi/serial:/dev/ttyACM0,flow", "001a7dda7113"]),
            ("unix:a,b,unix:c", ["unix:a,b", "unix:c"]), ("serial:a,all", ["serial:a", "all"]),
            ("hci0,", ["hci0", ""]),
            ("hci0,1000000", ["hci0", "1000000"]), ("unix:a,hcix", ["unix:a,hcix"]),
        ] as [(String, [String])]
    )
    func `a comma begins another place only where one can begin`(list: String, names: [String]) {
        #expect(ControllerPlace.names(in: list) { $0.wholeMatch(of: /hci[0-9]+|all|[0-9a-f]{12}/) != nil } == names)
    }

    @Test(
        arguments: [
            "serial:", "serial:,115200", "serial:a,0", "serial:a,fast", "serial:a,1,2", "serial:a,flow,1", "serial:a,",
            "unix:", "unix:" + String(repeating: "x", count: 108), "tcp:", "tcp:host", "tcp:host:", "tcp::1",
            "user:", "user:0", "user:hci", "user:hci00", "user:hci-1", "user:hci65536", "user:00:1A:7D:DA:71:13",
            "tcp:host:0", "tcp:host:65536", "tcp:host:port", "tcp:::1:6402", "tcp:[]:1", "hci0", "",
            "tcp:" + String(repeating: "x", count: 254) + ":1", "ssh:", "ssh:/hci0", "ssh:pi/", "ssh:-oProxyCommand=x",
            "ssh:a b", "ssh:a\u{1B}b", "usb:", "usb:0a12", "usb:0a12:", "usb:0a12:1", "usb:0a12:000g", "usb:1-",
            "usb:1",
            "usb:1-../../x", "usb:1-1.", "usb:-1", "usb:1-1-1", "usb:1-" + String(repeating: "1.", count: 20) + "1",
            "USB", "usb:0a12:0001:2",
            "ssh:[-oProxyCommand=x]", "ssh:[-oProxyCommand=x]:22", "ssh:-x:22",
            "ssh:[]:22",
        ]
    )
    func `other texts mean none`(name: String) {
        #expect(ControllerPlace(name) == nil)
    }
}
