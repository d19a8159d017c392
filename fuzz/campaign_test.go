package fuzz

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/repcheck/repcheck/impl"
	"github.com/repcheck/repcheck/impl/reference"
	"github.com/repcheck/repcheck/spec"
)

// buggy makes a subject of a copy of the reference whose input is changed: its
// bugs are the changes to the file and the URL.
func buggy(t *testing.T, name string, file func([]byte) []byte, url func(string) string) impl.Subject {
	parser := reference.New(reference.RFC9309())
	parse := func(robots []byte) (func(agent, url string) spec.Answer, error) {
		f := parser.Parse(file(robots))
		return func(agent, u string) spec.Answer {
			if f.Test(agent, url(u)).Allow {
				return spec.Answer{Verdict: spec.Allow}
			}
			return spec.Answer{Verdict: spec.Disallow}
		}, nil
	}
	s := impl.InProcess(spec.SubjectInfo{Name: name, Version: "1"}, parse, impl.InProcessOptions{})
	t.Cleanup(func() { s.Close() })
	return s
}

func sameFile(robots []byte) []byte { return robots }
func sameURL(url string) string     { return url }

// dollarInTheMiddle cuts a rule's value after its first "$", so that this becomes
// the last byte, where it means the end of the URL.
func dollarInTheMiddle(robots []byte) []byte {
	lines := strings.SplitAfter(string(robots), "\n")
	for i, line := range lines {
		key, value, ok := strings.Cut(line, ":")
		key = strings.ToLower(strings.TrimSpace(key))
		if before, _, special := strings.Cut(value, "$"); ok && special && (key == "allow" || key == "disallow") {
			lines[i] = line[:strings.IndexByte(line, ':')+1] + before + "$\n"
		}
	}
	return []byte(strings.Join(lines, ""))
}

// adjacentOnly removes the rules of a group whose crawler had a group before,
// unless that group is directly above.
func adjacentOnly(robots []byte) []byte {
	var out []string
	seen, last, drop := map[string]bool{}, "", false
	header := false
	for _, line := range strings.SplitAfter(string(robots), "\n") {
		key, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(strings.TrimSpace(key), "user-agent") {
			name := strings.ToLower(strings.TrimSpace(value))
			if !header {
				drop = seen[name] && name != last
			}
			seen[name], last, header = true, name, true
			if drop {
				continue
			}
		} else {
			header = false
			if drop {
				continue
			}
		}
		out = append(out, line)
	}
	return []byte(strings.Join(out, ""))
}

var wellFormedEscape = regexp.MustCompile("%[0-9A-Fa-f]{2}")

// escapeRaised changes an escape such as "%2f" in the URL so that it no longer
// counts as one: rules have it in capitals, and none is equal to it any more.
func escapeRaised(url string) string {
	return wellFormedEscape.ReplaceAllStringFunc(url, func(e string) string {
		octet, _ := strconv.ParseUint(e[1:], 16, 8)
		if e == strings.ToUpper(e) || strings.ContainsRune("-._~", rune(octet)) || octet < 0x80 && isAlphanumeric(byte(octet)) {
			return e
		}
		return "\x01" + e[1:]
	})
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
}

// A bug that was planted in a copy of the reference is found, minimized to a file
// that a person could have written, and explained.
func TestCampaignFindsPlantedBugs(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		file  func([]byte) []byte
		url   func(string) string
		flip  string // that explains it, or that it resembles; a part of it is enough
		holds string // is in the minimized file
	}{
		{"dollar in the middle", dollarInTheMiddle, sameURL, "dollar=first-ends", "$"},
		{"adjacent groups only", adjacentOnly, sameURL, "-groups=first", "User-agent"},
		{"escape raised in rules only", sameFile, escapeRaised, "hex-case=rule-only", "%"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			store := openStore(t, t.TempDir())
			subjects := []impl.Subject{subject(t, "reference", reference.RFC9309()), buggy(t, "buggy", tt.file, tt.url)}
			result, err := Campaign(t.Context(), subjects, store, CampaignOptions{Count: 1500})
			if err != nil {
				t.Fatal(err)
			}
			found, err := store.List()
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(found, func(f Finding) bool { return strings.Contains(f.Cause.String(), tt.flip) })
			if at < 0 {
				t.Fatalf("none of %d findings is %s: %v", len(found), tt.flip, titles(found))
			}
			f := found[at]
			if f.Witness.Lines() > 6 || !strings.Contains(string(f.Witness.Robots), tt.holds) {
				t.Errorf("the witness is %q", f.Witness.Robots)
			}
			if f.Hits["buggy"] == 0 || f.Hits["reference"] != 0 {
				t.Errorf("hits are %v", f.Hits)
			}
			t.Logf("%d inputs in %v, %.1f %% explained; %q for %s", result.Next, result.Elapsed.Round(time.Millisecond), 100*result.Tally.Explained(),
				f.Witness.Robots, f.Witness.URL)
		})
	}
}

func titles(found []Finding) (all []string) {
	for i := range found {
		all = append(all, found[i].Title())
	}
	return all
}

