// Package right has the access rights of the interface specification, and the rights that the groups of the first start have.
package right

import "slices"

// Name is the name of one access right. The route table of package handlers decides what each of them opens.
type Name string

// Verdict is what a user or a group says about a right. An absent or empty one leaves the decision to others.
type Verdict string

// The two verdicts.
const (
	Allow Verdict = "allow"
	Deny  Verdict = "deny"
)

// The rights of the specification, all of them, in its own order.
const (
	AccessRemoteConfiguration     Name = "access_remote_configuration"
	AccessRemoteUserConfiguration Name = "access_remote_user_configuration"
	AckATAATD                     Name = "ack_ata_atd"
	AddRemoveAccessRightsGroups   Name = "add_remove_access_rights_groups"
	AddRemoveAtoN                 Name = "add_remove_aton"
	AddRemoveEvents               Name = "add_remove_events"
	AddRemoveFilterGroups         Name = "add_remove_filter_groups"
	AddRemoveMMSIEntries          Name = "add_remove_mmsi_entries"
	AddRemoveRegion               Name = "add_remove_region"
	AddRemoveSettingsGroups       Name = "add_remove_settings_groups"
	AddRemoveUsers                Name = "add_remove_users"
	AddRemoveVirtualAtoN          Name = "add_remove_virtual_aton"
	AdminATAATD                   Name = "admin_ata_atd"
	AdminFilters                  Name = "admin_filters"
	AdminPort                     Name = "admin_port"
	AdminReports                  Name = "admin_reports"
	AdminShapes                   Name = "admin_shapes"
	AdminShipLists                Name = "admin_shiplists"
	AdminWatchdogDefinitions      Name = "admin_watchdog_definitions"
	AllowColourByAge              Name = "allow_colour_by_age"
	AllowProviderMaps             Name = "allow_provider_maps"
	AllowMailAttachments          Name = "allow_mail_attachments"
	AllowMailOtherUsers           Name = "allow_mail_other_users"
	AllowMailSelf                 Name = "allow_mail_self"
	AllowNMEACommentBlockMessages Name = "allow_nmea_commentblock_msgs"
	AllowNMEAPGHPMessages         Name = "allow_nmea_pghp_msgs"
	AllowNMEATagMessages          Name = "allow_nmea_tag_msgs"
	AllowOpenStreetMaps           Name = "allow_open_street_maps"
	AllowOTHGoldMessages          Name = "allow_oth_gold_msgs"
	AllowRemoteControl            Name = "allow_remote_control"
	AllowS57Maps                  Name = "allow_s57_maps"
	AllowWebService               Name = "allow_web_service"
	AllowXMLMessages              Name = "allow_xml_msgs"
	ChangeAccessRights            Name = "change_access_rights"
	ChangeFilterSettings          Name = "change_filter_settings"
	ChangeMMSIEntries             Name = "change_mmsi_entries"
	ChangeProxyFilters            Name = "change_proxy_filters"
	ChangeRegion                  Name = "change_region"
	ChangeSettings                Name = "change_settings"
	ChangeUser                    Name = "change_user"
	ConfigureShipLists            Name = "configure_ship_lists"
	ConfigureWatchdogDefinitions  Name = "configure_watchdog_definitions"
	CreateWMSServices             Name = "create_wms_services"
	DownloadHistoricalTracks      Name = "download_historical_tracks"
	GetSystemStatusInformation    Name = "get_system_status_info"
	LockGroups                    Name = "lock_groups"
	LSSAccess                     Name = "lss_access"
	MessageRedirection            Name = "message_redirection"
	MessageService                Name = "message_service"
	PCSAccess                     Name = "pcs_access"
	Replay                        Name = "replay"
	ReplayFromDB                  Name = "replay_from_db"
	ResetPasswords                Name = "reset_passwords"
	SendMail                      Name = "send_mail"
	SendMessages                  Name = "send_messages"
	ShareFilters                  Name = "share_filters"
	ShareReports                  Name = "share_reports"
	ShareShapes                   Name = "share_shapes"
	ShareShipLists                Name = "share_shiplists"
	ShareWatchdogs                Name = "share_watchdogs"
	SystemConfigurationAccess     Name = "sys_conf_access"
	UserConfigurationAccess       Name = "user_conf_access"
	ViewATAATD                    Name = "view_ata_atd"
	ViewHistoricalTracks          Name = "view_historical_tracks"
	ViewHistory                   Name = "view_history"
	ViewPort                      Name = "view_port"
	ViewPredictedPosition         Name = "view_predicted_position"
	ViewSatellites                Name = "view_satellites"
	ViewShiplist                  Name = "view_shiplist"
	ViewWatchdog                  Name = "view_watchdog"
	ViewWMSLayers                 Name = "view_wmslayers"
	WebOnlineAccess               Name = "web_online_access"
	WebReportAccess               Name = "web_report_access"
)

