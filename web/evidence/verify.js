// Verifies an evidence bundle and names the first thing that is wrong. Runs in browsers and in Node, with WebCrypto alone.
// It shares no code with what writes bundles. See docs/formats/evidence-bundle.md.
import { canonical, checkForm } from './form.js';
import { checkAnchors, checkHeld, checkWitnesses } from './held.js';
import {
  base64Of,
  bytesOf,
  bytesOfHex,
  createTree,
  hexOf,
  readKey,
  readProof,
  sha256,
  sha256Hex,
  signedText,
} from './note.js';
import { checkRelated, checkStreams } from './streams.js';
import { Fault, readZip, utf8 } from './zip.js';

const FORMAT = 'daybook-evidence/v1';
const MANIFEST_LINE = 'daybook-evidence-manifest/v1';
const ROTATION_LINE = 'daybook-log-key-rotation/v1';
const ERASURES = 'log-erasures';
const UNLISTED = new Set(['manifest.json', 'manifest.note']);
const LISTS = new Set(['events.jsonl', 'erased.jsonl']);
const PROOF_NAME = /^proofs\/(\d+)\.tlog-proof$/;

/**
 * What a bundle proves, or the first fault. `trusted` is the verifier key that the reader got from the owner of the log; without
 * it the bundle is checked with the key that it contains. `held` is a checkpoint that the reader got earlier: the log must
 * continue it. `witnesses` are verifier keys: each must have cosigned the checkpoint.
 */
export function verifyBundle(bytes, trusted, options = {}) {
  return reportOf(() => verified(readZip(bytes), trusted, options));
}

/**
 * The same of the files of a bundle. `once(kind, place, content, make)` answers `make()`, a function of `content` alone: a caller
 * that verifies many bundles with the same parts keeps the answer for the same content.
 */
export function verifyFiles(files, trusted, options = {}) {
  return reportOf(() => verified(files, trusted, options));
}

const always = (_kind, _place, _content, make) => make();

async function reportOf(verify) {
  try {
    return { ok: true, ...(await verify()) };
  } catch (error) {
    if (error instanceof Fault)
      return { ok: false, fault: { code: error.code, where: error.where, what: error.message } };
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    const what = 'The bundle was signed, but it is not in the form that Daybook writes.';
    return { ok: false, fault: { code: 'form', where: 'manifest.json', what } };
  }
}

async function verified(files, trusted, { held, witnesses = [], once = always }) {
  const text = (name) => utf8(fileOf(files, name), name);
  const keyText = text('log.vkey').trim();
  const key = await once('key', keyText, keyText, () => readKey(keyText, 'log.vkey'));
  const lines = linesOf(files, 'events.jsonl').map((bytes, at) => ({
    bytes,
    event: once('event', at, bytes, () => jsonOf(bytes)),
  }));
  const keyChanges = await checkTrust(key, trusted, { lines, once });
  const manifest = await readManifest(files, key, once);
  const checkpoint = text('checkpoint');
  const tree = await readCheckpoint(checkpoint, key, { manifest, once });
  checkNames(files, manifest);
  const changed = await checkFiles(files, manifest, once);
  const manifestText = text('manifest.json');
  once('form', 'manifest.json', manifestText, () => checkForm(manifest, manifestText));
  const listed = new Map(manifest.files.map((file) => [file.name, file]));
  const bundle = { files, manifest, tree, listed, checkpoint, once };
  const events = eventsOf(lines, linesOf(files, 'erased.jsonl'), manifest);
  const leaves = await Promise.all(events.map((event) => leafOf(event, once)));
  for (const [at, event] of events.entries()) await checkEvent(event, leaves[at], bundle);
  const proven = { ...bundle, leaves: new Map(events.map(({ position }, at) => [position, leaves[at].leaf])) };
  await checkAnchors(proven);
  await checkErasures(events);
  checkStreams(events, manifest);
  checkRelated(events, manifest);
  if (changed !== null) throw changedFile(changed);
  const included = checkAttached(events, bundle);
  const keys = trusted === undefined ? [key] : [await readKey(trusted, 'The key that you trust'), key];
  const continues = held === undefined ? null : await checkHeld(held, keys, proven);
  const cosigned = await checkWitnesses(bundle.checkpoint, witnesses);
  const { origin, size, root, subject, erased, attached, related = [] } = manifest;
  return {
    ...{ origin, vkey: key.text, isTrusted: trusted !== undefined, keyChanges, size, root, subject },
    ...{ events: events.length, erased: erased.length, streams: manifest.streams, related },
    ...{ files: { listed: attached.length, included }, continues, cosigned },
  };
}

