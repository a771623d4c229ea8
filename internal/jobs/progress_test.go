package jobs

import (
	"context"
	"testing"
	"time"
)

// TestAJobTellsHowFarItIs: its owner hears it, nobody else, and nothing of a job that does not tell.
func TestAJobTellsHowFarItIs(t *testing.T) {
	inBubble(t, 2, func(t *testing.T, b *bench) {
		id, err := b.often.Start("anna", 0, func(ctx context.Context) (string, error) {
			for i := range 4 {
				time.Sleep(time.Second)
				Progress(ctx, float64(i+1)/4)
			}
			return "done", nil
		})
		if err != nil {
			t.Fatal(err)
		}
		silent := b.begin(t, b.often, "anna", "silent", 0, 10*time.Second)
		time.Sleep(500 * time.Millisecond)
		if share, told := b.often.Progress("anna", id); told {
			t.Errorf("told %v before the first", share)
		}
		time.Sleep(2 * time.Second)
		if share, told := b.often.Progress("anna", id); !told || share != 0.5 {
			t.Errorf("%v %v", share, told)
		}
		if _, told := b.often.Progress("bert", id); told {
			t.Error("told to another")
		}
		if _, told := b.often.Progress("anna", silent); told {
			t.Error("a job that does not tell is told")
		}
		Progress(t.Context(), 1) // outside of a job
	})
}
