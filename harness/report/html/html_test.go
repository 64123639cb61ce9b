package html

import (
	"context"
	"encoding/json"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/lwtest/lwtest/harness"
	"github.com/lwtest/lwtest/harness/history"
	"github.com/lwtest/lwtest/harness/report"
)

// kind has one rule, which a name tries to break out of the page with.
var kind = &harness.Kind{Name: "toy", Rules: []harness.Rule{{Clause: harness.Clause{ID: "read/true", Level: harness.Must, Text: "A read gives what was written. </script><b>&",
	Why: "Nobody likes surprises.", Sources: []harness.Source{{Name: "the manual", URL: "https://example.org/manual"}, {Name: "k8s.io/client-go@v0.37.2/tools/cache/store.go#Store"}}}}}}

func init() {
	kind.Checks = []harness.Info{{Name: "read/true", About: "Writes and reads.", Rules: kind.Rules}, {Name: "read/other", About: "Reads.", Rules: kind.Rules}}
}

func aHistory(t testing.TB) *history.History {
	h, err := history.New(history.Header{Kind: "toy", Time: history.VirtualTime}, []history.Event{
		{Phase: history.Call, Actor: "writer", Kind: "WRITE", Obj: history.Ref{Key: "a", RV: "7"}},
		{Phase: history.Return, Actor: "writer", Kind: "WRITE", Call: 1, At: 1000},
		{Actor: "watch", Kind: "ADDED", At: 3_600_000_000_000, Obj: history.Ref{Key: "a", RV: "7"}},
		{Phase: history.Call, Actor: "reader", Kind: "READ", At: 3_600_000_000_000},
		{Phase: history.Return, Actor: "reader", Kind: "READ", Call: 4, At: 3_600_000_001_000, Obj: history.Ref{Key: "a", RV: "6"}},
	})
	require.NoError(t, err)
	h.Steps = []history.Step{{Num: 1, Text: "the writer writes a"}, {Num: 2, After: 3, At: 3_600_000_000_000, Text: "the reader reads a"}}
	return h
}

func aReport() *report.Report {
	in := report.Input{Kinds: []*harness.Kind{kind}, Header: report.Header{Version: "v0.0.0", Args: []string{"run"}, Settings: report.Settings{Targets: []string{"fake"}, Level: harness.Must}}}
	for _, c := range []string{"toy/read/true", "toy/read/other"} {
		in.Header.Plan = append(in.Header.Plan, report.Planned{Target: "fake", Check: c})
	}
	in.Results = []harness.Result{
		{Check: "toy/read/true", Target: "fake", Verdict: harness.Fail, Events: 5, Time: history.VirtualTime, History: "x", Rules: []harness.RuleResult{{Rule: "read/true", Level: harness.Must, Verdict: harness.Fail, Required: true, Tested: 1, Failures: 1,
			Bad: []harness.Shown{{Finding: harness.Finding{At: []int32{2, 5}, Want: "a @7", Got: "a @6 <img src=x onerror=alert(1)>"}, Timeline: "as text"}}},
			{Rule: "read/again", Level: harness.Must, Verdict: harness.Fail, Tested: 1, Failures: 1, After: []string{"read/true"}, Bad: []harness.Shown{{Finding: harness.Finding{At: []int32{5}, Want: "a @7", Got: "a @6"}}}}}},
		{Check: "toy/read/other", Target: "fake", Verdict: harness.Pass, Elapsed: 2 * time.Second, First: "The first run was slow.", Rules: []harness.RuleResult{{Rule: "read/true", Level: harness.Must, Verdict: harness.Pass, Required: true, Tested: 1}}},
	}
	return report.New(in)
}

func write(t testing.TB, extra string) string { return writeWith(t, aReport(), aHistory(t), extra) }

// sinceWhat is what the pages of a test compare with.
var sinceWhat *report.Diff

func writeWith(t testing.TB, r *report.Report, h *history.History, extra string) string {
	var b strings.Builder
	require.NoError(t, Write(&b, r, Options{Kinds: []*harness.Kind{kind}, Since: sinceWhat, History: func(r *harness.Result) *history.History {
		if r.History == "" {
			return nil
		}
		return h
	}}))
	file := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(b.String(), "</body>", extra+"</body>", 1)), 0o600))
	return file
}

