package main

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestReadPorts(t *testing.T) {
	text, lines, err := readPorts(strings.NewReader(`{
		"DKAAR":{"name":" Aarhus\t ","country":"Denmark","timezone":"Europe/Copenhagen","coordinates":[10.220000001,56.15],"alias":["Århus","Smilets By"],"unlocs":["DKAAR"]},
		"CNDAL":{"name":"Dalian","country":"China","coordinates":[1,2],"alias":[],"unlocs":["CNDLC","CNDAL"]},
		"CNDLC":{"name":"Dalian","country":"China","coordinates":[121.614682,38.914],"alias":["Dalian"],"unlocs":["CNDLC","CNDAL"]},
		"DZAAE":{"name":"Annaba","country":"Algeria","timezone":"Africa/Addis_Ababa","coordinates":[36.9,7.7],"unlocs":["DZAAE"]},
		"CLCAP":{"name":"San Vicente","country":"Chile","timezone":"Europe/London","coordinates":[-1.4,50.9],"unlocs":["CLCAP"]},
		"TRAMB":{"name":"Ambarli","country":"Turkey","timezone":"Europe/Istanbul","coordinates":[41.68,41.32],"unlocs":["TRAMB"]},
		"CUQMA":{"name":"Matanzas","country":"Cuba","timezone":"America/Caracas","coordinates":[-65,10],"unlocs":["CUQMA"]},
		"USBHM":{"name":"Birmingham","country":"United States","unlocs":["USBHM"]},
		"USCBF":{"name":"Council Bluffs","country":"United States","unlocs":["USCBF"]},
		"CNBHY":{"name":"Beihai Fucheng Apt","country":"China","coordinates":[1,2],"unlocs":["CNBHY"]},
		"BHAHD":{"name":"Al Hidd","country":"Bahrain","unlocs":["BHAHD"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := portColumns +
		"BHAHD\tAl Hidd\tBahrain\t\t50.65\t26.21667\t\t\n" +
		"CLCAP\tSan Vicente\tChile\t\t\t\t\t\n" +
		"CNBHY\tBeihai\tChina\t\t109.06667\t21.48333\t\t\n" +
		"CNDLC\tDalian\tChina\t\t121.61468\t38.914\tCNDAL\t\n" +
		"CUQMA\tMatanzas\tCuba\t\t-81.55\t23.05\t\t\n" +
		"DKAAR\tAarhus\tDenmark\tEurope/Copenhagen\t10.22\t56.15\t\tÅrhus|Smilets By\n" +
		"DZAAE\tAnnaba\tAlgeria\t\t7.7\t36.9\t\t\n" +
		"TRAMB\tAmbarli\tTurkey\tEurope/Istanbul\t28.7\t40.96667\t\t\n" +
		"USCBF\tCouncil Bluffs\tUnited States\t\t\t\t\t\n"
	if string(text) != want || lines != 9 {
		t.Errorf("%d lines:\n%s", lines, text)
	}
	for _, wrong := range []string{`[`, `{"DKAAR":{"name":"x"}}`, `{"DKAAR":{"unlocs":["DKXXX","DKAAR"]}}`,
		`{"DKAAR":{"coordinates":[56,100],"unlocs":["DKAAR"]}}`} {
		if _, _, err := readPorts(strings.NewReader(wrong)); err == nil {
			t.Errorf("%s was taken", wrong)
		}
	}
}

// The committed list is the one whose checksum, source and licence DATA.md names, and what is put right in it is still there.
func TestPortsAreNamed(t *testing.T) {
	data, err := os.ReadFile("../ports.tsv")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../DATA.md")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	for _, want := range []string{hex.EncodeToString(sum[:]), portChecksum, "npm `sea-ports`", "MIT"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("DATA.md does not say %s", want)
		}
	}
	placed, err := places()
	if err != nil || len(placed) < 100 {
		t.Errorf("%d positions of our own, %v", len(placed), err)
	}
	for _, code := range slices.Concat(swapped(), misplaced(), slices.Collect(maps.Keys(placed))) {
		if !strings.Contains(string(data), "\n"+code+"\t") {
			t.Errorf("%s is put right but not in the list", code)
		}
	}
}
