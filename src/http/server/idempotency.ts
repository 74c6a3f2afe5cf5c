/**
 * `Idempotency-Key` on any POST, PATCH or DELETE: the same key and body are answered with the first answer, the same key
 * with another body is 409. A PUT may be repeated as it is.
 *
 * - The answer to a command is appended in the same commit as its events, so a crash leaves both or neither. It is read
 *   from the read models while these hold the events tentatively.
 * - Other answers below 500 are appended when they are known; a failed request may be tried again.
 * - Requests with one key run one at a time. When another daemon of the log answers the same request meanwhile, the
 *   commit conflicts with its record; then nothing is appended here, and its answer is given. Work of several commits
 *   is done under a claim of the key (request-claims.ts).
 * - Answers with secrets stay in memory and end with the process. Answers with texts that are encrypted at rest are
 *   sealed.
 */
import { createHash } from 'node:crypto';
import { request as requestDecider } from '../../commands/request.ts';
import { decodeEvents } from '../../events/decode.ts';
import { type RequestEvent, requestEvents } from '../../events/request.ts';
import { KeyedMutex } from '../../lib/keyed-mutex.ts';
import type { Fence } from '../../ports/leases.ts';
import { canonicalJson } from '../../storage/canonical-json.ts';
import type { EventLog, Json } from '../../storage/event-log.ts';
import { batchCommand, type CommandHandler, type Origin } from '../../streams/command-handler.ts';
import { isFenced } from '../../streams/log-refusals.ts';
import type { Answer } from './answer.ts';
import { errorReply, HttpError } from './errors.ts';
import { type Claim, type ClaimParts, createClaim } from './request-claims.ts';
import type { AnswerSeal, Call, Method, RouteSpec } from './route.ts';

const KEY_CHARACTERS_MAX = 255;
const SECRET_ANSWERS_MAX = 1_000;
/** These depend on who asks and when, not on the request. */
const NOT_RECORDED = new Set([401, 403, 429]);

/** Whether requests of the method may carry a key. */
export function isKeyed(method: Method): boolean {
  return method === 'POST' || method === 'PATCH' || method === 'DELETE';
}

/** The part of a call through which a handler writes. */
export type CallerCommands = Pick<Call, 'dispatch' | 'remember' | 'origin'>;

/** One mutation with a key. */
export interface KeyedRequest {
  readonly method: Method;
  /** Path and query: only the path is recorded, a query may hold what must not be kept. */
  readonly url: string;
  readonly key: string;
  /** The body as it was sent, before validation. */
  readonly body: unknown;
  readonly origin: Origin;
  readonly route: Pick<RouteSpec, 'secretAnswer' | 'answerSeal' | 'dispatchOnly'>;
}

export interface Idempotency {
  /**
   * Makes the answer, unless it is recorded, and responds with it. A later request with the key waits until `respond`
   * has settled: a stream is recorded at its end.
   */
  answer<Sent>(
    request: KeyedRequest,
    work: (commands: CallerCommands) => Promise<Answer>,
    respond: (answer: Answer) => Sent | Promise<Sent>,
  ): Promise<Sent>;
}

interface IdempotencyDependencies extends ClaimParts {
  readonly log: Pick<EventLog, 'readStream' | 'streamVersion' | 'onAppended'>;
  readonly commandHandler: CommandHandler;
}

