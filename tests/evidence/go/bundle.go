// Verifies an evidence bundle with Go's own implementation, golang.org/x/mod/sumdb: go run bundle.go FILE.zip [KEY]
package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	files := map[string]string{}
	for _, file := range must(zip.OpenReader(os.Args[1])).File {
		files[file.Name] = string(must(io.ReadAll(must(file.Open()))))
	}
	key := strings.TrimSpace(append(os.Args, files["log.vkey"])[2])
	keys := note.VerifierList(must(note.NewVerifier(key)))
	opened := must(note.Open([]byte(files["checkpoint"]), keys))
	var tree tlog.Tree
	var root string
	must(fmt.Sscanf(strings.SplitN(opened.Text, "\n", 2)[1], "%d\n%s", &tree.N, &root))
	tree.Hash = must(tlog.ParseHash(root))

	list := must(note.Open([]byte(files["manifest.note"]), keys)).Text
	if strings.Split(list, "\n")[2] != fmt.Sprintf("%x", sha256.Sum256([]byte(files["manifest.json"]))) {
		log.Fatal("manifest.json is not the one that was signed")
	}
	var manifest struct{ Files []struct{ Name, SHA256 string } }
	must(0, json.Unmarshal([]byte(files["manifest.json"]), &manifest))
	for _, file := range manifest.Files {
		if fmt.Sprintf("%x", sha256.Sum256([]byte(files[file.Name]))) != file.SHA256 {
			log.Fatal(file.Name + " is not the one that was signed")
		}
	}
	if len(files) != len(manifest.Files)+2 {
		log.Fatal("a file was added")
	}

	leaves := map[int64]tlog.Hash{}
	for _, line := range strings.Split(strings.TrimSuffix(files["events.jsonl"], "\n"), "\n") {
		var event struct{ Position int64 }
		must(0, json.Unmarshal([]byte(line), &event))
		leaves[event.Position] = tlog.RecordHash([]byte(line))
	}
	for _, line := range strings.Split(strings.TrimSuffix(files["erased.jsonl"], "\n"), "\n") {
		var erased struct {
			Position int64
			LeafHash string `json:"leaf_hash"`
		}
		if json.Unmarshal([]byte(line), &erased) == nil {
			var leaf tlog.Hash
			copy(leaf[:], must(hex.DecodeString(erased.LeafHash)))
			leaves[erased.Position] = leaf
		}
	}
	for position, leaf := range leaves {
		head, checkpoint, _ := strings.Cut(files[fmt.Sprintf("proofs/%d.tlog-proof", position)], "\n\n")
		var proof tlog.RecordProof
		for _, hash := range strings.Split(head, "\n")[2:] {
			proof = append(proof, must(tlog.ParseHash(hash)))
		}
		if checkpoint != files["checkpoint"] {
			log.Fatalf("the proof of event %d is for another checkpoint", position)
		}
		if err := tlog.CheckRecord(proof, tree.N, tree.Hash, position-1, leaf); err != nil {
			log.Fatalf("event %d was changed: %v", position, err)
		}
	}
	fmt.Println(len(leaves), "events are in the log as they are here")
}
