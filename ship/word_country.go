package ship

import "strings"

// countryNamed returns the code of a country by its name or code, in the form of fold.Plain; "" when there is none.
func countryNamed(plain string) string {
	if code, known := lexicon().countries[plain]; known {
		return code
	}
	if code := strings.ToUpper(plain); len(code) == 2 && lexicon().codes[code] {
		return code
	}
	return ""
}

// countryWritten is countryNamed for a place where only a country can stand. It knows the codes of three letters as well, of which many are words.
// It knows the names that answers once had too, because filters that are kept hold them.
func countryWritten(plain string) string {
	if code := countryNamed(plain); code != "" {
		return code
	}
	if code := formerNames[plain]; code != "" {
		return code
	}
	return lexicon().alpha3[strings.ToUpper(plain)]
}

// formerNames has them in the form of fold.Plain.
var formerNames = map[string]string{
	"bolivia, plurinational state of": "BO", "congo, the democratic republic of the": "CD", "iran, islamic republic of": "IR",
	"korea, democratic people's republic of": "KP", "micronesia, federated states of": "FM", "moldova, republic of": "MD",
	"st. helena": "SH", "st. pierre & miquelon": "PM", "tanzania, united republic of": "TZ", "turks & caicos islands": "TC",
	"u.s. virgin islands": "VI", "virgin islands, british": "VG", "virgin islands, u.s.": "VI", "wallis & futuna": "WF",
}

// CountryNames returns the codes of all countries by each of their names in English and German, in the form of fold.Plain.
func CountryNames() map[string]string {
	codes := map[string]string{}
	for line := range strings.Lines(strings.TrimPrefix(countryNames, "\n")) {
		code, names, _ := strings.Cut(strings.TrimSuffix(line, "=\n"), "=")
		for name := range strings.SplitSeq(names, "=") {
			codes[name] = code
		}
	}
	return codes
}

