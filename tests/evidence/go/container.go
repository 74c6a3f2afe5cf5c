package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// The files of a bundle. They are written again in the only form that a bundle has, and must give the same bytes.
func readContainer(container []byte) map[string]string {
	files := map[string]string{}
	var local, directory []byte
	last := ""
	for _, file := range must(zip.NewReader(bytes.NewReader(container), int64(len(container)))).File {
		check(file.Name > last, "%s is there twice or in the wrong place", file.Name)
		content := must(io.ReadAll(must(file.Open())))
		at := uint32(len(local))
		head := headOf(file.Name, content)
		local = append(append(append(append(local, "PK\x03\x04"...), head...), file.Name...), content...)
		directory = append(append(append(directory, "PK\x01\x02\x14\x00"...), head...), make([]byte, 10)...)
		directory = append(binary.LittleEndian.AppendUint32(directory, at), file.Name...)
		files[file.Name], last = string(content), file.Name
	}
	end := []byte("PK\x05\x06\x00\x00\x00\x00")
	end = binary.LittleEndian.AppendUint16(end, uint16(len(files)))
	end = binary.LittleEndian.AppendUint16(end, uint16(len(files)))
	end = binary.LittleEndian.AppendUint32(end, uint32(len(directory)))
	end = binary.LittleEndian.AppendUint32(end, uint32(len(local)))
	end = append(end, 0, 0)
	check(bytes.Equal(container, append(append(local, directory...), end...)), "the zip file is not as Daybook writes it")
	return files
}

// What a file and its line in the directory have in common: stored, without time.
func headOf(name string, content []byte) []byte {
	head := []byte{20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0}
	head = binary.LittleEndian.AppendUint32(head, crc32.ChecksumIEEE(content))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(content)))
	head = binary.LittleEndian.AppendUint32(head, uint32(len(content)))
	head = binary.LittleEndian.AppendUint16(head, uint16(len(name)))
	return append(head, 0, 0)
}
