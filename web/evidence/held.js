// What others say about a bundle: a checkpoint that its reader got earlier, which the log must continue, and witnesses.
import { base64Of, bytesOfHex, cosignedAt, readProof, readWitnessKey, rootBefore, signedText } from './note.js';
import { Fault, utf8 } from './zip.js';

/** `keys`: the one that the reader trusts, and that of the bundle. Throws a `Fault`. */
export async function checkHeld(note, keys, bundle) {
  const held = await readHeld(note, keys);
  const { size, root } = bundle.manifest;
  if (held.size === size) {
    if (held.root !== root) throw forked(held);
    return { size: held.size };
  }
  if (held.size > size) {
    const what =
      `The bundle is of a log of ${size} events; your checkpoint has ${held.size}. It was made before your checkpoint, or the ` +
      `log was rolled back to an earlier state. Ask for a new bundle.`;
    throw new Fault('rolled-back', 'checkpoint', what);
  }
  if (held.size === 0) return { size: 0 };
  const leaf = bundle.leaves.get(held.size);
  const content = bundle.files.get(`proofs/${held.size}.tlog-proof`);
  if (leaf === undefined || content === undefined) {
    const what =
      `The bundle cannot be compared with your checkpoint of ${held.size} events: it has no proof of event ${held.size}. Ask for ` +
      `one that is exported with --since ${held.size}.`;
    throw new Fault('uncompared', 'checkpoint', what);
  }
  const proof = readProof(utf8(content, `proofs/${held.size}.tlog-proof`));
  if ((await rootBefore(base64Of(leaf), proof, size)) !== held.root) throw forked(held);
  return { size: held.size };
}

async function readHeld(note, keys) {
  for (const key of keys) {
    const text = await signedText(note, key);
    if (text === null) continue;
    const [origin, size, root] = text.split('\n');
    if (origin === key.name && /^(?:0|[1-9]\d{0,15})$/.test(size)) return { size: Number(size), root };
  }
  const what =
    'Your checkpoint is not signed by the key of this log: it is from another log, or from before your key replaced an ' +
    'older one, or it was changed.';
  throw new Fault('signature', 'your checkpoint', what);
}

function forked({ size }) {
  const what =
    `The log does not begin with the ${size} events that your checkpoint was signed for: the same key signed two histories. ` +
    `Events were changed after your checkpoint, or you were shown another log than the maker of this bundle.`;
  return new Fault('forked', 'checkpoint', what);
}

/**
 * The proofs of positions whose events the bundle does not hold: of each the manifest has the leaf hash. Adds them to the
 * leaves of the events.
 */
export async function checkAnchors({ manifest, files, tree, checkpoint, leaves }) {
  for (const { position, leaf_hash: hash } of manifest.anchors ?? []) {
    const name = `proofs/${position}.tlog-proof`;
    const leaf = bytesOfHex(hash);
    const proof = files.has(name) ? readProof(utf8(files.get(name), name)) : null;
    const isProven =
      proof?.index === position - 1 && proof.checkpoint === checkpoint && (await tree(base64Of(leaf), proof));
    if (!isProven) throw new Fault('changed', name, `The proof of event ${position} was changed or replaced.`);
    leaves.set(position, leaf);
  }
}

/** The time at which each witness cosigned the checkpoint. Throws a `Fault` for one that did not. */
export async function checkWitnesses(note, vkeys) {
  const found = [];
  for (const vkey of vkeys) {
    const key = await readWitnessKey(vkey, 'The key of a witness that you named');
    const seconds = await cosignedAt(note, key);
    if (seconds === null) {
      const what = `The witness ${key.name} did not cosign the checkpoint of this bundle: it may not have been asked, or it refused.`;
      throw new Fault('not-cosigned', 'checkpoint', what);
    }
    found.push({ vkey, seconds });
  }
  return found;
}