// countryNames has a line for each country. The line has its code, and its names in English and German as fold.Plain gives them, each between two signs of
// equality. The names are those of the United Nations and of the Unicode CLDR, and what people say. A name that a filter can only hold in quotes is not here.
// Nor is "island", which is part of the names of too many ships.
const countryNames = `
AC=ascension island=ascension=
AD=andorra=
AE=united arab emirates=vereinigte arabische emirate=emirates=uae=emirate=
AF=afghanistan=
AG=antigua=antigua barbuda=
AI=anguilla=
AL=albania=albanien=
AM=armenia=armenien=
AO=angola=
AR=argentina=argentinien=
AS=american samoa=amerikanisch-samoa=amerikanisch samoa=
AT=austria=osterreich=oesterreich=
AU=australia=australien=
AW=aruba=
AZ=azerbaijan=aserbaidschan=
BA=bosnia=bosnien=
BB=barbados=
BD=bangladesh=bangladesch=
BE=belgium=belgien=
BF=burkina faso=
BG=bulgaria=bulgarien=
BH=bahrain=
BI=burundi=
BJ=benin=
BM=bermuda=bermudas=
BN=brunei darussalam=brunei=
BO=bolivia=bolivien=
BR=brazil=brasilien=
BS=bahamas=the bahamas=
BT=bhutan=
BW=botswana=botsuana=
BY=belarus=weissrussland=
BZ=belize=
CA=canada=kanada=
CC=cocos islands=kokosinseln=
CD=democratic republic of the congo=kongo-kinshasa=kongo kinshasa=congo-kinshasa=
CF=central african republic=zentralafrikanische republik=
CG=congo=kongo-brazzaville=kongo brazzaville=kongo=congo-brazzaville=
CH=switzerland=schweiz=
CI=cote divoire=ivory coast=elfenbeinkuste=elfenbeinkueste=
CK=cook islands=cookinseln=
CL=chile=
CM=cameroon=kamerun=
CN=china=
CO=colombia=kolumbien=
CR=costa rica=
CU=cuba=kuba=
CV=cabo verde=cape verde=kap verde=kapverden=
CX=christmas island=weihnachtsinsel=
CY=cyprus=zypern=
CZ=czechia=tschechien=czech republic=tschechische republik=
DE=germany=deutschland=
DJ=djibouti=dschibuti=
DK=denmark=danemark=daenemark=
DM=dominica=
DO=dominican republic=dominikanische republik=
DZ=algeria=algerien=
EC=ecuador=
EE=estonia=estland=
EG=egypt=agypten=aegypten=
ER=eritrea=
ES=spain=spanien=
ET=ethiopia=athiopien=aethiopien=
FI=finland=finnland=
FJ=fiji=fidschi=
FK=falkland islands=falklandinseln=falklands=
FM=micronesia=mikronesien=
FO=faroe islands=faroer=faeroeer=faroes=faeroe islands=faroer-inseln=faroer inseln=
FR=france=frankreich=
GA=gabon=gabun=
GB=united kingdom=vereinigtes konigreich=vereinigtes koenigreich=uk=great britain=britain=grossbritannien=
GD=grenada=
GE=georgia=georgien=
GF=french guiana=franzosisch-guayana=franzoesisch-guayana=franzosisch guayana=
GH=ghana=
GI=gibraltar=
GL=greenland=gronland=groenland=
GM=gambia=
GN=guinea=
GP=guadeloupe=
GQ=equatorial guinea=aquatorialguinea=aequatorialguinea=
GR=greece=griechenland=
GT=guatemala=
GW=guinea-bissau=guinea bissau=
GY=guyana=
HK=hong kong=hong kong sar china=sonderverwaltungsregion hongkong=hongkong=
HN=honduras=
HR=croatia=kroatien=
HT=haiti=
HU=hungary=ungarn=
ID=indonesia=indonesien=
IE=ireland=irland=
IL=israel=
IN=india=indien=
IQ=iraq=irak=
IR=iran=
IS=iceland=
IT=italy=italien=
JM=jamaica=jamaika=
JO=jordan=jordanien=
JP=japan=
KE=kenya=kenia=
KG=kyrgyzstan=kirgisistan=
KH=cambodia=kambodscha=
KI=kiribati=
KM=comoros=komoren=
KN=saint kitts=st kitts=
KP=democratic peoples republic of korea=north korea=nordkorea=
KR=republic of korea=south korea=sudkorea=suedkorea=korea=
KW=kuwait=
KY=cayman islands=kaimaninseln=caymans=
KZ=kazakhstan=kasachstan=
LA=lao peoples democratic republic=laos=
LB=lebanon=libanon=
LC=saint lucia=st lucia=santa lucia=
LI=liechtenstein=
LK=sri lanka=
LR=liberia=
LS=lesotho=
LT=lithuania=litauen=
LU=luxembourg=luxemburg=
LV=latvia=lettland=
LY=libya=libyen=
MA=morocco=marokko=
MC=monaco=
MD=republic of moldova=moldova=republik moldau=moldau=moldawien=
ME=montenegro=
MG=madagascar=madagaskar=
MH=marshall islands=marshallinseln=marshall-inseln=marshalls=
MK=north macedonia=nordmazedonien=mazedonien=macedonia=
ML=mali=
MM=myanmar=burma=birma=
MN=mongolia=mongolei=
MO=macao=macao sar china=sonderverwaltungsregion macau=macau=
MP=northern mariana islands=nordliche marianen=noerdliche marianen=
MQ=martinique=
MR=mauritania=mauretanien=
MS=montserrat=
MT=malta=
MU=mauritius=
MV=maldives=malediven=
MW=malawi=
MX=mexico=mexiko=
MY=malaysia=
MZ=mozambique=mosambik=
NA=namibia=
NC=new caledonia=neukaledonien=
NE=niger=
NG=nigeria=
NI=nicaragua=
NL=netherlands=niederlande=holland=the netherlands=
NO=norway=norwegen=
NP=nepal=
NR=nauru=
NU=niue=
NZ=new zealand=neuseeland=
OM=oman=
PA=panama=
PE=peru=
PF=french polynesia=franzosisch-polynesien=franzoesisch-polynesien=franzosisch polynesien=
PG=papua new guinea=papua-neuguinea=papua neuguinea=
PH=philippines=philippinen=
PK=pakistan=
PL=poland=polen=
PM=saint pierre=st pierre=
PN=pitcairn=pitcairn islands=pitcairninseln=
PR=puerto rico=
PS=state of palestine=palestinian territories=palastinensische autonomiegebiete=palaestinensische autonomiegebiete=palestine=palastina=palaestina=
PT=portugal=
PW=palau=
PY=paraguay=
QA=qatar=katar=
RE=reunion=
RO=romania=rumanien=rumaenien=
RS=serbia=serbien=
RU=russian federation=russia=russland=
RW=rwanda=ruanda=
SA=saudi arabia=saudi-arabien=saudi arabien=
SB=solomon islands=salomonen=
SC=seychelles=seychellen=
SD=sudan=
SE=sweden=schweden=
SG=singapore=singapur=
SH=st helena=saint helena=
SI=slovenia=slowenien=
SK=slovakia=slowakei=
SL=sierra leone=
SM=san marino=
SN=senegal=
SO=somalia=
SR=suriname=
SS=south sudan=sudsudan=suedsudan=
ST=sao tome=
SV=el salvador=
SX=sint maarten=
SY=syrian arab republic=syria=syrien=
SZ=eswatini=swaziland=swasiland=
TC=turks caicos=
TD=chad=tschad=
TF=french southern territories=
TG=togo=
TH=thailand=
TJ=tajikistan=tadschikistan=
TL=timor-leste=timor leste=east timor=osttimor=
TM=turkmenistan=
TN=tunisia=tunesien=
TO=tonga=
TR=turkiye=tuerkiye=turkei=tuerkei=turkey=
TT=trinidad=tobago=
TV=tuvalu=
TW=taiwan=
TZ=united republic of tanzania=tanzania=tansania=
UA=ukraine=
UG=uganda=
US=united states of america=united states=vereinigte staaten=usa=
UY=uruguay=
UZ=uzbekistan=usbekistan=
VA=holy see=vatican city=vatikanstadt=vatican=vatikan=
VC=saint vincent=st vincent=
VE=venezuela=
VG=british virgin islands=britische jungferninseln=
VI=amerikanische jungferninseln=us virgin islands=
VN=viet nam=vietnam=
VU=vanuatu=
WF=wallis futuna=
WS=samoa=
YE=yemen=jemen=
ZA=south africa=sudafrika=suedafrika=
ZM=zambia=sambia=
ZW=zimbabwe=simbabwe=
`

