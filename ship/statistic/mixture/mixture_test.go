package mixture

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// draw returns n numbers of a mixture.
func draw(mixture []Normal, n int, r *rand.Rand) (numbers []float64) {
	for range n {
		at, of := r.Float64(), 0
		for of < len(mixture)-1 && at >= mixture[of].Weight {
			at -= mixture[of].Weight
			of++
		}
		numbers = append(numbers, mixture[of].Mean+mixture[of].Deviation*r.NormFloat64())
	}
	return numbers
}

// TestAKnownMixtureIsFound draws passages of known lanes: weights come back within 0.03, deviations within 5 %, and means within 5 % of the line or of the
// deviation, whichever is more.
func TestAKnownMixtureIsFound(t *testing.T) {
	for name, want := range map[string][]Normal{
		"one lane":                {{1, 5000, 400}},
		"two lanes":               {{0.6, 2000, 300}, {0.4, 5000, 500}},
		"a narrow and a wide one": {{0.3, 3000, 150}, {0.7, 5000, 900}},
		"three lanes":             {{0.5, 1000, 200}, {0.3, 3000, 300}, {0.2, 6000, 400}},
		"one at the edge":         {{0.85, 4000, 500}, {0.15, 9000, 250}},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(5) {
				got := Fit(draw(want, 5000, rand.New(rand.NewPCG(seed, 13))), 1)
				if len(got) != len(want) {
					t.Fatalf("seed %d: %d distributions, want %d: %v", seed, len(got), len(want), got)
				}
				for i, n := range got {
					if w := want[i]; math.Abs(n.Weight-w.Weight) > 0.03 || math.Abs(n.Mean-w.Mean) > 0.05*w.Mean || math.Abs(n.Deviation-w.Deviation) > 0.05*w.Deviation {
						t.Errorf("seed %d: %+v, want %+v", seed, n, w)
					}
				}
			}
		})
	}
}

// TestTheOrderOfNumbersMeansNothing is what makes a result equal on each box.
func TestTheOrderOfNumbersMeansNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	numbers := draw([]Normal{{0.5, 100, 20}, {0.5, 300, 60}}, 3000, r)
	want := Fit(numbers, 1)
	for range 5 {
		r.Shuffle(len(numbers), func(i, j int) { numbers[i], numbers[j] = numbers[j], numbers[i] })
		if got := Fit(numbers, 1); !slices.Equal(got, want) {
			t.Fatalf("%v, then %v", want, got)
		}
	}
}

func TestFewNumbers(t *testing.T) {
	if got := Fit(nil, 1); got != nil {
		t.Errorf("of no number: %v", got)
	}
	if got, want := Fit([]float64{7}, 1), []Normal{{1, 7, 1}}; !slices.Equal(got, want) {
		t.Errorf("of a number: %v, want %v", got, want)
	}
	if got, want := Fit(slices.Repeat([]float64{7}, 500), 1), []Normal{{1, 7, 1}}; !slices.Equal(got, want) {
		t.Errorf("of equal numbers: %v, want %v", got, want)
	}
	// Two clear lanes, but of nine numbers each: too few to speak of two.
	two := append(slices.Repeat([]float64{100}, 9), slices.Repeat([]float64{900}, 9)...)
	if got := Fit(two, 1); len(got) != 1 || math.Abs(got[0].Mean-500) > 1e-9 {
		t.Errorf("of nine numbers in each of two lanes: %v", got)
	}
	if got := Fit(append(two, 100, 900), 1); len(got) != 2 || got[0] != (Normal{0.5, 100, 1}) || got[1] != (Normal{0.5, 900, 1}) {
		t.Errorf("of ten numbers in each of two lanes: %v", got)
	}
}

// TestAnyNumbersHaveAMixture looks at what must hold whatever the numbers are.
func TestAnyNumbersHaveAMixture(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		numbers := make([]float64, 1+r.IntN(300))
		for i := range numbers {
			numbers[i] = math.Trunc(math.Exp(12*r.Float64())) * float64(r.IntN(3))
		}
		sum, mean := 0.0, 0.0
		for _, n := range Fit(numbers, 0.5) {
			if !(n.Weight > 0 && n.Deviation >= 0.5) || math.IsNaN(n.Mean) {
				t.Fatalf("%+v of %v", n, numbers)
			}
			sum += n.Weight
			mean += n.Weight * n.Mean
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("the weights sum up to %v", sum)
		}
		all := 0.0
		for _, x := range numbers {
			all += x / float64(len(numbers))
		}
		if math.Abs(mean-all) > 1e-6*max(1, all) {
			t.Fatalf("the mean of the mixture is %v, of the numbers %v", mean, all)
		}
	}
}

// TestDensityHasAnIntegralOfOne sums it up.
func TestDensityHasAnIntegralOfOne(t *testing.T) {
	m := []Normal{{0.25, 100, 20}, {0.75, 300, 60}}
	sum := 0.0
	for at := -1000.0; at < 2000; at++ {
		sum += Density(m, at)
	}
	if math.Abs(sum-1) > 1e-6 {
		t.Errorf("the integral is %v", sum)
	}
}

// TestManyNumbersTakeFewBins is what bounds a round.
func TestManyNumbersTakeFewBins(t *testing.T) {
	numbers := draw([]Normal{{0.5, 1000, 200}, {0.3, 3000, 300}, {0.2, 6000, 400}}, 100_000, rand.New(rand.NewPCG(5, 6)))
	s := newSample(numbers, 1)
	if len(s.at) > mostBins || len(s.at) < mostBins/2 {
		t.Errorf("%d numbers take %d bins", len(numbers), len(s.at))
	}
	if got := Fit(numbers, 1); len(got) != 3 {
		t.Errorf("%d distributions: %v", len(got), got)
	}
}

func BenchmarkFit(b *testing.B) {
	for name, of := range map[string][]Normal{"one": {{1, 5000, 400}}, "three": {{0.5, 1000, 200}, {0.3, 3000, 300}, {0.2, 6000, 400}}} {
		numbers := draw(of, 5000, rand.New(rand.NewPCG(7, 8)))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if len(Fit(numbers, 1)) != len(of) {
					b.Fatal("another mixture")
				}
			}
		})
	}
}
