package fuzz

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/repcheck/repcheck/spec/file"
)

// stateFile holds the state of the campaign, next to the findings.
const stateFile = "campaign.state"

// stateFormat is incremented when campaigns of older versions cannot be resumed.
const stateFormat = 3

// A CampaignRecord is what a folder of findings records about the campaign that
// made them.
type CampaignRecord struct {
	// Format is stateFormat.
	Format int `json:"format"`
	// Seed determined the inputs. Inputs is how many were generated.
	Seed   uint64 `json:"seed"`
	Inputs uint64 `json:"inputs"`
	// Tally covers all answers, Subjects the parsers that gave them.
	Tally    Tally             `json:"tally"`
	Subjects []CampaignSubject `json:"subjects"`
	// Pending are the numbers of the inputs that were not finished.
	Pending []uint64 `json:"pending,omitempty"`
}

// begin begins a campaign, or resumes the one in the folder of the store.
func (c *campaign) begin() error {
	old, err := c.store.Campaign()
	switch {
	case err != nil:
		return err
	case old == nil:
		old = &CampaignRecord{}
	case old.Inputs > 0 && !c.options.Resume:
		return fmt.Errorf("%s holds a campaign of %d inputs: continue it with --resume, or begin another in a new folder with --dir", c.store.dir, old.Inputs)
	case old.Inputs > 0 && old.Seed != c.options.Seed && c.options.Seed != 0:
		return fmt.Errorf("the campaign in %s has seed %d: leave out --seed %d, or begin another in a new folder with --dir", c.store.dir, old.Seed, c.options.Seed)
	}
	for i := range c.Subjects {
		s := &c.Subjects[i]
		for _, o := range old.Subjects {
			if o.Name == s.Name && o.Version == s.Version {
				s.Fingerprint, s.Candidates, s.Contradicted, s.Refuted, s.Sample, s.Inputs, s.Tally, s.Slow = o.Fingerprint, o.Candidates, o.Contradicted, o.Refuted, o.Sample, o.Inputs, o.Tally, o.Slow
			}
		}
	}
	c.Tally, c.Inputs, c.again = old.Tally, old.Inputs, old.Pending
	for _, n := range old.Pending {
		c.pending[n] = true
	}
	if c.Seed = max(c.options.Seed, 1); old.Inputs > 0 {
		c.Seed = max(old.Seed, 1)
	}
	return nil
}

// save writes the counts of the findings and the state of the campaign.
func (c *campaign) save() error {
	c.fail(c.store.Flush())
	c.mu.Lock() // so that an input is counted if and only if it is finished
	record := c.CampaignRecord
	record.Format, record.Subjects, record.Pending = stateFormat, slices.Clone(c.Subjects), slices.Sorted(maps.Keys(c.pending))
	c.mu.Unlock()
	for i := range record.Subjects {
		if c.recorder != nil {
			record.Subjects[i].Refuted = c.recorder.explainer.view(i).refuted
		}
	}
	return c.store.writeState(&record)
}

// check returns an error for a state that no campaign can have written.
func (s *CampaignRecord) check() error {
	if s.Format != stateFormat {
		return fmt.Errorf("it has format %d, and this version resumes format %d", s.Format, stateFormat)
	}
	for i, n := range s.Pending {
		if n >= s.Inputs || i > 0 && n <= s.Pending[i-1] {
			return fmt.Errorf("input %d cannot be pending: they are below %d and sorted", n, s.Inputs)
		}
	}
	return nil
}

// Campaign returns the record of the campaign in the folder, nil if there was
// none. A state that this version cannot read is an error.
func (s *Store) Campaign() (*CampaignRecord, error) {
	path := filepath.Join(s.dir, stateFile)
	text, err := file.Read(path, maxFile, "remove it")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	state := &CampaignRecord{}
	if err == nil {
		err = json.Unmarshal(text, state)
	}
	if err == nil {
		err = state.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be resumed: %w; delete it to begin again, the findings stay", path, err)
	}
	return state, nil
}

func (s *Store) writeState(state *CampaignRecord) error {
	text, err := json.Marshal(state)
	if err == nil {
		err = file.Replace(filepath.Join(s.dir, stateFile), text)
	}
	if err != nil {
		return fmt.Errorf("cannot save the state of the campaign: %w", err)
	}
	return nil
}