export function createIdempotency(dependencies: IdempotencyDependencies): Idempotency {
  const { log, commandHandler } = dependencies;
  const mutex = new KeyedMutex();
  const secrets = new Map<string, { readonly body: string; readonly answer: Answer }>();

  function firstAnswer(id: string, request: KeyedRequest): Answer | null {
    const secret = secrets.get(id);
    if (secret === undefined) return recordedAnswer(log, id, request);
    if (secret.body !== hash(canonical(request.body))) throw otherBody();
    return secret.answer;
  }

  /** A refusal is an answer too: it is recorded like one. */
  async function makeAnswer(commands: RecordingCommands, work: (commands: CallerCommands) => Promise<Answer>) {
    try {
      await commands.begin();
      const answer = await work(commands);
      await commands.remember(answer);
      return answer;
    } catch (error) {
      if (error instanceof AnsweredElsewhere || isFenced(error)) throw error;
      const { status, message } = errorReply(error);
      if (status < 500) await commands.remember({ kind: 'value', status, value: { error: message } });
      throw error;
    }
  }

  async function makeSecret(id: string, request: KeyedRequest, work: (commands: CallerCommands) => Promise<Answer>) {
    const answer = await work(callerCommands(commandHandler, request.origin));
    if (answer.kind === 'value' && answer.status < 300) {
      if (secrets.size >= SECRET_ANSWERS_MAX) secrets.delete(secrets.keys().next().value!);
      secrets.set(id, { body: hash(canonical(request.body)), answer });
    }
    return answer;
  }

  return {
    async answer(request, work, respond) {
      const id = requestId(request);
      return mutex.run(id, async () => {
        const first = firstAnswer(id, request);
        if (first !== null) return respond(first);
        if (request.route.secretAnswer === true) return respond(await makeSecret(id, request, work));
        const commands = new RecordingCommands(dependencies, id, request);
        try {
          const answer = await makeAnswer(commands, work).catch((error: unknown) => {
            if (isFenced(error) && !commands.isAnsweredElsewhere()) throw takenOver();
            if (!isFenced(error) && !(error instanceof AnsweredElsewhere)) throw error;
            // An answer of bytes is recorded without them: the route makes it again.
            return firstAnswer(id, request) ?? work(callerCommands(commandHandler, request.origin));
          });
          return await respond(answer);
        } finally {
          commands.end();
        }
      });
    },
  };
}

/** For requests whose answer is not recorded. */
export function callerCommands(commandHandler: CommandHandler, origin: Origin): CallerCommands {
  return {
    origin,
    dispatch(decider, id, command, options) {
      const { policy, lockKey } = typeof options === 'object' ? options : {};
      return commandHandler.dispatch(decider, id, command, { origin, policy, lockKey });
    },
    remember: async () => undefined,
  };
}

/** Another daemon of the log has recorded an answer to the request. */
class AnsweredElsewhere extends Error {
  constructor() {
    super('The request was answered elsewhere.');
    this.name = 'AnsweredElsewhere';
  }
}

function takenOver(): HttpError {
  const message = 'Another daemon has taken over the request with this Idempotency-Key. Send it again.';
  return new HttpError(503, message, { 'retry-after': '1' });
}

/** Records one answer: with the first command that names its answer, otherwise when `remember` is called. */
class RecordingCommands implements CallerCommands {
  readonly origin: Origin & { readonly fence: Fence | undefined };
  readonly #dependencies: IdempotencyDependencies;
  readonly #id: string;
  readonly #request: KeyedRequest;
  readonly #claim: Claim;
  /** Of the stream of the request. An answer of bytes is recorded without them, and made again. */
  readonly #known: number;
  #isRecorded = false;

  constructor(dependencies: IdempotencyDependencies, id: string, request: KeyedRequest) {
    this.#dependencies = dependencies;
    this.#id = id;
    this.#request = request;
    this.#known = dependencies.log.streamVersion(`request-${id}`);
    const claim = createClaim(dependencies, id, () => this.isAnsweredElsewhere());
    this.#claim = claim;
    const { actor } = request.origin;
    this.origin = {
      actor,
      get correlation() {
        return request.origin.correlation;
      },
      get fence() {
        return claim.fence;
      },
    };
  }

  isAnsweredElsewhere(): boolean {
    return !this.#isRecorded && this.#dependencies.log.streamVersion(`request-${this.#id}`) > this.#known;
  }

