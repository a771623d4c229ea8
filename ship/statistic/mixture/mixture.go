// Package mixture describes where many ships pass by a few normal distributions. It finds how many there are by itself.
//
// It promises that equal numbers give equal mixtures on each box, whatever their order, and that its work is bounded however many numbers there are.
package mixture

import "math"

// Normal is a normal distribution, and which share of all numbers it stands for.
type Normal struct {
	Weight    float64 // above 0; those of a mixture sum up to 1
	Mean      float64
	Deviation float64 // the standard deviation, above 0
}

// Bounds of a fit.
const (
	Most       = 3    // normal distributions of a mixture
	leastEach  = 10   // numbers for each of several distributions: fewer say nothing about a shape
	mostBins   = 500  // into which the numbers are put
	mostRounds = 300  // of a fit
	enough     = 1e-7 // of the likelihood of a number, by which a round must better it
)

// Fit returns the mixture of 1 to Most normal distributions that describes numbers best, in the order of their means. It is fitted by expectation and
// maximisation (Dempster, Laird, Rubin 1977) from fixed beginnings. The number of distributions is chosen by Schwarz's criterion (BIC, 1978). No deviation is
// below least, to which the numbers are known, and no distribution of several stands for fewer than ten numbers. Without a number there is none.
func Fit(numbers []float64, least float64) []Normal {
	if len(numbers) == 0 {
		return nil
	}
	s := newSample(numbers, least)
	best := []Normal{s.wholeNormal()}
	lowest := s.criterion(best)
	for k := 2; k <= Most && len(numbers) >= k*leastEach; k++ {
		for _, begin := range s.beginnings(k) {
			if fitted := s.fitMixture(begin); s.describes(fitted) && s.criterion(fitted) < lowest {
				best, lowest = fitted, s.criterion(fitted)
			}
		}
	}
	return ordered(best)
}

// Density returns how dense a mixture is at a place: its integral over all places is 1.
func Density(mixture []Normal, at float64) (sum float64) {
	for _, n := range mixture {
		sum += n.Weight * n.density(at)
	}
	return sum
}

func (n Normal) density(at float64) float64 {
	z := (at - n.Mean) / n.Deviation
	return math.Exp(-z*z/2) / (n.Deviation * math.Sqrt(2*math.Pi))
}