function fileOf(files, name) {
  const content = files.get(name);
  if (content === undefined) throw new Fault('missing', name, `The file ${name} is missing from the bundle.`);
  return content;
}

/** Lines as bytes, without their newlines; none for a file that is not there. */
function linesOf(files, name) {
  const content = files.get(name) ?? new Uint8Array();
  const lines = [];
  for (let at = 0; at < content.length; ) {
    const end = content.indexOf(0x0a, at);
    if (end < 0)
      throw new Fault('changed', name, `The last line of ${name} is not complete: the file was changed or cut.`);
    lines.push(content.subarray(at, end));
    at = end + 1;
  }
  return lines;
}

/** How many changes of the key lead from the trusted one to that of the bundle. */
async function checkTrust(key, trusted, { lines, once }) {
  if (trusted === undefined || trusted === key.text) return 0;
  let current = await once('key', trusted, trusted, () => readKey(trusted, 'The key that you trust'));
  let changes = 0;
  for (const { event } of lines) {
    if (current.text === key.text) break;
    if (event?.type !== 'LogKeyRotated' || event.data?.from !== current.text) continue;
    const to = String(event.data.to);
    const next = await once('key', to, to, () => readKey(to, 'log.vkey'));
    const { statement } = event.data;
    const at = { where: `event ${event.position}`, once };
    const [by, also] = [await signedOnce(statement, current, at), await signedOnce(statement, next, at)];
    const [kind, origin, , from, into] = (by ?? '').split('\n');
    if (by === null || also !== by || kind !== ROTATION_LINE || origin !== current.name) break;
    if (from !== current.text || into !== next.text) break;
    current = next;
    changes += 1;
  }
  if (current.text === key.text) return changes;
  const what =
    `The bundle is signed with another key than the one you trust, and nothing signed by your key leads to it. ` +
    `It is from another log, or from before your key replaced an older one, or somebody made it anew. Its key is ${key.text}`;
  throw new Fault('other-key', 'log.vkey', what);
}

function signedOnce(note, key, { where, once }) {
  return once('signed', `${where} ${key.text}`, note, () => signedText(note, key));
}

const DECODER = new TextDecoder();

function jsonOf(line) {
  try {
    return JSON.parse(DECODER.decode(line));
  } catch {
    return null;
  }
}

async function readManifest(files, key, once) {
  const content = fileOf(files, 'manifest.json');
  const note = utf8(fileOf(files, 'manifest.note'), 'manifest.note');
  const text = await signedOnce(note, key, { where: 'manifest.note', once });
  // Of this note there is one signature: a line more would be a byte that nobody signed.
  if (text === null || note.slice(text.length + 1).split('\n').length !== 2) {
    const what =
      'The table of contents (manifest.note) is not signed by the key of the log: it or the key was changed.';
    throw new Fault('signature', 'manifest.note', what);
  }
  if (text !== `${MANIFEST_LINE}\n${key.name}\n${await hashOnce('manifest.json', content, once)}\n`) {
    const what =
      'The table of contents (manifest.json) is not the one that was signed: it was changed after the export.';
    throw new Fault('changed', 'manifest.json', what);
  }
  const manifest = once('manifest', 'manifest.json', content, () => jsonOf(content));
  if (manifest?.format !== FORMAT || manifest.origin !== key.name) {
    throw new Fault(
      'form',
      'manifest.json',
      'The table of contents (manifest.json) is of another format or of another log.',
    );
  }
  return manifest;
}

async function readCheckpoint(note, key, { manifest, once }) {
  const { size, root } = manifest;
  const text = await signedOnce(note, key, { where: 'checkpoint', once });
  if (text === null) {
    const what = 'The checkpoint is not signed by the key of the log: it was changed, or somebody else made it.';
    throw new Fault('signature', 'checkpoint', what);
  }
  if (text !== `${key.name}\n${size}\n${root}\n`) {
    const what = 'The checkpoint is signed, but it is not the one that this bundle was made for: it was replaced.';
    throw new Fault('changed', 'checkpoint', what);
  }
  return once('tree', 'checkpoint', text, () => createTree(size, root));
}

