# SPDX-License-Identifier: GPL-2.0-or-later
# Made from the command table by 'make man completions'; changes belong there.
# shellcheck shell=bash

# Prints the words of a kind: services, adapters.
_blectl_names() {
    case $1 in
        adapter) (cd /sys/class/bluetooth 2>/dev/null && compgen -G 'hci*') ;;
        service) echo 'adafruit-file-transfer adafruit-temperature-service alert-notification apple-continuity-service apple-media-service apple-nearby-service apple-notification-center-service audio-input-control audio-stream-control authorization-control automation-io basic-audio-announcement battery binary-sensor blood-pressure body-composition bond-management broadcast-audio-announcement broadcast-audio-scan bthome common-audio constant-tone-extension continuous-glucose-monitoring cookware coordinated-set-identification current-time cycling-power cycling-speed-and-cadence device-information device-time eddystone eddystone-configuration-service elapsed-time electronic-shelf-label emergency-configuration environmental-sensing exposure-notification fast-pair fitness-machine gaming-audio gap gatt generic-health-sensor generic-media-control generic-telephone-bearer generic-voice-assistant glucose health-thermometer hearing-access heart-rate hid-iso http-proxy human-interface-device immediate-alert improv-wi-fi-service indoor-positioning industrial-measurement-device insulin-delivery internet-protocol-support lego-wireless-protocol-v3-bootloader-service lego-wireless-protocol-v3-hub-service link-loss location-and-navigation mcumgr-smp-service media-control memfault-diagnostic-service mesh-provisioning mesh-proxy mesh-proxy-solicitation mibeacon micro-bit-accelerometer-service micro-bit-button-service micro-bit-dfu-control-service micro-bit-event-service micro-bit-io-pin-service micro-bit-led-service micro-bit-magnetometer-service micro-bit-temperature-service microchip-transparent-uart-service microphone-control next-dst-change nordic-direction-and-distance-finding-service nordic-edge-impulse-remote-management-service nordic-led-and-button-service nordic-legacy-dfu-service nordic-secure-dfu nordic-status-message-service nordic-throughput-service nordic-uart-service nordic-wi-fi-provisioning-service object-transfer philips-hue-light-control-service philips-hue-light-update-service phone-alert-status physical-activity-monitor polar-measurement-data-service public-broadcast-announcement published-audio-capabilities pulse-oximeter ranging reconnection-configuration reference-time-update running-speed-and-cadence scan-parameters sensortag-accelerometer-service sensortag-barometer-service sensortag-gyroscope-service sensortag-humidity-service sensortag-ir-temperature-service sensortag-light-service sensortag-magnetometer-service sensortag-motion-service silicon-labs-ota-service telephone-bearer telephony-and-media-audio thingy-configuration-service thingy-motion-service thingy-sensor-hub thingy-sound-service thingy-ui-service thingy-weather-station-service ti-over-the-air-download-service transport-discovery tx-power user-data voice-assistant volume-control volume-offset-control weight-scale xiaomi-thermometer-service' ;;
    esac
}

# Offers adapters for the typed word $1, which may name some already, each after $2.
_blectl_offer_adapters() {
    local name given= names=
    [[ $1 == *,* ]] && given=${1%,*},
    for name in $(_blectl_names adapter); do
        [[ ,$given == *,$name,* ]] || names+="$given$name "
    done
    [[ $given ]] || names+=all
    _blectl_offer "$names" "$1" "$2"
}