// alpha3 has the codes of three letters of the countries, with those of two (ISO 3166-1). A blank stands before each.
const alpha3 = `
 ABW=AW AFG=AF AGO=AO AIA=AI ALA=AX ALB=AL AND=AD ARE=AE ARG=AR ARM=AM ASM=AS ATA=AQ ATF=TF ATG=AG AUS=AU AUT=AT AZE=AZ BDI=BI BEL=BE BEN=BJ BES=BQ BFA=BF BGD=BD
 BGR=BG BHR=BH BHS=BS BIH=BA BLM=BL BLR=BY BLZ=BZ BMU=BM BOL=BO BRA=BR BRB=BB BRN=BN BTN=BT BVT=BV BWA=BW CAF=CF CAN=CA CCK=CC CHE=CH CHL=CL CHN=CN CIV=CI CMR=CM
 COD=CD COG=CG COK=CK COL=CO COM=KM CPV=CV CRI=CR CUB=CU CUW=CW CXR=CX CYM=KY CYP=CY CZE=CZ DEU=DE DJI=DJ DMA=DM DNK=DK DOM=DO DZA=DZ ECU=EC EGY=EG ERI=ER ESH=EH
 ESP=ES EST=EE ETH=ET FIN=FI FJI=FJ FLK=FK FRA=FR FRO=FO FSM=FM GAB=GA GBR=GB GEO=GE GGY=GG GHA=GH GIB=GI GIN=GN GLP=GP GMB=GM GNB=GW GNQ=GQ GRC=GR GRD=GD GRL=GL
 GTM=GT GUF=GF GUM=GU GUY=GY HKG=HK HMD=HM HND=HN HRV=HR HTI=HT HUN=HU IDN=ID IMN=IM IND=IN IOT=IO IRL=IE IRN=IR IRQ=IQ ISL=IS ISR=IL ITA=IT JAM=JM JEY=JE JOR=JO
 JPN=JP KAZ=KZ KEN=KE KGZ=KG KHM=KH KIR=KI KNA=KN KOR=KR KWT=KW LAO=LA LBN=LB LBR=LR LBY=LY LCA=LC LIE=LI LKA=LK LSO=LS LTU=LT LUX=LU LVA=LV MAC=MO MAF=MF MAR=MA
 MCO=MC MDA=MD MDG=MG MDV=MV MEX=MX MHL=MH MKD=MK MLI=ML MLT=MT MMR=MM MNE=ME MNG=MN MNP=MP MOZ=MZ MRT=MR MSR=MS MTQ=MQ MUS=MU MWI=MW MYS=MY MYT=YT NAM=NA NCL=NC
 NER=NE NFK=NF NGA=NG NIC=NI NIU=NU NLD=NL NOR=NO NPL=NP NRU=NR NZL=NZ OMN=OM PAK=PK PAN=PA PCN=PN PER=PE PHL=PH PLW=PW PNG=PG POL=PL PRI=PR PRK=KP PRT=PT PRY=PY
 PSE=PS PYF=PF QAT=QA REU=RE ROU=RO RUS=RU RWA=RW SAU=SA SDN=SD SEN=SN SGP=SG SGS=GS SHN=SH SJM=SJ SLB=SB SLE=SL SLV=SV SMR=SM SOM=SO SPM=PM SRB=RS SSD=SS STP=ST
 SUR=SR SVK=SK SVN=SI SWE=SE SWZ=SZ SXM=SX SYC=SC SYR=SY TCA=TC TCD=TD TGO=TG THA=TH TJK=TJ TKL=TK TKM=TM TLS=TL TON=TO TTO=TT TUN=TN TUR=TR TUV=TV TWN=TW TZA=TZ
 UGA=UG UKR=UA UMI=UM URY=UY USA=US UZB=UZ VAT=VA VCT=VC VEN=VE VGB=VG VIR=VI VNM=VN VUT=VU WLF=WF WSM=WS YEM=YE ZAF=ZA ZMB=ZM ZWE=ZW
`
