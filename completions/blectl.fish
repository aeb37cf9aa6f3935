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
        else if string match -qr -- '^(-[vqh]*[din]|--(device|name|service|address-type|connect-timeout|retries|format|color|adapter|wait-adapter|timeout|deadline|radio|simulate-time|simulate-seed|simulate-adapter|duration|count|address|manufacturer|rssi|phy|sort|as|chunk|centrals))$' "$word"
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

# Whether the cursor is at argument $argv[2] of the command $argv[1], or behind it if there is a third word.
function __blectl_argument
    set -l words (__blectl_words)
    test "$words[1]" = $argv[1]
    and test (count $words) -eq $argv[2] -o \( -n "$argv[3]" -a (count $words) -ge $argv[2] \)
end

function __blectl_adapters
    path basename /sys/class/bluetooth/hci*
end

function __blectl_services
    printf '%s\n' adafruit-file-transfer adafruit-temperature-service alert-notification apple-continuity-service apple-media-service apple-nearby-service apple-notification-center-service audio-input-control audio-stream-control authorization-control automation-io basic-audio-announcement battery binary-sensor blood-pressure body-composition bond-management broadcast-audio-announcement broadcast-audio-scan bthome common-audio constant-tone-extension continuous-glucose-monitoring cookware coordinated-set-identification current-time cycling-power cycling-speed-and-cadence device-information device-time eddystone eddystone-configuration-service elapsed-time electronic-shelf-label emergency-configuration environmental-sensing exposure-notification fast-pair fitness-machine gaming-audio gap gatt generic-health-sensor generic-media-control generic-telephone-bearer generic-voice-assistant glucose health-thermometer hearing-access heart-rate hid-iso http-proxy human-interface-device immediate-alert indoor-positioning industrial-measurement-device insulin-delivery internet-protocol-support lego-wireless-protocol-v3-bootloader-service lego-wireless-protocol-v3-hub-service link-loss location-and-navigation mcumgr-smp-service media-control memfault-diagnostic-service mesh-provisioning mesh-proxy mesh-proxy-solicitation mibeacon micro-bit-accelerometer-service micro-bit-button-service micro-bit-dfu-control-service micro-bit-event-service micro-bit-io-pin-service micro-bit-led-service micro-bit-magnetometer-service micro-bit-temperature-service microchip-transparent-uart-service microphone-control next-dst-change nordic-direction-and-distance-finding-service nordic-edge-impulse-remote-management-service nordic-led-and-button-service nordic-legacy-dfu-service nordic-secure-dfu nordic-status-message-service nordic-throughput-service nordic-uart-service nordic-wi-fi-provisioning-service object-transfer philips-hue-light-control-service philips-hue-light-update-service phone-alert-status physical-activity-monitor polar-measurement-data-service public-broadcast-announcement published-audio-capabilities pulse-oximeter ranging reconnection-configuration reference-time-update running-speed-and-cadence scan-parameters sensortag-accelerometer-service sensortag-barometer-service sensortag-gyroscope-service sensortag-humidity-service sensortag-ir-temperature-service sensortag-magnetometer-service silicon-labs-ota-service telephone-bearer telephony-and-media-audio thingy-configuration-service thingy-motion-service thingy-sensor-hub thingy-sound-service thingy-ui-service thingy-weather-station-service ti-over-the-air-download-service transport-discovery tx-power user-data voice-assistant volume-control volume-offset-control weight-scale xiaomi-thermometer-service
end