# Prints the options of a command, or those that may stand before one.
_blectl_options() {
    case $1 in
        scan) echo '--duration -n --count -d --device --name --service --manufacturer --rssi --connectable --active --passive --duplicates --summary --phy --scan-interval --scan-window --sort --chart --keys --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        inspect) echo '--values -d --device --name --service --address-type --connect-timeout --no-wait --retries --no-cache --no-session --security --min-key-size --no-pair --link-phy --link-interval --link-latency --supervision-timeout --data-length --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        read) echo '--as -d --device --name --service --address-type --connect-timeout --no-wait --retries --no-cache --no-session --security --min-key-size --no-pair --link-phy --link-interval --link-latency --supervision-timeout --data-length --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        write) echo '--no-response --reliable --signed --verify --chunk --raw -d --device --name --service --address-type --connect-timeout --no-wait --retries --no-cache --no-session --security --min-key-size --no-pair --link-phy --link-interval --link-latency --supervision-timeout --data-length --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        notify) echo '-n --count --duration --reconnect --listen --as --chart -d --device --name --service --address-type --connect-timeout --no-wait --retries --no-cache --no-session --security --min-key-size --no-pair --link-phy --link-interval --link-latency --supervision-timeout --data-length --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        watch) echo '-n --count --duration --reconnect --listen --sensors --period --records --wheel --zero --chart --rx --tx --newline --hex --no-input --quiet-time --exec --exec-timeout -d --device --name --service --address-type --connect-timeout --no-wait --retries --no-cache --no-session --security --min-key-size --no-pair --link-phy --link-interval --link-latency --supervision-timeout --data-length --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        profile) echo '-d --device --name --service --address-type --connect-timeout --no-wait --retries --no-cache --no-session --security --min-key-size --no-pair --link-phy --link-interval --link-latency --supervision-timeout --data-length --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        link) echo '--signal -n --count --duration --period -d --device --name --service --address-type --connect-timeout --no-wait --retries --no-cache --no-session --security --min-key-size --no-pair --link-phy --link-interval --link-latency --supervision-timeout --data-length --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        serve) echo '-n --count --duration --centrals --no-wait --exec --exec-timeout --exec-raw --io --passkey --confirm --bondable --no-bondable --security-request --oob --oob-out --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        advertise) echo '--major --minor --power --company --battery --temperature --local-name --short-name --service-uuid --appearance --tx-power --uri --service-data --manufacturer-data --data --no-flags --scan-response --interval --connectable --to --extended --sid --primary-phy --secondary-phy --duration -n --count --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        l2cap) echo '--psm --mtu --wait --hex -n --count --duration -d --device --name --service --address-type --connect-timeout --no-wait --retries --no-cache --no-session --security --min-key-size --no-pair --link-phy --link-interval --link-latency --supervision-timeout --data-length --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        bench) echo '-n --count --duration --size --one-way --psm --chart -d --device --name --service --address-type --connect-timeout --no-wait --retries --no-cache --no-session --security --min-key-size --no-pair --link-phy --link-interval --link-latency --supervision-timeout --data-length --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        device) echo '--json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        clone) echo '--values --record --listen-time -o --output -d --device --name --service --address-type --connect-timeout --no-wait --retries --no-cache --no-session --security --min-key-size --no-pair --link-phy --link-interval --link-latency --supervision-timeout --data-length --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        diff) echo '--ignore-handles --ignore-values --ignore-advertising --connect-timeout --retries --no-wait --no-cache --security --min-key-size --no-pair --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        simulate) echo '--socket --seed --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        trace) echo '-d --device --handle --att --hci --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        run) echo '--keep-going --dry-run --only -D --define --report --no-session --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        session) echo '--label --idle --buffer --foreground --all -d --device --name --service --address-type --connect-timeout --no-wait --retries --no-cache --no-session --security --min-key-size --no-pair --link-phy --link-interval --link-latency --supervision-timeout --data-length --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        shell) echo '--plain --exit-on-error --reconnect -d --device --name --service --address-type --connect-timeout --no-wait --retries --no-cache --no-session --security --min-key-size --no-pair --link-phy --link-interval --link-latency --supervision-timeout --data-length --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        pair) echo '--io --passkey --confirm --no-bond --secure-connections --oob --oob-out -d --device --name --service --address-type --connect-timeout --no-wait --retries --no-cache --no-session --security --min-key-size --no-pair --link-phy --link-interval --link-latency --supervision-timeout --data-length --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        unpair) echo '--all --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        bonds) echo '--reveal-keys --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        devices) echo '--json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        forget) echo '--all --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        decode) echo '--lines --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        encode) echo '--json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        lookup) echo '--kind --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        adapters) echo '--json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        adapter) echo '--json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        doctor) echo '--json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        completion) echo '--json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        help) echo '--json-schema --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        version) echo '--json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
        *) echo '-d --device --name --service --address-type --connect-timeout --no-wait --retries --no-cache --no-session --security --min-key-size --no-pair --link-phy --link-interval --link-latency --supervision-timeout --data-length --json --format --formats -v --verbose --redact -q --quiet --color -i --adapter --wait-adapter --timeout --deadline --timing --capture --diagram --privacy --radio --simulate --simulate-time --simulate-seed --simulate-adapter --fault -h --help --version' ;;
    esac
}

