/** Daybook as a witness: the rules of c2sp.org/tlog-witness, and how it detects rollbacks and forks. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLogKeyStore } from '../../src/integrations/tlog/log-keys.ts';
import { createWitnessStates } from '../../src/integrations/tlog/witness-states.ts';
import { formatAddCheckpoint } from '../../src/lib/tlog/add-checkpoint.ts';
import { formatCheckpoint } from '../../src/lib/tlog/checkpoint.ts';
import {
  formatNote,
  type NoteSignature,
  parseNote,
  parseSignatures,
  signText,
} from '../../src/lib/tlog/signed-note.ts';
import { event, fill, to } from '../storage/log-helpers.ts';
import { temporaryFolder } from '../support/folders.ts';
import { freePort } from '../support/ports.ts';
import { ask, goAccepts, hasGo, isGoRequired, offerOf, type SignedLog, signedLog } from './support.ts';

const ADD = '/v1/tlog/add-checkpoint';
const withGo = it.skipIf(!hasGo && !isGoRequired);

async function trust(witness: SignedLog, log: SignedLog): Promise<void> {
  const { status } = await ask(witness, '/v1/log/trusted', { method: 'POST', body: { vkey: await log.vkey() } });
  expect(status).toBe(200);
}

/** Without a credential: the signature in the body is enough. */
const offer = (witness: SignedLog, body: string) => ask(witness, ADD, { method: 'POST', body, isStranger: true });

/** A checkpoint of any size and root, signed by the log. */
async function signedBy(log: SignedLog, size: number, root: Uint8Array): Promise<string> {
  const { origin, log: key } = await log.keys.open();
  const text = formatCheckpoint({ origin, size, root });
  return formatNote({ text, signatures: [signText(key, origin, text)] });
}

async function pair(events: number) {
  const [witness, log] = [await signedLog(), await signedLog()];
  await trust(witness, log);
  await fill(log.log, events);
  return { witness, log };
}

const listed = async (signed: SignedLog) => JSON.parse((await ask(signed, '/v1/log/witnesses')).text);

describe('add-checkpoint', () => {
  it('cosigns the first checkpoint, the same again, and one that continues it', async () => {
    const { witness, log } = await pair(5);
    const first = await offer(witness, await offerOf(log, 0));
    expect(first).toMatchObject({ status: 200, type: 'text/plain; charset=utf-8' });
    const [line, ...others] = parseSignatures(first.text);
    expect([line!.name, others]).toEqual([(await witness.witnessVkey()).split('+')[0], []]);
    expect((await offer(witness, await offerOf(log, 5))).status).toBe(200);
    await fill(log.log, 4, 6);
    expect((await offer(witness, await offerOf(log, 5))).status).toBe(200);
    const known = (await listed(witness)).trusted[0];
    expect(known).toEqual({ vkey: await log.vkey(), size: 9, offered: 9, rolled_back: false, error: null });
  });

  it('answers another old size with 409 and the size that it knows', async () => {
    const { witness, log } = await pair(5);
    expect(await offer(witness, await offerOf(log, 3))).toEqual({ status: 409, text: '0\n', type: 'text/x.tlog.size' });
    await offer(witness, await offerOf(log, 0));
    expect(await offer(witness, await offerOf(log, 0))).toEqual({ status: 409, text: '5\n', type: 'text/x.tlog.size' });
  });

  it('answers 404 for a log that is not trusted, and 403 without a right signature of a trusted key', async () => {
    const { witness, log } = await pair(5);
    const stranger = await signedLog();
    expect((await offer(witness, await offerOf(stranger, 0))).status).toBe(404);
    const body = await offerOf(log, 0);
    const { text, signatures } = parseNote(body.slice(body.indexOf('\n\n') + 2));
    const { log: otherKey } = await stranger.keys.open();
    const note = (list: readonly NoteSignature[]) =>
      formatAddCheckpoint({ old: 0, proof: [], checkpoint: formatNote({ text, signatures: list }) });
    const foreign = signText(otherKey, signatures[0]!.name, text);
    expect((await offer(witness, note([foreign]))).status).toBe(403);
    expect((await offer(witness, note([{ ...signatures[0]!, signature: foreign.signature }]))).status).toBe(403);
    expect((await offer(witness, note([foreign, ...signatures]))).status).toBe(200);
  });

  it('answers 400 for what is no request, and for an old size above the new one', async () => {
    const { witness, log } = await pair(5);
    const good = await offerOf(log, 0);
    const malformed = ['', 'old 0\n', good.replace('old 0', 'old 00'), good.replace('old 0', 'size 0'), `x${good}`];
    for (const body of [...malformed, good.replace('old 0', 'old 0\nabc'), good.slice(0, -1)]) {
      expect([body, (await offer(witness, body)).status]).toEqual([body, 400]);
    }
    expect((await offer(witness, good.replace('old 0', 'old 6'))).status).toBe(400);
    const binary = Buffer.from([...Buffer.from(good), 0xff]).toString('latin1');
    expect((await offer(witness, binary)).status).toBe(400);
    const hashes = Array.from({ length: 64 }, () => Buffer.alloc(32));
    const long = formatAddCheckpoint({ old: 0, proof: hashes, checkpoint: good.slice(good.indexOf('\n\n') + 2) });
    expect((await offer(witness, long)).status).toBe(400);
  });

  it('answers 422 for a wrong proof, a needless proof, another root, and a wrong empty tree', async () => {
    const { witness, log } = await pair(5);
    const { note } = await log.checkpoints.newest();
    const hash = Buffer.alloc(32, 7);
    const needless = formatAddCheckpoint({ old: 0, proof: [hash], checkpoint: note });
    expect((await offer(witness, needless)).status).toBe(422);
    const empty = await signedBy(log, 0, hash);
    expect((await offer(witness, formatAddCheckpoint({ old: 0, proof: [], checkpoint: empty }))).status).toBe(422);
    await offer(witness, await offerOf(log, 0));
    const other = await signedBy(log, 5, hash);
    expect((await offer(witness, formatAddCheckpoint({ old: 5, proof: [], checkpoint: other }))).status).toBe(422);
    await fill(log.log, 4, 6);
    expect((await offer(witness, await offerOf(log, 5, 4))).status).toBe(422);
    expect((await listed(witness)).trusted[0].size).toBe(5);
  });

  it('has a limit of its own for each address, beside that of other routes', async () => {
    const { witness } = await pair(1);
    const statuses: number[] = [];
    for (let asked = 0; asked < 121; asked += 1) statuses.push((await offer(witness, 'junk')).status);
    expect([new Set(statuses.slice(0, 120)), statuses[120]]).toEqual([new Set([400]), 429]);
    expect((await ask(witness, '/v1/log/key')).status).toBe(200);
  });

  it('writes nothing into the log of the witness, whatever key a stranger sends along', async () => {
    const { witness, log } = await pair(5);
    const before = witness.log.head().position;
    const post = (body: string, key: string) =>
      ask(witness, ADD, { method: 'POST', body, isStranger: true, headers: { 'idempotency-key': key } });
    const replies = [await post(await offerOf(log, 0), 'k'), await post('junk', 'l')];
    expect(replies.map(({ status }) => status)).toEqual([200, 400]);
    expect(witness.log.head().position).toBe(before);
  });

  it('two requests at once: one is cosigned, and no size is ever taken back', async () => {
    const { witness, log } = await pair(5);
    const small = await offerOf(log, 0);
    await fill(log.log, 5, 6);
    const large = await offerOf(log, 0);
    const replies = await Promise.all([offer(witness, large), offer(witness, small)]);
    expect(replies.map(({ status, text }) => (status === 200 ? 200 : [status, text]))).toEqual([200, [409, '10\n']]);
  });
});