# A characteristic, or one behind a service and a slash.
function __blectl_targets
    set -l before (string match -r -- '^.*/' (commandline -ct))
    printf "$before%s\n" acceleration acceleration-3d acceleration-detection-status acs-control-point acs-data-in acs-data-out-indicate acs-data-out-notify acs-status active-preset-index activity-goal advertising-constant-tone-extension-interval advertising-constant-tone-extension-minimum-length advertising-constant-tone-extension-minimum-transmit-count advertising-constant-tone-extension-phy advertising-constant-tone-extension-transmit-duration aerobic-heart-rate-lower-limit aerobic-heart-rate-upper-limit aerobic-threshold age aggregate alert-category-id alert-category-id-bit-mask alert-level alert-notification-control-point alert-status altitude ammonia-concentration ams-entity-attribute ams-entity-update ams-remote-command anaerobic-heart-rate-lower-limit anaerobic-heart-rate-upper-limit anaerobic-threshold ancs-control-point ancs-data-source ancs-notification-source ap-sync-key-material apparent-energy-32 apparent-power apparent-wind-direction apparent-wind-speed appearance apple-continuity apple-nearby ase-control-point audio-input-control-point audio-input-description audio-input-state audio-input-status audio-input-type audio-location audio-output-description available-audio-contexts average-current average-voltage barometric-pressure-trend battery-critical-status battery-energy-status battery-health-information battery-health-status battery-information battery-level battery-level-status battery-time-status bearer-list-current-calls bearer-provider-name bearer-signal-strength bearer-signal-strength-reporting-interval bearer-technology bearer-uci bearer-uri-schemes-supported-list bgr-features bgs-features blood-pressure-feature blood-pressure-measurement blood-pressure-record bluetooth-sig-data body-composition-feature body-composition-measurement body-sensor-location bond-management-control-point bond-management-feature boolean boot-keyboard-input-report boot-keyboard-output-report boot-mouse-input-report br-edr-handover-data broadcast-audio-scan-control-point broadcast-receive-state bss-control-point bss-response call-control-point call-control-point-optional-opcodes call-friendly-name call-state caloric-intake carbon-monoxide-concentration cardiorespiratory-activity-instantaneous-data cardiorespiratory-activity-summary-data central-address-resolution cgm-feature cgm-measurement cgm-session-run-time cgm-session-start-time cgm-specific-ops-control-point cgm-status chromatic-distance-from-planckian chromaticity-coordinate chromaticity-coordinates chromaticity-in-cct-and-duv-values chromaticity-tolerance cie-13-3-1995-color-rendering-index client-supported-features co2-concentration coefficient constant-tone-extension-enable contact-status-8 content-control-id cooking-step-status cooking-temperature cooking-zone-actual-cooking-conditions cooking-zone-capabilities cooking-zone-desired-cooking-conditions cooking-zone-perceived-power cookware-description cookware-sensor-aggregate cookware-sensor-data coordinated-set-name coordinated-set-size correlated-color-temperature cosine-of-the-angle count-16 count-24 country-code cross-trainer-data csc-feature csc-measurement current-group-object-id current-time current-track-object-id current-track-segments-object-id cycling-power-control-point cycling-power-feature cycling-power-measurement cycling-power-vector database-change-increment database-hash date-of-birth date-of-threshold-assessment date-time date-utc day-date-time day-of-week descriptor-value-changed device-name device-time device-time-control-point device-time-feature device-time-parameters device-wearing-position dew-point door-window-status dst-offset eddystone-active-slot eddystone-adv-slot-data eddystone-advanced-advertised-tx-power eddystone-advanced-factory-reset eddystone-advanced-remain-connectable eddystone-advertising-interval eddystone-capabilities eddystone-eid-identity-key eddystone-lock-state eddystone-public-ecdh-key eddystone-radio-tx-power eddystone-unlock elapsed-time electric-current electric-current-range electric-current-specification electric-current-statistics elevation email-address emergency-id emergency-text encrypted-data-key-material energy energy-32 energy-in-a-period-of-day enhanced-blood-pressure-measurement enhanced-intermediate-cuff-pressure esl-address esl-control-point esl-current-absolute-time esl-display-information esl-image-information esl-led-information esl-response-key-material esl-sensor-information estimated-service-date event-statistics exact-time-256 fast-pair-account-key fast-pair-data fast-pair-key-based-pairing fast-pair-model-id fast-pair-passkey fat-burn-heart-rate-lower-limit fat-burn-heart-rate-upper-limit firmware-revision-string first-name first-use-date fitness-machine-control-point fitness-machine-feature fitness-machine-status five-zone-heart-rate-limits fixed-string-16 fixed-string-24 fixed-string-36 fixed-string-64 fixed-string-8 floor-number force four-zone-heart-rate-limits gain-settings-attribute gender general-activity-instantaneous-data general-activity-summary-data generic-level ghs-control-point global-trade-item-number glucose-feature glucose-measurement glucose-measurement-context gmap-role gust-factor handedness hardware-revision-string health-sensor-features hearing-aid-features hearing-aid-preset-control-point heart-rate-control-point heart-rate-max heart-rate-measurement heat-index height hid-control-point hid-information hid-iso-properties high-intensity-exercise-threshold high-resolution-height high-temperature high-voltage hip-circumference http-control-point http-entity-body http-headers http-status-code https-security humidity humidity-8 idd-annunciation-status idd-command-control-point idd-command-data idd-features idd-history-data idd-record-access-control-point idd-status idd-status-changed idd-status-reader-control-point ieee-11073-20601-regulatory-certification-data-list illuminance illuminance-16 imd-control imd-historical-data imd-status imds-descriptor-value-changed incoming-call incoming-call-target-bearer-uri indoor-bike-data indoor-positioning-configuration installed-location intermediate-cuff-pressure intermediate-temperature irradiance kitchen-appliance-airflow language last-name latitude le-gatt-security-levels le-hid-operation-mode lego-wireless-protocol-v3-bootloader lego-wireless-protocol-v3-hub length life-cycle-data light-distribution light-output light-source-type linear-position live-health-observations ln-control-point ln-feature local-east-coordinate local-north-coordinate local-time-information location-and-speed location-name longitude luminous-efficacy luminous-energy luminous-exposure luminous-flux luminous-flux-range luminous-intensity magnetic-declination magnetic-flux-density-2d magnetic-flux-density-3d manufacturer-name-string mass-flow maximum-recommended-heart-rate mcumgr-smp measurement-interval media-control-point media-control-point-opcodes-supported media-player-icon-object-id media-player-icon-url media-player-name media-state memfault-mds-device-authorization memfault-mds-device-data-export memfault-mds-device-data-uri memfault-mds-device-identifier memfault-mds-supported-features mesh-provisioning-data-in mesh-provisioning-data-out mesh-proxy-data-in mesh-proxy-data-out methane-concentration micro-bit-accelerometer-data micro-bit-accelerometer-period micro-bit-button-a-state micro-bit-button-b-state micro-bit-client-event micro-bit-client-requirements micro-bit-dfu-control micro-bit-event micro-bit-led-matrix-state micro-bit-led-text micro-bit-magnetometer-bearing micro-bit-magnetometer-data micro-bit-magnetometer-period micro-bit-pin-ad-configuration micro-bit-pin-data micro-bit-pin-i-o-configuration micro-bit-pwm-control micro-bit-requirements micro-bit-scrolling-delay micro-bit-temperature micro-bit-temperature-period microchip-transparent-uart-rx microchip-transparent-uart-tx middle-name model-number-string mute navigation new-alert next-track-object-id nitrogen-dioxide-concentration noise non-methane-volatile-organic-compounds-concentration nordic-azimuth-measurement nordic-blinky-button-state nordic-blinky-led-state nordic-buttonless-dfu-with-bonds nordic-buttonless-dfu-without-bonds nordic-ddf-control-point nordic-ddf-feature nordic-dfu-control-point nordic-dfu-packet nordic-distance-measurement nordic-edge-impulse-remote-management-rx nordic-edge-impulse-remote-management-tx nordic-elevation-measurement nordic-experimental-buttonless-dfu nordic-legacy-dfu-control-point nordic-legacy-dfu-packet nordic-legacy-dfu-version nordic-status nordic-uart-rx nordic-uart-tx nordic-wi-fi-provisioning-control-point nordic-wi-fi-provisioning-data-out nordic-wi-fi-provisioning-service-version object-action-control-point object-changed object-first-created object-id object-last-modified object-list-control-point object-list-filter object-name object-properties object-size object-type observation-schedule-changed on-demand-ranging-data ots-feature ozone-concentration parent-group-object-id particulate-matter-pm1-concentration particulate-matter-pm10-concentration particulate-matter-pm2-5-concentration perceived-lightness percentage-8 percentage-8-steps peripheral-preferred-connection-parameters peripheral-privacy-flag philips-hue-light-brightness-level philips-hue-light-color philips-hue-light-on-off physical-activity-current-session physical-activity-monitor-control-point physical-activity-monitor-features physical-activity-session-descriptor playback-speed playing-order playing-orders-supported plx-continuous-measurement plx-features plx-spot-check-measurement pnp-id polar-measurement-control polar-measurement-data pollen-concentration position-quality power power-specification precise-acceleration-3d preferred-units pressure protocol-mode pushbutton-status-8 rainfall ranging-data-overwritten ranging-data-ready ras-control-point ras-features rc-feature rc-settings real-time-ranging-data recipe-control recipe-parameters reconnection-address reconnection-configuration-control-point record-access-control-point reference-time-information registered-user relative-runtime-in-a-correlated-color-temperature-range relative-runtime-in-a-current-range relative-runtime-in-a-generic-level-range relative-value-in-a-period-of-day relative-value-in-a-temperature-range relative-value-in-a-voltage-range relative-value-in-an-illuminance-range report report-map resolvable-private-address-only resting-heart-rate ringer-control-point ringer-setting rotational-speed rower-data rsc-feature rsc-measurement sc-control-point scan-interval-window scan-refresh search-control-point search-results-object-id sedentary-interval-notification seeking-speed sensor-location sensortag-accelerometer-configuration sensortag-accelerometer-data sensortag-accelerometer-period sensortag-barometer-calibration sensortag-barometer-configuration sensortag-barometer-data sensortag-gyroscope-configuration sensortag-gyroscope-data sensortag-humidity-configuration sensortag-humidity-data sensortag-ir-temperature-configuration sensortag-ir-temperature-data sensortag-magnetometer-configuration sensortag-magnetometer-data sensortag-magnetometer-period serial-number-string server-supported-features service-changed service-cycle-data set-identity-resolving-key set-member-lock set-member-rank silicon-labs-ota-control silicon-labs-ota-data sink-ase sink-audio-locations sink-pac sleep-activity-instantaneous-data sleep-activity-summary-data software-revision-string source-ase source-audio-locations source-pac sport-type-for-aerobic-and-anaerobic-thresholds stair-climber-data status-flags step-climber-data step-counter-activity-summary-data stored-health-observations stride-length sulfur-dioxide-concentration sulfur-hexafluoride-concentration supported-audio-contexts supported-heart-rate-range supported-inclination-range supported-new-alert-category supported-power-range supported-resistance-level-range supported-speed-range supported-unread-alert-category system-id tds-control-point temperature temperature-8 temperature-8-in-a-period-of-day temperature-8-statistics temperature-measurement temperature-range temperature-statistics temperature-type termination-reason thingy-advertising-parameters thingy-air-quality thingy-button-state thingy-cloud-token thingy-color thingy-configuration thingy-connection-parameters thingy-device-name thingy-eddystone-url thingy-euler thingy-ext-pin thingy-fw-version thingy-gravity-vector thingy-heading thingy-humidity thingy-led-state thingy-microphone thingy-motion-config thingy-mtu-request thingy-orientation thingy-pedometer thingy-pressure thingy-quaternion thingy-raw-data thingy-rotation-matrix thingy-sensor-hub-battery thingy-sensor-hub-blue-color thingy-sensor-hub-green-color thingy-sensor-hub-humidity thingy-sensor-hub-iaq thingy-sensor-hub-pressure thingy-sensor-hub-red-color thingy-sensor-hub-temperature thingy-sound-config thingy-speaker-data thingy-speaker-status thingy-tap thingy-temperature three-zone-heart-rate-limits ti-image-block ti-image-identify ti-oad-control time-accuracy time-change-log-data time-decihour-8 time-exponential-8 time-hour-24 time-millisecond-24 time-second-16 time-second-32 time-second-8 time-source time-update-control-point time-update-state time-with-dst time-zone tmap-role torque track-changed track-duration track-position track-title training-status treadmill-data true-wind-direction true-wind-speed two-zone-heart-rate-limits tx-power-level udi-for-medical-devices ugg-features ugt-features uncertainty unread-alert-status uri user-control-point user-index uv-index vo2-max voc-concentration voice-assistant-name voice-assistant-service-control-point voice-assistant-session-flag voice-assistant-session-state voice-assistant-supported-features voice-assistant-supported-languages voice-assistant-uuid voltage voltage-frequency voltage-specification voltage-statistics volume-control-point volume-flags volume-flow volume-offset-control-point volume-offset-state volume-state waist-circumference weight weight-measurement weight-scale-feature wind-chill work-cycle-data xiaomi-thermometer-data
