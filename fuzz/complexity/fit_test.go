package complexity

import (
	"math"
	"testing"
	"time"
)

// series has a point for each of the times, from n = 8 on.
func series(times ...time.Duration) []Timing {
	var points []Timing
	for i, d := range times {
		points = append(points, Timing{N: 8 << i, Time: d})
	}
	return points
}

func TestExponent(t *testing.T) {
	t.Parallel()
	grown := func(takes func(n float64) float64) []Timing {
		var times []time.Duration
		for i := range 4 {
			times = append(times, time.Duration(takes(float64(int(1024)<<i))))
		}
		return series(times...)
	}
	for _, test := range []struct {
		name     string
		points   []Timing
		want     float64
		accuracy float64
	}{
		{"constant", grown(func(float64) float64 { return 5e6 }), 0, 0.001},
		{"square root", grown(func(n float64) float64 { return 1e6 * math.Sqrt(n) }), 0.5, 0.001},
		{"linear", grown(func(n float64) float64 { return 1e5 * n }), 1, 0.001},
		{"linear with a start", grown(func(n float64) float64 { return 1e6 + 1e5*n }), 1, 0.01},
		{"n log n", grown(func(n float64) float64 { return 1e5 * n * math.Log(n) }), 1.12, 0.02},
		{"quadratic", grown(func(n float64) float64 { return 100 * n * n }), 2, 0.001},
		{"quadratic and linear", grown(func(n float64) float64 { return 100*n*n + 1e5*n }), 1.77, 0.05},
		{"fifth power", grown(func(n float64) float64 { return 0.001 * math.Pow(n, 5) }), 5, 0.001},
	} {
		if got := exponent(test.points); math.Abs(got-test.want) > test.accuracy {
			t.Errorf("%s: exponent is %.3f, want %.3f ± %v", test.name, got, test.want, test.accuracy)
		}
	}
}

func TestFitted(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for _, test := range []struct {
		name        string
		points      []Timing
		first, many int // N of the first point, number of points
	}{
		{"none", nil, 0, 0},
		{"two", series(10*ms, 20*ms), 0, 0},
		{"three", series(10*ms, 20*ms, 40*ms), 8, 3},
		{"the last four", series(10*ms, 20*ms, 40*ms, 80*ms, 160*ms), 16, 4},
		{"those above the noise", series(0, ms/2, 2*ms, 4*ms, 8*ms), 32, 3},
		{"one below it in between", series(10*ms, 20*ms, ms/2, 40*ms, 80*ms), 0, 0},
		{"all below it", series(1, 2, 4, 8), 0, 0},
	} {
		got := fitted(test.points, ms)
		if len(got) != test.many || test.many > 0 && got[0].N != test.first {
			t.Errorf("%s: %d points are fitted, %v, want %d from n = %d on", test.name, len(got), got, test.many, test.first)
		}
	}
}

func TestCurveFinding(t *testing.T) {
	t.Parallel()
	long, short := series(time.Second), series(harmless-1)
	for _, test := range []struct {
		name string
		c    Curve
		want bool
	}{
		{"linear", Curve{Timings: long, Fitted: 4, Exponent: 1.1}, false},
		{"tolerated", Curve{Timings: long, Fitted: 4, Exponent: tolerated}, false},
		{"quadratic", Curve{Timings: long, Fitted: 4, Exponent: 2}, true},
		{"quadratic and harmless", Curve{Timings: short, Fitted: 4, Exponent: 2}, false},
		{"stopped", Curve{Stopped: true}, true},
		{"nothing", Curve{}, false},
	} {
		if got := test.c.Finding(); got != test.want {
			t.Errorf("%s: is a finding: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestCurveAtLeast(t *testing.T) {
	t.Parallel()
	points := series(100*time.Millisecond, 250*time.Millisecond)
	for _, test := range []struct {
		name string
		c    Curve
		want float64
	}{
		{"cubic", Curve{Stopped: true, StoppedAt: 32, Timings: points}, 3},
		{"without a point", Curve{Stopped: true, StoppedAt: 32}, 0},
		{"not stopped", Curve{Timings: points}, 0},
		{"not after the points", Curve{Stopped: true, StoppedAt: 16, Timings: points}, 0},
		{"slower before", Curve{Stopped: true, StoppedAt: 32, Timings: series(3 * time.Second)}, 0},
	} {
		if got := test.c.AtLeast(2 * time.Second); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: exponent is at least %v, want %v", test.name, got, test.want)
		}
	}
}