function checkNames(files, manifest) {
  const listed = new Set(manifest.files.map(({ name }) => name));
  for (const name of listed) {
    if (files.has(name)) continue;
    const [, position] = PROOF_NAME.exec(name) ?? [];
    if (position === undefined) fileOf(files, name);
    throw new Fault(
      'missing',
      name,
      `The proof of event ${position} is missing from the bundle: somebody took it out.`,
    );
  }
  for (const name of files.keys()) {
    if (listed.has(name) || UNLISTED.has(name)) continue;
    throw new Fault('added', name, `The file ${name} was added to the bundle: nobody signed that it belongs to it.`);
  }
}

/** The events in order, the erased ones among them, exactly those that the manifest claims. */
function eventsOf(lines, erasedLines, manifest) {
  const live = lines.map(liveEvent);
  const erased = erasedLines.map((bytes, at) => erasedEvent(bytes, `line ${at + 1} of erased.jsonl`));
  for (const events of [live, erased]) checkOrder(events);
  const events = [...live, ...erased].sort((left, right) => left.position - right.position);
  const claimed = claimedEvents(manifest);
  const found = new Map(events.map((event) => [event.position, event]));
  const gone = new Set(manifest.erased);
  const never = manifest.erased.find((position) => !claimed.has(position));
  if (never !== undefined) {
    throw new Fault(
      'form',
      'manifest.json',
      `The table of contents names event ${never} as erased, and does not hold it.`,
    );
  }
  for (const [position, stream] of claimed) {
    const event = found.get(position);
    if (event === undefined) {
      const what = `Event ${position} (of ${stream}) is missing: the bundle was signed as containing it, and it was taken out.`;
      throw new Fault('dropped', `event ${position}`, what);
    }
    if (event.isErased === gone.has(position)) continue;
    const what = `Event ${position} is ${event.isErased ? '' : 'not '}shown as erased, against what was signed.`;
    throw new Fault('changed', `event ${position}`, what);
  }
  for (const { position } of events) {
    if (claimed.has(position)) continue;
    const what = `Event ${position} was added: nobody signed that this bundle contains it.`;
    throw new Fault('added', `event ${position}`, what);
  }
  return events;
}

function liveEvent({ bytes, event }, at) {
  if (!Number.isSafeInteger(event?.position)) {
    const where = `line ${at + 1} of events.jsonl`;
    throw new Fault('changed', where, `In ${where} there is no readable event: the line was changed or damaged.`);
  }
  return { position: event.position, event, bytes, isErased: false };
}

function erasedEvent(bytes, where) {
  const line = jsonOf(bytes);
  const event = typeof line?.metadata === 'string' ? jsonOf(bytesOf(line.metadata)) : null;
  if (
    !Number.isSafeInteger(event?.position) ||
    event.position !== line.position ||
    !/^[0-9a-f]{64}$/.test(line.leaf_hash) ||
    canonical({ leaf_hash: line.leaf_hash, metadata: line.metadata, position: line.position }) !== utf8(bytes, where)
  ) {
    throw new Fault('changed', where, `In ${where} there is no readable event: the line was changed or damaged.`);
  }
  return {
    position: event.position,
    event,
    leafHash: line.leaf_hash,
    metadata: bytesOf(line.metadata),
    isErased: true,
  };
}

function checkOrder(events) {
  for (const [at, { position }] of events.entries()) {
    const before = events[at - 1]?.position ?? 0;
    if (position === before) {
      throw new Fault('doubled', `event ${position}`, `Event ${position} is in the bundle twice.`);
    }
    if (position < before) {
      const what = `Event ${position} stands after event ${before}: the order of the events was changed.`;
      throw new Fault('order', `event ${position}`, what);
    }
  }
}

/** Stream by position. */
function claimedEvents({ streams, events }) {
  const claimed = new Map();
  for (const { stream, positions } of streams) {
    for (const [first, last] of positions) {
      for (let at = first; at <= last && claimed.size <= events; at += 1) claimed.set(at, stream);
    }
  }
  if (claimed.size !== events) {
    throw new Fault('form', 'manifest.json', 'The table of contents is wrong about how many events there are.');
  }
  return claimed;
}

