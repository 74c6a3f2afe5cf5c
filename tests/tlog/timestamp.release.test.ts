/**
 * Time stamps by an authority made with `openssl ts` that answers over HTTP, and signatures verified by OpenSSL. Where
 * openssl is missing the tests are skipped, unless DAYBOOK_TEST_OPENSSL=required.
 */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkText, parseNote, parseVerifierKey, verifyNote } from '../../src/lib/tlog/signed-note.ts';
import { formatTimestampQuery, TimestampError, timestampIn } from '../../src/lib/tlog/timestamp.ts';
import { cliHere } from '../cli/support.ts';
import { sharedDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { listening } from '../support/ports.ts';

const isThere = spawnSync('openssl', ['version']).status === 0;
const withOpenssl = describe.skipIf(!isThere && process.env.DAYBOOK_TEST_OPENSSL !== 'required');

const SETTINGS = `
[ req ]
distinguished_name = name
prompt = no
[ name ]
CN = A time stamping authority of a test
[ ca ]
basicConstraints = critical,CA:TRUE
[ stamping ]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
[ tsa ]
default_tsa = tsa_default
[ tsa_default ]
serial = ./serial
signer_cert = ./tsa.pem
certs = ./ca.pem
signer_key = ./tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
`;

async function openssl(folder: string, ...words: readonly string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('openssl', words, { cwd: folder });
  return stdout + stderr;
}

/** A folder with the keys and certificates of an authority. */
async function makeAuthority(): Promise<string> {
  const folder = temporaryFolder('authority');
  writeFileSync(join(folder, 'tsa.cnf'), SETTINGS);
  writeFileSync(join(folder, 'serial'), '01\n');
  const make = (name: string, extensions: string, ...more: readonly string[]) => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', `${name}.key`];
    const words = ['-config', 'tsa.cnf', '-extensions', extensions, '-x509', ...key, '-out', `${name}.pem`, ...more];
    return openssl(folder, 'req', ...words);
  };
  await make('ca', 'ca', '-subj', '/CN=A root of a test');
  await make('tsa', 'stamping', '-CA', 'ca.pem', '-CAkey', 'ca.key');
  return folder;
}