# Offers those of the words $1 that begin with $2, each after $3.
_blectl_offer() {
    mapfile -t COMPREPLY < <(compgen -P "$3" -W "$1" -- "$2")
}

# Asks blectl for words: $1 is what to offer. The device and --simulate are those of the line.
_blectl_ask() {
    local -a arguments=(help "--offer=$1")
    [[ $device ]] && arguments+=("--offer-of=$device")
    [[ $simulate ]] && arguments+=("$simulate")
    "${program/#\~\//"$HOME/"}" "${arguments[@]}" 2>/dev/null
}

# Prints the typed word $1 without its quoting. Nothing in it is evaluated.
_blectl_plain() {
    case $1 in
        [\'\"]*) printf '%s' "${1:1}" ;;
        *) printf '%s' "${1//\\/}" ;;
    esac
}

# Prints the complete word $1 without its quoting.
_blectl_unquoted() {
    local word
    word=$(_blectl_plain "$1")
    [[ $1 == [\'\"]* ]] && word=${word%"${1:0:1}"}
    printf '%s' "$word"
}

# Quotes the word $2 as the typed word $1 is quoted, in the variable quoted. Names of devices come over the air, so
# that they may be meant to be evaluated by a shell.
_blectl_quote() {
    case $1 in
        \'*) quoted=${2//\'/\'\\\'\'} ;;
        \"*)
            quoted=${2//\\/\\\\}
            quoted=${quoted//\$/\\\$}
            quoted=${quoted//\`/\\\`}
            quoted=${quoted//\"/\\\"}
            ;;
        *) printf -v quoted %q "$2" ;;
    esac
}

# Offers remembered devices that begin with the typed word $1, each after $2.
_blectl_offer_devices() {
    local word quoted
    while IFS=$'\t' read -r word _; do
        _blectl_quote "$1" "$word"
        # Readline closes a quote, but not after a name that ends with one.
        [[ $1 == [\'\"]* ]] && quoted+=${1:0:1}
        # Readline replaces what is after the last colon, unless the user has changed at what it splits words.
        if [[ $1 == [!\'\"]*:* && $COMP_WORDBREAKS == *:* ]]; then
            local typed=${1%:*}:
            quoted=${quoted:${#typed}}
        fi
        COMPREPLY+=("$2$quoted")
    done < <(_blectl_ask "devices:$(_blectl_plain "$1")")
}

# Offers files that begin with the typed path $1, each after $2. $3 is the quote before it, if it is quoted. With $4,
# offers folders, and files whose names end in it.
_blectl_offer_files() {
    local path=$1 file quoted
    [[ $3 ]] || path=$(_blectl_plain "$1")
    while IFS= read -r file; do
        [[ -d ${file/#\~\//"$HOME/"} ]] && file+=/
        [[ $file == */ || $file == *"$4" ]] || continue
        _blectl_quote "$3" "$file"
        # A tilde that is typed at the beginning stays one.
        [[ $file == \~/* ]] && quoted=${quoted/#\\\~/\~}
        COMPREPLY+=("$2$quoted")
    done < <(compgen -f -- "$path")
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == */ ]] && compopt -o nospace 2>/dev/null
}

# Offers sockets for the typed word $1: unix: and a path, each after $2.
_blectl_offer_sockets() {
    if [[ $1 == unix:* ]]; then
        local before=$2unix:
        [[ $COMP_WORDBREAKS == *:* ]] && before=
        _blectl_offer_files "${1#unix:}" "$before" ''
    else
        _blectl_offer unix: "$1" "$2"
        compopt -o nospace 2>/dev/null
    fi
}

# Offers values to write: a file after an at sign.
_blectl_offer_written() {
    case $1 in
        [\'\"]@*) _blectl_offer_files "${1:2}" @ "${1:0:1}" ;;
        @*) _blectl_offer_files "${1:1}" @ '' ;;
    esac
}

# Offers targets that begin with $1.
_blectl_offer_targets() {
    mapfile -t COMPREPLY < <(_blectl_ask "targets:$1")
}

# Offers values of the option $1 that begin with $2, each after $3.
_blectl_offer_values() {
    case $1 in
        -d | --device) _blectl_offer_devices "$2" "$3" ;;
        --service) _blectl_offer "$(_blectl_names service)" "$2" "$3" ;;
        --address-type) _blectl_offer 'public random' "$2" "$3" ;;
        --security) _blectl_offer 'low medium high fips' "$2" "$3" ;;
        --link-phy) _blectl_offer '1m 2m coded coded:s2 coded:s8' "$2" "$3" ;;
        --formats) _blectl_offer_files "$2" "$3" '' ;;
        --color) _blectl_offer 'auto always never' "$2" "$3" ;;
        -i | --adapter) _blectl_offer_adapters "$2" "$3" ;;
        --capture) _blectl_offer_files "$2" "$3" '' ;;
        --diagram) _blectl_offer_files "$2" "$3" '' ;;
        --radio) _blectl_offer_sockets "$2" "$3" ;;
        --simulate) _blectl_offer_files "$2" "$3" '' ;;
        --simulate-time) _blectl_offer 'real virtual' "$2" "$3" ;;
        --simulate-adapter) _blectl_offer 'off blocked le-off gone coming returning unauthorized full held hard-blocked in-use managed leftover-scan legacy-commands no-firmware suspended no-driver no-kernel unprepared second' "$2" "$3" ;;
        --phy) _blectl_offer 'all 1m coded' "$2" "$3" ;;
        --sort) _blectl_offer 'seen rssi name address' "$2" "$3" ;;
        --chart) _blectl_offer_files "$2" "$3" '' ;;
        --keys) _blectl_offer_files "$2" "$3" '' ;;
        --as) _blectl_offer 'hex utf8 utf16 raw u8 s8 u16 s16 u24 s24 u32 s32 u48 s48 u64 s64 f32 f64 medfloat16 medfloat32' "$2" "$3" ;;
        --rx) _blectl_offer_targets "$2" ;;
        --tx) _blectl_offer_targets "$2" ;;
        --newline) _blectl_offer 'lf crlf cr none' "$2" "$3" ;;
        --io) _blectl_offer 'none display yes-no keyboard keyboard-display' "$2" "$3" ;;
        --oob) _blectl_offer_files "$2" "$3" '' ;;
        --oob-out) _blectl_offer_files "$2" "$3" '' ;;
        --service-uuid) _blectl_offer "$(_blectl_names service)" "$2" "$3" ;;
        --primary-phy) _blectl_offer '1m coded' "$2" "$3" ;;
        --secondary-phy) _blectl_offer '1m 2m coded' "$2" "$3" ;;
        --psm) _blectl_offer 'ipsp ots eatt' "$2" "$3" ;;
        -o | --output) _blectl_offer_files "$2" "$3" '' ;;
        --socket) _blectl_offer_files "$2" "$3" '' ;;
        --report) _blectl_offer_files "$2" "$3" '' ;;
        --secure-connections) _blectl_offer 'on off only' "$2" "$3" ;;
        --kind) _blectl_offer 'service characteristic descriptor member standards-organization service-class protocol mesh-profile object-type unit company appearance ad-type format-type description uri-scheme att-error hci-error' "$2" "$3" ;;
    esac
}