end

# A file behind an at sign.
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
complete -c blectl -n '__blectl_command ""' -a serve -d 'act as a device: advertise it and serve centrals'
complete -c blectl -n '__blectl_command ""' -a adapters -d 'list the Bluetooth adapters, and why one cannot be used'
complete -c blectl -n '__blectl_command ""' -a adapter -d 'switch a Bluetooth adapter, or its Low Energy part, on or off'
complete -c blectl -n '__blectl_command ""' -a completion -d 'print the completion script of a shell'
complete -c blectl -n '__blectl_command ""' -a help -d 'explain blectl or one of its commands'
complete -c blectl -n '__blectl_command ""' -a version -d 'print the version'

complete -c blectl -n '__blectl_command "" inspect read write notify watch' -s d -l device -x -d 'the device, by its address or its exact name'
complete -c blectl -n '__blectl_command "" inspect read write notify watch' -l name -x -d 'look for a device with this name'
complete -c blectl -n '__blectl_command "" inspect read write notify watch' -l service -x -a '(__blectl_services)' -d 'look for a device that advertises this service'
complete -c blectl -n '__blectl_command "" inspect read write notify watch' -l address-type -x -a 'public\\t"assigned to the manufacturer of the device"
random\\t"chosen by the device: static or private"' -d 'the type of the device\'s address'
complete -c blectl -n '__blectl_command "" inspect read write notify watch' -l connect-timeout -x -d 'how long one attempt to connect may take'
complete -c blectl -n '__blectl_command "" inspect read write notify watch' -l no-wait -d 'fail at once if another program of this machine uses the device'
complete -c blectl -n '__blectl_command "" inspect read write notify watch' -l retries -x -d 'how often to try again to connect'
complete -c blectl -n '__blectl_command "" inspect read write notify watch' -l no-cache -d 'discover the device again, without the cache'

