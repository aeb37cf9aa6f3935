# SPDX-License-Identifier: GPL-2.0-or-later
# Made from the command table by 'make man completions'; changes belong there.

# Prints the words before the cursor that are neither options nor their values.
function __blectl_words
    set -l waits no
    set -l ended no
    for word in (commandline -opc)[2..-1]
        if test $waits = yes
            set waits no
        else if test $ended = yes
            echo -- $word
        else if test "$word" = --
            set ended yes
        else if string match -qr -- '^(-[vqh]*[dinoD]|--(device|name|service|address-type|connect-timeout|retries|security|min-key-size|link-phy|link-interval|link-latency|supervision-timeout|data-length|format|formats|color|adapter|wait-adapter|timeout|deadline|capture|diagram|radio|simulate-time|simulate-seed|simulate-adapter|fault|duration|count|manufacturer|rssi|phy|scan-interval|scan-window|sort|chart|keys|as|chunk|sensors|period|records|wheel|rx|tx|newline|quiet-time|exec|exec-timeout|centrals|io|passkey|confirm|oob|oob-out|major|minor|power|company|battery|temperature|local-name|short-name|service-uuid|appearance|tx-power|uri|service-data|manufacturer-data|data|interval|to|sid|primary-phy|secondary-phy|psm|mtu|wait|size|record|listen-time|output|socket|seed|handle|only|define|report|label|idle|buffer|secure-connections|kind))$' "$word"
            set waits yes
        else if not string match -qr -- '^-[^0-9.]' "$word"
            echo -- $word
        end
    end
end

# Whether the command is one of these; an empty one stands for none yet.
function __blectl_command
    set -l words (__blectl_words)
    contains -- "$words[1]" $argv
end

# Whether the cursor is at argument $argv[2] of the command $argv[1], or after it if there is a third word.
function __blectl_argument
    set -l words (__blectl_words)
    test "$words[1]" = $argv[1]
    and test (count $words) -eq $argv[2] -o \( -n "$argv[3]" -a (count $words) -ge $argv[2] \)
end

function __blectl_adapters
    set -l names (path basename /sys/class/bluetooth/hci*)
    set -l typed (string replace -r -- '^--?[^=]*=' '' (commandline -ct))
    set -l given (string match -r -- '.*,' $typed)
    if test -z "$given"
        printf '%s\n' $names all
        return
    end
    for name in $names
        contains -- $name (string split , -- $given); or printf '%s\n' $given$name
    end
end

function __blectl_services
    printf '%s\n' adafruit-file-transfer adafruit-temperature-service alert-notification apple-continuity-service apple-media-service apple-nearby-service apple-notification-center-service audio-input-control audio-stream-control authorization-control automation-io basic-audio-announcement battery binary-sensor blood-pressure body-composition bond-management broadcast-audio-announcement broadcast-audio-scan bthome common-audio constant-tone-extension continuous-glucose-monitoring cookware coordinated-set-identification current-time cycling-power cycling-speed-and-cadence device-information device-time eddystone eddystone-configuration-service elapsed-time electronic-shelf-label emergency-configuration environmental-sensing exposure-notification fast-pair fitness-machine gaming-audio gap gatt generic-health-sensor generic-media-control generic-telephone-bearer generic-voice-assistant glucose health-thermometer hearing-access heart-rate hid-iso http-proxy human-interface-device immediate-alert improv-wi-fi-service indoor-positioning industrial-measurement-device insulin-delivery internet-protocol-support lego-wireless-protocol-v3-bootloader-service lego-wireless-protocol-v3-hub-service link-loss location-and-navigation mcumgr-smp-service media-control memfault-diagnostic-service mesh-provisioning mesh-proxy mesh-proxy-solicitation mibeacon micro-bit-accelerometer-service micro-bit-button-service micro-bit-dfu-control-service micro-bit-event-service micro-bit-io-pin-service micro-bit-led-service micro-bit-magnetometer-service micro-bit-temperature-service microchip-transparent-uart-service microphone-control next-dst-change nordic-direction-and-distance-finding-service nordic-edge-impulse-remote-management-service nordic-led-and-button-service nordic-legacy-dfu-service nordic-secure-dfu nordic-status-message-service nordic-throughput-service nordic-uart-service nordic-wi-fi-provisioning-service object-transfer philips-hue-light-control-service philips-hue-light-update-service phone-alert-status physical-activity-monitor polar-measurement-data-service public-broadcast-announcement published-audio-capabilities pulse-oximeter ranging reconnection-configuration reference-time-update running-speed-and-cadence scan-parameters sensortag-accelerometer-service sensortag-barometer-service sensortag-gyroscope-service sensortag-humidity-service sensortag-ir-temperature-service sensortag-light-service sensortag-magnetometer-service sensortag-motion-service silicon-labs-ota-service telephone-bearer telephony-and-media-audio thingy-configuration-service thingy-motion-service thingy-sensor-hub thingy-sound-service thingy-ui-service thingy-weather-station-service ti-over-the-air-download-service transport-discovery tx-power user-data voice-assistant volume-control volume-offset-control weight-scale xiaomi-thermometer-service
end

# Asks blectl for words. The device and --simulate are those of the line.
function __blectl_ask
    set -l words (commandline -opc)
    set -l arguments help "--offer=$argv[1]"
    set -l device $BLECTL_DEVICE
    set -l waits no
    for word in $words[2..-1]
        if test $waits = yes
            set device $word
            set waits no
        else if contains -- "$word" -d --device
            set waits yes
        else if string match -q -- '--device=*' "$word"
            set device (string replace -- '--device=' '' "$word")
        else if string match -qr -- '^-d.' "$word"
            set device (string sub -s 3 -- "$word")
        else if string match -qr -- '^--simulate(=|$)' "$word"
            set -a arguments --simulate
        end
    end
    test -n "$device"
    and set -a arguments "--offer-of=$device"
    set -l program (string replace -r '^~' "$HOME" -- $words[1])
    $program $arguments 2>/dev/null
