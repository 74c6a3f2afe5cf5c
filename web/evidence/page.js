// The page verify.html: takes a bundle, shows what it proves or the first thing that is wrong.
import { verifyBundle } from './verify.js';

const result = document.querySelector('#result');
const keyField = document.querySelector('#key');
/** The newest bundle, which is checked again with another key. */
let bundle;
/** The newest check: one that began earlier may end later. */
let newest = 0;

keyField.addEventListener('change', () => check(bundle));
document.querySelector('#file').addEventListener('change', ({ target }) => check(target.files[0]));
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  check(event.dataTransfer.files[0]);
});

async function check(file) {
  if (file === undefined) return;
  bundle = file;
  newest += 1;
  const own = newest;
  show('', 'Checking …', []);
  const trusted = keyField.value.trim();
  try {
    const report = await verifyBundle(new Uint8Array(await file.arrayBuffer()), trusted === '' ? undefined : trusted);
    if (own !== newest) return;
    if (!report.ok) show('wrong', 'This bundle is not as it was signed', [report.fault.what]);
    else show('good', headline(report), paragraphsOf(report));
  } catch (error) {
    if (own !== newest) return;
    const what =
      error.name === 'NotSupportedError'
        ? 'This browser is too old: it cannot check Ed25519 signatures.'
        : error.message;
    show('wrong', 'The check could not be done', [what]);
  }
}

function headline({ isTrusted }) {
  return isTrusted ? 'Everything fits' : 'Everything fits, if this is the key of the log';
}

function paragraphsOf({ isTrusted, vkey, events, erased, size, subject, origin, keyChanges, streams, related, files }) {
  return [
    isTrusted
      ? `It is signed by the key that you gave${changes(keyChanges)}.`
      : `Compare this key with what the owner of the log gave you: ${vkey}`,
    `It is about the ${subject.kind} ${subject.id}, from the log ${origin} when it had ${counted(size, 'event')}.`,
    `It holds ${counted(events, 'event')}; the content of ${erased} of them was erased.`,
    ...streams.map(
      (stream) =>
        `${stream.stream}: ${counted(stream.events, 'event')}${stream.whole ? ', from the first on, without a gap' : ''}`,
    ),
    ...related.map(
      ({ stream, position, included }) =>
        `Event ${position} refers to ${stream}${included ? '' : ', which is not in this log'}.`,
    ),
    ...(files.listed === 0
      ? []
      : [`The events record ${counted(files.listed, 'attached file')}; the bundle has ${files.included} of them.`]),
  ];
}

function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function changes(count) {
  return count === 0 ? '' : `; it was changed since (${count}), each time signed by the key before`;
}

function show(kind, title, lines) {
  result.className = kind;
  const head = document.createElement('h2');
  head.textContent = title;
  const paragraphs = lines.map((line) => {
    const paragraph = document.createElement('p');
    paragraph.textContent = line;
    return paragraph;
  });
  result.replaceChildren(head, ...paragraphs);
}
