// Package document writes the configuration of a box into a document, and reads it back. It knows no kind of thing. Each area adds
// its sections, and gives a draft of its content to an import. An import is checked as a whole and written in one transaction.
package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"quaywatch/form"
)

// Version is that of the documents that this program writes, and the one that it reads.
const Version = 1

// Document is what is configured on a box, for making another like it. It holds no secret: no password, no hash, no session.
// Things are named as the interface names them; a reference is a name, or {name, uid}, where the uid counts. Of what an entry
// does not give, a new thing has none and an existing one keeps its own.
type Document struct{ sections []part }

// part is a section with its entries, as they came.
type part struct {
	key     string
	entries []json.RawMessage
}

// Count returns how many entries a section has.
func (d *Document) Count(section string) int { return len(d.entriesOf(section)) }

func (d *Document) entriesOf(section string) []json.RawMessage {
	if i := slices.IndexFunc(d.sections, func(p part) bool { return p.key == section }); i >= 0 {
		return d.sections[i].entries
	}
	return nil
}

// MarshalJSON writes the sections in the order of the areas.
func (d *Document) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"version":%d`, Version)
	for _, p := range d.sections {
		list, err := json.Marshal(p.entries)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, `,%q:%s`, p.key, list)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Error is all that is wrong with a document: each line names the thing, the key and the rule.
type Error []string

// Error returns the lines.
func (e Error) Error() string { return strings.Join(e, "\n") }

// Read reads a document from JSON, and may write into it (form.Plain). What its sections hold is judged when it is imported. It fails with
// an Error.
func Read(body []byte) (*Document, error) {
	if why := form.Plain(body); why != nil {
		return nil, Error{why.Error()}
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(body, &parts); err != nil || parts == nil {
		return nil, Error{fmt.Sprintf("must be an object of version and sections: %v", err)}
	}
	doc := &Document{}
	var wrong Error
	for _, key := range slices.Sorted(maps.Keys(parts)) {
		if version := Version; key == "version" {
			if json.Unmarshal(parts[key], &version) != nil || version != Version {
				wrong = append(wrong, fmt.Sprintf("version: this program reads version %d, not %s", Version, parts[key]))
			}
			continue
		}
		p := part{key: key}
		if json.Unmarshal(parts[key], &p.entries) != nil {
			wrong = append(wrong, key+": must be an array")
		}
		doc.sections = append(doc.sections, p)
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return doc, nil
}