end

# What is typed of a value, without its option.
function __blectl_typed
    string replace -r -- '^(--[a-z-]+=|-[a-z])' '' (commandline -ct)
end

function __blectl_devices
    __blectl_ask devices:
    set -l typed (__blectl_typed)
    string match -qr -- '^[0-9A-Fa-f]{2}' "$typed"
    and __blectl_ask "devices:$typed"
end

function __blectl_sockets
    set -l typed (__blectl_typed)
    if string match -q -- 'unix:*' "$typed"
        printf 'unix:%s\n' (__fish_complete_path (string sub -s 6 -- "$typed"))
    else
        echo unix:
    end
end

function __blectl_targets
    __blectl_ask "targets:"(commandline -ct)
end

# A file after an at sign.
# Without its argument, __fish_complete_path knows nothing but the present folder.
function __blectl_files
    __fish_complete_path (string unescape -- (commandline -ct))
end

# Folders, and files whose names end in $argv[1].
function __blectl_files_ending
    string match -r -- "^[^\t]*(?:/|"(string escape --style=regex -- $argv[1])")(?:\t.*)?\$" (__blectl_files)
end

function __blectl_values
    set -l token (commandline -ct)
    string match -q -- '@*' $token
    and printf '@%s\n' (__fish_complete_path (string sub -s 2 -- $token))
end

complete -c blectl -f

complete -c blectl -n '__blectl_command ""' -a scan -d 'list the devices that advertise'
complete -c blectl -n '__blectl_command ""' -a inspect -d 'show the services and characteristics of a device'
complete -c blectl -n '__blectl_command ""' -a read -d 'read characteristics and descriptors'
complete -c blectl -n '__blectl_command ""' -a write -d 'write a characteristic or a descriptor'
complete -c blectl -n '__blectl_command ""' -a notify -d 'subscribe and print values as they arrive'
complete -c blectl -n '__blectl_command ""' -a watch -d 'print decoded measurements of a profile as they arrive'
complete -c blectl -n '__blectl_command ""' -a profile -d 'do what a profile lets clients do: reset, alert, set a clock'
complete -c blectl -n '__blectl_command ""' -a link -d 'show and change the properties of a link'
complete -c blectl -n '__blectl_command ""' -a serve -d 'act as a device: advertise it and serve centrals'
complete -c blectl -n '__blectl_command ""' -a advertise -d 'send a beacon, or any other advertisement'
complete -c blectl -n '__blectl_command ""' -a l2cap -d 'carry octets over an L2CAP channel: netcat for BLE'
complete -c blectl -n '__blectl_command ""' -a bench -d 'measure the throughput and the latency of a link'
complete -c blectl -n '__blectl_command ""' -a device -d 'check device files, and print those that are part of blectl'
complete -c blectl -n '__blectl_command ""' -a clone -d 'write a live device as a device file'
complete -c blectl -n '__blectl_command ""' -a diff -d 'compare two devices'
complete -c blectl -n '__blectl_command ""' -a simulate -d 'keep a simulated world alive, and touch it while it runs'
complete -c blectl -n '__blectl_command ""' -a trace -d 'print the packets of a capture'
complete -c blectl -n '__blectl_command ""' -a run -d 'run a script of steps with expectations'
complete -c blectl -n '__blectl_command ""' -a session -d 'hold a connection that later commands share'
complete -c blectl -n '__blectl_command ""' -a shell -d 'type commands, on connections that last'
complete -c blectl -n '__blectl_command ""' -a pair -d 'pair with a device, and keep the keys'
complete -c blectl -n '__blectl_command ""' -a unpair -d 'forget the keys of a device'
complete -c blectl -n '__blectl_command ""' -a bonds -d 'list the devices that blectl has the keys of'
complete -c blectl -n '__blectl_command ""' -a devices -d 'list the devices that blectl knows'
complete -c blectl -n '__blectl_command ""' -a forget -d 'forget what was found out about a device'
complete -c blectl -n '__blectl_command ""' -a decode -d 'decode the value of a characteristic, without a device'
complete -c blectl -n '__blectl_command ""' -a encode -d 'encode the value of a characteristic, without a device'
complete -c blectl -n '__blectl_command ""' -a lookup -d 'look up assigned numbers, and the fields of characteristics'
complete -c blectl -n '__blectl_command ""' -a adapters -d 'list the Bluetooth adapters and their troubles'
complete -c blectl -n '__blectl_command ""' -a adapter -d 'switch a Bluetooth adapter or its Low Energy part'
complete -c blectl -n '__blectl_command ""' -a doctor -d 'find out why Bluetooth does not work, and what to type'
complete -c blectl -n '__blectl_command ""' -a completion -d 'print the completion script of a shell'
complete -c blectl -n '__blectl_command ""' -a help -d 'explain blectl or one of its commands'
complete -c blectl -n '__blectl_command ""' -a version -d 'print the version'

complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -s d -l device -x -a '(__blectl_devices)' -d 'the device, by its address or its name'
complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l name -x -d 'look for a device with this name'
complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l service -x -a '(__blectl_services)' -d 'look for a device that advertises this service'
complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l address-type -x -a 'public\\t"assigned to the manufacturer of the device"
random\\t"chosen by the device: static or private"' -d 'the type of the device\'s address'
complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l connect-timeout -x -d 'how long one attempt to connect may take'
complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l no-wait -d 'fail at once if another program has the device'
complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l retries -x -d 'how often to try again to connect'
complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l no-cache -d 'discover the device again, without the cache'
complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l no-session -d 'connect, although a session has a link'
complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l security -x -a 'low\\t"none, until the device demands it"
medium\\t"encrypted, with any key"
high\\t"encrypted, with an authenticated key: a person has compared or entered digits"
fips\\t"as high, with a key of 16 octets from Secure Connections"' -d 'the security that the link must have'
complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l min-key-size -x -d 'the shortest key of an encrypted link'
complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l no-pair -d 'leave the security of the link as it is'

complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l link-phy -x -a '1m\\t"1 Mbit/s, which every device has"
2m\\t"2 Mbit/s"
coded\\t"long range, with the coding that the controller chooses"
coded:s2\\t"long range, 500 kbit/s"
coded:s8\\t"the longest range, 125 kbit/s"' -d 'the PHY of the link, in both directions'
complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l link-interval -x -d 'the connection interval, 7.5ms to 4s, or a range'
complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l link-latency -x -d 'how many connection events the device may skip'
complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l supervision-timeout -x -d 'the silence after which the link is lost, 100ms to 32s'
complete -c blectl -n '__blectl_command "" inspect read write notify watch profile link l2cap bench clone session shell pair' -l data-length -x -d 'the largest payload of a packet that is sent, 27 to 251'

complete -c blectl -l json -d 'print one JSON object per line'
complete -c blectl -l format -x -d 'print a line for each record by this template'
complete -c blectl -l formats -x -a '(__blectl_files)' -d 'a file with the formats of private characteristics'
complete -c blectl -s v -l verbose -d 'show ATT packets; -vv: HCI packets, too'
complete -c blectl -l redact -d 'no values, names and keys in messages, traces and captures'
complete -c blectl -s q -l quiet -d 'print nothing but results and errors'
complete -c blectl -l color -x -a 'auto\\t"on a terminal, unless \\$NO_COLOR is set"
always\\t"even into a file or a pipe"
never\\t"not at all"' -d 'when to use colour'
complete -c blectl -s i -l adapter -x -a '(__blectl_adapters)' -d 'use this Bluetooth adapter; hci0,hci1 or all: several'
complete -c blectl -l wait-adapter -x -d 'wait this long for an adapter that is missing, off or blocked'
complete -c blectl -l timeout -x -d 'how long one step may take'
complete -c blectl -l deadline -x -d 'how long the whole command may take'
complete -c blectl -l timing -d 'report how long each part took, and what the link has'
complete -c blectl -l capture -x -a '(__blectl_files)' -d 'write every packet to this file, for Wireshark'
complete -c blectl -l diagram -x -a '(__blectl_files)' -d 'draw the run as a sequence diagram'
complete -c blectl -l privacy -d 'use private addresses that change, not that of the adapter'
complete -c blectl -l radio -x -a '(__blectl_sockets)' -d 'use a socket instead of a Bluetooth adapter'
complete -c blectl -l simulate -d 'use simulated devices instead of a radio'
complete -c blectl -l simulate-time -x -a 'real\\t"the world moves as fast as the real one"
virtual\\t"waiting takes no time, and every run is the same"' -d 'the clock of the simulated world'
complete -c blectl -l simulate-seed -x -d 'the seed of the simulated world'
complete -c blectl -l simulate-adapter -x -a 'off\\t"it is off"
blocked\\t"it is off and blocked by software"
le-off\\t"it has Basic Rate, too, and Low Energy is off"
gone\\t"there is none"
coming\\t"it is being set up, and is powered after a second"
returning\\t"it is pulled out after 2 s, plugged in after 4 s, and powered after 5 s"
unauthorized\\t"blectl lacks the capabilities CAP_NET_RAW and CAP_NET_ADMIN"
full\\t"other programs have all the links that it can hold, for 3 s"
held\\t"another program is connected to each device, for 3 s"
hard-blocked\\t"it is off and blocked by a switch of the machine"
in-use\\t"another program uses it exclusively"
managed\\t"bluetoothd manages it, and serves attributes on it"
leftover-scan\\t"a program that was killed has left its scan running"
legacy-commands\\t"a program has used legacy commands, so that it refuses extended ones"
no-firmware\\t"its controller, by Realtek, runs without its firmware"
suspended\\t"it is suspended on USB, and answers nothing until it was off"
no-driver\\t"it is plugged in, and no driver has taken it"
no-kernel\\t"the kernel has no Bluetooth"
unprepared\\t"no program has managed it yet, so that it pairs only after it was off"
second\\t"there is a second adapter, hci1, in another place, which works"' -d 'the state of the simulated adapter'
complete -c blectl -l fault -x -d 'a fault that simulated or served devices show'
complete -c blectl -s h -l help -d 'print help: one screen with -h, all with --help'
complete -c blectl -l version -d 'print the version'

complete -c blectl -n '__blectl_command scan' -l duration -x -d 'stop after this time'
complete -c blectl -n '__blectl_command scan' -s n -l count -x -d 'stop after this many devices'
complete -c blectl -n '__blectl_command scan' -s d -l device -x -a '(__blectl_devices)' -d 'only the device with this address or name'
complete -c blectl -n '__blectl_command scan' -l name -x -d 'only devices with this name'
complete -c blectl -n '__blectl_command scan' -l service -x -a '(__blectl_services)' -d 'only devices that advertise this service'
complete -c blectl -n '__blectl_command scan' -l manufacturer -x -d 'only devices with data of this company'
complete -c blectl -n '__blectl_command scan' -l rssi -x -d 'only signals at least this strong, in dBm'
complete -c blectl -n '__blectl_command scan' -l connectable -d 'only devices that accept a connection'
complete -c blectl -n '__blectl_command scan' -l active -d 'ask devices for their scan responses (the default)'
complete -c blectl -n '__blectl_command scan' -l passive -d 'send nothing, only listen'
complete -c blectl -n '__blectl_command scan' -l duplicates -d 'show every report, not every device once'
complete -c blectl -n '__blectl_command scan' -l summary -d 'show each device once, when the scan has ended'
complete -c blectl -n '__blectl_command scan' -l phy -x -a 'all\\t"every one that the adapter supports"
1m\\t"LE 1M, which all devices use"
coded\\t"LE Coded, the long range"' -d 'which radio modes to listen on'
complete -c blectl -n '__blectl_command scan' -l scan-interval -x -d 'the time between two windows of listening'
complete -c blectl -n '__blectl_command scan' -l scan-window -x -d 'how long the radio listens in each of them'
complete -c blectl -n '__blectl_command scan' -l sort -x -a 'seen\\t"first heard first"
rssi\\t"strongest first"
name\\t"by name"
address\\t"by address"' -d 'the order of the table or of the summary'
complete -c blectl -n '__blectl_command scan' -l chart -x -a '(__blectl_files)' -d 'draw the signals over time to this file, as SVG'
complete -c blectl -n '__blectl_command scan' -l keys -x -a '(__blectl_files)' -d 'a file with the keys of devices that encrypt what they send'