complete -c blectl -l json -d 'print one JSON object per line'
complete -c blectl -l format -x -d 'print a line for each record by this template'
complete -c blectl -s v -l verbose -d 'show ATT packets; -vv: HCI packets, too'
complete -c blectl -s q -l quiet -d 'print nothing but results and errors'
complete -c blectl -l color -x -a 'auto\\t"on a terminal, unless \\$NO_COLOR is set"
always\\t"even into a file or a pipe"
never\\t"not at all"' -d 'when to use colour'
complete -c blectl -s i -l adapter -x -a '(__blectl_adapters)' -d 'use this Bluetooth adapter'
complete -c blectl -l wait-adapter -x -d 'wait this long for an adapter that is missing, off or blocked'
complete -c blectl -l timeout -x -d 'how long one step may take'
complete -c blectl -l deadline -x -d 'how long the whole command may take'
complete -c blectl -l radio -x -d 'use a socket instead of a Bluetooth adapter'
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
held\\t"another program is connected to each device, for 3 s"' -d 'the state of the simulated adapter'
complete -c blectl -s h -l help -d 'print help: one screen with -h, all with --help'
complete -c blectl -l version -d 'print the version'

complete -c blectl -n '__blectl_command scan' -l duration -x -d 'stop after this time'
complete -c blectl -n '__blectl_command scan' -s n -l count -x -d 'stop after this many devices'
complete -c blectl -n '__blectl_command scan' -l name -x -d 'only devices with this name'
complete -c blectl -n '__blectl_command scan' -l service -x -a '(__blectl_services)' -d 'only devices that advertise this service'
complete -c blectl -n '__blectl_command scan' -l address -x -d 'only the device with this address'
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
complete -c blectl -n '__blectl_command scan' -l sort -x -a 'seen\\t"first heard first"
rssi\\t"strongest first"
name\\t"by name"
address\\t"by address"' -d 'the order of the table'

