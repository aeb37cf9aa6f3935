// SPDX-License-Identifier: GPL-2.0-or-later

import Testing

/// What public bug reports of other tools, published captures and devices in the field showed to be wrong, and the tests that
/// hold each point and its siblings.
@Suite("What the field sends")
struct FieldTests {
    typealias Point = TrialTests.Point

    static let points = [
        Point(
            "1",
            "the same argument means different numbers in different places",
            "TypedValueTests/`a text means the value in its format, and octets have a mark`",
            "TypedValueTests/`what is printed of a value can be typed`",
            "TypedValueTests/`an error says which octets may have been meant, and how they are typed`",
            "ValueRuleTests/`encode`",
            "ValueRuleTests/`write sends it, and refuses before it sends`",
            "ValueRuleTests/`a step of a script, and the expectation behind it`",
            "ValueRuleTests/`a line of the shell`",
            "ValueRuleTests/`simulate set in a world that is alive`",
            "ValueRuleTests/`a string of a device file`",
            "ValueRuleTests/`the format of a formats file`",
            "ValueRuleTests/`--raw takes the words as if no format was known`",
            "ValueRuleTests/`- and @FILE are octets for write, encode, decode and simulate set`",
            "ValueRuleTests/`digits at a handle are octets, unless the device is known to have a format there`"
        ),
        Point(
            "1, expectations",
            "octets without a format pass for decimal digits",
            "ValueRuleTests/`octets without a format, and those of a malformed value, are no number`"
        ),
        Point(
            "2",
            "what a program of serve --exec prints is sent as the octets of its text",
            "ValueRuleTests/`what a program of serve --exec prints`",
            "ExecTests/`what a program prints is a value as write takes it`"
        ),
        Point(
            "3",
            "the handle of inspect is the declaration's, and that of read the value's",
            "HandleTests/`the handle that inspect prints of a characteristic is that of its value, as in read`",
            "HandleTests/`a handle of a device that is known is decoded, and named`",
            "HandleTests/`a handle of which nothing is known gives octets, and takes one request`",
            "HandleTests/`octets without a format are printed as write takes them`",
            "HandleTests/`a script decodes what its connection has found out about a handle`",
            "DeviceFileReaderTests/`a declaration's handle has its own name, and an earlier one`"
        ),
        Point(
            "4",
            "earlier editions of the services of fitness machines are decoded as the current one",
            "FormatEditionsTests/value",
            "FormatEditionsTests/members",
            "FormatEditionsTests/encoding",
            "SupplementTests/crossCheck"
        ),
        Point(
            "5",
            "the UUID alone decides about the format where the model should",
            "DeviceModelTests/`read, notify, inspect and watch agree`",
            "DeviceModelTests/`a script's expectation is about the reading of the model`",
            "DeviceModelTests/`a clone has the fields of the model, and the octets are those of the device`",
            "DeviceModelTests/`a device that is neither model gets both readings by their names, and a handle none`",
            "DeviceModelTests/`only the values of shared private UUIDs cost a look at the services`",
            "DeviceModelFileTests/`fields are those of the model`"
        ),
        Point(
            "6",
            "of several beacons, and of several data of one company, the last one is shown",
            "AdvertiserInfoTests/`of several beacons in turn the last content of each is kept`",
            "AdvertiserInfoTests/`data of one company or service are kept from each place`",
            "AdvertiserInfoTests/`ever new beacons make room for each other, and are counted`",
            "SeveralBeaconsTests/`the summary has all beacons, in text and in JSON`",
            "SeveralBeaconsTests/`a report has all its beacons, and templates and conditions reach them`",
            "SeveralBeaconsTests/`data of one company or service are all there`"
        ),
        Point(
            "6, intervals",
            "the interval of a summary is that of what was heard",
            "AdvertisingRhythmTests/`the summary shows the interval of what is sent, and not of what is heard`",
            "AdvertisingRhythmTests/`the summary and the live table agree`"
        ),
        Point(
            "7, sensors",
            "scales, sensors and thermometers that people have are not decoded",
            "BeaconVectorTests/`each advertisement means what another decoder reads in it`",
            "BeaconVectorTests/`nothing that is cut short or changed at random traps`",
            "AdvertisingKeysTests/`a sensor that sends its model in the scan response is decoded as a whole`"
        ),
        Point(
            "7, keys",
            "what is sent encrypted cannot be read by those who have the key",
            "AdvertisingKeysTests/`with their keys, advertisements are decrypted, and a name in them counts`",
            "AdvertisingKeysTests/`records tell whether there was a key, and whether it fitted`",
            "AdvertisingKeysTests/`a faulty file ends the command, and its errors quote no key`",
            "AdvertisingDecryptorTests/`the sample of Encrypted Advertising Data becomes a name and an appearance`",
            "BeaconVectorTests/`an encrypted advertisement tells nothing without its key, and of a wrong key that it does not fit`"
        ),
        Point(
            "7, trackers",
            "trackers and Matter devices look like any other device",
            "TrackerFormatTests/`examples are decoded and written as they are`",
            "TrackerFormatTests/`what is cut short or of another kind is not taken for a tracker`",
            "AdvertisementResultTests/`a device that sends only data has a line that says whose`"
        ),
        Point(
            "8",
            "a shortcut's answer is believed where only discovery would know",
            "RuleBreakingDeviceTests/`a service that is said to end at 0xFFFF lends no characteristic of another one to a read`",
            "RuleBreakingDeviceTests/`a service that is said to end at 0xFFFF lends no characteristic of another one to a write`",
            "RuleBreakingDeviceTests/`short UUIDs that are stored in the long form are found`",
            "RuleBreakingDeviceTests/`what is not there takes a discovery before it is denied`",
            "RuleBreakingDeviceTests/`plain reads and writes take the requests that they have always taken`",
            "rule_breakers.py/a_service_that_ends_at_ffff_lends_nothing_to_a_read_or_a_write",
            "rule_breakers.py/short_uuids_in_their_long_form_are_found"
        ),
        Point(
            "9",
            "a device that hangs up on the exchange of the MTU, or ignores it, cannot be used",
            "MTUExchangeStateTests/`a device that hangs up on the exchange is used without it, and remembered`",
            "MTUExchangeStateTests/`a device that never answers the exchange is used without it, and remembered`",
            "MTUExchangeStateTests/`a device that hangs up on the first client only is asked again for a larger MTU`",
            "RuleBreakingDeviceTests/`a device that hangs up on the exchange of the MTU is inspected without it`",
            "SharedLinkBeginningTests/`a device that hangs up on the exchange of the MTU twice, or is silent, is shared without it`",
            "rule_breakers.py/a_device_that_hangs_up_on_the_mtu_is_used_without_it_and_remembered",
            "rule_breakers.py/a_session_with_a_device_that_hangs_up_on_the_mtu"
        ),
        Point(
            "10",
            "devices without a configuration descriptor, with overlapping services or without prepared writes fail",
            "RuleBreakingDeviceTests/`values of a characteristic without a configuration are listened to, if that is wanted`",
            "RuleBreakingDeviceTests/`values of a characteristic that refuses its configuration are listened to, if that is wanted`",
            "RuleBreakingDeviceTests/`services that all end at 0xFFFF are shown as they lie, with a remark`",
            "RuleBreakingDeviceTests/`descriptors are searched in the service where a search up to 0xFFFF is refused`",
            "RuleBreakingDeviceTests/`a device without prepared writes is written to in pieces, as the hint says`",
            "RuleBreakingDeviceTests/`an application error has the words of its service in every command`",
            "RuleBreakingDeviceTests/`an empty database is called one`",
            "RuleBreakingDeviceTests/`inspect marks a value that the device has cut, as read does`",
            "RuleBreakingDeviceTests/`a serial port of any make is a terminal`",
            "rule_breakers.py/values_without_a_configuration_are_listened_to",
            "rule_breakers.py/a_device_without_prepared_writes_is_written_to_in_pieces"
        ),
        Point(
            "11",
            "a configuration that cannot be looked for ends every command, and a damaged one is not told",
            "FormatFileTests/`a configuration that cannot be looked for is none, with at most one remark`",
            "DoctorTests/`a damaged file of formats is named with its line, and the command of the hint repairs it`"
        ),
        Point(
            "11, bonds",
            "bonds of an adapter that is gone cannot be removed, and hints lead in a circle",
            "UnpairTests/`bonds of an adapter that is gone are removed, and those of another one are named`",
            "UnpairTests/`the error of unpair --all names the bonds that are left`",
            "PairingOnDemandTests/`a command that has paired by itself, without enough, names the steps that help`",
            "PairingOnDemandTests/`without a place for the keys there is no pairing, and the error says why`",
            "PairOptionsTests/`digits are refused where nothing is entered`"
        ),
        Point(
            "11, refusals",
            "a connection that the controller refuses is told as a silent device",
            "SearchAnswersTests/`a refused scan is the reason, by whichever command and event`",
            "failures.py/a_refusal_of_the_controller_is_named"
        ),
        Point(
            "faults put into the code on purpose that no test caught",
            "the mode of sockets, and the boundary of --rssi",
            "ModeTests/`the socket of a session is for this user, and so is its folder`",
            "ModeTests/`the socket of a shared world is for this user`",
            "SocketModeTests/`a private socket is private before it listens, and another one has the mode of the umask`",
            "ScanFilterTests/`a device with exactly the least signal passes, and one dBm less does not`",
            "SeveralBeaconsTests/`reports at exactly the least signal are shown, and none of one dBm less`"
        ),
    ]

    @Test(arguments: points)
    func `each point has its tests`(_ point: Point) throws {
        for test in point.tests { try NamedTest.find(test) }
    }
}