// All returns every right once, in the order of the specification.
func All() []Name {
	return []Name{
		AccessRemoteConfiguration,
		AccessRemoteUserConfiguration,
		AckATAATD,
		AddRemoveAccessRightsGroups,
		AddRemoveAtoN,
		AddRemoveEvents,
		AddRemoveFilterGroups,
		AddRemoveMMSIEntries,
		AddRemoveRegion,
		AddRemoveSettingsGroups,
		AddRemoveUsers,
		AddRemoveVirtualAtoN,
		AdminATAATD,
		AdminFilters,
		AdminPort,
		AdminReports,
		AdminShapes,
		AdminShipLists,
		AdminWatchdogDefinitions,
		AllowColourByAge,
		AllowProviderMaps,
		AllowMailAttachments,
		AllowMailOtherUsers,
		AllowMailSelf,
		AllowNMEACommentBlockMessages,
		AllowNMEAPGHPMessages,
		AllowNMEATagMessages,
		AllowOpenStreetMaps,
		AllowOTHGoldMessages,
		AllowRemoteControl,
		AllowS57Maps,
		AllowWebService,
		AllowXMLMessages,
		ChangeAccessRights,
		ChangeFilterSettings,
		ChangeMMSIEntries,
		ChangeProxyFilters,
		ChangeRegion,
		ChangeSettings,
		ChangeUser,
		ConfigureShipLists,
		ConfigureWatchdogDefinitions,
		CreateWMSServices,
		DownloadHistoricalTracks,
		GetSystemStatusInformation,
		LockGroups,
		LSSAccess,
		MessageRedirection,
		MessageService,
		PCSAccess,
		Replay,
		ReplayFromDB,
		ResetPasswords,
		SendMail,
		SendMessages,
		ShareFilters,
		ShareReports,
		ShareShapes,
		ShareShipLists,
		ShareWatchdogs,
		SystemConfigurationAccess,
		UserConfigurationAccess,
		ViewATAATD,
		ViewHistoricalTracks,
		ViewHistory,
		ViewPort,
		ViewPredictedPosition,
		ViewSatellites,
		ViewShiplist,
		ViewWatchdog,
		ViewWMSLayers,
		WebOnlineAccess,
		WebReportAccess,
	}
}

// OfViewer are what the group of viewers may do. A caller without a name may do it where the operator opened the reads. They may look, and nothing else.
func OfViewer() []Name {
	return []Name{
		AllowWebService, WebOnlineAccess, ViewATAATD, ViewHistoricalTracks, ViewHistory, ViewPort, ViewPredictedPosition,
		ViewSatellites, ViewShiplist, ViewWatchdog, ViewWMSLayers,
	}
}

// OfLink lists the rights that a link to look at the map can give.
func OfLink() []Name {
	return []Name{WebOnlineAccess, PCSAccess, ViewATAATD, ViewHistoricalTracks, ViewHistory, ViewPort, ViewPredictedPosition, ViewSatellites}
}

// OfOperator are all but those over users, groups and the system.
func OfOperator() []Name {
	return slices.DeleteFunc(All(), func(r Name) bool {
		return slices.Contains([]Name{
			AccessRemoteUserConfiguration, AddRemoveAccessRightsGroups, AddRemoveFilterGroups, AddRemoveSettingsGroups, AddRemoveUsers,
			ChangeAccessRights, ChangeFilterSettings, ChangeProxyFilters, ChangeSettings, ChangeUser, LockGroups, ResetPasswords,
			SystemConfigurationAccess, UserConfigurationAccess,
		}, r)
	})
}