complete -c blectl -n '__blectl_command inspect' -l values -d 'read every value that can be read'

complete -c blectl -n '__blectl_command read' -l as -x -a 'hex\\t"bytes in hexadecimal"
utf8\\t"text in UTF-8"
utf16\\t"text in UTF-16"
raw\\t"bytes as they are"
u8\\t"unsigned number of 8 bits"
s8\\t"signed number of 8 bits"
u16\\t"unsigned number of 16 bits"
s16\\t"signed number of 16 bits"
u24\\t"unsigned number of 24 bits"
s24\\t"signed number of 24 bits"
u32\\t"unsigned number of 32 bits"
s32\\t"signed number of 32 bits"
u48\\t"unsigned number of 48 bits"
s48\\t"signed number of 48 bits"
u64\\t"unsigned number of 64 bits"
s64\\t"signed number of 64 bits"
f32\\t"floating-point number of 32 bits"
f64\\t"floating-point number of 64 bits"
medfloat16\\t"number of a medical device in 16 bits"
medfloat32\\t"number of a medical device in 32 bits"' -d 'how to print the bytes'

complete -c blectl -n '__blectl_command write' -l no-response -d 'write without response'
complete -c blectl -n '__blectl_command write' -l reliable -d 'have the device repeat the value before it is written'
complete -c blectl -n '__blectl_command write' -l signed -d 'write without response, signed with the key of the bond'
complete -c blectl -n '__blectl_command write' -l verify -d 'read the value back and compare it'
complete -c blectl -n '__blectl_command write' -l chunk -x -d 'write in pieces of at most this many bytes'
complete -c blectl -n '__blectl_command write' -l raw -d 'write bytes that are no value of the known format'

complete -c blectl -n '__blectl_command notify' -s n -l count -x -d 'stop after this many values'
complete -c blectl -n '__blectl_command notify' -l duration -x -d 'stop after this time'
complete -c blectl -n '__blectl_command notify' -l reconnect -d 'connect again when the connection is lost'
complete -c blectl -n '__blectl_command notify' -l listen -d 'also take what cannot be switched on'
complete -c blectl -n '__blectl_command notify' -l as -x -a 'hex\\t"bytes in hexadecimal"
utf8\\t"text in UTF-8"
utf16\\t"text in UTF-16"
raw\\t"bytes as they are"
u8\\t"unsigned number of 8 bits"
s8\\t"signed number of 8 bits"
u16\\t"unsigned number of 16 bits"
s16\\t"signed number of 16 bits"
u24\\t"unsigned number of 24 bits"
s24\\t"signed number of 24 bits"
u32\\t"unsigned number of 32 bits"
s32\\t"signed number of 32 bits"
u48\\t"unsigned number of 48 bits"
s48\\t"signed number of 48 bits"
u64\\t"unsigned number of 64 bits"
s64\\t"signed number of 64 bits"
f32\\t"floating-point number of 32 bits"
f64\\t"floating-point number of 64 bits"
medfloat16\\t"number of a medical device in 16 bits"
medfloat32\\t"number of a medical device in 32 bits"' -d 'how to print the bytes'
complete -c blectl -n '__blectl_command notify' -l chart -x -a '(__blectl_files)' -d 'draw the numbers over time to this file, as SVG'

complete -c blectl -n '__blectl_command watch' -s n -l count -x -d 'stop after this many measurements'
complete -c blectl -n '__blectl_command watch' -l duration -x -d 'stop after this time'
complete -c blectl -n '__blectl_command watch' -l reconnect -d 'connect again when the connection is lost'
complete -c blectl -n '__blectl_command watch' -l listen -d 'also take what cannot be switched on'
complete -c blectl -n '__blectl_command watch' -l sensors -x -d 'watch only some of the sources of a profile'
complete -c blectl -n '__blectl_command watch' -l period -x -d 'time between two values'
complete -c blectl -n '__blectl_command watch' -l records -x -d 'stored records to ask for'
complete -c blectl -n '__blectl_command watch' -l wheel -x -d 'circumference of the wheel of a bicycle'
complete -c blectl -n '__blectl_command watch' -l zero -d 'take the first values of each axis for zero'
complete -c blectl -n '__blectl_command watch' -l chart -x -a '(__blectl_files)' -d 'draw the numbers over time to this file, as SVG'
complete -c blectl -n '__blectl_command watch' -l rx -x -a '(__blectl_targets)' -d 'the characteristic of uart that is written to'
complete -c blectl -n '__blectl_command watch' -l tx -x -a '(__blectl_targets)' -d 'the characteristic of uart that sends'
complete -c blectl -n '__blectl_command watch' -l newline -x -a 'lf\\t"a line feed"
crlf\\t"a carriage return and a line feed"
cr\\t"a carriage return"
none\\t"nothing"' -d 'what uart sends for the end of a line'
complete -c blectl -n '__blectl_command watch' -l hex -d 'type and show the octets of uart in hex'
complete -c blectl -n '__blectl_command watch' -l no-input -d 'only receive with uart, until it is interrupted'
complete -c blectl -n '__blectl_command watch' -l quiet-time -x -d 'how long uart waits for the last answers'
complete -c blectl -n '__blectl_command watch' -l exec -x -d 'run a program at each press of a key'
complete -c blectl -n '__blectl_command watch' -l exec-timeout -x -d 'how long such a program may take'

