// Verifies an evidence bundle with Go's own implementation, golang.org/x/mod/sumdb: go run bundle.go container.go FILE.zip [KEY]
//
// KEY is the one that signed the bundle. It refuses what `daybook evidence verify` refuses, but follows no change of the key.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"regexp"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type manifest struct {
	Format, Origin, Root string
	Size                 int64
	Subject              struct{ Kind, ID string }
	Events               int
	Erased               []int64
	Streams              []struct {
		Stream    string
		Events    int
		Positions [][2]int64
		Whole     bool
	}
	Related *[]struct {
		Stream   string
		Included bool
	}
	Anchors []struct {
		Position int64
		LeafHash string `json:"leaf_hash"`
	}
	Attached []struct {
		Name, SHA256 string
		Position     int64
		Included     bool
	}
	Files []struct {
		Name, SHA256 string
		Bytes        int
	}
}

type event struct {
	Position, Version int64
	Stream, Type      string
	Data              struct {
		Erased []struct {
			Position int64
			LeafHash string `json:"leaf_hash"`
			Seal     string
		}
		File          *struct{ SHA256 string }
		Kind          string
		TargetID      string `json:"target_id"`
		FromSessionID string `json:"from_session_id"`
	}
	leaf     tlog.Hash
	metadata string
	isErased bool
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func check(isRight bool, format string, values ...any) {
	if !isRight {
		log.Fatalf(format, values...)
	}
}

func hash(parts ...string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(parts, ""))))
}

func main() {
	files := readContainer(must(os.ReadFile(os.Args[1])))
	key := strings.TrimSpace(append(os.Args, files["log.vkey"])[2])
	keys := note.VerifierList(must(note.NewVerifier(key)))
	list := readManifest(files, keys)
	check(strings.TrimSpace(files["log.vkey"]) == key, "log.vkey is another key")
	text := must(note.Open([]byte(files["checkpoint"]), keys)).Text
	check(text == fmt.Sprintf("%s\n%d\n%s\n", list.Origin, list.Size, list.Root), "the checkpoint is not that of the list")
	checkFiles(files, list)
	events := readEvents(files, list)
	tree := tlog.Tree{N: list.Size, Hash: must(tlog.ParseHash(list.Root))}
	for _, event := range events {
		checkProof(files, tree, event.Position, event.leaf)
	}
	for _, anchor := range list.Anchors {
		checkProof(files, tree, anchor.Position, parseLeaf(anchor.LeafHash))
	}
	checkErasures(events)
	checkStreams(events, list)
	checkAttached(files, events, list)
	fmt.Println(len(events), "events are in the log as they are here")
}

func readManifest(files map[string]string, keys note.Verifiers) manifest {
	signed := must(note.Open([]byte(files["manifest.note"]), keys))
	check(strings.Count(files["manifest.note"], "\n") == strings.Count(signed.Text, "\n")+2, "manifest.note has more than its signature")
	var list manifest
	must(0, json.Unmarshal([]byte(files["manifest.json"]), &list))
	claim := fmt.Sprintf("daybook-evidence-manifest/v1\n%s\n%s\n", signed.Sigs[0].Name, hash(files["manifest.json"]))
	check(signed.Text == claim, "manifest.json is not the one that was signed")
	check(list.Format == "daybook-evidence/v1" && list.Origin == signed.Sigs[0].Name, "manifest.json is of another format or log")
	check(canonical(files["manifest.json"]) == files["manifest.json"], "manifest.json is not in canonical form")
	return list
}

// RFC 8785, for texts and whole numbers.
func canonical(text string) string {
	var value any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	must(0, decoder.Decode(&value))
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	must(0, encoder.Encode(value))
	return strings.NewReplacer("\\u2028", "\u2028", "\\u2029", "\u2029").Replace(strings.TrimSuffix(buffer.String(), "\n"))
}

var known = regexp.MustCompile(`^(VERIFY\.md|checkpoint|events\.jsonl|handover\.md|log\.vkey|report\.md|verify\.html|reports/[\w.-]+\.md)$`)