complete -c blectl -n '__blectl_command inspect' -l values -d 'read every value that can be read'

complete -c blectl -n '__blectl_command read' -l as -x -a 'hex utf8 utf16 raw u8 s8 u16 s16 u24 s24 u32 s32 u48 s48 u64 s64 f32 f64 medfloat16 medfloat32' -d 'how to print the bytes'

complete -c blectl -n '__blectl_command write' -l no-response -d 'write without response'
complete -c blectl -n '__blectl_command write' -l reliable -d 'have the device repeat the value before it is written'
complete -c blectl -n '__blectl_command write' -l verify -d 'read the value back and compare it'
complete -c blectl -n '__blectl_command write' -l chunk -x -d 'write in pieces of at most this many bytes'

complete -c blectl -n '__blectl_command notify' -s n -l count -x -d 'stop after this many values'
complete -c blectl -n '__blectl_command notify' -l duration -x -d 'stop after this time'
complete -c blectl -n '__blectl_command notify' -l reconnect -d 'connect again when the connection is lost'
complete -c blectl -n '__blectl_command notify' -l as -x -a 'hex utf8 utf16 raw u8 s8 u16 s16 u24 s24 u32 s32 u48 s48 u64 s64 f32 f64 medfloat16 medfloat32' -d 'how to print the bytes'

