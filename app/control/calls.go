package control

import (
	"context"
	"time"

	"quaywatch/engine/portcalls"
)

// DetectCalls is detect-calls: from when to when.
type DetectCalls struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Send has the service that runs on this data folder look for calls.
func (d *DetectCalls) Send(ctx context.Context, dir string) (found portcalls.Detection, err error) {
	err = post(ctx, dir, callsPath, d, &found)
	return found, err
}

// KnownCalls is eval-calls: a port's own list, and its time.
type KnownCalls struct {
	List []portcalls.ListedCall `json:"list"`
	From time.Time              `json:"from"`
	To   time.Time              `json:"to"`
}

// Send has the service that runs on this data folder compare the list.
func (k *KnownCalls) Send(ctx context.Context, dir string) (compared portcalls.Evaluation, err error) {
	err = post(ctx, dir, evaluatePath, k, &compared)
	return compared, err
}

// LearnWater is learn-water.
type LearnWater portcalls.Learning

// Send has the service that runs on this data folder learn water.
func (l *LearnWater) Send(ctx context.Context, dir string) (learned portcalls.Learned, err error) {
	err = post(ctx, dir, waterPath, l, &learned)
	return learned, err
}