// Equal seeds give the same queries, and a resumed campaign sends the same
// queries as an uninterrupted one.
func TestCampaignIsDeterministic(t *testing.T) {
	t.Parallel()
	run := func(dir string, o CampaignOptions) *CampaignResult {
		subjects := []impl.Subject{subject(t, "reference", reference.RFC9309()), subject(t, "first", flip(reference.Precedence, reference.PrecedenceFirst))}
		result, err := Campaign(t.Context(), subjects, openStore(t, dir), o)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	const count = 3000
	whole := run(t.TempDir(), CampaignOptions{Seed: 5, Count: count, Jobs: 3})
	dir := t.TempDir()
	run(dir, CampaignOptions{Seed: 5, Count: 1000, Jobs: 2})
	run(dir, CampaignOptions{Count: 2077, Jobs: 1, Resume: true})
	parts := run(dir, CampaignOptions{Count: count, Jobs: 4, Resume: true})
	for _, r := range []*CampaignResult{whole, parts} {
		// Which of two subjects records a finding is random, and so is how many
		// answers are met while a cause is tested.
		for _, t := range []*Tally{&r.Tally, &r.Subjects[0].Tally, &r.Subjects[1].Tally} {
			t.New, t.Known, t.Confirmed, t.Proposed = nil, 0, t.Confirmed+t.Proposed, 0
		}
	}
	if diff := cmp.Diff(whole.Tally, parts.Tally); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(whole.Subjects, parts.Subjects); diff != "" {
		t.Error(diff)
	}
	if whole.Tally.Inputs != count || whole.Next != count {
		t.Errorf("%d inputs, next %d, want %d", whole.Tally.Inputs, whole.Next, count)
	}
}

// Inputs that were pending when a campaign ended come first in the next one, and
// only those; a state with others is refused.
func TestCampaignPending(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	subjects := []impl.Subject{subject(t, "reference", reference.RFC9309())}
	resume := func(count uint64) (*CampaignResult, error) {
		return Campaign(t.Context(), subjects, openStore(t, dir), CampaignOptions{Count: count, Resume: true, Jobs: 1})
	}
	if _, err := resume(205); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, stateFile)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const next = `"inputs":205`
	for pending, want := range map[string]string{
		"[205]":      "cannot be pending",
		"[99999999]": "cannot be pending",
		"[200,200]":  "cannot be pending",
		"[200,202]":  "",
	} {
		text := strings.Replace(string(whole), next, next+`,"pending":`+pending, 1)
		if text == string(whole) {
			t.Fatalf("the state has no %s: %s", next, whole)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		switch r, err := resume(207); {
		case want != "":
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("pending %s: %v, want %q", pending, err, want)
			}
		case err != nil:
			t.Error(err)
		case r.Tally.Inputs != 205+4: // two of them again, and two new ones
			t.Errorf("%d inputs were made", r.Tally.Inputs)
		}
	}
}

// Pending inputs stay pending when the campaign that generates them is
// interrupted.
func TestCampaignPendingInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := subject(t, "first", reference.RFC9309())
	if _, err := Campaign(t.Context(), []impl.Subject{first}, openStore(t, dir), CampaignOptions{Count: 20}); err != nil {
		t.Fatal(err)
	}
	store := openStore(t, dir)
	state, err := store.Campaign()
	if err != nil {
		t.Fatal(err)
	}
	state.Pending = []uint64{3, 7}
	if err := store.writeState(state); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Campaign(ctx, []impl.Subject{&cancelling{Subject: first, cancel: cancel}}, openStore(t, dir), CampaignOptions{Count: 20, Resume: true, Jobs: 1})
	if err != nil || !r.Interrupted {
		t.Fatalf("%+v, %v", r, err)
	}
	if state, err = store.Campaign(); err != nil || !slices.Equal(state.Pending, []uint64{3, 7}) {
		t.Errorf("pending are %v, %v", state.Pending, err)
	}
}

// A campaign does not start in the folder of another one, and does not resume
// from a broken state.
func TestCampaignState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	subjects := []impl.Subject{subject(t, "reference", reference.RFC9309())}
	begin := func(o CampaignOptions) error {
		_, err := Campaign(t.Context(), subjects, openStore(t, dir), o)
		return err
	}
	if err := begin(CampaignOptions{Seed: 3, Count: 10, Resume: true}); err != nil {
		t.Fatal("nothing to resume is a beginning:", err)
	}
	if err := begin(CampaignOptions{Count: 20}); err == nil || !strings.Contains(err.Error(), "--resume") {
		t.Error("over another:", err)
	}
	if err := begin(CampaignOptions{Seed: 4, Count: 20, Resume: true}); err == nil || !strings.Contains(err.Error(), "has seed 3") {
		t.Error("another seed:", err)
	}
	file := filepath.Join(dir, stateFile)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for old, broken := range map[string]string{
		string(whole): "{",
		`"format":3`:  `"format":9`,
		`"inputs":10`: `"inputs":-1`,
		`"Inputs":10`: `"Inputs":"10"`,
	} {
		text := strings.Replace(string(whole), old, broken, 1)
		if text == string(whole) {
			t.Fatalf("the state has no %s: %s", old, whole)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := begin(CampaignOptions{Count: 20, Resume: true}); err == nil || !strings.Contains(err.Error(), "delete it to begin again") {
			t.Errorf("%s: %v", broken, err)
		}
	}
}
