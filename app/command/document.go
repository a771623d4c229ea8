package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"quaywatch/app/config"
	"quaywatch/users/document"
)

// The forms of a document of the configuration.
const (
	formTOML = "toml"
	formJSON = "json"
)

// formOf returns the format of a file: the requested one, else that of its name, else TOML.
func formOf(asked, name string) (string, error) {
	switch {
	case asked == formTOML || asked == formJSON:
		return asked, nil
	case asked != "":
		return "", usageError(fmt.Sprintf("--format %q: must be toml or json", asked))
	case strings.EqualFold(filepath.Ext(name), ".json"):
		return formJSON, nil
	}
	return formTOML, nil
}

// writeDocument writes a document in a form.
func writeDocument(w io.Writer, doc *document.Document, form string) error {
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	if form == formJSON {
		_, err = w.Write(append(text, '\n'))
		return err
	}
	tree, err := readTree(text)
	if err != nil {
		return err
	}
	const head = "# What is configured on a Quaywatch: 'quaywatch import-config' makes another box like it. No passwords are in it.\n\n"
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	return toml.NewEncoder(w).Encode(toTOML(tree))
}

// readDocument reads a document in a form.
func readDocument(text []byte, form string) (*document.Document, error) {
	body, err := asJSON(text, form)
	if err != nil {
		return nil, err
	}
	return document.Read(body)
}

// asJSON returns a text as JSON.
func asJSON(text []byte, form string) ([]byte, error) {
	if form == formJSON {
		if _, err := readTree(text); err != nil {
			return nil, err
		}
		return text, nil
	}
	tree := map[string]any{}
	var broken *toml.DecodeError
	if err := toml.Unmarshal(text, &tree); errors.As(err, &broken) {
		row, column := broken.Position()
		return nil, fmt.Errorf("line %d, column %d: %s", row, column, config.BrokenText(broken))
	} else if err != nil {
		return nil, err
	}
	plain, err := fromTOML(tree)
	if err != nil {
		return nil, err
	}
	return json.Marshal(plain)
}

// readTree reads JSON with its numbers as they are written.
func readTree(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return tree, nil
}

// verbatim is the key of a table that holds what TOML cannot write: null and very large numbers.
const verbatim = "$json"

// toTOML returns a value of JSON as TOML can say it.
func toTOML(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if _, ambiguous := v[verbatim]; ambiguous && len(v) == 1 {
			return asVerbatim(v)
		}
		table := map[string]any{}
		for key, item := range v {
			table[key] = toTOML(item)
		}
		return table
	case []any:
		array := []any{}
		for _, item := range v {
			array = append(array, toTOML(item))
		}
		return array
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return n
		}
		f, err := v.Float64()
		if err == nil && strings.ContainsAny(v.String(), ".eE") {
			return f
		}
		return asVerbatim(v)
	case nil:
		return asVerbatim(v)
	}
	return v
}

func asVerbatim(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return nil // what came from JSON goes back
	}
	return map[string]any{verbatim: string(text)}
}

// fromTOML returns a value of TOML as JSON can write it. Dates may be without quotes.
func fromTOML(v any) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		if text, ok := v[verbatim].(string); ok && len(v) == 1 {
			return readTree([]byte(text))
		}
		for key, item := range v {
			plain, err := fromTOML(item)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			v[key] = plain
		}
	case []any:
		for i, item := range v {
			plain, err := fromTOML(item)
			if err != nil {
				return nil, fmt.Errorf("%d: %w", i, err)
			}
			v[i] = plain
		}
	case time.Time:
		return v.Format(time.RFC3339Nano), nil
	case toml.LocalDate, toml.LocalDateTime, toml.LocalTime:
		return fmt.Sprint(v), nil
	}
	return v, nil
}