/** As bytes, and in Base64. */
function leafOf({ position, bytes, leafHash, isErased }, once) {
  const make = async () => {
    const leaf = isErased ? bytesOfHex(leafHash) : await sha256(Uint8Array.of(0), bytes);
    return { leaf, encoded: base64Of(leaf) };
  };
  return isErased ? make() : once('leaf', position, bytes, make);
}

function hashOnce(name, content, once) {
  return once('hash', name, content, () => sha256Hex(content));
}

async function checkEvent({ position, isErased }, { encoded }, { files, tree, checkpoint, once }) {
  const name = `proofs/${position}.tlog-proof`;
  const content = fileOf(files, name);
  const proof = once('proof', position, content, () => readProof(utf8(content, name)));
  const isProven = proof?.index === position - 1 && proof.checkpoint === checkpoint && (await tree(encoded, proof));
  if (isProven) return;
  const what = isErased
    ? `Event ${position}, whose content was erased, is not the one of the log: what is left of it was changed.`
    : `Event ${position} was changed: its content is not what the log recorded at that place.`;
  throw new Fault('changed', `event ${position}`, what);
}

/** The recorded erasure of an event repeats the seal over all that is left of it. */
async function checkErasures(events) {
  const seals = new Map();
  for (const { event, isErased } of events) {
    if (isErased || event.stream !== ERASURES) continue;
    for (const erasure of event.data.erased) seals.set(erasure.position, erasure);
  }
  for (const { position, isErased, leafHash, metadata } of events) {
    if (!isErased) continue;
    const seal = hexOf(await sha256(Uint8Array.of(2), bytesOfHex(leafHash), metadata));
    const recorded = seals.get(position);
    if (recorded?.seal === seal && recorded.leaf_hash === leafHash) continue;
    const what =
      recorded === undefined
        ? `Event ${position} is shown as erased, but no event records that it was erased.`
        : `What is left of the erased event ${position} was changed: its kind, time or author is not what was recorded.`;
    throw new Fault('changed', `event ${position}`, what);
  }
}

/**
 * Each file has the hash that was signed. The name of a list of events that has not, or null: what is wrong in a list is named
 * by the check of its events.
 */
async function checkFiles(files, manifest, once) {
  let changed = null;
  for (const { name, bytes, sha256: hash } of manifest.files) {
    const content = files.get(name);
    if (content.length === bytes && (await hashOnce(name, content, once)) === hash) continue;
    if (!LISTS.has(name)) throw changedFile(name);
    changed ??= name;
  }
  return changed;
}

function changedFile(name) {
  const [, position] = PROOF_NAME.exec(name) ?? [];
  const what =
    position === undefined
      ? `The file ${name} is not the one that was signed: it was changed after the export.`
      : `The proof of event ${position} was changed or replaced: it is not the one that was signed.`;
  return new Fault('changed', name, what);
}

/** File evidence: each file was recorded with this hash by an event of the bundle. Returns how many are included. */
function checkAttached(events, { files, manifest, listed }) {
  const found = new Map(events.map((event) => [event.position, event]));
  const lines = [];
  let included = 0;
  for (const { name, sha256: hash, position, included: isIncluded } of manifest.attached) {
    const source = found.get(position);
    if (source?.isErased !== false || source.event.data.file?.sha256 !== hash) {
      throw new Fault('changed', name, `No event of the bundle recorded the file ${name} as it is.`);
    }
    if (isIncluded !== files.has(name) || (isIncluded && listed.get(name).sha256 !== hash)) {
      throw new Fault('changed', name, `The attached file ${name} is not the one that event ${position} recorded.`);
    }
    lines.push(`${hash}  ${name}\n`);
    if (isIncluded) included += 1;
  }
  const sums = files.get('files.sha256') ?? new Uint8Array();
  if (utf8(sums, 'files.sha256') === [...new Set(lines)].sort().join('')) return included;
  throw new Fault(
    'changed',
    'files.sha256',
    'The list of attached files (files.sha256) is not what the events recorded.',
  );
}
