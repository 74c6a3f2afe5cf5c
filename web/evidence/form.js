// There is one way only to write what the key signs: a bundle in any other form is refused.
import { Fault } from './zip.js';

const TEXTS = new Set([
  'VERIFY.md',
  'checkpoint',
  'events.jsonl',
  'handover.md',
  'log.vkey',
  'report.md',
  'verify.html',
]);
const REPORT = /^reports\/[\w.-]+\.md$/;

/** RFC 8785. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.keys(value).sort();
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`;
}

/** Throws a `Fault` for a manifest that is not written as Daybook writes it, or that lists a file which belongs to nothing. */
export function checkForm(manifest, text) {
  const { files, streams, erased, anchors = [], attached } = manifest;
  const isAsWritten =
    canonical(manifest) === text &&
    isAscending(files.map(({ name }) => name)) &&
    isAscending(streams.map(({ stream }) => stream)) &&
    isAscending(erased) &&
    isAscending(anchors.map(({ position }) => position)) &&
    streams.every(hasRanges);
  if (!isAsWritten) {
    const what = 'The table of contents (manifest.json) was signed, but it is not in the form that Daybook writes.';
    throw new Fault('form', 'manifest.json', what);
  }
  const names = new Set(anchors.map(({ position }) => proofOf(position)));
  for (const { positions } of streams) {
    for (const [first, last] of positions) for (let at = first; at <= last; at += 1) names.add(proofOf(at));
  }
  if (erased.length > 0) names.add('erased.jsonl');
  if (attached.length > 0) names.add('files.sha256');
  for (const { name } of attached) names.add(name);
  const surplus = files.find(({ name }) => !TEXTS.has(name) && !REPORT.test(name) && !names.has(name));
  if (surplus === undefined) return;
  const what = `The file ${surplus.name} belongs to nothing in the bundle: it was put in when the bundle was made.`;
  throw new Fault('added', surplus.name, what);
}

const proofOf = (position) => `proofs/${position}.tlog-proof`;

function isAscending(values) {
  return values.every((value, at) => at === 0 || values[at - 1] < value);
}

/** As many events as are counted, in ranges that do not touch. */
function hasRanges({ events, positions }) {
  let [count, end] = [0, -1];
  for (const [first, last, ...more] of positions) {
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last) || more.length > 0) return false;
    if (first <= end + 1 || first < 1 || last < first || last - first >= events) return false;
    [count, end] = [count + last - first + 1, last];
  }
  return count === events && count > 0;
}
