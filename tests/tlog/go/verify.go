// Verifies what a log publishes with Go's own implementation, golang.org/x/mod/sumdb. Reads one JSON object from
// standard input, with the checks that are to be made, and ends with 1 at the first that fails.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type inclusion struct {
	Index, Size int64
	Leaf, Root  []byte
	Path        [][]byte
}

type consistency struct {
	From, To         int64
	FromRoot, ToRoot []byte
	Path             [][]byte
}

type input struct {
	Vkey      string
	Witnesses []string
	// A signed note to open, and how many witnesses must have cosigned it.
	Checkpoint string
	Cosigned   int
	// The log's address up to /v1/tlog, and the header that authorizes.
	Prefix, Authorization string
	// Leaf hashes of the whole log, to be proven from tiles.
	Leaves [][]byte
	// Sizes of earlier trees with their roots, to be proven from tiles.
	Earlier     []consistency
	Inclusion   []inclusion
	Consistency []consistency
	// Texts of the format c2sp.org/tlog-proof@v1, with the leaf hash that each proves.
	Proofs []struct {
		Text string
		Leaf []byte
	}
}

func fail(what string, err error) {
	fmt.Fprintln(os.Stderr, what+":", err)
	os.Exit(1)
}

func must[T any](value T, err error) func(string) T {
	return func(what string) T {
		if err != nil {
			fail(what, err)
		}
		return value
	}
}

func hashOf(b []byte) (h tlog.Hash) {
	if len(b) != tlog.HashSize {
		fail("hash", fmt.Errorf("%d bytes", len(b)))
	}
	copy(h[:], b)
	return h
}

func hashesOf(list [][]byte) (hashes []tlog.Hash) {
	for _, b := range list {
		hashes = append(hashes, hashOf(b))
	}
	return hashes
}

// cosigner verifies signatures of type 0x04, c2sp.org/tlog-cosignature.
type cosigner struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func (c cosigner) Name() string    { return c.name }
func (c cosigner) KeyHash() uint32 { return c.hash }
func (c cosigner) Verify(msg, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	signed := fmt.Sprintf("cosignature/v1\ntime %d\n%s", binary.BigEndian.Uint64(sig), msg)
	return ed25519.Verify(c.key, []byte(signed), sig[8:])
}

func newCosigner(vkey string) (note.Verifier, error) {
	parts := strings.SplitN(vkey, "+", 3)
	if len(parts) != 3 {
		return nil, fmt.Errorf("malformed verifier key")
	}
	key, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(key) != 33 || key[0] != 4 {
		return nil, fmt.Errorf("not a cosigner's key")
	}
	id := sha256.Sum256(append([]byte(parts[0]+"\n"), key...))
	hash := binary.BigEndian.Uint32(id[:])
	if parts[1] != fmt.Sprintf("%08x", hash) {
		return nil, fmt.Errorf("the key does not fit its hash")
	}
	return cosigner{parts[0], hash, ed25519.PublicKey(key[1:])}, nil
}

type tree struct {
	size int64
	root tlog.Hash
}

// open verifies a checkpoint: the log's signature, and those of the witnesses.
func open(in input, text string) tree {
	verifiers := []note.Verifier{must(note.NewVerifier(in.Vkey))("log key")}
	for _, vkey := range in.Witnesses {
		verifiers = append(verifiers, must(newCosigner(vkey))("witness key"))
	}
	opened := must(note.Open([]byte(text), note.VerifierList(verifiers...)))("checkpoint")
	log, witnesses := 0, 0
	for _, sig := range opened.Sigs {
		if sig.Name == verifiers[0].Name() && sig.Hash == verifiers[0].KeyHash() {
			log++
		} else {
			witnesses++
		}
	}
	if log != 1 || witnesses < in.Cosigned {
		fail("checkpoint", fmt.Errorf("%d signatures of the log, %d cosignatures", log, witnesses))
	}
	lines := strings.Split(opened.Text, "\n")
	if lines[0] != verifiers[0].Name() {
		fail("checkpoint", fmt.Errorf("its origin is %q", lines[0]))
	}
	size := must(strconv.ParseInt(lines[1], 10, 64))("size")
	return tree{size, must(tlog.ParseHash(lines[2]))("root")}
}