# Offers what the command $1 takes as its argument number $2, beginning with $3.
_blectl_offer_arguments() {
    case $1:$2 in
        inspect:0) _blectl_offer_devices "$3" "" ;;
        read:*) _blectl_offer_targets "$3" ;;
        write:0) _blectl_offer_targets "$3" ;;
        write:*) _blectl_offer_written "$3" ;;
        notify:*) _blectl_offer_targets "$3" ;;
        watch:*) _blectl_offer 'battery blood-pressure body-composition cgm current-time cycling-power cycling-speed device-info environment fitness-machine glucose heart-rate keys location pulse-oximeter running-speed sensortag thermometer thingy uart weight' "$3" "" ;;
        profile:0) _blectl_offer 'alert cgm cycling-power cycling-speed find-me fitness-machine glucose heart-rate link-loss pulse-oximeter running-speed sensortag time' "$3" "" ;;
        link:0) _blectl_offer_devices "$3" "" ;;
        serve:0) _blectl_offer 'pulse-strap thermometer uart-echo workbench ibeacon eddystone weather-mast shapeshifter museum sports-watch flaky-strap sensor-tag door-lock loose-contact hostile scale pressure-cuff glucose-meter glucose-sensor oximeter gym-bike foot-pod navigator desk-clock thingy bench' "$3" ""; _blectl_offer_files "$3" "" '' ;;
        advertise:*) _blectl_offer 'ibeacon altbeacon eddystone-uid eddystone-url eddystone-eid eddystone-tlm raw' "$3" "" ;;
        l2cap:0) _blectl_offer 'connect listen' "$3" "" ;;
        bench:0) _blectl_offer 'read write notify l2cap' "$3" "" ;;
        bench:1) _blectl_offer_targets "$3" ;;
        device:0) _blectl_offer 'check show' "$3" "" ;;
        device:*) _blectl_offer 'pulse-strap thermometer uart-echo workbench ibeacon eddystone weather-mast shapeshifter museum sports-watch flaky-strap sensor-tag door-lock loose-contact hostile scale pressure-cuff glucose-meter glucose-sensor oximeter gym-bike foot-pod navigator desk-clock thingy bench' "$3" ""; _blectl_offer_files "$3" "" '' ;;
        clone:0) _blectl_offer_devices "$3" "" ;;
        diff:0) _blectl_offer_files "$3" "" '' ;;
        diff:1) _blectl_offer_files "$3" "" '' ;;
        simulate:0) _blectl_offer 'serve list set disconnect connectable signal pause release database adapter stop' "$3" "" ;;
        trace:0) _blectl_offer_files "$3" "" '' ;;
        run:*) _blectl_offer_files "$3" "" '' .blectl ;;
        session:0) _blectl_offer 'start list stop' "$3" "" ;;
        session:1) _blectl_offer_devices "$3" "" ;;
        pair:0) _blectl_offer_devices "$3" "" ;;
        unpair:0) _blectl_offer_devices "$3" "" ;;
        forget:0) _blectl_offer_devices "$3" "" ;;
        decode:0) _blectl_offer_targets "$3" ;;
        decode:*) _blectl_offer_written "$3" ;;
        encode:0) _blectl_offer_targets "$3" ;;
        encode:*) _blectl_offer_written "$3" ;;
        lookup:*) _blectl_offer_targets "$3" ;;
        adapter:0) _blectl_offer 'show power le reset' "$3" "" ;;
        adapter:1) _blectl_offer 'on off' "$3" "" ;;
        completion:0) _blectl_offer 'bash zsh fish' "$3" "" ;;
        help:0) _blectl_offer 'scan inspect read write notify watch profile link serve advertise l2cap bench device clone diff simulate trace run session shell pair unpair bonds devices forget decode encode lookup adapters adapter doctor completion help version' "$3" "" ;;
    esac
}