complete -c blectl -n '__blectl_command watch' -s n -l count -x -d 'stop after this many measurements'
complete -c blectl -n '__blectl_command watch' -l duration -x -d 'stop after this time'
complete -c blectl -n '__blectl_command watch' -l reconnect -d 'connect again when the connection is lost'

complete -c blectl -n '__blectl_command serve' -s n -l count -x -d 'stop after this many connections have ended'
complete -c blectl -n '__blectl_command serve' -l duration -x -d 'stop after this time'
complete -c blectl -n '__blectl_command serve' -l centrals -x -d 'how many centrals may be connected at once'
complete -c blectl -n '__blectl_command serve' -l no-wait -d 'fail at once if another blectl serves on the adapter'

complete -c blectl -n '__blectl_command help' -l json-schema -d 'print the JSON Schema of the records of --json'

complete -c blectl -n '__blectl_argument read 1 +' -a '(__blectl_targets)'
complete -c blectl -n '__blectl_argument write 1' -a '(__blectl_targets)'
complete -c blectl -n '__blectl_argument write 2' -a '(__blectl_values)'
complete -c blectl -n '__blectl_argument notify 1 +' -a '(__blectl_targets)'
complete -c blectl -n '__blectl_argument watch 1' -a 'battery\\t"Battery"
heart-rate\\t"Heart Rate"'
complete -c blectl -n '__blectl_argument serve 1' -a 'pulse-strap thermometer uart-echo workbench ibeacon eddystone weather-mast shapeshifter museum sports-watch flaky-strap'
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
serve\\t"act as a device: advertise it and serve centrals"
adapters\\t"list the Bluetooth adapters, and why one cannot be used"
adapter\\t"switch a Bluetooth adapter, or its Low Energy part, on or off"
completion\\t"print the completion script of a shell"
help\\t"explain blectl or one of its commands"
version\\t"print the version"'
