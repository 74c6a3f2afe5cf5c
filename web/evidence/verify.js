// Verifies an evidence bundle and names the first thing that is wrong. Runs in browsers and in Node, with WebCrypto alone.
// It shares no code with what writes bundles. See docs/formats/evidence-bundle.md.
import { checkAnchors, checkHeld, checkWitnesses } from './held.js';
import { base64Of, bytesOf, bytesOfHex, createTree, hexOf, readKey, readProof, sha256, signedText } from './note.js';
import { Fault, readZip, utf8 } from './zip.js';

const FORMAT = 'daybook-evidence/v1';
const MANIFEST_LINE = 'daybook-evidence-manifest/v1';
const ROTATION_LINE = 'daybook-log-key-rotation/v1';
const ERASURES = 'log-erasures';
const UNLISTED = new Set(['manifest.json', 'manifest.note']);

/**
 * What a bundle proves, or the first fault. `trusted` is the verifier key that the reader got from the owner of the log; without
 * it the bundle is checked with the key that it contains. `held` is a checkpoint that the reader got earlier: the log must
 * continue it. `witnesses` are verifier keys: each must have cosigned the checkpoint.
 */
export async function verifyBundle(bytes, trusted, { held, witnesses = [] } = {}) {
  try {
    return { ok: true, ...(await verified(bytes, trusted, { held, witnesses })) };
  } catch (error) {
    if (error instanceof Fault)
      return { ok: false, fault: { code: error.code, where: error.where, what: error.message } };
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    const what = 'The bundle was signed, but it is not in the form that Daybook writes.';
    return { ok: false, fault: { code: 'form', where: 'manifest.json', what } };
  }
}