func TestContent(t *testing.T) {
	b, err := os.ReadFile(write(t, ""))
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(b), `id="data">`)
	require.True(t, ok)
	text, _, _ := strings.Cut(rest, "</script>") // the clause's own must not end it
	var c content
	require.NoError(t, json.Unmarshal([]byte(text), &c))
	require.Len(t, c.Results, 2)
	assert.Equal(t, "failed", c.Results[0].Ended)
	assert.Equal(t, "passed", c.Results[1].Ended)
	assert.Equal(t, kind.Rules[0].Clause.Text, c.Rules[c.Results[0].Broken[0].Rule].Text)
	assert.Equal(t, []string{"writer", "watch", "reader"}, c.Results[0].Picture.Lanes)
	assert.Len(t, c.Results[0].Picture.Events, 5)
	assert.Len(t, c.Results[0].Picture.Steps, 2)
	assert.Nil(t, c.Results[1].Picture)
	assert.NotRegexp(t, `<(script|link|img)[^>]* (src|href)=`, string(b[:len(b)-len(rest)]), "nothing is loaded")
}

// A picture of a long history shows the findings, the calls they belong to, and what was near the first violation.
func TestWindow(t *testing.T) {
	var events []history.Event
	for range 500 {
		events = append(events, history.Event{Phase: history.Call, Actor: "a", Kind: "READ"}, history.Event{Phase: history.Return, Actor: "a", Kind: "READ", Call: int32(len(events) + 1)})
	}
	h, err := history.New(history.Header{}, events)
	require.NoError(t, err)
	broken := []broken{{Bad: []bad{{At: []int32{2, 900}}, {At: []int32{0, 5000}}}}}
	in := window(h, broken, 40)
	assert.Len(t, in, 40)
	assert.Equal(t, []int32{1, 2}, in[:2])
	assert.Contains(t, in, int32(900))
	assert.Contains(t, in, int32(890))
	assert.Contains(t, in, int32(910))
	empty, err := history.New(history.Header{}, nil)
	require.NoError(t, err)
	assert.Nil(t, draw(empty, broken, 40))
}

// longHistory has 500 events. Steps stand before the first and after the last, many beside the violation #400, and some among
// events that a picture leaves out.
func longHistory(t testing.TB) *history.History {
	var events []history.Event
	for range 500 {
		events = append(events, history.Event{Actor: "watch", Kind: "ADDED", At: int64(len(events)), Obj: history.Ref{Key: "a"}})
	}
	h, err := history.New(history.Header{Kind: "toy", Time: history.VirtualTime}, events)
	require.NoError(t, err)
	for after := int32(0); after <= 500; after++ {
		n := map[int32]int{0: 1, 50: 1, 100: 2, 101: 1, 390: 1, 399: 3, 400: 9, 450: 2, 500: 1}[after]
		for range n {
			h.Steps = append(h.Steps, history.Step{Num: int32(len(h.Steps) + 1), After: after, Text: "a step"})
		}
	}
	return h
}

// Steps where many events are left out become one, as do many in one place.
func TestSteps(t *testing.T) {
	var got [][3]int // number, after, count
	for _, s := range steps(longHistory(t).Steps, []int32{1, 2, 101, 390, 400, 401, 402}) {
		got = append(got, [3]int{int(s.Num), int(s.After), s.Count})
	}
	assert.Equal(t, [][3]int{{1, 0, 0}, {2, 50, 0}, {3, 100, 0}, {4, 100, 0}, {5, 101, 0}, {6, 390, 0}, {7, 399, 0}, {8, 399, 0}, {9, 399, 0}, {10, 400, 9}, {19, 450, 3}}, got)
	s := steps(longHistory(t).Steps, []int32{400})
	assert.Equal(t, step{Num: 1, Count: 6, Text: "1: a step; 2: a step; 3: a step; 4: a step; 5: a step; 6: a step"}, s[0])
}

// What is inconclusive has a picture, too: of the end.
func TestInconclusive(t *testing.T) {
	r := aReport()
	r.Results[1].Verdict, r.Results[1].History = harness.Inconclusive, "y"
	r.Results = r.Results[1:]
	out := contentOf(r, Options{History: func(*harness.Result) *history.History { return longHistory(t) }}).Results[0]
	require.NotNil(t, out.Picture)
	require.Len(t, out.Picture.Events, 400)
	assert.EqualValues(t, 500, out.Picture.Events[399].([7]any)[0])
	page := writeWith(t, r, longHistory(t), "")
	assert.Contains(t, browser(t, page+"#/result/0", "--dump-dom"), "400 events of 500, the last ones.")
}

