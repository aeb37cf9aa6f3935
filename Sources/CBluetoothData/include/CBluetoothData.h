// SPDX-License-Identifier: MIT

#ifndef CBLUETOOTHDATA_H
#define CBLUETOOTHDATA_H

/// A file that the compiler has put into the program: its octets, which end with a line feed.
typedef struct {
    const unsigned char *_Nonnull start;
    long count;
} BluetoothData;

// The tables of assigned numbers: one entry on a line, sorted by number.

/// Appearance values: a category (the low six bits are zero), or a subcategory of it.
BluetoothData bluetooth_appearances(void);
/// GATT characteristics.
BluetoothData bluetooth_characteristics(void);
/// Company identifiers, as in manufacturer data.
BluetoothData bluetooth_companies(void);
/// GATT declarations (0x28xx) and characteristic descriptors (0x29xx).
BluetoothData bluetooth_descriptors(void);
/// HCI commands: `c` if the parameters begin with the handle of a connection, `cr` if the return parameters after the
/// status do too, a tab, the name.
BluetoothData bluetooth_hci_commands(void);
/// HCI events by their code, and LE events by 0x3E00 and their subevent code: the place of the handle of a connection in
/// the parameters (after the subevent code), with `s` if it counts only after a success; a tab, the name.
BluetoothData bluetooth_hci_events(void);
/// Commands of the kernel's management interface.
BluetoothData bluetooth_management_commands(void);
/// Events of the kernel's management interface.
BluetoothData bluetooth_management_events(void);
/// 16-bit UUIDs that belong to companies: the owner's name.
BluetoothData bluetooth_members(void);
/// Profiles of networked lighting control in a mesh.
BluetoothData bluetooth_mesh_profiles(void);
/// Descriptions in the Bluetooth SIG's namespace, as in Presentation Format.
BluetoothData bluetooth_namespace_descriptions(void);
/// Types of objects in the Object Transfer Service.
BluetoothData bluetooth_object_types(void);
/// Protocols of Bluetooth Classic, as in service records.
BluetoothData bluetooth_protocols(void);
/// Service classes of Bluetooth Classic, which dual-mode devices advertise.
BluetoothData bluetooth_service_classes(void);
/// GATT services.
BluetoothData bluetooth_services(void);
/// 16-bit UUIDs of standards development organisations.
BluetoothData bluetooth_standards_organizations(void);
/// Units of measurement: the symbol (may be empty), a tab, the name.
BluetoothData bluetooth_units(void);
/// Well-known UUIDs outside the assigned numbers.
BluetoothData bluetooth_vendor(void);

// Device files, in JSON with comments.