func proofOf(position int64) string { return fmt.Sprintf("proofs/%d.tlog-proof", position) }

func checkFiles(files map[string]string, list manifest) {
	belong := map[string]bool{"erased.jsonl": len(list.Erased) > 0, "files.sha256": len(list.Attached) > 0}
	for position := range claimed(list) {
		belong[proofOf(position)] = true
	}
	for _, anchor := range list.Anchors {
		belong[proofOf(anchor.Position)] = true
	}
	for _, file := range list.Attached {
		belong[file.Name] = true
	}
	last := ""
	for _, file := range list.Files {
		content, isThere := files[file.Name]
		check(isThere, "%s is missing", file.Name)
		check(hash(content) == file.SHA256 && len(content) == file.Bytes, "%s is not the one that was signed", file.Name)
		check(known.MatchString(file.Name) || belong[file.Name], "%s belongs to nothing", file.Name)
		check(file.Name > last, "%s is listed twice or in the wrong place", file.Name)
		last = file.Name
	}
	check(len(files) == len(list.Files)+2, "a file was added")
}

// The stream of each position that the list claims.
func claimed(list manifest) map[int64]string {
	positions := map[int64]string{}
	name := ""
	for _, stream := range list.Streams {
		end, count := int64(-1), 0
		for _, pair := range stream.Positions {
			check(pair[0] > end+1 && pair[0] >= 1 && pair[1] >= pair[0] && pair[1] <= list.Size, "the ranges of %s are wrong", stream.Stream)
			for at := pair[0]; at <= pair[1]; at++ {
				positions[at] = stream.Stream
				count++
			}
			end = pair[1]
		}
		check(count == stream.Events && count > 0 && stream.Stream > name, "the list is wrong about %s", stream.Stream)
		name = stream.Stream
	}
	check(len(positions) == list.Events, "the list is wrong about how many events there are")
	return positions
}

