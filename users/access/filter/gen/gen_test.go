package main

import (
	"os"
	"strings"
	"testing"

	"quaywatch/users/access/filter"
)

// TestTheContractListsEachKey: what the contract says of settings and filters is what the table says by which they are checked.
func TestTheContractListsEachKey(t *testing.T) {
	is, err := os.ReadFile("../../../../handlers/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want, err := writtenContract(is)
	if err != nil {
		t.Fatal(err)
	}
	if string(is) != string(want) {
		t.Error("the contract is not that of the table: go generate ./users/access/filter")
	}
	for _, set := range []filter.KnownKeys{filter.Settings, filter.Receive, filter.Transmit} {
		for _, line := range set.Schema() {
			if !strings.Contains(line, "type: ") && !strings.Contains(line, "$ref: ") {
				t.Errorf("a key without a type: %s", line)
			}
			if !strings.Contains(string(is), "        "+line+"\n") {
				t.Errorf("the contract lacks %s", line)
			}
		}
	}
}