complete -c blectl -n '__blectl_command link' -l signal -d 'print the strength of the signal again and again'
complete -c blectl -n '__blectl_command link' -s n -l count -x -d 'with --signal, stop after this many values'
complete -c blectl -n '__blectl_command link' -l duration -x -d 'with --signal, stop after this time'
complete -c blectl -n '__blectl_command link' -l period -x -d 'with --signal, the time between two values'

complete -c blectl -n '__blectl_command serve' -s n -l count -x -d 'stop after this many connections have ended'
complete -c blectl -n '__blectl_command serve' -l duration -x -d 'stop after this time'
complete -c blectl -n '__blectl_command serve' -l centrals -x -d 'how many centrals may be connected at once'
complete -c blectl -n '__blectl_command serve' -l no-wait -d 'fail at once if another blectl serves on the adapter'
complete -c blectl -n '__blectl_command serve' -l exec -x -d 'have a program answer for a characteristic'
complete -c blectl -n '__blectl_command serve' -l exec-timeout -x -d 'how long such a program may take'
complete -c blectl -n '__blectl_command serve' -l exec-raw -d 'take what the programs print as the bytes of the value'
complete -c blectl -n '__blectl_command serve' -l io -x -a 'none\\t"nothing"
display\\t"read digits"
yes-no\\t"read digits, and say yes or no"
keyboard\\t"enter digits"
keyboard-display\\t"all of that"' -d 'what a person here can do in the pairing'
complete -c blectl -n '__blectl_command serve' -l passkey -x -d 'the six digits that the other side shows'
complete -c blectl -n '__blectl_command serve' -l confirm -x -d 'whether the two show the same digits'
complete -c blectl -n '__blectl_command serve' -l bondable -d 'keep the keys of centrals that pair'
complete -c blectl -n '__blectl_command serve' -l no-bondable -d 'pair without keeping keys'
complete -c blectl -n '__blectl_command serve' -l security-request -d 'ask each central without a bond to pair'
complete -c blectl -n '__blectl_command serve' -l oob -x -a '(__blectl_files)' -d 'a central\'s data, by which it has to prove itself'
complete -c blectl -n '__blectl_command serve' -l oob-out -x -a '(__blectl_files)' -d 'write this machine\'s data for centrals, which pair with it'

complete -c blectl -n '__blectl_command advertise' -l major -x -d 'the group of an iBeacon or AltBeacon'
complete -c blectl -n '__blectl_command advertise' -l minor -x -d 'the beacon\'s number in the group'
complete -c blectl -n '__blectl_command advertise' -l power -x -d 'the signal strength that a beacon states, in dBm'
complete -c blectl -n '__blectl_command advertise' -l company -x -d 'the company of an AltBeacon'
complete -c blectl -n '__blectl_command advertise' -l battery -x -d 'the voltage that eddystone-tlm states, in mV'
complete -c blectl -n '__blectl_command advertise' -l temperature -x -d 'the temperature that eddystone-tlm states'
complete -c blectl -n '__blectl_command advertise' -l local-name -x -d 'the complete name of the device'
complete -c blectl -n '__blectl_command advertise' -l short-name -x -d 'the beginning of its name'
complete -c blectl -n '__blectl_command advertise' -l service-uuid -x -a '(__blectl_services)' -d 'a service of the device'
complete -c blectl -n '__blectl_command advertise' -l appearance -x -d 'what the device looks like'
complete -c blectl -n '__blectl_command advertise' -l tx-power -x -d 'the transmit power, in dBm'
complete -c blectl -n '__blectl_command advertise' -l uri -x -d 'a link'
complete -c blectl -n '__blectl_command advertise' -l service-data -x -d 'data of a service'
complete -c blectl -n '__blectl_command advertise' -l manufacturer-data -x -d 'data of a company'
complete -c blectl -n '__blectl_command advertise' -l data -x -d 'octets as they are, after the other fields'
complete -c blectl -n '__blectl_command advertise' -l no-flags -d 'leave out the flags'
complete -c blectl -n '__blectl_command advertise' -l scan-response -d 'answer active scanners with what follows'
complete -c blectl -n '__blectl_command advertise' -l interval -x -d 'the time between two, 20ms to 10.24s'
complete -c blectl -n '__blectl_command advertise' -l connectable -d 'let centrals connect'
complete -c blectl -n '__blectl_command advertise' -l to -x -d 'advertise to one central only, which may connect'
complete -c blectl -n '__blectl_command advertise' -l extended -d 'use extended advertising, for up to 1,650 octets'
complete -c blectl -n '__blectl_command advertise' -l sid -x -d 'the number of an extended advertisement'
complete -c blectl -n '__blectl_command advertise' -l primary-phy -x -a '1m\\t"LE 1M, which all devices use (the default)"
coded\\t"LE Coded, the long range"' -d 'the PHY on which it is found if extended'
complete -c blectl -n '__blectl_command advertise' -l secondary-phy -x -a '1m\\t"LE 1M"
2m\\t"LE 2M, the fast one"
coded\\t"LE Coded, the long range"' -d 'the PHY of its data if extended'
complete -c blectl -n '__blectl_command advertise' -l duration -x -d 'stop after this time'
complete -c blectl -n '__blectl_command advertise' -s n -l count -x -d 'stop after this many connections have ended'

complete -c blectl -n '__blectl_command l2cap' -l psm -x -a 'ipsp\\t"0x0023"
ots\\t"0x0025"
eatt\\t"0x0027"' -d 'the number of the service'
complete -c blectl -n '__blectl_command l2cap' -l mtu -x -d 'the largest unit to receive'
complete -c blectl -n '__blectl_command l2cap' -l wait -x -d 'close after this silence when the input has ended'
complete -c blectl -n '__blectl_command l2cap' -l hex -d 'hex digits: each line is a unit'
complete -c blectl -n '__blectl_command l2cap' -s n -l count -x -d 'stop after this many received units'
complete -c blectl -n '__blectl_command l2cap' -l duration -x -d 'stop after this time, counted from the open channel'

