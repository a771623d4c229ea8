//go:build !race

package route

import (
	"context"
	_ "embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

//go:embed testdata/distances.tsv
var distances string

// published is a distance of a table.
type published struct {
	from, to string
	nm       float64
	grade    int
	closed   []string
}

func publishedDistances(t *testing.T) (all []published) {
	t.Helper()
	for line := range strings.Lines(distances) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		nm, err := strconv.ParseFloat(f[2], 64)
		grade, err2 := strconv.Atoi(f[3])
		if err != nil || err2 != nil || len(f) != 6 {
			t.Fatalf("distances.tsv: %q", line)
		}
		p := published{from: f[0], to: f[1], nm: nm, grade: grade}
		if f[4] != "-" {
			p.closed = strings.Split(f[4], ",")
		}
		all = append(all, p)
	}
	return all
}

// seagoing is the draught in metres that the ways of the tables are asked for with: tables are for ships of the sea. Kiel lets it through.
const seagoing = 8.5

// reasons are why a way is more than 5 % off its published distance.
var reasons = map[string]string{
	"ARBUE AUFRE": "the great circle leads far into the ice; ours keeps north of 60° S, the sum of the table goes by the Cape of Good Hope",
	"AUBNE AUSYD": "ships leave Moreton Bay in the north; we know no depths",
	"AUSYD ZADUR": "the great circle, which is free, leads to 52° S; the sum of the table goes by a junction point farther north",
	"BRMAO SLFNA": "our land has no Amazon up to Manaus",
	"BSFPO COBAQ": "the way leads over the banks of the Bahamas; we know no depths",
	"CGPNR GAPOG": "the great circle, which is free, has 305 nm",
	"ESVGO FRURO": "our land lacks the Seine, which winds: the last 47 km are a straight line",
	"FIKTK SESTO": "probably the tables keep to the fairways of the archipelago",
	"GRPIR ITAOI": "the table goes through Corinth, which lets 7.3 m through, and the ways are asked for with 8.5 m",
	"GYGEO TTPTS": "probably the tables go round the north of Trinidad",
	"NZAKL NZWLG": "the sum of the table goes by a junction point, probably East Cape well off the coast",
	"NZWLG ZADUR": "the sum of the table goes by a junction point farther north; ours keeps north of 60° S",
	"SGSIN IDJKT": "probably the tables keep to deep water off Bangka, and the sum goes round by a junction point; we know no depths",
}

// The ways between well-known ports are as long as the tables say: the median is at most 1 % off, nine of ten 3 %, none 5 % without a reason. Of the
// sample, which has many short and shallow coasts, the figures are told, and each that is 5 % off has a reason too.
func TestWaysAreAsLongAsPublished(t *testing.T) {
	n, at := world(t)
	var off, sample []float64
	for _, p := range publishedDistances(t) {
		w, err := n.Find(context.Background(), Query{From: at(p.from), To: at(p.to), Closed: append(p.closed, arctic...), Draught: seagoing})
		if err != nil {
			if why := reasons[p.from+" "+p.to]; why == "" {
				t.Errorf("%s to %s: %v", p.from, p.to, err)
			} else {
				t.Logf("%s to %s: %v: %s", p.from, p.to, err, why)
			}
			continue
		}
		nm := w.Distance / 1852
		wrong := 100 * (nm/p.nm - 1)
		t.Logf("%s %s %v: %.0f nm, published %.0f (grade %d): %+.1f %%", p.from, p.to, p.closed, nm, p.nm, p.grade, wrong)
		if p.grade < 2 {
			sample = append(sample, math.Abs(wrong))
		} else {
			off = append(off, math.Abs(wrong))
		}
		if math.Abs(wrong) > 5 && reasons[p.from+" "+p.to] == "" {
			t.Errorf("%s to %s: %.0f nm, published %.0f", p.from, p.to, nm, p.nm)
		}
	}
	slices.Sort(sample)
	t.Logf("a sample of %d pairs: median %.2f %%, nine of ten %.2f %%, worst %.2f %%", len(sample), sample[len(sample)/2], sample[len(sample)*9/10],
		sample[len(sample)-1])
	slices.Sort(off)
	median, tenth := off[len(off)/2], off[len(off)*9/10]
	t.Logf("%d pairs: median %.2f %%, nine of ten %.2f %%, worst %.2f %%", len(off), median, tenth, off[len(off)-1])
	if len(off) < 60 || median > 1 || tenth > 3 {
		t.Errorf("%d pairs: median %.2f %% off, nine of ten within %.2f %%", len(off), median, tenth)
	}
}
