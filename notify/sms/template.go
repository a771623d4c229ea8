package sms

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/url"
	"strings"
)

// The words that a template may hold: what they stand for comes with each message, or is a secret of the configuration.
const (
	wordTo       = "%to%"     // +4512345678
	wordDigits   = "%digits%" // 4512345678
	wordText     = "%text%"
	wordID       = "%id%"
	wordUser     = "%user%"
	wordPassword = "%password%"
	wordToken    = "%token%"
)

// templateWords lists them.
func templateWords() []string {
	return []string{wordTo, wordDigits, wordText, wordID, wordUser, wordPassword, wordToken}
}

// values are what the words stand for.
type values map[string]string

// fillTemplate puts the values into a template, each written as its place asks for.
func (v values) fillTemplate(template string, write func(string) string) string {
	var pairs []string
	for _, word := range templateWords() {
		pairs = append(pairs, word, write(v[word]))
	}
	return strings.NewReplacer(pairs...).Replace(template)
}

// addressOf puts values into the template of an address.
func addressOf(template string, v values) string {
	before, query, asks := strings.Cut(template, "?")
	address := v.fillTemplate(before, url.PathEscape)
	if asks {
		address += "?" + v.fillTemplate(query, url.QueryEscape)
	}
	return address
}

// checkAddress refuses words where they have no place in an address: in its host, and texts of others in its path.
func checkAddress(template string) error {
	before, _, _ := strings.Cut(template, "?")
	_, afterScheme, _ := strings.Cut(before, "://")
	host, _, _ := strings.Cut(afterScheme, "/")
	for _, word := range templateWords() {
		if strings.Contains(host, word) {
			return fmt.Errorf("%s may not stand in the host", word)
		}
	}
	if strings.Contains(before, wordText) {
		return fmt.Errorf("%s may stand behind the ? alone", wordText)
	}
	return nil
}

// writerFor returns how values are written in a body of a content type; false for one that is not known.
func writerFor(contentType string) (write func(string) string, ok bool) {
	kind, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
		return nil, false
	case kind == "application/x-www-form-urlencoded":
		return url.QueryEscape, true
	case kind == "application/json" || strings.HasSuffix(kind, "+json"):
		return jsonText, true
	case kind == "application/xml" || kind == "text/xml" || strings.HasSuffix(kind, "+xml"):
		return xmlText, true
	case kind == "text/plain":
		return func(text string) string { return strings.ReplaceAll(text, "\n", " ") }, true // a line of such a body may mean something
	}
	return nil, false
}

// jsonText writes a text as it stands between the quotes of a JSON string.
func jsonText(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil || len(quoted) < 2 { // a string has always a form
		return ""
	}
	return string(quoted[1 : len(quoted)-1])
}

func xmlText(text string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(text)); err != nil { // a builder takes all
		return ""
	}
	return b.String()
}

// checkBody refuses a body that is not whole with each value in it, as a text outside of the quotes of JSON.
func checkBody(template, contentType string) error {
	write, known := writerFor(contentType)
	if !known {
		return fmt.Errorf("content_type: %q is none of application/x-www-form-urlencoded, application/json, application/xml, text/plain", contentType)
	}
	sample := values{}
	for _, word := range templateWords() {
		sample[word] = `a"b'\<&` + "\n"
	}
	filled := sample.fillTemplate(template, write)
	kind, _, _ := mime.ParseMediaType(contentType)
	switch {
	case strings.HasSuffix(kind, "json") && !json.Valid([]byte(filled)):
		return errors.New("body: is no JSON with the words filled in; they stand between quotes, as \"%text%\"")
	case strings.HasSuffix(kind, "xml") && !wellFormed(filled):
		return errors.New("body: is no XML with the words filled in")
	}
	return nil
}

func wellFormed(text string) bool {
	d := xml.NewDecoder(strings.NewReader(text))
	for some := false; ; some = true {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return some
		}
		if err != nil {
			return false
		}
	}
}