complete -c blectl -n '__blectl_command bench' -s n -l count -x -d 'stop after this many reads, writes, notifications or units'
complete -c blectl -n '__blectl_command bench' -l duration -x -d 'stop after this time, counted from the connection'
complete -c blectl -n '__blectl_command bench' -l size -x -d 'the length of what is written or sent'
complete -c blectl -n '__blectl_command bench' -l one-way -d 'do not wait for answers: throughput only'
complete -c blectl -n '__blectl_command bench' -l psm -x -a 'ipsp\\t"0x0023"
ots\\t"0x0025"
eatt\\t"0x0027"' -d 'the number of the service'
complete -c blectl -n '__blectl_command bench' -l chart -x -a '(__blectl_files)' -d 'draw the times and the throughput to this file, as SVG'

complete -c blectl -n '__blectl_command clone' -l values -d 'read every value that can be read'
complete -c blectl -n '__blectl_command clone' -l record -x -d 'record notifications and indications for this time'
complete -c blectl -n '__blectl_command clone' -l listen-time -x -d 'how long to listen to the advertisements of the device'
complete -c blectl -n '__blectl_command clone' -s o -l output -x -a '(__blectl_files)' -d 'write the device file there instead of standard output'

complete -c blectl -n '__blectl_command diff' -l ignore-handles -d 'do not compare handles'
complete -c blectl -n '__blectl_command diff' -l ignore-values -d 'do not compare values, what reading them needs, and when they are sent'
complete -c blectl -n '__blectl_command diff' -l ignore-advertising -d 'do not compare advertising'
complete -c blectl -n '__blectl_command diff' -l connect-timeout -x -d 'how long one attempt to connect may take'
complete -c blectl -n '__blectl_command diff' -l retries -x -d 'how often to try again to connect'
complete -c blectl -n '__blectl_command diff' -l no-wait -d 'fail at once if another program has the device'
complete -c blectl -n '__blectl_command diff' -l no-cache -d 'discover the device again, without the cache'
complete -c blectl -n '__blectl_command diff' -l security -x -a 'low\\t"none, until the device demands it"
medium\\t"encrypted, with any key"
high\\t"encrypted, with an authenticated key: a person has compared or entered digits"
fips\\t"as high, with a key of 16 octets from Secure Connections"' -d 'the security that the link must have'
complete -c blectl -n '__blectl_command diff' -l min-key-size -x -d 'the shortest key of an encrypted link'
complete -c blectl -n '__blectl_command diff' -l no-pair -d 'leave the security of the link as it is'

complete -c blectl -n '__blectl_command simulate' -l socket -x -a '(__blectl_files)' -d 'the socket of the world'
complete -c blectl -n '__blectl_command simulate' -l seed -x -d 'the seed of the random numbers, for \'serve\''

complete -c blectl -n '__blectl_command trace' -s d -l device -x -a '(__blectl_devices)' -d 'only packets of the device with this address'
complete -c blectl -n '__blectl_command trace' -l handle -x -d 'only ATT packets about the attribute with this handle'
complete -c blectl -n '__blectl_command trace' -l att -d 'only ATT packets'
complete -c blectl -n '__blectl_command trace' -l hci -d 'only HCI commands and events'

complete -c blectl -n '__blectl_command run' -l keep-going -d 'run the tests after one that fails'
complete -c blectl -n '__blectl_command run' -l dry-run -d 'check the scripts, and print what would run'
complete -c blectl -n '__blectl_command run' -l only -x -d 'run the tests with such a name'
complete -c blectl -n '__blectl_command run' -s D -l define -x -d 'set a variable of the scripts'
complete -c blectl -n '__blectl_command run' -l report -x -a '(__blectl_files)' -d 'write a report: tap, junit or json'
complete -c blectl -n '__blectl_command run' -l no-session -d 'connect, although a session has a link'

complete -c blectl -n '__blectl_command session' -l label -x -d 'the name of the session'
complete -c blectl -n '__blectl_command session' -l idle -x -d 'end the session when no command has used it that long'
complete -c blectl -n '__blectl_command session' -l buffer -x -d 'keep so many values of a characteristic while no command listens'
complete -c blectl -n '__blectl_command session' -l foreground -d 'hold the link in this process, until it is interrupted'
complete -c blectl -n '__blectl_command session' -l all -d 'stop all sessions'

complete -c blectl -n '__blectl_command shell' -l plain -d 'read lines without editing, completion and history'
complete -c blectl -n '__blectl_command shell' -l exit-on-error -d 'leave the shell after the first line that fails'
complete -c blectl -n '__blectl_command shell' -l reconnect -d 'connect again when the connection is lost'

complete -c blectl -n '__blectl_command pair' -l io -x -a 'none\\t"nothing"
display\\t"read digits"
yes-no\\t"read digits, and say yes or no"
keyboard\\t"enter digits"
keyboard-display\\t"all of that"' -d 'what a person here can do in the pairing'
complete -c blectl -n '__blectl_command pair' -l passkey -x -d 'the six digits that the other side shows'
complete -c blectl -n '__blectl_command pair' -l confirm -x -d 'whether the two show the same digits'
complete -c blectl -n '__blectl_command pair' -l no-bond -d 'keep no keys'
complete -c blectl -n '__blectl_command pair' -l secure-connections -x -a 'on\\t"if the device has them"
off\\t"not, for the pairing of Bluetooth 4.0"
only\\t"pair with no device that lacks them"' -d 'whether to use Secure Connections'
complete -c blectl -n '__blectl_command pair' -l oob -x -a '(__blectl_files)' -d 'pair with the device\'s data in this file'
complete -c blectl -n '__blectl_command pair' -l oob-out -x -a '(__blectl_files)' -d 'write this machine\'s data for a device, and end'

complete -c blectl -n '__blectl_command unpair' -l all -d 'all devices that blectl has the keys of'

