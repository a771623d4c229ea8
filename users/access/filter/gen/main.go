// Command gen writes the keys of settings and filters into the contract of the interface, out of the table by which users/access/filter checks
// them. It is run by `go generate ./users/access/filter`.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"

	"quaywatch/users/access/filter"
)

// The comments between which the keys stand.
const (
	begin = "    # begin of the keys of settings and filters: go generate ./users/access/filter\n"
	end   = "    # end of the keys of settings and filters\n"
)

func main() {
	log.SetFlags(0)
	contract := flag.String("contract", "", "file of the contract")
	flag.Parse()
	text, err := os.ReadFile(*contract)
	if err == nil {
		text, err = writtenContract(text)
	}
	if err == nil {
		err = os.WriteFile(*contract, text, 0o600)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// writtenContract returns the contract with the keys as they are now.
func writtenContract(contract []byte) ([]byte, error) {
	before, rest, found := bytes.Cut(contract, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !found || !closed {
		return nil, fmt.Errorf("the contract has no place for the keys: %q and %q", begin, end)
	}
	var b bytes.Buffer
	b.Write(before)
	b.WriteString(begin)
	for _, s := range []struct {
		name, about string
		set         filter.KnownKeys
	}{
		{"Settings", "A value of a known key is checked, an unknown key is kept. In a request null takes a key away.", filter.Settings},
		{"ReceiveFilter", "Which ships the user gets to see. Every condition that is set must hold, also those of the groups.", filter.Receive},
		{"TransmitFilter", "Which messages of the user are taken. Conditions of a receive_filter alone are refused.", filter.Transmit},
	} {
		fmt.Fprintf(&b, "    %s:\n      type: object\n      description: %s\n      properties:\n", s.name, s.about)
		for _, line := range s.set.Schema() {
			fmt.Fprintf(&b, "        %s\n", line)
		}
	}
	b.WriteString(end)
	b.Write(after)
	return b.Bytes(), nil
}