/** The address of a server that answers each query as `answer` makes it. */
async function serve(answer: (query: Buffer) => Promise<Buffer>): Promise<string> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    response.setHeader('content-type', 'application/timestamp-reply');
    response.end(await answer(Buffer.concat(parts)));
  });
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${await listening(server)}/tsr`;
}

async function stamped(folder: string, query: Buffer): Promise<Buffer> {
  writeFileSync(join(folder, 'query.tsq'), query);
  const words = ['-reply', '-config', 'tsa.cnf', '-queryfile', 'query.tsq', '-out', 'reply.tsr'];
  await openssl(folder, 'ts', ...words);
  return readFileSync(join(folder, 'reply.tsr'));
}

withOpenssl('OpenSSL', () => {
  const daemon = sharedDaemon();
  let folderOfAuthority: string;
  beforeAll(async () => {
    folderOfAuthority = await makeAuthority();
  });
  const cli = (...words: readonly string[]) => cliHere(['log', ...words], { home: daemon.home });

  it('verifies the time stamp of a checkpoint, and no other checkpoint with it', async () => {
    const url = await serve((query) => stamped(folderOfAuthority, query));
    const certificate = join(folderOfAuthority, 'ca.pem');
    const folder = temporaryFolder('stamped');
    const { code, stdout } = await cli('timestamp', '--authority', url, '--out', join(folder, 'now'));
    const [, stampedAt, check] = /^0 events, stamped (\S+) .*\ncheck it: openssl (.+) <.*>\n$/.exec(stdout)!;
    const moment = String(Date.parse(stampedAt!) / 1_000);
    expect([code, check]).toEqual([0, expect.stringContaining(` -attime ${moment} `)]);
    expect(await openssl(folder, ...check!.split(' '), certificate)).toContain('Verification: OK');
    const verify = (data: string) =>
      openssl(folder, 'ts', '-verify', '-data', data, '-in', 'now.tsr', '-CAfile', certificate);
    writeFileSync(join(folder, 'other.note'), readFileSync(join(folder, 'now.note'), 'utf8').replace('\n0\n', '\n1\n'));
    await expect(verify('other.note')).rejects.toThrow('message imprint mismatch');
    const events = (await (await daemon.request('/v1/events?type=CheckpointTimestamped')).json()) as {
      events: { data: { authority: string; size: number; checkpoint: string; response: string } }[];
    };
    const { data } = events.events[0]!;
    expect([data.authority, data.size]).toEqual([url, 0]);
    expect(Buffer.from(data.response, 'base64').equals(readFileSync(join(folder, 'now.tsr')))).toBe(true);
    expect(data.checkpoint).toBe(readFileSync(join(folder, 'now.note'), 'utf8'));
    const again = await cli('timestamp', '--authority', url, '--out', join(folder, 'again'), '--json');
    expect(JSON.parse(again.stdout)).toEqual({
      size: 1,
      at: expect.any(Number),
      authority: url,
      note: join(folder, 'again.note'),
      response: join(folder, 'again.tsr'),
    });
  });

  it('verifies the signature of a checkpoint', async () => {
    const folder = temporaryFolder('signature');
    const vkey = parseVerifierKey((await cli('key')).stdout.trim());
    const note = parseNote(await (await daemon.request('/v1/tlog/checkpoint')).text());
    expect(verifyNote(note, [vkey], checkText)).toHaveLength(1);
    // The DER encoding of an Ed25519 public key (RFC 8410) is these bytes and the key.
    const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), vkey.publicKey]);
    writeFileSync(join(folder, 'log.der'), der);
    writeFileSync(join(folder, 'text'), note.text);
    writeFileSync(join(folder, 'signature'), note.signatures[0]!.signature);
    const words = ['-verify', '-pubin', '-inkey', 'log.der', '-keyform', 'DER', '-rawin', '-in', 'text'];
    const verify = () => openssl(folder, 'pkeyutl', ...words, '-sigfile', 'signature');
    expect(await verify()).toContain('Signature Verified Successfully');
    writeFileSync(join(folder, 'text'), note.text.replace(/\n\d+\n/, '\n9999\n'));
    await expect(verify()).rejects.toThrow();
  });

  it('an answer to another request, a refusal and junk are named, and nothing is recorded', async () => {
    const before = await (await daemon.request('/v1/log/head')).json();
    const other = formatTimestampQuery({ hash: Buffer.alloc(32, 1), nonce: Buffer.alloc(8, 1) });
    const answers = [
      ['for something else', () => stamped(folderOfAuthority, other)],
      ['refused', (query: Buffer) => stamped(folderOfAuthority, query.subarray(0, 20))],
      ['no time stamp response', async () => Buffer.from('junk')],
      ['no time stamp response', async () => Buffer.alloc(0)],
    ] as const;
    for (const [what, answer] of answers) {
      const url = await serve(answer);
      const folder = temporaryFolder('none');
      const { code, stderr } = await cli('timestamp', '--authority', url, '--out', join(folder, 'x'));
      expect([code, stderr]).toEqual([1, expect.stringContaining(what)]);
    }
    expect(await (await daemon.request('/v1/log/head')).json()).toEqual(before);
  });

  it('every cut and every changed byte of a response is refused, or says the same', async () => {
    const query = { hash: Buffer.alloc(32, 5), nonce: Buffer.from('80ff000000000001', 'hex') };
    const response = await stamped(folderOfAuthority, formatTimestampQuery(query));
    const at = timestampIn(response, query);
    expect(Math.abs(at - Date.now())).toBeLessThan(3_600_000);
    expect(() => timestampIn(response, { ...query, nonce: Buffer.alloc(8, 2) })).toThrow('another request');
    for (let length = 0; length < response.length; length += 1) {
      expect(() => timestampIn(response.subarray(0, length), query)).toThrow(TimestampError);
    }
    for (let place = 0; place < response.length; place += 1) {
      const changed = Buffer.from(response);
      changed[place]! ^= 0x01;
      try {
        timestampIn(changed, query);
      } catch (error) {
        expect(error).toBeInstanceOf(TimestampError);
      }
    }
  });
});
