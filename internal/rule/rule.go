// Package rule names the sentences of errors. Each sentence that a caller may read has a word that never changes. By the word a program
// can tell errors apart, and a client can say them in another language. The package promises one English sentence for each word, in the
// whole program; TestEachRuleHasOneSentence reads the sources for it.
package rule

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Rule is what must hold and does not, or what went wrong: a word, its English sentence, and the values in it.
type Rule struct {
	Word   string // short, stable, in snake_case
	Text   string // with the names of the values in braces, as "may have at most {max} bytes"
	Params map[string]any
}

// New makes a rule of a word and its sentence, and of the names and values of its params, as "max", 64. Word, sentence and names are
// string literals wherever it is called: tests and translators read them there.
func New(word, text string, params ...any) *Rule {
	r := &Rule{Word: word, Text: text}
	for i := 0; i+1 < len(params); i += 2 {
		if r.Params == nil {
			r.Params = map[string]any{}
		}
		r.Params[fmt.Sprint(params[i])] = params[i+1]
	}
	return r
}

// MarshalJSON writes the rule with its sentence: a value of another rule may be a rule itself.
func (r *Rule) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Word   string         `json:"rule"`
		Params map[string]any `json:"params,omitempty"`
		Detail string         `json:"detail"`
	}{r.Word, r.Params, r.Error()})
}

// Error returns the sentence with its values.
func (r *Rule) Error() string {
	var values []string
	for name, value := range r.Params {
		values = append(values, "{"+name+"}", fmt.Sprint(value))
	}
	return strings.NewReplacer(values...).Replace(r.Text)
}

// Of returns the rule that an error holds; of an error without one, its text under a word of its own.
func Of(err error) *Rule {
	var r *Rule
	if errors.As(err, &r) {
		return r
	}
	return New("other", "{text}", "text", err.Error())
}