complete -c blectl -n '__blectl_command bonds' -l reveal-keys -d 'print the keys themselves'

complete -c blectl -n '__blectl_command forget' -l all -d 'all devices that \'blectl devices\' lists'

complete -c blectl -n '__blectl_command decode' -l lines -d 'read values from @FILE or - as text, one in each line'

complete -c blectl -n '__blectl_command lookup' -l kind -x -a 'service\\t"GATT services"
characteristic\\t"GATT characteristics"
descriptor\\t"GATT descriptors and declarations"
member\\t"16-bit UUIDs of companies"
standards-organization\\t"16-bit UUIDs of standards organisations"
service-class\\t"service classes of Bluetooth Classic"
protocol\\t"protocols of Bluetooth Classic"
mesh-profile\\t"profiles of lighting control in a mesh"
object-type\\t"types of objects"
unit\\t"units of measurement"
company\\t"company identifiers"
appearance\\t"appearance values"
ad-type\\t"types of advertising data"
format-type\\t"types of values in a Presentation Format"
description\\t"descriptions in a Presentation Format"
uri-scheme\\t"schemes of URIs in advertising data"
att-error\\t"errors of a GATT server"
hci-error\\t"errors of a controller"' -d 'search only numbers of this kind'

complete -c blectl -n '__blectl_command help' -l json-schema -d 'print the JSON Schema of the records of --json'

