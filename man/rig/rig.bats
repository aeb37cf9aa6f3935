#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
bats_require_minimum_version 1.5.0

setup_file() {
    export BLECTL_DEVICE='Pulse HR'
    blectl session start
}

teardown_file() {
    blectl session stop
}

@test "has charge" {
    run -0 blectl read battery-level \
        --format '{decoded.battery_level_percent}'
    [ "$output" -ge 20 ]
}

@test "refuses what it does not know" {
    run -76 blectl write heart-rate-control-point 0x02
}

@test "beats" {
    run -0 blectl watch heart-rate --count 3 --deadline 20 \
        --format '{decoded.heart_rate_bpm}'
    [ "${#lines[@]}" -eq 3 ]
    for rate in "${lines[@]}"; do [ "$rate" -gt 40 ]; done
}