/// A device for measurements of the link: values to read and to write, a stream of notifications, and channels that
/// echo, take and send.
BluetoothData bluetooth_device_bench(void);
/// A board whose firmware is updated by MCUmgr. Spec: Zephyr, Device Management
BluetoothData bluetooth_device_mcuboot_board(void);
/// A watch whose firmware is updated by Legacy DFU. Spec: nRF5 SDK 11, BLE DFU Service
BluetoothData bluetooth_device_dfu_watch(void);
/// Devices that pair in every way, and that fail to in every way.
BluetoothData bluetooth_device_security(void);
/// A clock, which is set by a client. It rings when a client raises an alert.  Spec: Current Time Service 1.1, 3;
/// Immediate Alert Service 1.0, 3; Link Loss Service 1.0.1, 3
BluetoothData bluetooth_device_desk_clock(void);
/// A lock that asks for pairing: its state may be read on an encrypted link only, and commands need a key that is
/// protected against a man in the middle. Therefore it pairs only if its passkey is entered.
BluetoothData bluetooth_device_door_lock(void);
/// An Eddystone beacon that sends its URL and its telemetry in turn. It accepts no connections.
BluetoothData bluetooth_device_eddystone(void);
/// A chest strap at the edge of its range, with immature firmware. Each link breaks after 20 seconds, the strap is
/// then out of reach for three seconds, and the battery and the heart rate change places twelve seconds after each
/// subscription, which is long enough for a client to have subscribed to Service Changed.  It does not advertise
/// its services, so that a search for a heart rate finds the reliable strap.
BluetoothData bluetooth_device_flaky_strap(void);
/// A pod on the shoe of a runner.  Spec: Running Speed and Cadence Service 1.0, 3
BluetoothData bluetooth_device_foot_pod(void);
/// A glucose meter with five stored measurements, which it sends when a client asks for them.  Spec: Glucose
/// Service 1.0.1, 3
BluetoothData bluetooth_device_glucose_meter(void);
/// A glucose sensor that is worn on the skin. Its minutes pass in seconds.  Spec: Continuous Glucose Monitoring
/// Service 1.0.2, 3
BluetoothData bluetooth_device_glucose_sensor(void);
/// A bicycle in a gym with a rider. It is a fitness machine, a power meter, and a sensor of speed and cadence.
/// Spec: Fitness Machine Service 1.0, 4; Cycling Power Service 1.1, 3; Cycling Speed and Cadence Service 1.0, 3
BluetoothData bluetooth_device_gym_bike(void);
/// A device whose texts all attack the terminal: they set the window's title and the colour, reverse the text,
/// begin a new line and column, and are not UTF-8.
BluetoothData bluetooth_device_hostile(void);
/// An iBeacon, which accepts no connections.
BluetoothData bluetooth_device_ibeacon(void);
/// A desk light whose plug has a loose contact: every third connection breaks after a second, and the light is then
/// dark for two more.
BluetoothData bluetooth_device_loose_contact(void);
/// A device without behaviour, whose database has all the shapes that the specification allows and that clients
/// have trouble with, taken from the qualification tests of GATT. It is older than the Database Hash, and has an
/// old radio.
BluetoothData bluetooth_device_museum(void);
/// A receiver of satellites on a walk along the Alster in Hamburg.  Spec: Location and Navigation Service 1.0, 3
BluetoothData bluetooth_device_navigator(void);
/// A pulse oximeter on a finger: a value each second, and the result of a spot check every 15 seconds.  Spec: Pulse
/// Oximeter Service 1.0.1, 3
BluetoothData bluetooth_device_oximeter(void);
/// A cuff that measures the blood pressure: the pressure while it deflates, and the result every 20 seconds.  Spec:
/// Blood Pressure Service 1.1.1, 3
BluetoothData bluetooth_device_pressure_cuff(void);
/// A chest strap with Heart Rate, Battery and Device Information.
BluetoothData bluetooth_device_pulse_strap(void);
/// A scale that measures the weight and the composition of a body. A person stands on it every few seconds.  Spec:
/// Weight Scale Service 1.0, 3; Body Composition Service 1.0, 3
BluetoothData bluetooth_device_scale(void);
/// A TI SensorTag (CC2541) that lies on a table. Each sensor measures while its configuration says so.  Spec: TI
/// SensorTag User Guide
BluetoothData bluetooth_device_sensor_tag(void);
/// A device that changes its database during connections, as a firmware update does. Cached knowledge is then
/// wrong, and the device announces that by Service Changed and by its Database Hash.  A write to its control point
/// selects the shape and the time: see `ShapeshifterProgram`. The control service and those before it never move,
/// so that a client can always write again; the readings do.
BluetoothData bluetooth_device_shapeshifter(void);
/// A sports watch with twelve services, as many as large devices have, most of them short. It shows the cost of
/// discovery. Two of the services contain Alert Level. It measures the wearer's heart while a client is subscribed.
/// Spec: Heart Rate Service 1.0, 3; Running Speed and Cadence Service 1.0, 3; Location and Navigation Service 1.0,
/// 3; Alert Notification Service 1.0, 3; Immediate Alert Service 1.0, 3; Link Loss Service 1.0.1, 3; Tx Power
/// Service 1.0, 3
BluetoothData bluetooth_device_sports_watch(void);
/// A thermometer with Health Thermometer, Environmental Sensing, Battery and Device Information. The first uses
/// indications. It has an old radio: short packets and the smallest MTU.  Spec: Health Thermometer Service 1.0, 3;
/// Environmental Sensing Service 1.0, 3
BluetoothData bluetooth_device_thermometer(void);
/// A Nordic Thingy:52 on a plate that turns once a minute. A sensor measures while a client is subscribed to it.
/// Spec: Nordic Thingy:52 firmware documentation, Firmware architecture, BLE services
BluetoothData bluetooth_device_thingy(void);
/// A serial port that echoes its input: the Nordic UART Service, with a resolvable private address.  The address is
/// that of the specification's sample data, so the identity key of the sample data resolves it.  Spec: Core 5.4,
/// Vol 3, Part H, D.7
BluetoothData bluetooth_device_uart_echo(void);
/// A weather station that broadcasts all its data in one extended advertisement of about 350 octets. Only extended
/// scanners receive it, in several fragments. It accepts no connections.
BluetoothData bluetooth_device_weather_mast(void);
/// A device with everything that is difficult: long values, every kind of descriptor, included and secondary
/// services, 128-bit UUIDs, duplicate UUIDs, and attributes that refuse or never answer.
BluetoothData bluetooth_device_workbench(void);

#endif
