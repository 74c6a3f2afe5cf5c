/** A signed log behind its routes, in memory, with a clock and timers that the test moves; and the Go verifier. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Observable } from 'rxjs';
import { onTestFinished } from 'vitest';
import type { RouteSpec } from '../../src/http/server/route.ts';
import { proofRoutes } from '../../src/http/tlog/proofs.ts';
import { logKeyRoutes } from '../../src/http/tlog/settings.ts';
import { tileRoutes } from '../../src/http/tlog/tiles.ts';
import { witnessRoutes } from '../../src/http/tlog/witness.ts';
import { witnessSettingsRoutes } from '../../src/http/tlog/witnesses.ts';
import { openCheckpointStore } from '../../src/integrations/tlog/checkpoint-store.ts';
import { httpPost } from '../../src/integrations/tlog/http-post.ts';
import { createLogKeyStore } from '../../src/integrations/tlog/log-keys.ts';
import { createWitnessStates } from '../../src/integrations/tlog/witness-states.ts';
import { formatAddCheckpoint } from '../../src/lib/tlog/add-checkpoint.ts';
import type { CheckpointStore } from '../../src/ports/checkpoint-store.ts';
import type { LogKeyStore } from '../../src/ports/log-keys.ts';
import type { WitnessStates } from '../../src/ports/witness-states.ts';
import { Checkpoints } from '../../src/reactors/tlog/checkpoints.ts';
import { Cosigning } from '../../src/reactors/tlog/cosigning.ts';
import { LogKeys, vkeyOf, witnessVkeyOf } from '../../src/reactors/tlog/log-keys.ts';
import { Timestamps } from '../../src/reactors/tlog/timestamps.ts';
import { Witness } from '../../src/reactors/tlog/witness.ts';
import type { EventLog } from '../../src/storage/event-log.ts';
import { type MovableClock, movableClock } from '../http/clock.ts';
import { temporaryFolder } from '../support/folders.ts';
import { type ServerParts, type TestServer, testServer } from '../support/server.ts';

/** Timers that run when the test says so. */
class ManualTimers {
  #due: { at: number; callback: () => void }[] = [];
  #now = 0;

  readonly after = (milliseconds: number, callback: () => void): (() => void) => {
    const timer = { at: this.#now + milliseconds, callback };
    this.#due.push(timer);
    return () => {
      this.#due = this.#due.filter((each) => each !== timer);
    };
  };

  /** Runs what is due within so many milliseconds. */
  advance(milliseconds: number): void {
    this.#now += milliseconds;
    const due = this.#due.filter(({ at }) => at <= this.#now);
    this.#due = this.#due.filter(({ at }) => at > this.#now);
    for (const { callback } of due) callback();
  }

  get waiting(): number {
    return this.#due.length;
  }
}

export interface SignedLog {
  readonly server: TestServer;
  readonly log: EventLog;
  readonly keys: LogKeys;
  readonly checkpoints: Checkpoints;
  readonly cosigning: Cosigning;
  readonly witness: Witness;
  readonly store: CheckpointStore;
  readonly timers: ManualTimers;
  readonly time: MovableClock;
  /** The verifier key of the log. */
  vkey(): Promise<string>;
  /** The verifier key of this Daybook as a witness. */
  witnessVkey(): Promise<string>;
}

export interface SignedLogOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Two logs with one store have one key. */
  readonly keyStore?: LogKeyStore;
  readonly states?: WitnessStates;
  /** File of the signed checkpoints; null: in memory. */
  readonly checkpoints?: string | null;
}

