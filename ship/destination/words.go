package destination

import (
	"strings"

	"quaywatch/ship"
)

// meaning is what a word of a destination is, if it is no name.
type meaning byte

const (
	qualifier meaning = iota + 1 // it may stand beside a name, which means the same port: "roads", "pilot"
	elsewhere                    // with it a name means another place: "windfarm", "archipelago"
	joint                        // behind a name it begins the rest of a longer one: "aan", "upon"
	remark                       // what follows is no place: "via", "for", "tel"
)

// vocabulary returns the words that are no names, in the languages of the crews.
func vocabulary() map[string]meaning {
	words := map[string]meaning{}
	for list, is := range map[string]meaning{qualifiers: qualifier, elsewheres: elsewhere, joints: joint, remarks: remark} {
		for w := range strings.FieldsSeq(list) {
			words[w] = is
		}
	}
	return words
}

const qualifiers = `
	off opl port harbour harbor hbr hbour haven havn hamn hafen
	anch anchor anchorage anchorages anchoring anc roads road roadstead rd rds reede rede reed rada
	alpha bravo charlie delta
	pilot pilots pilotage pstn stn station boarding ps pbg pob plt
	terminal term berth quay dock docks pier jetty kai lock sluis schleuse shipyard yard werft
	order orders fo next bound inner outer in out east west north south bunkers bunkering bunker only
	nok elbe weser ems trave schelde scheldt thames humber mersey maas maasmond waal rijn rhein seine gironde oder neva`

const elsewheres = `
	area areas archipelago arkepelago arkipelag skargard skargarden skjaergard coast coastal
	windfarm wind farm owf wf array park rig platform field oilfield gasfield wreck cable
	canyon bank banks ground grounds fishing fish survey surveying service services traffic ferry ferries trial trials seatrial seatrials trail
	island islands isle isles sound strait straits channel canal sea ocean gulf lake bight beach cape river fjord forde fjorden bukten bay
	light lighthouse buoy buoys tss cruise cruising trip tour towing tow patrol route rute rt line local daily approaches approach
	gardens heights terrace center centre shores springs venture
	drifting drift waiting sailing racing race regatta
	sar range exercise military dredging diving sector zone`

const joints = `
	aan an am op bei sur de del di do da la le en i pa upon on under by och og et en del du dos das`

const remarks = `
	via for eta etb etd ata pec tel tlf telf phone mob gsm vhf ch ch16 ch12 cpa imo mmsi voy awaiting wait
	b4 then thru through per`

// leads are the qualifiers that may stand before a name too. A direction may not: North Sydney is not Sydney.
const leads = `off opl anch anchor anchorage roads pilot terminal berth dock order orders next alpha bravo charlie delta`

// heads are names of ports with which the names of many other places begin. What stands behind them is read with them.
const heads = `muara colonia praia labuan castro marin porto`

// countries returns the codes by the key of each name of a country, and of each state of the United States and Canada.
func countries() map[string][]string {
	lands := map[string][]string{}
	add := func(name, code string) { lands[keyOf(name)] = append(lands[keyOf(name)], code) }
	for name, code := range ship.CountryNames() {
		add(name, code)
		lands[strings.ToLower(code)] = []string{code}
	}
	for name, code := range pairs(countryForms) {
		add(name, code)
	}
	for state := range strings.FieldsSeq(states) {
		add(state, "US")
	}
	for province := range strings.FieldsSeq(provinces) {
		add(province, "CA")
	}
	return lands
}

const states = `
	al ak az ar ca co ct de fl ga hi id il in la me md ma mi mn ms nc nh nj ny oh or pa ri sc tx va wa wi
	alabama alaska california connecticut florida louisiana maine maryland massachusetts mississippi oregon texas virginia`

const provinces = `bc nb ns nl on pe qc ontario nfld`

// countryForms are further names of countries, as their own crews write them, and the codes of three letters that are common.
const countryForms = `
	nederland=NL netherland=NL neth=NL hol=NL belgie=BE belgique=BE danmark=DK dmk=DK sverige=SE swe=SE norge=NO nor=NO suomi=FI fin=FI
	eesti=EE latvija=LV lietuva=LT polska=PL pol=PL ger=DE deu=DE rus=RU rossiya=RU england=GB scotland=GB wales=GB gbr=GB eng=GB
	eire=IE espana=ES esp=ES italia=IT ita=IT fra=FR hellas=GR brasil=BR br=BR us=US america=US prc=CN roc=TW rok=KR skorea=KR
	emirates=AE virginisl=VI virginislands=VI usvi=VI ksa=SA nz=NZ aus=AU jpn=JP ned=NL nld=NL tur=TR mex=MX bra=BR chn=CN ind=IN ukr=UA`