_blectl() {
    local word current before='' command='' option='' ended='' i
    local program=${COMP_WORDS[0]} device=$BLECTL_DEVICE simulate=''
    local -i argument=0
    local -a words=()
    COMPREPLY=()
    ((COMP_CWORD > 0)) || return

    # Readline splits words at '=', ':' and '@', too; put them together again.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((${#words[@]})) && [[ $word == [=:]* || ${words[-1]} == *[=:] || ${words[-1]} == @ ]]; then
            words[-1]+=$word
        else
            words+=("$word")
        fi
    done
    current=${words[-1]}
    unset 'words[-1]'

    # Find the command, the number of its argument, and an option that waits for its value.
    for word in "${words[@]}"; do
        if [[ $option ]]; then
            case $option in
                -d | --device) device=$(_blectl_unquoted "$word") ;;
            esac
            option=
        elif [[ ! $ended && $word == -- ]]; then
            ended=yes
        elif [[ ! $ended && $word =~ ^-[vqh]*[dinoD]$ ]]; then
            option=-${word: -1}
        elif [[ ! $ended && $word =~ ^--(device|name|service|address-type|connect-timeout|retries|security|min-key-size|link-phy|link-interval|link-latency|supervision-timeout|data-length|format|formats|color|adapter|wait-adapter|timeout|deadline|capture|diagram|radio|simulate-time|simulate-seed|simulate-adapter|fault|duration|count|manufacturer|rssi|phy|scan-interval|scan-window|sort|chart|keys|as|chunk|sensors|period|records|wheel|rx|tx|newline|quiet-time|exec|exec-timeout|centrals|io|passkey|confirm|oob|oob-out|major|minor|power|company|battery|temperature|local-name|short-name|service-uuid|appearance|tx-power|uri|service-data|manufacturer-data|data|interval|to|sid|primary-phy|secondary-phy|psm|mtu|wait|size|record|listen-time|output|socket|seed|handle|only|define|report|label|idle|buffer|secure-connections|kind)$ ]]; then
            option=$word
        elif [[ ! $ended && $word == --device=* ]]; then
            device=$(_blectl_unquoted "${word#*=}")
        elif [[ ! $ended && $word == -d?* ]]; then
            device=$(_blectl_unquoted "${word#-d}")
        elif [[ ! $ended && $word == --simulate?(=*) ]]; then
            simulate=--simulate
        elif [[ $ended || $word != -[!0-9.]* ]]; then
            if [[ $command ]]; then argument+=1; else command=$word; fi
        fi
    done

    if [[ $option ]]; then
        _blectl_offer_values "$option" "$current" ''
    elif [[ ! $ended && $current == --*=* ]]; then
        option=${current%%=*}
        # Readline replaces what is after the sign, unless the user has changed at what it splits words.
        [[ $COMP_WORDBREAKS == *=* ]] || before=$option=
        _blectl_offer_values "$option" "${current#*=}" "$before"
    elif [[ ! $ended && $current == -* ]]; then
        _blectl_offer "$(_blectl_options "$command")" "$current" ''
    elif [[ ! $command ]]; then
        _blectl_offer 'scan inspect read write notify watch profile link serve advertise l2cap bench device clone diff simulate trace run session shell pair unpair bonds devices forget decode encode lookup adapters adapter doctor completion help version' "$current" ''
    else
        _blectl_offer_arguments "$command" "$argument" "$current"
    fi
}

complete -F _blectl blectl
