package command

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
)

// sealed returns a sentence with its checksum.
func sealed(body string) string { return string(ais.EndSentence([]byte("$"+body), 0)) }

// TestImportSaysThatAGPSCountsWeeksAnew: beside a base station the log lands in its year, and alone the import says what to do.
func TestImportSaysThatAGPSCountsWeeksAnew(t *testing.T) {
	begin := time.Date(2026, 11, 24, 4, 0, 0, 0, time.UTC)
	for _, since := range []int{0, 11, 60} { // when the base station begins to be heard; 60 is never
		withBase := since < 60
		var log strings.Builder
		encoder := ais.NewEncoder("AIVDM")
		for i := range 60 {
			at := begin.Add(time.Duration(5*i) * time.Second)
			messages := []ais.Message{&ais.PositionReport{Header: ais.Header{Type: 1, MMSI: 211378120}, SOG: ais.SOGTenths(50), COG: ais.COGTenths(900),
				Place: ais.Place{Lon: 6_000_000 + int32(50*i), Lat: 32_400_000}, Second: ais.Second(at.Second())}}
			log.WriteString(sealed(at.Add(-era).Format("GPRMC,150405.00,A") + ",5606.000,N,01018.000,E,0.0,0.0," + at.Add(-era).Format("020106") + ",,,A"))
			if i >= since && i%2 == 0 {
				messages = append(messages, &ais.BaseStationReport{Header: ais.Header{Type: 4, MMSI: 2190001}, Year: 2026, Month: 11, Day: 24, Hour: 4, Minute: at.Minute(), Second: at.Second()})
			}
			for _, m := range messages {
				sentences, err := encoder.Sentences(nil, m, 'A')
				if err != nil {
					t.Fatal(err)
				}
				log.Write(sentences)
			}
		}
		db := openedStore(t)
		taken, err := importLog(t.Context(), strings.NewReader(log.String()), db, "log", logBegin{})
		db.Close()
		if err != nil {
			t.Fatal(err)
		}
		year, said := 2007, "--start 2026-11-24T04:0"
		if withBase {
			year, said = 2026, "1024 weeks behind message 4"
		}
		if got := time.UnixMilli(taken.from).UTC(); got.Year() != year || withBase && (got.Sub(begin) > 15*time.Second || begin.Sub(got) > 15*time.Second) || !strings.Contains(fmt.Sprint(taken.noted), said) {
			t.Errorf("with a base station since %d: from %v, noted %v", since, got, taken.noted)
		}
	}
}

// TestImportOfTheFieldsRollover is the same with the log that stands beside the recordings.
func TestImportOfTheFieldsRollover(t *testing.T) {
	text, err := os.ReadFile("../../../shared/data/field/rollover.nmea")
	if err != nil {
		t.Skipf("needs the recordings: %v", err)
	}
	db := openedStore(t)
	defer db.Close()
	taken, err := importLog(t.Context(), strings.NewReader(string(text)), db, "log", logBegin{})
	if got := time.UnixMilli(taken.from).UTC(); err != nil || got.Year() != 2026 || !strings.Contains(fmt.Sprint(taken.noted), "1024 weeks behind") {
		t.Errorf("from %v, noted %v, %v", got, taken.noted, err)
	}
}