// shortForms are what crews write for some ports, and names of which the list has only a longer form.
const shortForms = `
	anr=BEANR antw=BEANR antwerpe=BEANR zeebr=BEZEE
	bhv=DEBRV bremerhvn=DEBRV ham=DEHAM hamb=DEHAM whv=DEWVN brunsb=DEBRB
	cph=DKCPH kbh=DKCPH kbhvn=DKCPH skaw=DKSKA theskaw=DKSKA ebj=DKEBJ
	gbg=SEGOT gbrg=SEGOT gotbg=SEGOT gothbg=SEGOT got=SEGOT sthlm=SESTO
	adam=NLAMS rdam=NLRTM rtm=NLRTM rott=NLRTM rotte=NLRTM europoort=NLRTM maasvlakte=NLRTM botlek=NLRTM
	spb=RULED stpet=RULED stpete=RULED petersburg=RULED spetersburg=RULED stpetersbg=RULED leningrad=RULED klg=RUKGD novoross=RUNVS
	felix=GBFXT immi=GBIMM lpool=GBLIV tees=GBTEE rivertees=GBTEE rivertyne=GBTYN soton=GBSOU
	spore=SGSIN sgp=SGSIN sin=SGSIN hkg=HKHKG hk=HKHKG klang=MYPKG pkg=MYPKG
	nola=USMSY nyc=USNYC lax=USLAX sfo=USSFO anchorageak=USANC anchorageusa=USANC anchoragealaska=USANC
	spezia=ITSPE treport=FRLTR lae=PGLAE ilo=PEILQ ube=JPUBJ aqaba=JOAQJ barry=GBBAD santurtzi=ESSNR portqasim=PKBQM binqasim=PKBQM
	montoir=FRMTX fos=FRFOS leverdon=FRLVE lagoulette=TNLGN maptaphut=THMAT kunsan=KRKUV kwangyang=KRKAN
	gib=GIGIB algec=ESALG bcn=ESBCN lehvr=FRLEH suez=EGSUZ psaid=EGPSD istambul=TRIST klpd=LTKLJ`

// chiefPorts are the ports that crews mean by names that the list has several times. The others are inland or see few ships.
const chiefPorts = `
	rotterdam=NLRTM southampton=GBSOU barcelona=ESBCN charleston=USCHS odessa=UAODS incheon=KRINC inchon=KRINC oulu=FIOUL savannah=USSAV
	jacksonville=USJAX nelson=NZNSN lagos=NGLOS panjang=IDPNJ talcahuano=CLTAL geoje=KRKJE valencia=ESVLC`

// tornNames are names of ports in the list that another port of the world has too, and that ships do call at. Without a country they are
// none.
const tornNames = `
	newcastle newport wilmington ardrossan westport scarborough richmond bayonne santacruz trenton burlington seaton victoria
	sanjose santiago saintgeorges stgeorges sanfernando pemba devonport mahe marin`

// otherPlaces are places that are not in the list, with names that one typing mistake would make those of a port in it.
const otherPlaces = `
	frederikshavn fredrikshavn frederikshamn agonoura algeria aoshima ashville bernera bridgewater casabranca charlestown cortland downsville
	ellington guayas hashima hinoshima hikoshima houton kashira koshima longreach magallanes marport matama mayport middletown mitachi
	nakayama narvik orland passau pindelo pittsburg portvita progress puntadelgada ravena rockville rosarito samson saofrancisco saintgeorge
	saovicente selarang sharmah sidney silverton slagen stagen tanshui tokuchi treport valentia victoria walton wakkanai charlottetown
	karlsborg karlskrona kristinehamn nordhavn sandhamn sundsvik haderslev ostersund vasterhamn langesund farsund mandal
	yamburg misaki kanagawa tsurumi shortland coral alexandra isabel grimsey grimsay nyalesund portonovo durazno greenboro saintgeorge stgeorge`

// wordSet returns the words of a list.
func wordSet(list string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		words[w] = true
	}
	return words
}

// pairs returns what a list of words with a sign of equality says.
func pairs(list string) map[string]string {
	all := map[string]string{}
	for pair := range strings.FieldsSeq(list) {
		name, value, _ := strings.Cut(pair, "=")
		all[name] = value
	}
	return all
}