// What a subject wrote is cut where it is long, and the page says so.
func TestLongTexts(t *testing.T) {
	r := aReport()
	long := strings.Repeat("ä", 400_000)
	broken := &r.Results[0].Rules[0]
	broken.Bad[0].Got, broken.Bad[0].Timeline, broken.More = long, long, slices.Repeat([]string{long}, 1000)
	r.Results[1].Reason, r.Results[1].Stack = long, long
	out := contentOf(r, Options{})
	assert.Equal(t, strings.Repeat("ä", 5000)+"… (cut after 5000 of 400000 characters; report.json has all)", out.Results[0].Broken[0].Bad[0].Got)
	page, err := os.Stat(writeWith(t, r, aHistory(t), ""))
	require.NoError(t, err)
	assert.Less(t, page.Size(), int64(200_000))
}

// Each step stands between the events where it happened, within the picture, and no two stand on each other.
func TestStepsInABrowser(t *testing.T) {
	r := aReport()
	r.Results[0].Rules[0].Bad[0].At, r.Results[0].Rules[1].Bad[0].At = []int32{120, 400}, []int32{5, 400}
	const look = `<script>addEventListener('load', () => {
		const p = data.results[0].picture, at = [...document.querySelectorAll('.mark circle')].map((c, i) => [p.events[i][0], +c.getAttribute('cx')]);
		const boxes = [...document.querySelectorAll('.stepdot')].map(d => ({ after: +d.dataset.after, x: +d.getAttribute('x'), w: +d.getAttribute('width') }));
		const wide = +document.querySelector('svg').getAttribute('width');
		const wrong = boxes.filter((b, i) => at.some(([n, x]) => n <= b.after ? x >= b.x + b.w / 2 : x <= b.x + b.w / 2) || b.x < 0 || b.x + b.w > wide || (i && b.x < boxes[i - 1].x + boxes[i - 1].w));
		document.body.dataset.steps = wrong.length + ' of ' + boxes.length + ' wrong, gaps: ' + [...document.querySelectorAll('.gap text')].map(g => g.textContent);
	});</script>`
	page := writeWith(t, r, longHistory(t), look)
	assert.Contains(t, regexp.MustCompile(`data-steps="[^"]*"`).FindString(browser(t, page+"#/result/0", "--dump-dom")), `data-steps="0 of 11 wrong, gaps: 4 left out,96 left out"`)
}

// A kind that compares shows its findings with both columns, what went wrong between them, and the row that differs.
func TestComparisonInABrowser(t *testing.T) {
	compares := *kind
	compares.Compare = func(h *history.History, f harness.Finding) *harness.Comparison {
		if f.At[0] != 2 {
			return nil // there is nothing to compare the second finding with
		}
		assert.Len(t, h.Events, 5, "all events, not those of the finding")
		return &harness.Comparison{Left: "calm", Right: "stormy", Differ: []string{"a is gone"}, Rows: []harness.Row{
			{Left: harness.Side{Num: 1, Text: "write a"}, Right: harness.Side{Num: 4, Text: strings.Repeat("ä", 1000)}},
			{Between: "a storm", Mark: harness.Disturbed},
			{Between: "3 rows are left out", Mark: harness.LeftOut},
			{Right: harness.Side{Num: 5, Text: "write b"}, Between: "it differs", Mark: harness.Differs},
		}}
	}
	var b strings.Builder
	require.NoError(t, Write(&b, aReport(), Options{Kinds: []*harness.Kind{&compares}, History: func(*harness.Result) *history.History { return aHistory(t) }}))
	page := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, os.WriteFile(page, []byte(b.String()), 0o600))
	_, out, _ := strings.Cut(browser(t, page+"#/result/0", "--dump-dom"), "<main")
	out, _, _ = strings.Cut(out, `id="data"`)
	for _, want := range []string{
		`<th scope="col">calm</th><th scope="col">stormy</th>`,
		`<td><span class="soft">#1 </span>write a</td><td><span class="soft">#4 </span>` + strings.Repeat("ä", longest) + "…</td>",
		`<tr class="between disturbed"><td colspan="2">a storm</td></tr><tr class="between left-out"><td colspan="2">3 rows are left out</td></tr>`,
		`<tr class="between differs"><td colspan="2">it differs</td></tr><tr class="differs"><td></td><td class="failed"><span class="soft">#5 </span>write b</td></tr>`,
		"<li>a is gone</li>",
	} {
		assert.True(t, strings.Contains(out, want), "no %s", want)
	}
	assert.Equal(t, 1, strings.Count(out, "Both runs side by side"))
}