export async function signedLog({
  settings = {},
  keyStore = createLogKeyStore({ path: null, keyring: null }),
  states = createWitnessStates(null),
  checkpoints: path = null,
}: SignedLogOptions = {}): Promise<SignedLog> {
  const timers = new ManualTimers();
  const time = movableClock();
  const made: Partial<SignedLog> = {};
  const routes = (parts: ServerParts): readonly RouteSpec[] => {
    const { log, announce, clock } = parts;
    const keys = new LogKeys({
      ...parts,
      store: keyStore,
      encryption: { isEncrypted: () => false, cipher: () => null },
      origin: parts.config.log_origin,
    });
    const store = openCheckpointStore(path, announce);
    const appended$ = new Observable<unknown>((listener) => log.onAppended((events) => listener.next(events)));
    const isOnDuty = (): boolean => true;
    const checkpoints = new Checkpoints({
      log,
      keys,
      store,
      clock,
      appended$,
      after: timers.after,
      announce,
      isOnDuty,
    });
    Object.assign(made, { log, keys, checkpoints, store });
    const cosigning = new Cosigning({
      isOnDuty,
      ...{ ...parts, checkpoints, store, after: timers.after, post: httpPost },
      quorum: parts.config.witness_quorum,
    });
    const witness = new Witness({ ...parts, keys, states });
    Object.assign(made, { cosigning, witness });
    const timestamps = new Timestamps({ ...parts, cosigning, post: httpPost });
    const deps = { ...parts, checkpoints, cosigning, witness, logKeys: keys, timestamps };
    const modules = [tileRoutes, proofRoutes, logKeyRoutes, witnessRoutes, witnessSettingsRoutes];
    return modules.flatMap((routesOf) => routesOf(deps));
  };
  const server = await testServer(routes, {
    settings: { rate_authenticated: 100_000, ...settings },
    clock: time.clock,
  });
  const signed = { ...made, server, timers, time } as SignedLog;
  onTestFinished(() => {
    signed.cosigning.stop();
    signed.checkpoints.stop();
  });
  return {
    ...signed,
    async vkey() {
      const { origin, log } = await signed.keys.open();
      return vkeyOf(origin, log);
    },
    async witnessVkey() {
      const { origin, witness } = await signed.keys.open();
      return witnessVkeyOf(origin, witness);
    },
  };
}

interface Asked {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without a credential. */
  readonly isStranger?: boolean;
}

/** A request to the routes, without a socket. */
export async function ask(
  { server }: SignedLog,
  url: string,
  { method = 'GET', body, headers = {}, isStranger = false }: Asked = {},
) {
  const payload = body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) };
  const all = { ...(isStranger ? {} : { authorization: `Bearer ${server.token}` }), ...headers };
  const reply = await server.app.inject({ method, url, headers: all, ...payload });
  return { status: reply.statusCode, text: reply.body, type: reply.headers['content-type'] };
}

/** The checkpoint of a log as a request to a witness that knows `old` events of it. */
export async function offerOf(signed: SignedLog, old: number, proofFrom = old): Promise<string> {
  const { size, note } = await signed.checkpoints.newest();
  const proof = signed.log.consistencyProof(proofFrom, size).path.map((hash) => Buffer.from(hash, 'hex'));
  return formatAddCheckpoint({ old, proof, checkpoint: note });
}

const GO = { GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' };
export const hasGo =
  spawnSync('go', ['list', 'golang.org/x/mod/sumdb/note'], { env: { ...process.env, ...GO } }).status === 0;
export const isGoRequired = process.env.DAYBOOK_TEST_GO === 'required';

const built = new Map<string, Promise<string>>();

/** The program that a source file is compiled to. Test files share a process, and each removes its folders. */
export async function goProgram(source: string): Promise<string> {
  const known = built.get(source);
  if (known !== undefined && existsSync(await known)) return known;
  const program = build(source);
  built.set(source, program);
  return program;
}

/** Runs Go's own verifier on what it is to check. Rejects with what it refused. */
export async function goAccepts(input: unknown): Promise<void> {
  const child = promisify(execFile)(await goProgram(resolve('tests/tlog/go/verify.go')));
  child.child.stdin!.end(JSON.stringify(input));
  const { stdout } = await child;
  if (stdout !== 'accepted\n') throw new Error(`The verifier said: ${stdout}`);
}

async function build(source: string): Promise<string> {
  const program = join(temporaryFolder('go'), 'verify');
  const env = { ...process.env, ...GO };
  const isFolder = !source.endsWith('.go');
  const sources = isFolder ? readdirSync(source).map((name) => join(source, name)) : [source];
  await promisify(execFile)('go', ['build', '-o', program, ...sources], { env });
  return program;
}
