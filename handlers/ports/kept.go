package ports

import (
	"context"
	"time"
)

// keptAnswers are the latest answers. Users with equal keys have equal answers, and only a single answer is made at a time. So whoever invents ships and asks
// for them often takes one processor at most.
type keptAnswers[A any] struct {
	turn  chan struct{} // holds one while an answer is looked for or made
	lasts time.Duration // an answer is given again for so long
	all   map[string]keptAnswer[A]
}

type keptAnswer[A any] struct {
	at     time.Time
	answer A
}

// An answer is usually given again for so long, and of so many questions.
const (
	answerKept  = 10 * time.Second
	mostAnswers = 100
)

func newKeptAnswers[A any](lasts time.Duration) *keptAnswers[A] {
	return &keptAnswers[A]{turn: make(chan struct{}, 1), lasts: lasts, all: map[string]keptAnswer[A]{}}
}

// answerOf returns the answer of a key, a kept one or one that is made now.
func (k *keptAnswers[A]) answerOf(ctx context.Context, key string, now time.Time, answer func() (A, error)) (made A, err error) {
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		return made, context.Cause(ctx)
	}
	defer func() { <-k.turn }()
	if kept, ok := k.all[key]; ok && now.Sub(kept.at).Abs() < k.lasts {
		return kept.answer, nil
	}
	made, err = answer()
	if err == nil {
		if len(k.all) >= mostAnswers {
			clear(k.all)
		}
		k.all[key] = keptAnswer[A]{now, made}
	}
	return made, err
}