// A page has so many comparisons at most, and each result has one.
func TestMostCompared(t *testing.T) {
	compares := *kind
	compares.Compare = func(*history.History, harness.Finding) *harness.Comparison { return &harness.Comparison{} }
	r := aReport()
	res := r.Results[0]
	res.Rules = []harness.RuleResult{res.Rules[0]}
	res.Rules[0].Bad = slices.Repeat(res.Rules[0].Bad, 5)
	for n, want := range map[int]int{1: 5, 30: 90, 200: 200} {
		r.Results = slices.Repeat([]harness.Result{res}, n)
		got := 0
		for _, out := range contentOf(r, Options{Kinds: []*harness.Kind{&compares}, History: func(*harness.Result) *history.History { return aHistory(t) }}).Results {
			require.NotNil(t, out.Broken[0].Bad[0].Compare)
			for _, f := range out.Broken[0].Bad {
				if f.Compare != nil {
					got++
				}
			}
		}
		assert.Equal(t, want, got, "%d results", n)
	}
}

// Text of others turns nothing round, whatever it holds.
func TestBidiInABrowser(t *testing.T) {
	r := aReport()
	r.Settings.Targets = nil
	for i := range r.Results {
		r.Results[i].Target = "\u202e\u2066t\x1b[31m\u009bend"
	}
	for _, address := range []string{"#/", "#/result/0", "#/matrix/toy"} {
		out := browser(t, writeWith(t, r, aHistory(t), "")+address, "--dump-dom")
		_, out, _ = strings.Cut(out, "<main")
		out, _, _ = strings.Cut(out, `id="data"`)
		assert.Contains(t, out, "\ufffd\ufffdt\ufffd[31m\ufffdend", address)
		assert.NotRegexp(t, "[\u202e\u2066\x1b\u009b]", out, address)
	}
}