func lines(text string) []string {
	check(text == "" || strings.HasSuffix(text, "\n"), "the last line is not complete")
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// The events by position: exactly those that the list claims, each once, in order.
func readEvents(files map[string]string, list manifest) map[int64]*event {
	events := map[int64]*event{}
	last := int64(0)
	add := func(found *event) {
		check(found.Position > last && events[found.Position] == nil, "event %d is there twice or in the wrong place", found.Position)
		last = found.Position
		events[last] = found
	}
	for _, line := range lines(files["events.jsonl"]) {
		found := event{leaf: tlog.RecordHash([]byte(line))}
		var head struct {
			Position, Version int64
			Stream, Type      string
		}
		must(0, json.Unmarshal([]byte(line), &head))
		found.Position, found.Version, found.Stream, found.Type = head.Position, head.Version, head.Stream, head.Type
		// Data of other kinds of events may have other types in these fields.
		_ = json.Unmarshal([]byte(line), &found)
		add(&found)
	}
	last = 0
	for _, line := range lines(files["erased.jsonl"]) {
		var row struct {
			LeafHash string `json:"leaf_hash"`
			Metadata string `json:"metadata"`
			Position int64  `json:"position"`
		}
		must(0, json.Unmarshal([]byte(line), &row))
		check(canonical(string(must(json.Marshal(row)))) == line, "a line of erased.jsonl is not in its form")
		found := event{leaf: parseLeaf(row.LeafHash), metadata: row.Metadata, isErased: true}
		must(0, json.Unmarshal([]byte(row.Metadata), &found))
		check(found.Position == row.Position, "erased event %d was changed", row.Position)
		add(&found)
	}
	positions := claimed(list)
	for position := range positions {
		check(events[position] != nil, "event %d is missing", position)
	}
	check(len(events) == len(positions), "an event was added")
	gone := map[int64]bool{}
	last = 0
	for _, position := range list.Erased {
		check(position > last && events[position] != nil, "the list of erased events is wrong")
		gone[position], last = true, position
	}
	for position, event := range events {
		check(event.isErased == gone[position], "event %d is shown as erased or not, against the list", position)
	}
	return events
}

func parseLeaf(text string) (leaf tlog.Hash) {
	check(len(text) == 64 && strings.ToLower(text) == text, "a leaf hash has another form")
	copy(leaf[:], must(hex.DecodeString(text)))
	return leaf
}

// The proof has one form only: what it says is written again, and must be the same.
func checkProof(files map[string]string, tree tlog.Tree, position int64, leaf tlog.Hash) {
	head, _, _ := strings.Cut(files[proofOf(position)], "\n\n")
	var proof tlog.RecordProof
	text := fmt.Sprintf("c2sp.org/tlog-proof@v1\nindex %d\n", position-1)
	rows := strings.Split(head, "\n")
	check(len(rows) >= 2, "the proof of event %d was changed", position)
	for _, line := range rows[2:] {
		proof = append(proof, must(tlog.ParseHash(line)))
		text += proof[len(proof)-1].String() + "\n"
	}
	check(files[proofOf(position)] == text+"\n"+files["checkpoint"], "the proof of event %d is for another event or checkpoint", position)
	if err := tlog.CheckRecord(proof, tree.N, tree.Hash, position-1, leaf); err != nil {
		log.Fatalf("event %d was changed: %v", position, err)
	}
}

// What is left of an erased event is what the event that records the erasure sealed.
func checkErasures(events map[int64]*event) {
	seals := map[int64]string{}
	for _, event := range events {
		if event.Stream == "log-erasures" && !event.isErased {
			for _, erased := range event.Data.Erased {
				seals[erased.Position] = erased.LeafHash + erased.Seal
			}
		}
	}
	for position, event := range events {
		leaf := hex.EncodeToString(event.leaf[:])
		isSealed := seals[position] == leaf+hash("\x02", string(event.leaf[:]), event.metadata)
		check(!event.isErased || isSealed, "what is left of event %d was changed, or nothing records its erasure", position)
	}
}

func checkStreams(events map[int64]*event, list manifest) {
	versions := map[string]map[int64]bool{}
	for _, event := range events {
		if versions[event.Stream] == nil {
			versions[event.Stream] = map[int64]bool{}
		}
		versions[event.Stream][event.Version] = true
	}
	whole := map[string]bool{}
	for _, stream := range list.Streams {
		check(len(versions[stream.Stream]) == stream.Events, "the list is wrong about %s", stream.Stream)
		whole[stream.Stream] = stream.Whole
		for version := int64(1); stream.Whole && version <= int64(stream.Events); version++ {
			check(versions[stream.Stream][version], "an event of %s was left out", stream.Stream)
		}
	}
	if list.Related == nil || (list.Subject.Kind != "goal" && list.Subject.Kind != "run") {
		return
	}
	inside := map[string]bool{list.Subject.Kind + "-" + list.Subject.ID: true}
	for _, related := range *list.Related {
		inside[related.Stream] = true
		check(!related.Included || whole[related.Stream], "all of %s was to be here", related.Stream)
	}
	for _, event := range events {
		to := ""
		if event.Type == "GoalLinked" && (event.Data.Kind == "session" || event.Data.Kind == "job") {
			to = "run-" + event.Data.TargetID
		} else if event.Type == "RunForked" {
			to = "run-" + event.Data.FromSessionID
		}
		check(event.isErased || to == "" || !inside[event.Stream] || inside[to], "%s was left out", to)
	}
}

func checkAttached(files map[string]string, events map[int64]*event, list manifest) {
	sums := map[string]bool{}
	for _, file := range list.Attached {
		source := events[file.Position]
		isRecorded := source != nil && !source.isErased && source.Data.File != nil && source.Data.File.SHA256 == file.SHA256
		check(isRecorded, "no event recorded %s", file.Name)
		content, isThere := files[file.Name]
		check(isThere == file.Included && (!isThere || hash(content) == file.SHA256), "%s is not the file that was recorded", file.Name)
		sums[file.SHA256+"  "+file.Name+"\n"] = true
	}
	for _, line := range lines(files["files.sha256"]) {
		check(sums[line+"\n"], "files.sha256 is not what the events recorded")
		delete(sums, line+"\n")
	}
	check(len(sums) == 0, "files.sha256 is not what the events recorded")
}
