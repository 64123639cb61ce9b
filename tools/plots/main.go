// Command plots draws the pictures of measurements in docs/images from the data in docs.
//
//	go run .
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// colors can be told apart by those who see few, on white, which the pictures have in a dark page, too.
var colors = []color.Color{color.RGBA{0, 114, 178, 255}, color.RGBA{213, 94, 0, 255}, color.RGBA{0, 128, 90, 255}}

var english = message.NewPrinter(language.English)

// grouped writes 1,000 for 1000, and leaves out what is beyond the axis.
type grouped struct{ plot.Ticker }

func (g grouped) Ticks(low, high float64) []plot.Tick {
	ticks := slices.DeleteFunc(g.Ticker.Ticks(low, high), func(t plot.Tick) bool { return t.Value < low || t.Value > high })
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = english.Sprint(number.Decimal(ticks[i].Value))
		}
	}
	return ticks
}

func main() {
	root := filepath.Join("..", "..")
	pictures, err := draws(root)
	for name, b := range pictures {
		err = errors.Join(err, os.WriteFile(filepath.Join(root, name), b, 0o644))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "plots:", err)
		os.Exit(1)
	}
}

// draws returns the pictures by their paths below root.
func draws(root string) (map[string][]byte, error) {
	plot.DefaultFont = font.Font{Typeface: "Liberation", Variant: "Sans"}
	plotter.DefaultFont = plot.DefaultFont
	out := map[string][]byte{}
	for data, draw := range map[string]func([]byte) ([]*plot.Plot, error){"speed.json": apiserver, "judging.txt": judging, "fuzzing.json": fuzzing} {
		b, err := os.ReadFile(filepath.Join(root, "docs", data))
		if err != nil {
			return nil, err
		}
		plots, err := draw(b)
		if err != nil {
			return nil, fmt.Errorf("docs/%s: %w", data, err)
		}
		name, _, _ := strings.Cut(data, ".")
		if out["docs/images/"+name+".svg"], err = svg(plots); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// svg draws plots below each other.
func svg(plots []*plot.Plot) ([]byte, error) {
	c := vgsvg.New(720, 420)
	dc := draw.New(c)
	dc.SetColor(color.White)
	dc.Fill(dc.Rectangle.Path())
	tiles := draw.Tiles{Rows: len(plots), Cols: 1, PadY: 12, PadTop: 6, PadBottom: 6, PadLeft: 6, PadRight: 16}
	for i, p := range plots {
		p.Draw(tiles.At(dc, 0, i))
	}
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")), err
}

// apiserver draws what `lwtest bench apiserver` measured: two bars for each row.
func apiserver(b []byte) ([]*plot.Plot, error) {
	var data struct {
		Other string
		Rows  []struct {
			What, Unit  string
			More        bool // is better
			Fake, Other float64
		}
	}
	if err := json.Unmarshal(b, &data); err != nil {
		return nil, err
	}
	p := plot.New()
	p.Title.Text = "lwtest's API server fake beside " + data.Other
	p.X.Label.Text = "part of the longer of two bars"
	p.X.Min, p.X.Max, p.X.Tick.Marker = 0, 1.3, plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: 0.5, Label: "0.5"}, {Value: 1, Label: "1"}}
	var names []string
	lengths, labels := [2]plotter.Values{}, [2]plotter.XYLabels{}
	for _, r := range slices.Backward(data.Rows) { // the first is at the top
		if r.Other == 0 {
			continue
		}
		better := "less is better"
		if r.More {
			better = "more is better"
		}
		what, _, _ := strings.Cut(r.What, " (")
		for i, v := range []float64{r.Fake, r.Other} {
			lengths[i] = append(lengths[i], v/max(r.Fake, r.Other))
			labels[i].XYs = append(labels[i].XYs, plotter.XY{X: v / max(r.Fake, r.Other), Y: float64(len(names))})
			labels[i].Labels = append(labels[i].Labels, english.Sprint(number.Decimal(v))+" "+r.Unit)
		}
		names = append(names, what+" ("+better+")")
	}
	for i, name := range []string{"the fake", data.Other} {
		bars, err := plotter.NewBarChart(lengths[i], 13)
		if err != nil {
			return nil, err
		}
		at := vg.Length(7 - 14*i)
		bars.Horizontal, bars.Color, bars.Offset, bars.LineStyle.Width = true, colors[i], at, 0
		values, err := plotter.NewLabels(labels[i])
		if err != nil {
			return nil, err
		}
		values.Offset = vg.Point{X: 4, Y: at}
		for n := range values.TextStyle {
			values.TextStyle[n].YAlign = text.YCenter
		}
		p.Add(bars, values)
		p.Legend.Add(name, bars)
	}
	p.NominalY(names...)
	p.Y.Padding, p.Y.Max = 38, float64(len(names))+0.2 // room for the legend, and for a font that is wider than Liberation
	p.Legend.Top, p.Legend.Left = true, true
	return []*plot.Plot{p}, nil
}