  /** Before the work. */
  async begin(): Promise<void> {
    if (this.#request.route.dispatchOnly !== true) await this.#take();
  }

  /** After the answer was sent. */
  end(): void {
    this.#claim.release();
  }

  readonly dispatch: CallerCommands['dispatch'] = async (decider, stream, command, options = {}) => {
    const { answer, policy, lockKey } = typeof options === 'function' ? { answer: options } : options;
    const { commandHandler } = this.#dependencies;
    const { origin } = this;
    if (this.#isRecorded) return commandHandler.dispatch(decider, stream, command, { origin, policy, lockKey });
    if (answer === undefined) {
      await this.#take();
      return commandHandler.dispatch(decider, stream, command, { origin, policy, lockKey });
    }
    const done = await commandHandler.dispatch(decider, stream, command, {
      ...{ origin, policy, lockKey },
      record: (after) => {
        if (this.isAnsweredElsewhere()) throw new AnsweredElsewhere();
        const data = record(this.#id, this.#request, answer(after));
        return data === null ? null : batchCommand(requestDecider, this.#id, { type: 'RecordAnswer', data });
      },
    });
    this.#isRecorded = true;
    return done;
  };

  readonly remember: CallerCommands['remember'] = async (answer) => {
    const data = this.#isRecorded ? null : record(this.#id, this.#request, answer);
    if (data === null) return;
    const { commandHandler } = this.#dependencies;
    const command = { type: 'RecordAnswer', data } as const;
    const recorded = await commandHandler.dispatch(requestDecider, this.#id, command, { origin: this.origin });
    if (recorded.events.length === 0 && this.isAnsweredElsewhere()) throw new AnsweredElsewhere();
    this.#isRecorded = true;
  };

  async #take(): Promise<void> {
    if (!(await this.#claim.take())) throw new AnsweredElsewhere();
  }
}

/** The id of the stream of a request, `request-<id>`. Throws 400 for a key that is none. */
function requestId({ key, method, url }: KeyedRequest): string {
  if (key.length > KEY_CHARACTERS_MAX || key.trim() === '') {
    throw new HttpError(400, `Idempotency-Key must have 1 to ${KEY_CHARACTERS_MAX} characters.`);
  }
  return hash(`${method} ${url}\n${key}`);
}

type RequestRecord = RequestEvent['data'];

/** Null for answers that are not recorded. */
function record(id: string, { method, url, body, route }: KeyedRequest, answer: Answer): RequestRecord | null {
  if (answer.kind === 'sse' || answer.kind === 'stream' || answer.kind === 'web') return null;
  if (answer.kind !== 'empty' && (answer.status >= 500 || NOT_RECORDED.has(answer.status))) return null;
  const facts = { method, path: url.split('?', 1)[0]!, ...contentOf(answer) };
  const seal = route.answerSeal;
  if (seal === undefined) return { ...facts, body_hash: hash(canonical(body)) };
  const sealed = seal.seal({ body: facts.body }, `request-${id}`);
  return { ...facts, body: null, body_hash: seal.exact(canonical(body)), sealed };
}

function contentOf(answer: Exclude<Answer, { kind: 'sse' | 'stream' | 'web' }>) {
  const { status } = answer;
  switch (answer.kind) {
    case 'bytes':
      return { status, content_type: answer.type, body: null };
    case 'empty':
      return { status, content_type: '', body: null };
    case 'value':
      return { status, content_type: '', body: JSON.parse(JSON.stringify(answer.value ?? null)) as Json };
    case 'text':
      return { status, content_type: answer.type, body: answer.text };
  }
}

/** The recorded answer to a key, or null when it is to be made. Throws 409 when it answered another body. */
function recordedAnswer(log: Pick<EventLog, 'readStream'>, id: string, request: KeyedRequest): Answer | null {
  const [event] = log.readStream(`request-${id}`, { limit: 1 });
  if (event === undefined) return null;
  if (event.erased === true) throw new HttpError(409, 'The answer to this Idempotency-Key was erased.');
  const [decoded] = decodeEvents(requestEvents, [event]);
  if (decoded === undefined) return null;
  const recorded = decoded.data;
  const seal = recorded.sealed === undefined ? null : request.route.answerSeal;
  // Without the key of the seal the route refuses the request by itself.
  if (seal === undefined) return null;
  const text = canonical(request.body);
  if (recorded.body_hash !== (seal === null ? hash(text) : seal.exact(text))) throw otherBody();
  const { status, content_type: type } = recorded;
  const body = seal === null ? recorded.body : openedBody(seal, recorded.sealed!, id);
  if (type === '') return body === null ? { kind: 'empty', status } : { kind: 'value', status, value: body };
  // Bytes are not recorded: the route makes them again.
  return body === null ? null : { kind: 'text', status, type, text: String(body) };
}

function openedBody(seal: AnswerSeal, sealed: string, id: string): Json {
  return (seal.open(sealed, `request-${id}`) as { readonly body: Json }).body;
}

function otherBody(): HttpError {
  return new HttpError(409, 'This Idempotency-Key was used with another body.');
}

function canonical(body: unknown): string {
  return canonicalJson((body ?? null) as Json);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