// browser runs a headless Chromium on a page and returns what it prints.
func browser(t *testing.T, page string, args ...string) string {
	t.Helper()
	var path string
	for _, name := range []string{"chromium-headless-shell", "chromium", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium on this machine: Debian's package is chromium-headless-shell")
	}
	args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=2000", "--user-data-dir=" + t.TempDir()}, args...)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute) // a page that leaves itself would be waited for
	defer stop()
	cmd := exec.CommandContext(ctx, path, append(args, "file://"+page)...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	require.NoError(t, err)
	return string(out)
}

func TestPagesInABrowser(t *testing.T) {
	page := write(t, "")
	for address, wants := range map[string][]string{
		"/":              {"Something is broken", "toy/read/true", ">1</b>failed", "Slowest checks", "2 s</b>", "Retried checks (1)", "; first: The first run was slow."},
		"/failures":      {"toy/read/true", "on fake"},
		"/matrix":        {"Checks of fake", `<details open=""><summary><b>read</b>: `, "1 failed", "1 passed", "toy/read/true"},
		"/rules":         {"toy/read/true", "MUST"},
		"/rule/0":        {"&lt;/script&gt;&lt;b&gt;&amp;", "Nobody likes surprises.", `href="https://example.org/manual"`, `href="https://github.com/kubernetes/client-go/blob/v0.37.2/tools/cache/store.go"`, "Broken by"},
		"/result/0":      {"a @6 &lt;img src=x", "#5 reader after 60 min: &lt;- READ", "✗ the violation", "after toy/read/true", `class="band hit"`, `class="band cause"`},
		"/result/1":      {"passed", "A read gives what was written.", "The first run was slow."},
		"/find/read tru": {"1 result", "1 rule"},
		"/nothing":       {"There is no such page"},
	} {
		t.Run(strings.ReplaceAll(address, "/", "_"), func(t *testing.T) {
			t.Parallel()
			out := browser(t, page+"#"+strings.ReplaceAll(address, " ", "%20"), "--dump-dom")
			_, out, _ = strings.Cut(out, "<main")
			out, _, _ = strings.Cut(out, `id="data"`)
			for _, want := range wants {
				assert.True(t, strings.Contains(out, want), "%s has no %s", address, want)
			}
		})
	}
}

// Keys go from page to page, and in a picture from event to event.
func TestKeysInABrowser(t *testing.T) {
	const presses = `<script>
		const press = (key, on = document.body) => on.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
		addEventListener('load', () => { press('j'); setTimeout(() => {
			const plot = document.querySelector('.plot');
			press('ArrowLeft', plot); document.body.dataset.left = document.querySelector('.detail').textContent;
			press('e', plot); document.body.dataset.error = document.querySelector('.detail').textContent;
			press('m'); setTimeout(() => { document.body.dataset.matrix = location.hash; press('/'); document.body.dataset.search = document.activeElement.id; }, 50);
		}, 100); });
	</script>`
	out := browser(t, write(t, presses), "--dump-dom")
	assert.Contains(t, out, `data-left="#4 reader`)
	assert.Contains(t, out, `data-error="#5 reader`)
	assert.Contains(t, out, `data-matrix="#/matrix"`)
	assert.Contains(t, out, `data-search="search"`)
}

// What is shown has the focus, the way back leads to where it began, and a search leaves the page before it in the history.
func TestFocusInABrowser(t *testing.T) {
	const walk = `<script>
		const wait = () => new Promise(r => setTimeout(r, 100)), on = () => document.activeElement.tagName + ' ' + document.activeElement.textContent + ' ' + location.hash;
		const say = (k, v) => { document.body.dataset[k] = v; };
		addEventListener('load', async () => {
			document.body.style.paddingBottom = '3000px';
			scrollTo(0, 150);
			main.querySelector('.card a').click(); await wait(); say('result', on() + ' ' + scrollY);
			document.querySelector('.skip').click(); await wait(); say('skip', on());
			search.value = 'oth'; search.dispatchEvent(new Event('input')); await wait(); say('find', location.hash);
			search.value = 'other'; search.dispatchEvent(new Event('input')); await wait();
			history.back(); await wait(); say('back', location.hash + search.value);
			history.back(); await wait(); say('again', on() + ' ' + scrollY);
		});
	</script>`
	out := browser(t, write(t, walk)+"#/failures", "--dump-dom")
	for _, want := range []string{`data-result="H1 toy/read/true #/result/0/0 0"`, `data-skip="H1 toy/read/true #/result/0/0"`, `data-find="#/find/oth"`,
		`data-back="#/result/0/0"`, `data-again="A toy/read/true #/failures 150"`} {
		assert.True(t, strings.Contains(out, want), "no %s", want)
	}
}

// A matrix has the whole name of a target.
func TestNamesInABrowser(t *testing.T) {
	long := "exec:/usr/local/libexec/conformance/adapters/of-some-length/with-a-common-prefix/"
	r := aTable(long+"a", long+"b")
	const look = `<script>addEventListener('load', () => {
		document.body.dataset.cut = [...document.querySelectorAll('.matrix thead span')].map(s => s.scrollHeight > s.clientHeight + 1 || s.scrollWidth > s.clientWidth + 1 || s.getBoundingClientRect().right > s.parentNode.getBoundingClientRect().right + 1);
	});</script>`
	assert.Contains(t, browser(t, writeWith(t, r, nil, look)+"#/matrix", "--dump-dom"), `data-cut="false,false"`)
}

// The violation is red in the picture, in the colours of the day and of the night.
func TestScreenshots(t *testing.T) {
	page := write(t, "")
	for name, c := range map[string]struct{ page, hit color.RGBA }{
		"light": {color.RGBA{255, 255, 255, 255}, color.RGBA{0xc1, 0x1f, 0x2b, 255}},
		"dark":  {color.RGBA{0x14, 0x17, 0x1a, 255}, color.RGBA{0xff, 0x7b, 0x80, 255}},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "shot.png")
			args := []string{"--window-size=420,900", "--screenshot=" + file}
			if name == "dark" {
				args = append(args, "--blink-settings=preferredColorScheme=0")
			}
			browser(t, page+"#/result/0", args...)
			f, err := os.Open(file)
			require.NoError(t, err)
			defer f.Close()
			shot, err := png.Decode(f)
			require.NoError(t, err)
			counts := map[color.RGBA]int{}
			for y := range shot.Bounds().Dy() {
				for x := range shot.Bounds().Dx() {
					r, g, b, _ := shot.At(x, y).RGBA()
					counts[color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}]++
				}
			}
			assert.Greater(t, counts[c.page], 50_000, "the page")
			assert.Greater(t, counts[c.hit], 100, "the violation")
		})
	}
}