complete -c blectl -n '__blectl_argument inspect 1' -a '(__blectl_devices)'
complete -c blectl -n '__blectl_argument read 1 +' -a '(__blectl_targets)'
complete -c blectl -n '__blectl_argument write 1' -a '(__blectl_targets)'
complete -c blectl -n '__blectl_argument write 2 +' -a '(__blectl_values)'
complete -c blectl -n '__blectl_argument notify 1 +' -a '(__blectl_targets)'
complete -c blectl -n '__blectl_argument watch 1 +' -a 'battery\\t"Battery"
blood-pressure\\t"Blood Pressure"
body-composition\\t"Body Composition"
cgm\\t"Continuous Glucose Monitoring"
current-time\\t"Current Time"
cycling-power\\t"Cycling Power"
cycling-speed\\t"Cycling Speed and Cadence"
device-info\\t"Device Information"
environment\\t"Environmental Sensing"
fitness-machine\\t"Fitness Machine"
glucose\\t"Glucose"
heart-rate\\t"Heart Rate"
keys\\t"Keys"
location\\t"Location and Navigation"
pulse-oximeter\\t"Pulse Oximeter"
running-speed\\t"Running Speed and Cadence"
sensortag\\t"SensorTag"
thermometer\\t"Health Thermometer"
thingy\\t"Thingy:52"
uart\\t"UART"
weight\\t"Weight Scale"'
complete -c blectl -n '__blectl_argument profile 1' -a 'alert\\t"none, mild or high"
cgm\\t"count, delete or abort"
cycling-power\\t"calibrate"
cycling-speed\\t"reset"
find-me\\t"start or stop"
fitness-machine\\t"pause, reset, start or stop"
glucose\\t"count, delete or abort"
heart-rate\\t"reset-energy"
link-loss\\t"none, mild or high"
pulse-oximeter\\t"count, delete or abort"
running-speed\\t"calibrate or reset"
sensortag\\t"calibrate or self-test"
time\\t"show or sync"'
complete -c blectl -n '__blectl_argument link 1' -a '(__blectl_devices)'
complete -c blectl -n '__blectl_argument serve 1' -a 'pulse-strap\\t"a heart rate strap"
thermometer\\t"a thermometer for bodies and rooms"
uart-echo\\t"a serial port that echoes"
workbench\\t"values of all kinds and lengths"
ibeacon\\t"a beacon"
eddystone\\t"a beacon with several frames"
weather-mast\\t"a beacon by extended advertising"
shapeshifter\\t"a device that changes its database on request"
museum\\t"every oddity of a database"
sports-watch\\t"twelve services"
flaky-strap\\t"a heart rate strap that loses its connection"
sensor-tag\\t"a TI SensorTag with motion, climate and keys"
door-lock\\t"a lock that asks for pairing"
loose-contact\\t"a light that drops every third connection"
hostile\\t"texts that attack the terminal"
scale\\t"a scale that looks into a body"
pressure-cuff\\t"a cuff that measures the blood pressure"
glucose-meter\\t"a glucose meter with stored records"
glucose-sensor\\t"a glucose sensor that is worn"
oximeter\\t"a pulse oximeter on a finger"
gym-bike\\t"a bicycle in a gym"
foot-pod\\t"a pod on the shoe of a runner"
navigator\\t"a receiver of satellites on a walk"
desk-clock\\t"a clock that is set, and rings"
thingy\\t"a Nordic Thingy:52 on a plate that turns"
bench\\t"values, a stream and channels to be measured"
(__blectl_files)'
complete -c blectl -n '__blectl_argument advertise 1 +' -a 'ibeacon\\t"Apple\'s beacon: a UUID and two numbers"
altbeacon\\t"the open beacon: 20 octets"
eddystone-uid\\t"an identifier: a namespace and an instance"
eddystone-url\\t"a web address"
eddystone-eid\\t"a changing identifier"
eddystone-tlm\\t"the state of a beacon"
raw\\t"octets as they are"'
complete -c blectl -n '__blectl_argument l2cap 1' -a 'connect\\t"open a channel to a device"
listen\\t"offer a service, and carry the first channel"'
complete -c blectl -n '__blectl_argument bench 1' -a 'read\\t"read a characteristic again and again"
write\\t"write a characteristic"
notify\\t"take the notifications of a characteristic"
l2cap\\t"send units over a channel, and take their echoes"'
complete -c blectl -n '__blectl_argument bench 2' -a '(__blectl_targets)'
complete -c blectl -n '__blectl_argument device 1' -a 'check\\t"report the faults of files"
show\\t"print devices as device files"'
complete -c blectl -n '__blectl_argument device 2 +' -a 'pulse-strap\\t"a heart rate strap"
thermometer\\t"a thermometer for bodies and rooms"
uart-echo\\t"a serial port that echoes"
workbench\\t"values of all kinds and lengths"
ibeacon\\t"a beacon"
eddystone\\t"a beacon with several frames"
weather-mast\\t"a beacon by extended advertising"
shapeshifter\\t"a device that changes its database on request"
museum\\t"every oddity of a database"
sports-watch\\t"twelve services"
flaky-strap\\t"a heart rate strap that loses its connection"
sensor-tag\\t"a TI SensorTag with motion, climate and keys"
door-lock\\t"a lock that asks for pairing"
loose-contact\\t"a light that drops every third connection"
hostile\\t"texts that attack the terminal"
scale\\t"a scale that looks into a body"
pressure-cuff\\t"a cuff that measures the blood pressure"
glucose-meter\\t"a glucose meter with stored records"
glucose-sensor\\t"a glucose sensor that is worn"
oximeter\\t"a pulse oximeter on a finger"
gym-bike\\t"a bicycle in a gym"
foot-pod\\t"a pod on the shoe of a runner"
navigator\\t"a receiver of satellites on a walk"
desk-clock\\t"a clock that is set, and rings"
thingy\\t"a Nordic Thingy:52 on a plate that turns"
bench\\t"values, a stream and channels to be measured"
(__blectl_files)'
complete -c blectl -n '__blectl_argument clone 1' -a '(__blectl_devices)'
complete -c blectl -n '__blectl_argument diff 1' -a '(__blectl_files)'
complete -c blectl -n '__blectl_argument diff 2' -a '(__blectl_files)'
complete -c blectl -n '__blectl_argument simulate 1' -a 'serve\\t"[FILE...]: keep a world alive, of the built-in devices or of files"
list\\t"print its devices and adapters"
set\\t"DEVICE TARGET VALUE: change a value, and notify"
disconnect\\t"DEVICE: end its links"
connectable\\t"DEVICE on|off: accept connections, or advertise that it accepts none"
signal\\t"DEVICE DBM|out-of-range|in-range: change its signal"
pause\\t"DEVICE: hold its answers back"
release\\t"DEVICE: send them, and hold no more back"
database\\t"DEVICE [NAME]: put another of its databases in place, or the first"
adapter\\t"on|off: power all adapters on or off"
stop\\t"end the world"'
complete -c blectl -n '__blectl_argument trace 1' -a '(__blectl_files)'
complete -c blectl -n '__blectl_argument run 1 +' -a '(__blectl_files_ending .blectl)'
complete -c blectl -n '__blectl_argument session 1' -a 'start\\t"connect to a device, and hold the link"
list\\t"print the sessions"
stop\\t"[SESSION]: end one, or the only one"'
complete -c blectl -n '__blectl_argument session 2' -a '(__blectl_devices)'
complete -c blectl -n '__blectl_argument pair 1' -a '(__blectl_devices)'
complete -c blectl -n '__blectl_argument unpair 1' -a '(__blectl_devices)'
complete -c blectl -n '__blectl_argument forget 1' -a '(__blectl_devices)'
complete -c blectl -n '__blectl_argument decode 1' -a '(__blectl_targets)'
complete -c blectl -n '__blectl_argument decode 2 +' -a '(__blectl_values)'
complete -c blectl -n '__blectl_argument encode 1' -a '(__blectl_targets)'
complete -c blectl -n '__blectl_argument encode 2 +' -a '(__blectl_values)'
complete -c blectl -n '__blectl_argument lookup 1 +' -a '(__blectl_targets)'
complete -c blectl -n '__blectl_argument adapter 1' -a 'show\\t"print the adapter and its settings"
power\\t"switch it on or off"
le\\t"switch its Low Energy part on or off"
reset\\t"switch it off and on again"'
complete -c blectl -n '__blectl_argument adapter 2' -a 'on\\t"switch it on"
off\\t"switch it off"'
complete -c blectl -n '__blectl_argument completion 1' -a 'bash\\t"GNU bash, with or without the bash-completion package"
zsh\\t"zsh"
fish\\t"fish"'
complete -c blectl -n '__blectl_argument help 1' -a 'scan\\t"list the devices that advertise"
inspect\\t"show the services and characteristics of a device"
read\\t"read characteristics and descriptors"
write\\t"write a characteristic or a descriptor"
notify\\t"subscribe and print values as they arrive"
watch\\t"print decoded measurements of a profile as they arrive"
profile\\t"do what a profile lets clients do: reset, alert, set a clock"
link\\t"show and change the properties of a link"
serve\\t"act as a device: advertise it and serve centrals"
advertise\\t"send a beacon, or any other advertisement"
l2cap\\t"carry octets over an L2CAP channel: netcat for BLE"
bench\\t"measure the throughput and the latency of a link"
device\\t"check device files, and print those that are part of blectl"
clone\\t"write a live device as a device file"
diff\\t"compare two devices"
simulate\\t"keep a simulated world alive, and touch it while it runs"
trace\\t"print the packets of a capture"
run\\t"run a script of steps with expectations"
session\\t"hold a connection that later commands share"
shell\\t"type commands, on connections that last"
pair\\t"pair with a device, and keep the keys"
unpair\\t"forget the keys of a device"
bonds\\t"list the devices that blectl has the keys of"
devices\\t"list the devices that blectl knows"
forget\\t"forget what was found out about a device"
decode\\t"decode the value of a characteristic, without a device"
encode\\t"encode the value of a characteristic, without a device"
lookup\\t"look up assigned numbers, and the fields of characteristics"
adapters\\t"list the Bluetooth adapters and their troubles"
adapter\\t"switch a Bluetooth adapter or its Low Energy part"
doctor\\t"find out why Bluetooth does not work, and what to type"
completion\\t"print the completion script of a shell"
help\\t"explain blectl or one of its commands"
version\\t"print the version"'