// line is a line of a benchmark's output.
var line = regexp.MustCompile(`(?m)^Benchmark(\w+/ops=\d+)\S*\s.*?([\d.]+) events/cpu-s`)

// judging draws what `make bench-judging` measured: the median of each benchmark, by the writes of the history.
func judging(b []byte) ([]*plot.Plot, error) {
	speeds := map[string][]float64{}
	for _, m := range line.FindAllStringSubmatch(string(b), -1) {
		speed, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return nil, err
		}
		speeds[m[1]] = append(speeds[m[1]], speed/1e6)
	}
	p := plot.New()
	p.Title.Text = "Judging a history of an API server, by its size (higher is better)"
	p.X.Label.Text, p.Y.Label.Text = "writes in the history", "million events a second of processor time"
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, grouped{plot.LogTicks{Prec: -1}}
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, grouped{plot.LogTicks{Prec: -1}}
	p.Y.Min, p.Legend.Left = 0.05, true
	for i, of := range [][2]string{{"History", "indexing alone"}, {"Build", "replay alone"}, {"Judge", "indexing, replay and all rules"}} {
		var points plotter.XYs
		for _, ops := range []int{10_000, 100_000, 1_000_000} {
			runs := speeds[fmt.Sprintf("%s/ops=%d", of[0], ops)]
			if len(runs) == 0 {
				return nil, fmt.Errorf("no figures of Benchmark%s with %d writes", of[0], ops)
			}
			slices.Sort(runs)
			points = append(points, plotter.XY{X: float64(ops), Y: runs[len(runs)/2]})
		}
		if err := add(p, of[1], i, points); err != nil {
			return nil, err
		}
	}
	return []*plot.Plot{p}, nil
}

// fuzzing draws the progress in a report of `lwtest fuzz`.
func fuzzing(b []byte) ([]*plot.Plot, error) {
	var report struct {
		Kind, Target string
		Progress     []struct {
			Took             time.Duration
			Stories, Classes float64
		}
	}
	if err := json.Unmarshal(b, &report); err != nil {
		return nil, err
	}
	if len(report.Progress) == 0 {
		return nil, errors.New("the report has no progress")
	}
	stories, classes := plot.New(), plot.New()
	stories.Title.Text, stories.Y.Label.Text = "lwtest fuzz "+report.Kind+" on "+report.Target+" (higher is better)", "stories played"
	classes.Y.Label.Text, classes.X.Label.Text = "classes of events", "seconds"
	var s, c plotter.XYs
	for _, at := range report.Progress {
		s, c = append(s, plotter.XY{X: at.Took.Seconds(), Y: at.Stories}), append(c, plotter.XY{X: at.Took.Seconds(), Y: at.Classes})
	}
	for _, p := range []*plot.Plot{stories, classes} {
		p.X.Min, p.Y.Min, p.Y.Tick.Marker = 0, 0, grouped{plot.DefaultTicks{}}
	}
	return []*plot.Plot{stories, classes}, errors.Join(add(stories, "", 0, s), add(classes, "", 1, c))
}

// add adds a line with points, and its name to the legend; "": none.
func add(p *plot.Plot, name string, i int, points plotter.XYs) error {
	l, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	l.Color, l.Width, dots.Color, dots.Shape, dots.Radius = colors[i], 1.5, colors[i], draw.CircleGlyph{}, 2
	p.Add(l, dots)
	if name != "" {
		p.Legend.Add(name, l, dots)
	}
	return nil
}
