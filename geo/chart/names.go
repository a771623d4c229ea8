package chart

import "strings"

// otherNames returns, by LOCODE, further names of ports, because the list has few. These are English names, former names, and spellings without the letters
// that a keyboard lacks. DATA.md tells by what else a port is found.
func otherNames() map[string][]string {
	return map[string][]string{
		"AEFJR": {"Fujairah"}, "AERUW": {"Ruwais"},
		"ALDRZ": {"Durazzo"},
		"BDCGP": {"Chattogram"},
		"BEANR": {"Antwerp", "Anvers"}, "BEGNE": {"Gand"}, "BEOST": {"Ostende"},
		"BGBOJ": {"Bourgas"},
		"CNCAN": {"Canton"}, "CNNKG": {"Nanking"}, "CNSTG": {"Shantou", "Swatow"}, "CNTAO": {"Tsingtao"}, "CNTSN": {"Tientsin"}, "CNXMN": {"Amoy"},
		"CUHAV": {"Havana"},
		"CYLMS": {"Lemesos"},
		"DEBRB": {"Brunsbuettel"}, "DECGN": {"Cologne", "Koeln"}, "DEDUS": {"Duesseldorf"}, "DELBC": {"Luebeck"},
		"DKAAL": {"Alborg"}, "DKAAR": {"Arhus"}, "DKCPH": {"Copenhagen", "Kopenhagen", "Koebenhavn"}, "DKHLS": {"Elsinore", "Helsingoer"},
		"EETLL": {"Reval"},
		"EGPSD": {"Bur Said"},
		"ESLCG": {"Corunna", "Coruna"}, "ESLPA": {"Las Palmas"}, "ESPAS": {"Pasaia"}, "ESPMI": {"Palma"}, "ESSVQ": {"Seville"}, "ESZAZ": {"Saragossa"},
		"FRDKK": {"Dunkirk"},
		"GRHER": {"Irakleio"}, "GRPIR": {"Pireas", "Peiraias"}, "GRRHO": {"Rodos"}, "GRSKG": {"Salonica", "Salonika"},
		"HRRJK": {"Fiume"},
		"INBLR": {"Bengaluru"}, "INIXE": {"Mangaluru"}, "INTUT": {"Thoothukudi"}, "INVTZ": {"Vizag"},
		"IRBKM": {"Bandar Imam Khomeini"},
		"ITGOA": {"Genoa"}, "ITLIV": {"Leghorn"}, "ITMIL": {"Milan"}, "ITNAP": {"Naples"}, "ITPDA": {"Padua"}, "ITTRN": {"Turin"}, "ITVCE": {"Venice"},
		"KRCHA": {"Cheju"}, "KRICH": {"Inchon"}, "KRINC": {"Inchon"}, "KRPUS": {"Pusan"},
		"LBBEY": {"Beyrouth"},
		"LTKLJ": {"Memel"},
		"LYTIP": {"Tarabulus"},
		"MATNG": {"Tanger"},
		"MMRGN": {"Rangoon"},
		"MYMKZ": {"Melaka"},
		"NLHVH": {"Hook of Holland"}, "NLVLI": {"Flushing"},
		"PLGDN": {"Danzig"}, "PLSZZ": {"Stettin"},
		"PTLIS": {"Lisbon"}, "PTOPO": {"Oporto"},
		"ROCND": {"Constantza"},
		"RUARH": {"Archangel"}, "RULED": {"St Petersburg", "St. Petersburg", "Sankt-Peterburg"},
		"SAJED": {"Jidda"},
		"SEGOT": {"Gothenburg", "Goeteborg"}, "SEMMA": {"Malmoe"},
		"SIKOP": {"Capodistria"},
		"SYLTK": {"Lattakia"},
		"TRIZM": {"Smyrna"},
		"UAIEV": {"Kyiv"}, "UAILK": {"Chornomorsk"}, "UAODS": {"Odesa"},
		"VNDAD": {"Danang"}, "VNHPH": {"Hai Phong"}, "VNSGN": {"Saigon"},
		"YEHOD": {"Hodeida", "Al Hudaydah"},
	}
}

// otherCodes returns, by LOCODE, further LOCODEs by which crews name a port. They are those of its terminals or of a part of it, and those that are mistaken
// for it.
func otherCodes() map[string][]string {
	return map[string][]string{
		"CNSHA": {"CNSHG"},
		"CNSTG": {"CNSWA"},
		"CNZNG": {"CNZHA"},
		"NLRTM": {"NLEUR", "NLMSV"},
		"PAPSA": {"PAROD"},
		"REREU": {"RERUN"},
		"TRAMB": {"TRAMR"},
		"VNTOT": {"VNCMT"},
	}
}

// partsOfName returns the names that stand in one of the list: "Helsingfors (Helsinki)", "Mumbai (ex Bombay)", "Funchal, Madeira",
// "IJmuiden/Velsen".
func partsOfName(name string) (parts []string) {
	before, after, bracketed := strings.Cut(name, " (")
	if bracketed {
		parts = append(parts, before)
		name = before
		if inner, _, closed := strings.Cut(after, ")"); closed {
			parts = append(parts, strings.TrimPrefix(inner, "ex "))
		}
	}
	if place, _, ok := strings.Cut(name, ", "); ok {
		parts = append(parts, place)
	}
	if strings.Contains(name, "/") {
		for part := range strings.SplitSeq(name, "/") {
			parts = append(parts, strings.TrimSpace(part))
		}
	}
	return parts
}
