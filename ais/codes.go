package ais

// String returns the navigational status in words (ITU-R M.1371-5, table 48).
func (s NavStatus) String() string {
	switch s {
	case StatusUnderWayEngine:
		return "Under way using engine"
	case StatusAtAnchor:
		return "At anchor"
	case StatusNotCommand:
		return "Not under command"
	case StatusRestricted:
		return "Restricted manoeuvrability"
	case StatusConstrained:
		return "Constrained by her draught"
	case StatusMoored:
		return "Moored"
	case StatusAground:
		return "Aground"
	case StatusFishing:
		return "Engaged in fishing"
	case StatusUnderWaySail:
		return "Under way sailing"
	case 9:
		return "Reserved for high speed craft"
	case 10:
		return "Reserved for wing in ground"
	case 11:
		return "Power-driven vessel towing astern"
	case 12:
		return "Power-driven vessel pushing ahead or towing alongside"
	case 13:
		return "Reserved"
	case StatusSART:
		return "AIS-SART, MOB or EPIRB active"
	}
	return "Not defined"
}

// String returns the type of ship and cargo in words (ITU-R M.1371-5, table 53): "Cargo, hazardous category A". 0 is "".
func (t ShipType) String() string {
	switch {
	case t == 0:
		return ""
	case t < 20 || t > 99:
		return "Reserved"
	case t >= 30 && t < 40:
		return [...]string{"Fishing", "Towing", "Towing, longer than 200 m or wider than 25 m", "Dredging or underwater operations",
			"Diving operations", "Military operations", "Sailing", "Pleasure craft", "Reserved", "Reserved"}[t-30]
	case t >= 50 && t < 60:
		return [...]string{"Pilot vessel", "Search and rescue vessel", "Tug", "Port tender", "Anti-pollution vessel",
			"Law enforcement vessel", "Local vessel", "Local vessel", "Medical transport", "Ship not party to an armed conflict"}[t-50]
	}
	group := [...]string{2: "Wing in ground", 4: "High speed craft", 6: "Passenger", 7: "Cargo", 8: "Tanker", 9: "Other"}[t/10]
	switch t % 10 {
	case 1, 2, 3, 4:
		return group + ", hazardous category " + string('A'+rune(t%10)-1)
	}
	return group
}

// EPFDText returns the kind of a position fixing device in words (ITU-R M.1371-5, annex 8, message 4); 0 is "".
func EPFDText(epfd uint8) string {
	switch epfd {
	case 0:
		return ""
	case 1:
		return "GPS"
	case 2:
		return "GLONASS"
	case 3:
		return "Combined GPS/GLONASS"
	case 4:
		return "Loran-C"
	case 5:
		return "Chayka"
	case 6:
		return "Integrated navigation system"
	case 7:
		return "Surveyed"
	case 8:
		return "Galileo"
	case 15:
		return "Internal GNSS"
	}
	return "Reserved"
}

// AidTypeText returns the kind of an aid to navigation in words (ITU-R M.1371-5, annex 8, message 21); 0 is "".
func AidTypeText(kind uint8) string {
	if kind > 31 {
		return ""
	}
	return [...]string{"", "Reference point", "RACON", "Fixed structure off shore", "Emergency wreck marking buoy",
		"Light, without sectors", "Light, with sectors", "Leading light front", "Leading light rear",
		"Beacon, cardinal N", "Beacon, cardinal E", "Beacon, cardinal S", "Beacon, cardinal W",
		"Beacon, port hand", "Beacon, starboard hand", "Beacon, preferred channel port hand", "Beacon, preferred channel starboard hand",
		"Beacon, isolated danger", "Beacon, safe water", "Beacon, special mark",
		"Cardinal mark N", "Cardinal mark E", "Cardinal mark S", "Cardinal mark W",
		"Port hand mark", "Starboard hand mark", "Preferred channel port hand", "Preferred channel starboard hand",
		"Isolated danger", "Safe water", "Special mark", "Light vessel, LANBY or rig"}[kind]
}

// StationTypeText returns the kind of stations that a group assignment is for (ITU-R M.1371-5, annex 8, message 23).
func StationTypeText(kind uint8) string {
	switch {
	case kind < 10:
		return [...]string{"All types of mobiles", "Class A mobiles", "All types of class B mobiles", "SAR airborne mobiles",
			"Class B SO mobiles", "Class B CS mobiles", "Inland waterways", "Regional use", "Regional use", "Regional use"}[kind]
	case kind == 10:
		return "Base station coverage area"
	}
	return "Reserved"
}
