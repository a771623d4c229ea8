package access

import "slices"

// Right is the name of one access right of the interface specification. What each of them gates is decided by the route
// table of package handlers.
type Right string

// The rights of the specification, all of them, in its own order.
const (
	AccessRemoteConfiguration     Right = "access_remote_configuration"
	AccessRemoteUserConfiguration Right = "access_remote_user_configuration"
	AckATAATD                     Right = "ack_ata_atd"
	AddRemoveAccessRightsGroups   Right = "add_remove_access_rights_groups"
	AddRemoveAtoN                 Right = "add_remove_aton"
	AddRemoveEvents               Right = "add_remove_events"
	AddRemoveFilterGroups         Right = "add_remove_filter_groups"
	AddRemoveMMSIEntries          Right = "add_remove_mmsi_entries"
	AddRemoveRegion               Right = "add_remove_region"
	AddRemoveSettingsGroups       Right = "add_remove_settings_groups"
	AddRemoveUsers                Right = "add_remove_users"
	AddRemoveVirtualAtoN          Right = "add_remove_virtual_aton"
	AdminATAATD                   Right = "admin_ata_atd"
	AdminFilters                  Right = "admin_filters"
	AdminPort                     Right = "admin_port"
	AdminReports                  Right = "admin_reports"
	AdminShapes                   Right = "admin_shapes"
	AdminShipLists                Right = "admin_shiplists"
	AdminWatchdogDefinitions      Right = "admin_watchdog_definitions"
	AllowColourByAge              Right = "allow_colour_by_age"
	AllowProviderMaps             Right = "allow_provider_maps"
	AllowMailAttachments          Right = "allow_mail_attachments"
	AllowMailOtherUsers           Right = "allow_mail_other_users"
	AllowMailSelf                 Right = "allow_mail_self"
	AllowNMEACommentBlockMessages Right = "allow_nmea_commentblock_msgs"
	AllowNMEAPGHPMessages         Right = "allow_nmea_pghp_msgs"
	AllowNMEATagMessages          Right = "allow_nmea_tag_msgs"
	AllowOpenStreetMaps           Right = "allow_open_street_maps"
	AllowOTHGoldMessages          Right = "allow_oth_gold_msgs"
	AllowRemoteControl            Right = "allow_remote_control"
	AllowS57Maps                  Right = "allow_s57_maps"
	AllowWebService               Right = "allow_web_service"
	AllowXMLMessages              Right = "allow_xml_msgs"
	ChangeAccessRights            Right = "change_access_rights"
	ChangeFilterSettings          Right = "change_filter_settings"
	ChangeMMSIEntries             Right = "change_mmsi_entries"
	ChangeProxyFilters            Right = "change_proxy_filters"
	ChangeRegion                  Right = "change_region"
	ChangeSettings                Right = "change_settings"
	ChangeUser                    Right = "change_user"
	ConfigureShipLists            Right = "configure_ship_lists"
	ConfigureWatchdogDefinitions  Right = "configure_watchdog_definitions"
	CreateWMSServices             Right = "create_wms_services"
	DownloadHistoricalTracks      Right = "download_historical_tracks"
	GetSystemStatusInformation    Right = "get_system_status_info"
	LockGroups                    Right = "lock_groups"
	LSSAccess                     Right = "lss_access"
	MessageRedirection            Right = "message_redirection"
	MessageService                Right = "message_service"
	PCSAccess                     Right = "pcs_access"
	Replay                        Right = "replay"
	ReplayFromDB                  Right = "replay_from_db"
	ResetPasswords                Right = "reset_passwords"
	SendMail                      Right = "send_mail"
	SendMessages                  Right = "send_messages"
	ShareFilters                  Right = "share_filters"
	ShareReports                  Right = "share_reports"
	ShareShapes                   Right = "share_shapes"
	ShareShipLists                Right = "share_shiplists"
	ShareWatchdogs                Right = "share_watchdogs"
	SystemConfigurationAccess     Right = "sys_conf_access"
	UserConfigurationAccess       Right = "user_conf_access"
	ViewATAATD                    Right = "view_ata_atd"
	ViewHistoricalTracks          Right = "view_historical_tracks"
	ViewHistory                   Right = "view_history"
	ViewPort                      Right = "view_port"
	ViewPredictedPosition         Right = "view_predicted_position"
	ViewSatellites                Right = "view_satellites"
	ViewShiplist                  Right = "view_shiplist"
	ViewWatchdog                  Right = "view_watchdog"
	ViewWMSLayers                 Right = "view_wmslayers"
	WebOnlineAccess               Right = "web_online_access"
	WebReportAccess               Right = "web_report_access"
)

// Rights gives every right once, in the order of the specification.
func Rights() []Right {
	return []Right{
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

// viewerRights are what the group of viewers may do, and what a caller without a name may do where the operator opened
// the reads: look, and nothing else.
func viewerRights() []Right {
	return []Right{
		AllowWebService, WebOnlineAccess, ViewATAATD, ViewHistoricalTracks, ViewHistory, ViewPort, ViewPredictedPosition,
		ViewSatellites, ViewShiplist, ViewWatchdog, ViewWMSLayers,
	}
}

// operatorRights are all but those over users, groups and the system.
func operatorRights() []Right {
	return slices.DeleteFunc(Rights(), func(r Right) bool {
		return slices.Contains([]Right{
			AccessRemoteUserConfiguration, AddRemoveAccessRightsGroups, AddRemoveFilterGroups, AddRemoveSettingsGroups, AddRemoveUsers,
			ChangeAccessRights, ChangeFilterSettings, ChangeProxyFilters, ChangeSettings, ChangeUser, LockGroups, ResetPasswords,
			SystemConfigurationAccess, UserConfigurationAccess,
		}, r)
	})
}
