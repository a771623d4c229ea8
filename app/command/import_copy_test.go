package command

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/store"
)

// tracked imports a log and returns the track that is stored of a ship.
func tracked(t *testing.T, text string, m ais.MMSI) []string {
	t.Helper()
	db := openedStore(t)
	defer db.Close()
	if _, err := importLog(t.Context(), strings.NewReader(text), db, "log", logBegin{}); err != nil {
		t.Fatal(err)
	}
	return storedTrack(t, db, m)
}

func storedTrack(t *testing.T, db *store.DB, m ais.MMSI) (places []string) {
	t.Helper()
	track, err := db.Track(t.Context(), m, time.Unix(0, 0), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range track {
		places = append(places, fmt.Sprint(f.Time(), f.Point()))
	}
	return places
}

// TestImportOfALogWithLateCopies: the track is that of the stamped lines, without the copies of them that came unstamped and late.
func TestImportOfALogWithLateCopies(t *testing.T) {
	var both, stampedOnly strings.Builder
	begin := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var unstamped []string
	for i := range 100 {
		at := begin.Add(time.Duration(6*i) * time.Second)
		m := &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: 211378120}, SOG: ais.SOGTenths(150), COG: ais.COGTenths(900), Heading: ais.HeadingDegrees(90),
			Place: ais.Place{Lon: 6_000_000 + int32(410*i), Lat: 32_400_000}, Second: ais.Second(at.Second())}
		line := stamped(t, at.Add(-10*time.Second), m)
		both.WriteString(line)
		stampedOnly.WriteString(line)
		unstamped = append(unstamped, line[strings.IndexByte(line, '!'):])
		if late := i - 12; late >= 0 {
			both.WriteString(unstamped[late])
		}
	}
	got, want := tracked(t, both.String(), 211378120), tracked(t, stampedOnly.String(), 211378120)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("%d places, want the %d of the stamped lines", len(got), len(want))
	}
}

// TestImportOfTheFieldsLateCopies is the same with the log that stands beside the recordings.
func TestImportOfTheFieldsLateCopies(t *testing.T) {
	text, err := os.ReadFile("../../../shared/data/field/delayed-copy.nmea")
	if err != nil {
		t.Skipf("needs the recordings: %v", err)
	}
	var only strings.Builder
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, `\`) {
			only.WriteString(line)
		}
	}
	d, b := ais.NewDecoder(ais.DecoderConfig{}), &ais.Batch{}
	d.Datagram(b, text, time.Now())
	m := b.Reports[0].Message.Head().MMSI
	got, want := tracked(t, string(text), m), tracked(t, only.String(), m)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("%d places, want the %d of the stamped lines", len(got), len(want))
	}
}
