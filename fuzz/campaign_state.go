package fuzz

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// campaignFile holds the state of the campaign among the findings.
const campaignFile = "campaign.state"

// campaignFormat is raised when an older campaign cannot be gone on with.
const campaignFormat = 1

// A campaignState is a campaign as it is kept.
type campaignState struct {
	Format int `json:"format"`
	scheduleState
	Tally    Tally             `json:"tally"`
	Subjects []CampaignSubject `json:"subjects"`
}

func (c *campaign) state() campaignState {
	c.mu.Lock() // so that what is done is counted, and what is counted is done
	defer c.mu.Unlock()
	return campaignState{Format: campaignFormat, scheduleState: c.schedule.state(), Tally: c.tally, Subjects: slices.Clone(c.subjects)}
}

// check refuses what no campaign wrote.
func (s *campaignState) check() error {
	if s.Format != campaignFormat {
		return fmt.Errorf("it has format %d, and this version goes on with format %d", s.Format, campaignFormat)
	}
	for i, n := range s.Pending {
		if n >= s.Next || i > 0 && n <= s.Pending[i-1] {
			return fmt.Errorf("input %d cannot be pending: they are below %d and sorted", n, s.Next)
		}
	}
	return nil
}

// A keeper reads and writes the state in the directory of the store.
type keeper struct{ dir string }

func (k *keeper) file() string { return filepath.Join(k.dir, campaignFile) }

// read returns nil if there is none.
func (k *keeper) read() (*campaignState, error) {
	text, err := readFile(k.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	s := &campaignState{}
	if err == nil {
		err = json.Unmarshal(text, s)
	}
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s cannot be resumed: %w; delete it to begin again, the findings stay", k.file(), err)
	}
	return s, nil
}

func (k *keeper) write(s campaignState) error {
	text, err := json.Marshal(s)
	if err == nil {
		_, err = replace(k.file(), text)
	}
	if err != nil {
		return fmt.Errorf("cannot keep the state of the campaign: %w", err)
	}
	return nil
}

// A CampaignRecord is what a folder of findings says of the campaign that made
// them.
type CampaignRecord struct {
	// Seed selected the inputs, of which there were so many.
	Seed   uint64 `json:"seed"`
	Inputs uint64 `json:"inputs"`
	// Tally is of all answers, Subjects of those who gave them.
	Tally    Tally             `json:"tally"`
	Subjects []CampaignSubject `json:"subjects"`
}

// Campaign returns what is known of the campaign whose findings these are, nil
// if there was none. A state that this version cannot read is an error.
func (s *Store) Campaign() (*CampaignRecord, error) {
	state, err := (&keeper{dir: s.dir}).read()
	if state == nil || err != nil {
		return nil, err
	}
	return &CampaignRecord{Seed: state.Seed, Inputs: state.Next, Tally: state.Tally, Subjects: state.Subjects}, nil
}
