// The 73 rights of the interface in sections that an administrator thinks in. Their words are right.{name}.
export const sections: readonly { name: string; rights: readonly string[] }[] = [
  {
    name: "signin",
    rights: [
      "web_online_access",
      "web_report_access",
      "allow_web_service",
      "lss_access",
      "pcs_access",
      "access_remote_configuration",
      "access_remote_user_configuration",
    ],
  },
  {
    name: "map",
    rights: [
      "allow_open_street_maps",
      "allow_provider_maps",
      "allow_s57_maps",
      "view_wmslayers",
      "create_wms_services",
      "allow_colour_by_age",
      "view_predicted_position",
      "view_satellites",
    ],
  },
  { name: "past", rights: ["view_history", "view_historical_tracks", "download_historical_tracks", "replay", "replay_from_db"] },
  { name: "port", rights: ["view_port", "admin_port", "view_ata_atd", "ack_ata_atd", "admin_ata_atd"] },
  {
    name: "lists",
    rights: [
      "view_shiplist",
      "configure_ship_lists",
      "share_shiplists",
      "admin_shiplists",
      "share_shapes",
      "admin_shapes",
      "add_remove_region",
      "change_region",
      "share_filters",
      "admin_filters",
    ],
  },
  { name: "register", rights: ["add_remove_mmsi_entries", "change_mmsi_entries", "add_remove_aton", "add_remove_virtual_aton"] },
  {
    name: "watch",
    rights: [
      "view_watchdog",
      "configure_watchdog_definitions",
      "share_watchdogs",
      "admin_watchdog_definitions",
      "add_remove_events",
      "share_reports",
      "admin_reports",
    ],
  },
  {
    name: "messages",
    rights: [
      "message_service",
      "send_messages",
      "message_redirection",
      "send_mail",
      "allow_mail_self",
      "allow_mail_other_users",
      "allow_mail_attachments",
    ],
  },
  {
    name: "stream",
    rights: ["allow_nmea_tag_msgs", "allow_nmea_commentblock_msgs", "allow_nmea_pghp_msgs", "allow_oth_gold_msgs", "allow_xml_msgs"],
  },
  {
    name: "users",
    rights: [
      "user_conf_access",
      "add_remove_users",
      "change_user",
      "reset_passwords",
      "change_access_rights",
      "change_settings",
      "change_filter_settings",
      "change_proxy_filters",
      "add_remove_access_rights_groups",
      "add_remove_settings_groups",
      "add_remove_filter_groups",
      "lock_groups",
    ],
  },
  { name: "system", rights: ["sys_conf_access", "get_system_status_info", "allow_remote_control"] },
];

/** allRights is every right once. */
export const allRights: readonly string[] = sections.flatMap((s) => s.rights);
