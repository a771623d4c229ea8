package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// The source of the ports. The checksum is that of the package as the registry serves it.
const (
	portSource   = "sea-ports@0.0.9"
	portChecksum = "157962ab89c9bfb686829ae4aef5e670c6e1d8399880cfacd529a6f0270aa68a"
	portFile     = "package/lib/ports.json"
)

// portColumns heads ports.tsv.
const portColumns = "# locode\tname\tcountry\ttimezone\tlongitude\tlatitude\tother locodes\taliases\n"

// swapped are ports whose longitude stands in the place of the latitude.
func swapped() []string {
	return []string{"ANGSB", "CDBOA", "CDMAT", "CLJRL", "CLPGO", "CLPPD", "DZAAE", "ISESK", "REPDG", "VEGUB"}
}

// misplaced are ports whose position is wrong. It is more than 50 km off by every other list that has them, or in another place of the same name. They keep
// their name and lose the position, unless places.tsv has one. A port without a place does less harm than ships that call at it in a wrong one.
func misplaced() []string {
	return []string{
		"ANEUX", "AUGOV", "BMSOU", "BRITQ", "BRPCL", "CLCAP", "CNHME", "CNYAN", "CNYTN", "CUQMA", "EGEDK", "FRHON",
		"IDBIT", "IDBNT", "IDBUR", "JPKND", "JPMAI", "JPTHS", "JPTOK", "PAMIT", "PEGSM", "PESNX", "THMAT", "THPKN", "TNJAR", "UYCYR", "UYPDU", "VEPSU",
	}
}

// noPorts are entries of the source that are no ports. They are airports, depots and towns where no ship comes, and second entries of a port.
func noPorts() []string {
	return []string{
		"LCSLU", "PTTER", "RERUN", "USMSP", "USPHF", // airports
		"ESEBO", "FRJAV", "HNTGU", "THLKR", "USBHM", "USCPF", "USGBO", "USGSP", "USRNO", "USSAT", "USSXT", // inland
		"CNSWA", "CNZHA", // airports whose LOCODE is taken for the port: CNSTG and CNZNG, see otherCodes of the package chart
	}
}

// portNames returns the names of ports that the source calls by an airport, by LOCODE.
func portNames() map[string]string { return map[string]string{"CNBHY": "Beihai"} }

//go:embed places.tsv
var placeTable string

// places returns the positions that take the place of those of the source, by LOCODE.
func places() (map[string][2]float64, error) {
	all := map[string][2]float64{}
	for line := range strings.Lines(placeTable) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("places.tsv: %q has %d columns", line, len(f))
		}
		lon, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			return nil, err
		}
		lat, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			return nil, err
		}
		all[f[0]] = [2]float64{lon, lat}
	}
	return all, nil
}

// sourcePort is a port as the source writes it.
type sourcePort struct {
	Name        string
	Country     string
	Timezone    string
	Coordinates []float64
	Alias       []string
	Unlocs      []string

	placed bool // the position is that of places.tsv
}

// readPorts returns ports.tsv: a line for each port by LOCODE. What the source lists under each of its LOCODEs is one port, under
// the first of them.
func readPorts(r io.Reader) (text []byte, lines int, err error) {
	var source map[string]sourcePort
	if err := json.NewDecoder(r).Decode(&source); err != nil {
		return nil, 0, fmt.Errorf("read ports: %w", err)
	}
	placed, err := places()
	if err != nil {
		return nil, 0, err
	}
	var rows []string
	for code, p := range source {
		if at, ok := placed[p.firstCode()]; ok {
			p.Coordinates, p.placed = at[:], true
		}
		if len(p.Unlocs) == 0 {
			return nil, 0, fmt.Errorf("read ports: %s has no LOCODE", code)
		}
		if p.Unlocs[0] != code {
			if _, first := source[p.Unlocs[0]]; !first {
				return nil, 0, fmt.Errorf("read ports: %s is also %s, which is not there", code, p.Unlocs[0])
			}
			continue
		}
		if slices.Contains(noPorts(), code) {
			continue
		}
		p.Name = cmp.Or(portNames()[code], p.Name)
		row, err := p.portLine()
		if err != nil {
			return nil, 0, fmt.Errorf("read ports: %s: %w", code, err)
		}
		rows = append(rows, row)
	}
	slices.Sort(rows)
	return []byte(portColumns + strings.Join(rows, "")), len(rows), nil
}

// firstCode returns the LOCODE of the port, "" for none.
func (p *sourcePort) firstCode() string {
	if len(p.Unlocs) == 0 {
		return ""
	}
	return p.Unlocs[0]
}

// portLine writes the port as a line.
func (p *sourcePort) portLine() (string, error) {
	code := p.Unlocs[0]
	turned, wrong := slices.Contains(swapped(), code), slices.Contains(misplaced(), code)
	zone, lon, lat := p.Timezone, "", ""
	if turned || wrong {
		zone = "" // it was looked up by the position
	}
	if len(p.Coordinates) > 0 && (!wrong || p.placed) {
		at := slices.Clone(p.Coordinates)
		if turned && !p.placed {
			slices.Reverse(at)
		}
		if len(at) != 2 || math.Abs(at[0]) > 180 || math.Abs(at[1]) > 90 {
			return "", fmt.Errorf("%v is no position", at)
		}
		lon, lat = degreesText(at[0]), degreesText(at[1])
	}
	aliases := slices.DeleteFunc(slices.Clone(p.Alias), func(a string) bool { return a == p.Name })
	columns := []string{code, p.Name, p.Country, zone, lon, lat, strings.Join(p.Unlocs[1:], "|"), strings.Join(aliases, "|")}
	for i, c := range columns {
		columns[i] = strings.Join(strings.Fields(c), " ")
	}
	return strings.Join(columns, "\t") + "\n", nil
}

// degreesText writes five decimals, 1 m, without the zeros at the end.
func degreesText(v float64) string {
	return strconv.FormatFloat(math.Round(v*1e5)/1e5, 'f', -1, 64)
}