it('what a witness remembers is on the disk before it answers, and one that is damaged cosigns nothing', async () => {
  const folder = join(temporaryFolder('witness'), 'witness');
  const keyStore = createLogKeyStore({ path: null, keyring: null });
  const first = await signedLog({ states: createWitnessStates(folder), keyStore });
  const log = await signedLog();
  await trust(first, log);
  await fill(log.log, 5);
  const { text: line } = await offer(first, await offerOf(log, 0));
  const path = join(folder, readdirSync(folder)[0]!);
  expect(readFileSync(path, 'utf8')).toBe((await log.checkpoints.newest()).note + line);
  const again = await signedLog({ states: createWitnessStates(folder), keyStore });
  await trust(again, log);
  expect((await offer(again, await offerOf(log, 0))).text).toBe('5\n');
  const hash = createHash('sha256')
    .update((await log.keys.open()).origin)
    .digest('hex');
  expect((await ask(again, `/v1/tlog/witness/${hash}/checkpoint`)).text).toBe(readFileSync(path, 'utf8'));
  expect((await ask(again, `/v1/tlog/witness/${'0'.repeat(64)}/checkpoint`)).status).toBe(404);
  const bytes = readFileSync(path);
  for (const at of [0, 30, 40, bytes.length - 3]) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    writeFileSync(path, changed);
    const restarted = await signedLog({ states: createWitnessStates(folder), keyStore });
    await trust(restarted, log);
    expect([at, (await offer(restarted, await offerOf(log, 5))).status]).toEqual([at, 503]);
  }
});

/** Two logs with one key that begin alike: `rest` events differ. */
async function forked(common: number, rest: readonly [number, number]): Promise<readonly [SignedLog, SignedLog]> {
  const keyStore = createLogKeyStore({ path: null, keyring: null });
  const made = [await signedLog({ keyStore }), await signedLog({ keyStore })] as const;
  for (const [at, each] of made.entries()) {
    await fill(each.log, common);
    for (let number = 1; number <= rest[at]!; number += 1) {
      await each.log.append([to('other', [event(1_000 * (at + 1) + number, { at, number })])]);
    }
  }
  return made;
}