async function verified(bytes, trusted, { held, witnesses }) {
  const files = readZip(bytes);
  const text = (name) => utf8(fileOf(files, name), name);
  const key = await readKey(text('log.vkey').trim(), 'log.vkey');
  const lines = linesOf(files, 'events.jsonl');
  const keyChanges = await checkTrust(key, trusted, lines);
  const manifest = await readManifest(files, key);
  const tree = await readCheckpoint(text('checkpoint'), key, manifest);
  checkNames(files, manifest);
  const listed = new Map(manifest.files.map((file) => [file.name, file]));
  const bundle = { files, manifest, tree, listed, checkpoint: text('checkpoint') };
  const events = eventsOf(lines, linesOf(files, 'erased.jsonl'), manifest);
  const leaves = await Promise.all(events.map(leafOf));
  for (const [at, event] of events.entries()) await checkEvent(event, leaves[at], bundle);
  const proven = { ...bundle, leaves: new Map(events.map(({ position }, at) => [position, leaves[at]])) };
  await checkAnchors(proven);
  await checkErasures(events);
  checkStreams(events, manifest);
  checkRelated(events, manifest);
  await checkFiles(bundle);
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
async function checkTrust(key, trusted, lines) {
  if (trusted === undefined || trusted === key.text) return 0;
  let current = await readKey(trusted, 'The key that you trust');
  let changes = 0;
  for (const line of lines) {
    if (current.text === key.text) break;
    const event = jsonOf(line);
    if (event?.type !== 'LogKeyRotated' || event.data?.from !== current.text) continue;
    const next = await readKey(String(event.data.to), 'log.vkey');
    const [by, also] = [await signedText(event.data.statement, current), await signedText(event.data.statement, next)];
    const [kind, origin, , from, to] = (by ?? '').split('\n');
    if (by === null || also !== by || kind !== ROTATION_LINE || origin !== current.name) break;
    if (from !== current.text || to !== next.text) break;
    current = next;
    changes += 1;
  }
  if (current.text === key.text) return changes;
  const what =
    `The bundle is signed with another key than the one you trust, and nothing signed by your key leads to it. ` +
    `Either it is from another log, or somebody made it anew. Its key is ${key.text}`;
  throw new Fault('other-key', 'log.vkey', what);
}

function jsonOf(line) {
  try {
    return JSON.parse(new TextDecoder().decode(line));
  } catch {
    return null;
  }
}

async function readManifest(files, key) {
  const content = fileOf(files, 'manifest.json');
  const text = await signedText(utf8(fileOf(files, 'manifest.note'), 'manifest.note'), key);
  if (text === null) {
    const what =
      'The table of contents (manifest.note) is not signed by the key of the log: it or the key was changed.';
    throw new Fault('signature', 'manifest.note', what);
  }
  if (text !== `${MANIFEST_LINE}\n${key.name}\n${hexOf(await sha256(content))}\n`) {
    const what =
      'The table of contents (manifest.json) is not the one that was signed: it was changed after the export.';
    throw new Fault('changed', 'manifest.json', what);
  }
  const manifest = jsonOf(content);
  if (manifest?.format !== FORMAT || manifest.origin !== key.name) {
    throw new Fault(
      'form',
      'manifest.json',
      'The table of contents (manifest.json) is of another format or of another log.',
    );
  }
  return manifest;
}

async function readCheckpoint(note, key, { size, root }) {
  const text = await signedText(note, key);
  if (text === null) {
    const what = 'The checkpoint is not signed by the key of the log: it was changed, or somebody else made it.';
    throw new Fault('signature', 'checkpoint', what);
  }
  if (text !== `${key.name}\n${size}\n${root}\n`) {
    const what = 'The checkpoint is signed, but it is not the one that this bundle was made for: it was replaced.';
    throw new Fault('changed', 'checkpoint', what);
  }
  return createTree(size, root);
}

function checkNames(files, manifest) {
  const listed = new Set(manifest.files.map(({ name }) => name));
  for (const name of listed) {
    const [, position] = /^proofs\/(\d+)\.tlog-proof$/.exec(name) ?? [];
    if (files.has(name)) continue;
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
  const live = lines.map((bytes, at) => liveEvent(bytes, `line ${at + 1} of events.jsonl`));
  const erased = erasedLines.map((bytes, at) => erasedEvent(bytes, `line ${at + 1} of erased.jsonl`));
  for (const events of [live, erased]) checkOrder(events);
  const events = [...live, ...erased].sort((left, right) => left.position - right.position);
  const claimed = claimedEvents(manifest);
  const found = new Map(events.map((event) => [event.position, event]));
  const gone = new Set(manifest.erased);
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

function liveEvent(bytes, where) {
  const event = jsonOf(bytes);
  if (!Number.isSafeInteger(event?.position)) {
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
    !/^[0-9a-f]{64}$/.test(line.leaf_hash)
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

async function leafOf({ bytes, leafHash, isErased }) {
  return isErased ? bytesOfHex(leafHash) : sha256(Uint8Array.of(0), bytes);
}

async function checkEvent({ position, isErased }, leaf, { files, tree, listed, checkpoint }) {
  const name = `proofs/${position}.tlog-proof`;
  const content = fileOf(files, name);
  const proof = readProof(utf8(content, name));
  const isProven =
    proof?.index === position - 1 && proof.checkpoint === checkpoint && (await tree(base64Of(leaf), proof));
  if (isProven) return;
  if (hexOf(await sha256(content)) !== listed.get(name)?.sha256) {
    throw new Fault(
      'changed',
      name,
      `The proof of event ${position} was changed or replaced: it is not the one that was signed.`,
    );
  }
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

/** A stream that is claimed to be whole has every version from the first. */
function checkStreams(events, { streams }) {
  const versions = new Map();
  for (const { event } of events) {
    const found = versions.get(event.stream);
    if (found === undefined) versions.set(event.stream, [event.version]);
    else found.push(event.version);
  }
  for (const { stream, events: count, whole } of streams) {
    const found = versions.get(stream) ?? [];
    if (found.length !== count) {
      throw new Fault(
        'form',
        'manifest.json',
        `The table of contents is wrong about how many events of ${stream} there are.`,
      );
    }
    const gap = whole ? found.findIndex((version, at) => version !== at + 1) : -1;
    if (gap < 0) continue;
    const what = `Event number ${gap + 1} of ${stream} was left out when the bundle was made, although it claims to be complete.`;
    throw new Fault('left-out', stream, what);
  }
}

/**
 * The streams that a goal or a run refers to are in the bundle, or it says that the log has none of that name. Bundles of
 * earlier versions of Daybook have no such list.
 */
function checkRelated(events, { related, streams, subject }) {
  if (related === undefined || (subject.kind !== 'goal' && subject.kind !== 'run')) return;
  const whole = new Set(streams.filter((stream) => stream.whole).map(({ stream }) => stream));
  const listed = new Map(related.map((entry) => [entry.stream, entry]));
  for (const { stream, included } of related) {
    if (!included || whole.has(stream)) continue;
    const what = `The bundle claims to hold all of ${stream}, to which its ${subject.kind} refers, and does not.`;
    throw new Fault('left-out', stream, what);
  }
  const inside = new Set([`${subject.kind}-${subject.id}`, ...listed.keys()]);
  for (const { position, event, isErased } of events) {
    const stream = isErased || !inside.has(event.stream) ? null : referredBy(event);
    if (stream === null || inside.has(stream)) continue;
    const what = `Event ${position} refers to ${stream}, which was left out when the bundle was made.`;
    throw new Fault('left-out', stream, what);
  }
}

/** The run that an event links to a goal, or that a fork started from; null for every other event. */
function referredBy({ type, data }) {
  if (type === 'GoalLinked' && (data.kind === 'session' || data.kind === 'job')) return `run-${data.target_id}`;
  return type === 'RunForked' ? `run-${data.from_session_id}` : null;
}

async function checkFiles({ files, manifest }) {
  const hashes = await Promise.all(manifest.files.map(async ({ name }) => hexOf(await sha256(files.get(name)))));
  for (const [at, { name, bytes, sha256: hash }] of manifest.files.entries()) {
    if (files.get(name).length === bytes && hashes[at] === hash) continue;
    throw new Fault(
      'changed',
      name,
      `The file ${name} is not the one that was signed: it was changed after the export.`,
    );
  }
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
