// SPDX-License-Identifier: MIT
//
// Data as files: the compiler puts their octets into the program, and builds again when one changes. They cost nothing until
// somebody reads them.

#include "CBluetoothData.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#define ACCESS(name, octets) \
    BluetoothData name(void) { return (BluetoothData){octets, sizeof octets}; }

static const unsigned char appearances[] = {
#embed "tables/appearances.txt"
};
ACCESS(bluetooth_appearances, appearances)

static const unsigned char characteristics[] = {
#embed "tables/characteristics.txt"
};
ACCESS(bluetooth_characteristics, characteristics)

static const unsigned char companies[] = {
#embed "tables/companies.txt"
};
ACCESS(bluetooth_companies, companies)

static const unsigned char descriptors[] = {
#embed "tables/descriptors.txt"
};
ACCESS(bluetooth_descriptors, descriptors)

static const unsigned char hci_commands[] = {
#embed "tables/hci-commands.txt"
};
ACCESS(bluetooth_hci_commands, hci_commands)

static const unsigned char hci_events[] = {
#embed "tables/hci-events.txt"
};
ACCESS(bluetooth_hci_events, hci_events)

static const unsigned char management_commands[] = {
#embed "tables/management-commands.txt"
};
ACCESS(bluetooth_management_commands, management_commands)

static const unsigned char management_events[] = {
#embed "tables/management-events.txt"
};
ACCESS(bluetooth_management_events, management_events)

static const unsigned char members[] = {
#embed "tables/members.txt"
};
ACCESS(bluetooth_members, members)

static const unsigned char mesh_profiles[] = {
#embed "tables/mesh-profiles.txt"
};
ACCESS(bluetooth_mesh_profiles, mesh_profiles)

static const unsigned char namespace_descriptions[] = {
#embed "tables/namespace-descriptions.txt"
};
ACCESS(bluetooth_namespace_descriptions, namespace_descriptions)

static const unsigned char object_types[] = {
#embed "tables/object-types.txt"
};
ACCESS(bluetooth_object_types, object_types)

static const unsigned char protocols[] = {
#embed "tables/protocols.txt"
};
ACCESS(bluetooth_protocols, protocols)

static const unsigned char service_classes[] = {
#embed "tables/service-classes.txt"
};
ACCESS(bluetooth_service_classes, service_classes)

static const unsigned char services[] = {
#embed "tables/services.txt"
};
ACCESS(bluetooth_services, services)

static const unsigned char standards_organizations[] = {
#embed "tables/standards-organizations.txt"
};
ACCESS(bluetooth_standards_organizations, standards_organizations)

static const unsigned char units[] = {
#embed "tables/units.txt"
};
ACCESS(bluetooth_units, units)

static const unsigned char vendor[] = {
#embed "tables/vendor.txt"
};
ACCESS(bluetooth_vendor, vendor)

static const unsigned char device_bench[] = {
#embed "devices/bench.json"
};
ACCESS(bluetooth_device_bench, device_bench)

static const unsigned char device_mcuboot_board[] = {
#embed "devices/mcuboot-board.json"
};
ACCESS(bluetooth_device_mcuboot_board, device_mcuboot_board)

static const unsigned char device_dfu_watch[] = {
#embed "devices/dfu-watch.json"
};
ACCESS(bluetooth_device_dfu_watch, device_dfu_watch)

static const unsigned char device_security[] = {
#embed "devices/security.json"
};
ACCESS(bluetooth_device_security, device_security)

static const unsigned char device_desk_clock[] = {
#embed "devices/desk-clock.json"
};
ACCESS(bluetooth_device_desk_clock, device_desk_clock)

static const unsigned char device_door_lock[] = {
#embed "devices/door-lock.json"
};
ACCESS(bluetooth_device_door_lock, device_door_lock)

static const unsigned char device_eddystone[] = {
#embed "devices/eddystone.json"
};
ACCESS(bluetooth_device_eddystone, device_eddystone)

static const unsigned char device_flaky_strap[] = {
#embed "devices/flaky-strap.json"
};
ACCESS(bluetooth_device_flaky_strap, device_flaky_strap)

static const unsigned char device_foot_pod[] = {
#embed "devices/foot-pod.json"
};
ACCESS(bluetooth_device_foot_pod, device_foot_pod)

static const unsigned char device_glucose_meter[] = {
#embed "devices/glucose-meter.json"
};
ACCESS(bluetooth_device_glucose_meter, device_glucose_meter)

static const unsigned char device_glucose_sensor[] = {
#embed "devices/glucose-sensor.json"
};
ACCESS(bluetooth_device_glucose_sensor, device_glucose_sensor)

static const unsigned char device_gym_bike[] = {
#embed "devices/gym-bike.json"
};
ACCESS(bluetooth_device_gym_bike, device_gym_bike)

static const unsigned char device_hostile[] = {
#embed "devices/hostile.json"
};
ACCESS(bluetooth_device_hostile, device_hostile)

static const unsigned char device_ibeacon[] = {
#embed "devices/ibeacon.json"
};
ACCESS(bluetooth_device_ibeacon, device_ibeacon)

static const unsigned char device_loose_contact[] = {
#embed "devices/loose-contact.json"
};
ACCESS(bluetooth_device_loose_contact, device_loose_contact)

static const unsigned char device_museum[] = {
#embed "devices/museum.json"
};
ACCESS(bluetooth_device_museum, device_museum)

static const unsigned char device_navigator[] = {
#embed "devices/navigator.json"
};
ACCESS(bluetooth_device_navigator, device_navigator)

static const unsigned char device_oximeter[] = {
#embed "devices/oximeter.json"
};
ACCESS(bluetooth_device_oximeter, device_oximeter)

static const unsigned char device_pressure_cuff[] = {
#embed "devices/pressure-cuff.json"
};
ACCESS(bluetooth_device_pressure_cuff, device_pressure_cuff)

static const unsigned char device_pulse_strap[] = {
#embed "devices/pulse-strap.json"
};
ACCESS(bluetooth_device_pulse_strap, device_pulse_strap)

static const unsigned char device_scale[] = {
#embed "devices/scale.json"
};
ACCESS(bluetooth_device_scale, device_scale)

static const unsigned char device_sensor_tag[] = {
#embed "devices/sensor-tag.json"
};
ACCESS(bluetooth_device_sensor_tag, device_sensor_tag)

static const unsigned char device_shapeshifter[] = {
#embed "devices/shapeshifter.json"
};
ACCESS(bluetooth_device_shapeshifter, device_shapeshifter)

static const unsigned char device_sports_watch[] = {
#embed "devices/sports-watch.json"
};
ACCESS(bluetooth_device_sports_watch, device_sports_watch)

static const unsigned char device_thermometer[] = {
#embed "devices/thermometer.json"
};
ACCESS(bluetooth_device_thermometer, device_thermometer)

static const unsigned char device_thingy[] = {
#embed "devices/thingy.json"
};
ACCESS(bluetooth_device_thingy, device_thingy)

static const unsigned char device_uart_echo[] = {
#embed "devices/uart-echo.json"
};
ACCESS(bluetooth_device_uart_echo, device_uart_echo)

static const unsigned char device_weather_mast[] = {
#embed "devices/weather-mast.json"
};
ACCESS(bluetooth_device_weather_mast, device_weather_mast)

static const unsigned char device_workbench[] = {
#embed "devices/workbench.json"
};
ACCESS(bluetooth_device_workbench, device_workbench)