describe('a witness finds on its own', () => {
  it('a fork: another tree of the same size, and one that does not continue what it cosigned', async () => {
    const witness = await signedLog();
    const [ours, theirs] = await forked(4, [2, 2]);
    await trust(witness, ours);
    await offer(witness, await offerOf(ours, 0));
    expect((await offer(witness, await offerOf(theirs, 0))).status).toBe(409);
    await fill(theirs.log, 3, 5_000);
    expect((await offer(witness, await offerOf(theirs, 6))).status).toBe(422);
    const { forks } = await listed(witness);
    expect(forks.map(({ size }: { size: number }) => size)).toEqual([6, 9]);
    expect(forks[0].other).toBe((await theirs.checkpoints.ofSize(6)).note);
    expect(witness.server.lines.join()).toContain('signed two histories');
    expect([...witness.log.readAll()].map(({ type }) => type)).toEqual(['LogTrusted', 'ForkSeen', 'ForkSeen']);
  });

  it('a roll-back: the log offers fewer events than it had', async () => {
    const witness = await signedLog();
    const [full, cut] = await forked(4, [3, 0]);
    await trust(witness, full);
    await offer(witness, await offerOf(full, 0));
    expect((await offer(witness, await offerOf(cut, 0))).text).toBe('7\n');
    expect((await listed(witness)).trusted[0]).toMatchObject({ size: 7, offered: 4, rolled_back: true });
  });
});

async function addWitness(log: SignedLog, witness: SignedLog, url?: string) {
  const body = { url: url ?? `${await witness.server.listen()}/v1/tlog`, vkey: await witness.witnessVkey() };
  return JSON.parse((await ask(log, '/v1/log/witnesses', { method: 'POST', body })).text);
}

describe('a log with witnesses', () => {
  withGo('has its checkpoints cosigned, and Go accepts all signatures', async () => {
    const { witness, log } = await pair(10);
    const other = await signedLog();
    await trust(other, log);
    await addWitness(log, witness);
    const { quorum, witnesses } = await addWitness(log, other);
    expect(quorum).toEqual({ needed: 2, cosigned: 2, missing: false });
    expect(witnesses.map(({ size, error }: { size: number; error: unknown }) => [size, error])).toEqual([
      [12, null],
      [12, null],
    ]);
    await fill(log.log, 300, 20);
    const { text: Checkpoint } = await ask(log, '/v1/tlog/checkpoint');
    const Witnesses = [await witness.witnessVkey(), await other.witnessVkey()];
    const input = { Vkey: await log.vkey(), Witnesses, Checkpoint, Cosigned: 2 };
    const Leaf = Buffer.from(log.log.at(3)!.leafHash, 'hex').toString('base64');
    const { text: Text } = await ask(log, '/v1/log/proof?position=3&format=tlog-proof');
    await goAccepts({ ...input, Proofs: [{ Text, Leaf }] });
    await expect(goAccepts({ ...input, Cosigned: 3 })).rejects.toThrow('2 cosignatures');
  });

  it('says that the quorum is missing while witnesses fail, and asks them again later', async () => {
    const { witness, log } = await pair(3);
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const { quorum, witnesses } = await addWitness(log, witness, `${nobody}/tlog/`);
    expect(quorum).toEqual({ needed: 1, cosigned: 0, missing: true });
    expect(witnesses).toMatchObject([{ url: `${nobody}/tlog`, size: 0 }]);
    expect(witnesses[0].error).toContain('ECONNREFUSED');
    const told = (): number => log.server.lines.filter((line) => line.includes('Only 0 of 1 witnesses')).length;
    expect(told()).toBe(1);
    const { status, text } = await ask(log, '/v1/tlog/checkpoint');
    expect([status, parseNote(text).signatures.length]).toEqual([200, 1]);
    expect(told()).toBe(1);
    expect((await addWitness(log, witness)).quorum).toEqual({ needed: 1, cosigned: 1, missing: false });
    expect(parseNote((await ask(log, '/v1/tlog/checkpoint')).text).signatures).toHaveLength(2);
  });

  it('learns from a witness that it was rolled back, or that it forked', async () => {
    const witness = await signedLog();
    const [full, cut] = await forked(4, [9, 0]);
    await trust(witness, full);
    const url = `${await witness.server.listen()}/v1/tlog`;
    await addWitness(full, witness, url);
    const rolledBack = await addWitness(cut, witness, url);
    expect(rolledBack.witnesses[0].error).toContain('the log was rolled back');
    expect(rolledBack.quorum.missing).toBe(true);
    await fill(cut.log, 20, 9_000);
    cut.time.advance(600_000);
    await ask(cut, '/v1/tlog/checkpoint');
    expect((await listed(cut)).witnesses[0].error).toContain('a fork');
  });

  it('proves with an older checkpoint that has the quorum when the newest one has not', async () => {
    const { witness, log } = await pair(10);
    await addWitness(log, witness);
    const cosigned = (await log.checkpoints.newest()).size;
    await addWitness(log, witness, `http://127.0.0.1:${await freePort()}`);
    const { text } = await ask(log, '/v1/log/proof?position=3&format=tlog-proof');
    expect(text.split('\n')[text.split('\n').indexOf('') + 2]).toBe(String(cosigned));
    const newer = await ask(log, `/v1/log/proof?position=${cosigned + 1}&format=tlog-proof`);
    expect(newer.text).toContain(`\n${cosigned + 1}\n`);
  });
});