// reader fetches tiles as c2sp.org/tlog-tiles lays them out.
type reader struct {
	prefix, authorization string
	fetched               map[string][]byte
}

func (reader) Height() int                                { return 8 }
func (reader) SaveTiles(tiles []tlog.Tile, data [][]byte) {}
func (r reader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		path := "/" + strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		if r.fetched[path] == nil {
			data, err := r.get(path)
			if err != nil {
				return nil, err
			}
			r.fetched[path] = data
		}
		all = append(all, r.fetched[path])
	}
	return all, nil
}

func (r reader) get(path string) ([]byte, error) {
	request, err := http.NewRequest("GET", r.prefix+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", r.authorization)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != 200 {
		err = fmt.Errorf("%s: %s", path, response.Status)
	}
	return body, err
}

// checkTiles proves every leaf, and every earlier tree, from tiles alone.
func checkTiles(in input) {
	r := reader{in.Prefix, in.Authorization, map[string][]byte{}}
	head := open(in, string(must(r.get("/checkpoint"))("GET checkpoint")))
	if head.size != int64(len(in.Leaves)) {
		fail("tiles", fmt.Errorf("the checkpoint has %d leaves, expected %d", head.size, len(in.Leaves)))
	}
	hashes := tlog.TileHashReader(tlog.Tree{N: head.size, Hash: head.root}, r)
	for index, leaf := range in.Leaves {
		proof := must(tlog.ProveRecord(head.size, int64(index), hashes))("prove record")
		if err := tlog.CheckRecord(proof, head.size, head.root, int64(index), hashOf(leaf)); err != nil {
			fail(fmt.Sprint("leaf ", index), err)
		}
	}
	for _, earlier := range in.Earlier {
		proof := must(tlog.ProveTree(head.size, earlier.From, hashes))("prove tree")
		if err := tlog.CheckTree(proof, head.size, head.root, earlier.From, hashOf(earlier.FromRoot)); err != nil {
			fail(fmt.Sprint("tree ", earlier.From), err)
		}
	}
}

// checkProof verifies a text of the format c2sp.org/tlog-proof@v1.
func checkProof(in input, text string, leaf []byte) {
	head, checkpoint, found := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	if !found || lines[0] != "c2sp.org/tlog-proof@v1" || !strings.HasPrefix(lines[1], "index ") {
		fail("proof", fmt.Errorf("malformed"))
	}
	var path []tlog.Hash
	for _, line := range lines[2:] {
		path = append(path, must(tlog.ParseHash(line))("proof"))
	}
	index := must(strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64))("index")
	signed := open(in, checkpoint)
	if err := tlog.CheckRecord(path, signed.size, signed.root, index, hashOf(leaf)); err != nil {
		fail(fmt.Sprint("proof of ", index), err)
	}
}

func main() {
	var in input
	decoder := json.NewDecoder(bytes.NewReader(must(io.ReadAll(os.Stdin))("stdin")))
	if err := decoder.Decode(&in); err != nil {
		fail("input", err)
	}
	if in.Checkpoint != "" {
		open(in, in.Checkpoint)
	}
	if in.Prefix != "" {
		checkTiles(in)
	}
	for _, p := range in.Inclusion {
		if err := tlog.CheckRecord(hashesOf(p.Path), p.Size, hashOf(p.Root), p.Index, hashOf(p.Leaf)); err != nil {
			fail(fmt.Sprint("inclusion of ", p.Index), err)
		}
	}
	for _, p := range in.Consistency {
		if err := tlog.CheckTree(hashesOf(p.Path), p.To, hashOf(p.ToRoot), p.From, hashOf(p.FromRoot)); err != nil {
			fail(fmt.Sprintf("consistency of %d and %d", p.From, p.To), err)
		}
	}
	for _, p := range in.Proofs {
		checkProof(in, p.Text, p.Leaf)
	}
	fmt.Println("accepted")
}
