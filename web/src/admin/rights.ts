// The 73 rights of the interface in sections that an administrator thinks in. Their words are right.{name}.
export const sections = [
  section(
    "signin",
    "web_online_access web_report_access allow_web_service lss_access pcs_access access_remote_configuration " +
      "access_remote_user_configuration",
  ),
  section(
    "map",
    "allow_open_street_maps allow_provider_maps allow_s57_maps view_wmslayers create_wms_services allow_colour_by_age " +
      "view_predicted_position view_satellites",
  ),
  section("past", "view_history view_historical_tracks download_historical_tracks replay replay_from_db"),
  section("port", "view_port admin_port view_ata_atd ack_ata_atd admin_ata_atd"),
  section(
    "lists",
    "view_shiplist configure_ship_lists share_shiplists admin_shiplists share_shapes admin_shapes add_remove_region " +
      "change_region share_filters admin_filters",
  ),
  section("register", "add_remove_mmsi_entries change_mmsi_entries add_remove_aton add_remove_virtual_aton"),
  section(
    "watch",
    "view_watchdog configure_watchdog_definitions share_watchdogs admin_watchdog_definitions add_remove_events " +
      "share_reports admin_reports",
  ),
  section(
    "messages",
    "message_service send_messages message_redirection send_mail allow_mail_self allow_mail_other_users " + "allow_mail_attachments",
  ),
  section("stream", "allow_nmea_tag_msgs allow_nmea_commentblock_msgs allow_nmea_pghp_msgs allow_oth_gold_msgs allow_xml_msgs"),
  section(
    "users",
    "user_conf_access add_remove_users change_user reset_passwords change_access_rights change_settings " +
      "change_filter_settings change_proxy_filters add_remove_access_rights_groups add_remove_settings_groups " +
      "add_remove_filter_groups lock_groups",
  ),
  section("system", "sys_conf_access get_system_status_info allow_remote_control"),
];

function section(name: string, rights: string): { name: string; rights: readonly string[] } {
  return { name, rights: rights.split(" ") };
}

/** allRights is every right once. */
export const allRights: readonly string[] = sections.flatMap((s) => s.rights);

// The rights that nothing asks for yet, by what they come with. Their words are waits.{name}. test/admin.test.mjs holds this to docs/api.md.
const waiting: Record<string, string> = {
  replay: "replay replay_from_db",
  layers: "allow_colour_by_age allow_open_street_maps allow_provider_maps allow_s57_maps create_wms_services",
  control: "allow_remote_control",
};
const comes = new Map(Object.entries(waiting).flatMap(([what, rights]) => rights.split(" ").map((right) => [right, what] as const)));

/** comesWith returns what a right comes with that does nothing yet; undefined of one that works. */
export const comesWith = (right: string): string | undefined => comes.get(right);
