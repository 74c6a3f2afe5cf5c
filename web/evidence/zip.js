// Reads the container of an evidence bundle: a zip file of stored entries, written in one way only.
// Runs in browsers and in Node. See docs/formats/evidence-bundle.md.

/** What is wrong with a bundle, as a sentence for a reader who is no programmer. */
export class Fault extends Error {
  constructor(code, where, what) {
    super(what);
    this.name = 'Fault';
    this.code = code;
    this.where = where;
  }
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
/** Version 20, UTF-8 names, stored, time 0, 1980-01-01. */
const FIXED = [20, 0x0800, 0, 0, 0x0021];

const NAME = /^\w[\w.-]*(?:\/\w[\w.-]*)?$/;

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Node has its own, which is faster; browsers have none. */
const crc32 = globalThis.process?.getBuiltinModule?.('node:zlib')?.crc32 ?? crc32InScript;

/** CRC-32 of zip files. */
export function crc32InScript(bytes) {
  let crc = 0xffffffff;
  for (let at = 0; at < bytes.length; at += 1) crc = CRC_TABLE[(crc ^ bytes[at]) & 0xff] ^ (crc >>> 8);
  return ~crc >>> 0;
}

const damaged = (where) =>
  new Fault('container', where, `The zip file was changed or damaged: it is not as Daybook writes it near ${where}.`);

/** The files by name. Throws a `Fault` for any container that the writer would not make. */
export function readZip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - END_BYTES;
  if (end < 0 || view.getUint32(end, true) !== END) {
    throw new Fault('container', 'the end', 'The file is no evidence bundle, or its end is missing: it was cut off.');
  }
  const count = view.getUint16(end + 10, true);
  const directory = view.getUint32(end + 16, true);
  const isEnd =
    view.getUint32(end + 4, true) === 0 &&
    view.getUint16(end + 8, true) === count &&
    directory + view.getUint32(end + 12, true) === end &&
    view.getUint16(end + 20, true) === 0;
  if (!isEnd) throw damaged('its end');
  const files = new Map();
  let [at, local, last] = [directory, 0, ''];
  for (let entry = 0; entry < count; entry += 1) {
    const read = readEntry(bytes, view, { at, local, end, directory });
    if (entry > 0 && read.name <= last) throw damaged(`the entry ${read.name}, which is doubled or in the wrong place`);
    files.set(read.name, read.content);
    [at, local, last] = [read.at, read.local, read.name];
  }
  if (at !== end || local !== directory) throw damaged('its list of files');
  return files;
}

/** One line of the directory at `at` and its file at `local`. */
function readEntry(bytes, view, { at, local, end, directory }) {
  const place = `the entry at byte ${local}`;
  if (at + CENTRAL_BYTES > end || local + LOCAL_BYTES > directory) throw damaged(place);
  const [crc, size, nameBytes] = [16, 20, 28].map((offset) =>
    offset === 28 ? view.getUint16(at + offset, true) : view.getUint32(at + offset, true),
  );
  const nameAt = at + CENTRAL_BYTES;
  const contentAt = local + LOCAL_BYTES + nameBytes;
  if (nameAt + nameBytes > end || contentAt + size > directory) throw damaged(place);
  const isAsWritten =
    view.getUint32(at, true) === CENTRAL &&
    view.getUint16(at + 4, true) === FIXED[0] &&
    hasHead(view, at + 6, [crc, size, nameBytes]) &&
    view.getUint32(at + 32, true) === 0 &&
    view.getUint32(at + 36, true) === 0 &&
    view.getUint16(at + 40, true) === 0 &&
    view.getUint32(at + 42, true) === local &&
    view.getUint32(local, true) === LOCAL &&
    hasHead(view, local + 4, [crc, size, nameBytes]) &&
    isSame(bytes, { one: nameAt, other: local + LOCAL_BYTES, length: nameBytes });
  if (!isAsWritten) throw damaged(place);
  const name = utf8(bytes.subarray(nameAt, nameAt + nameBytes), place);
  // No name leads out of the folder into which somebody unpacks the file.
  if (!NAME.test(name)) throw damaged(place);
  const content = bytes.subarray(contentAt, contentAt + size);
  if (crc32(content) !== crc) {
    throw new Fault('damaged', name, `The file ${name} in the bundle was changed or damaged: its checksum is another.`);
  }
  return { name, content, at: nameAt + nameBytes, local: contentAt + size };
}

function isSame(bytes, { one, other, length }) {
  for (let at = 0; at < length; at += 1) if (bytes[one + at] !== bytes[other + at]) return false;
  return true;
}

/** The fields that the directory repeats: version to length of the extra field. */
function hasHead(view, at, [crc, size, nameBytes]) {
  return (
    FIXED.every((value, index) => view.getUint16(at + 2 * index, true) === value) &&
    view.getUint32(at + 10, true) === crc &&
    view.getUint32(at + 14, true) === size &&
    view.getUint32(at + 18, true) === size &&
    view.getUint16(at + 22, true) === nameBytes &&
    view.getUint16(at + 24, true) === 0
  );
}

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of strict UTF-8. Throws a `Fault`. */
export function utf8(bytes, where) {
  try {
    return STRICT.decode(bytes);
  } catch {
    throw new Fault('unreadable', where, `${where} is no readable text: it was changed or damaged.`);
  }
}
