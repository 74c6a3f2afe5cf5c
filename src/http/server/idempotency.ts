/**
 * `Idempotency-Key` on any POST, PATCH or DELETE whose route is not `keyless`: the same key and body are answered with
 * the first answer, the same key with another body is 409. A PUT is idempotent by itself.
 *
 * - A key counts for one method, path and query, which together name what is changed.
 * - The answer to a command is appended in the same commit as its events, so a crash leaves both or neither. It is read
 *   from the read models while these hold the events tentatively.
 * - Other answers below 500 are appended when they are known; a failed request may be tried again.
 * - Work of several commits that a crash cuts off is done again by the repeat. It finds what is stored by ids that are
 *   derived from the key.
 * - Requests with one key run one at a time. When another daemon of the log answers the same request meanwhile, the
 *   commit conflicts with its record; then nothing is appended here, and that answer is sent. Work of several commits
 *   is done under a claim of the key (request-claims.ts).
 * - Answers with secrets stay in memory (secret-answers.ts). Answers with texts that are encrypted at rest are sealed.
 */
import { hash } from 'node:crypto';
import { request as requestDecider } from '../../commands/request.ts';
import { characterCount } from '../../lib/characters.ts';
import { KeyedMutex } from '../../lib/keyed-mutex.ts';
import type { Fence } from '../../ports/leases.ts';
import type { Seen } from '../../projections/projection.ts';
import type { EventLog } from '../../storage/event-log.ts';
import { type BatchCommand, batchCommand, type CommandHandler, type Origin } from '../../streams/command-handler.ts';
import { isFenced } from '../../streams/log-refusals.ts';
import { errorReply, HttpError, retryLater } from './errors.ts';
import { answerRecord, type KeyedRequest, recordedAnswer } from './recorded-answer.ts';
import { type Claim, type ClaimParts, createClaim } from './request-claims.ts';
import type { Answer, AnswerOf, AnswerOptions, Call, RouteSpec } from './route.ts';
import { SecretAnswers } from './secret-answers.ts';

const KEY_CHARACTERS_MAX = 255;
const TAKEN_OVER_RETRY_SECONDS = 1;

/** Whether an `Idempotency-Key` counts in requests of the route. */
export function isKeyed({ method, keyless }: Pick<RouteSpec, 'method' | 'keyless'>): boolean {
  return keyless !== true && (method === 'POST' || method === 'PATCH' || method === 'DELETE');
}

/** The part of a call through which a handler writes. */
export type CallerCommands = Pick<Call, 'dispatch' | 'answerAfter' | 'remember' | 'origin' | 'repeatId'>;

export interface Idempotency {
  /**
   * Computes the answer, unless it is recorded, and responds with it. A later request with the key waits until
   * `respond` has settled: a stream is recorded at its end.
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
  const secrets = new SecretAnswers();
  log.onAppended((events) => {
    if (events.some(({ type }) => type === 'PayloadErased')) secrets.noteErasure();
  });

  function firstAnswer(id: string, request: KeyedRequest): Answer | null {
    return secrets.find(id, request) ?? recordedAnswer(log, id, request);
  }

  /** A refusal is recorded like any other answer. */
  async function computeAnswer(commands: RecordingCommands, work: (commands: CallerCommands) => Promise<Answer>) {
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

  async function computeSecret(id: string, request: KeyedRequest, work: (commands: CallerCommands) => Promise<Answer>) {
    const { erasures } = secrets;
    const answer = await work(callerCommands(commandHandler, request.origin, id));
    if (answer.kind === 'value' && answer.status < 300) secrets.keep(id, request, { answer, erasures });
    return answer;
  }

  return {
    async answer(request, work, respond) {
      const id = requestId(request);
      return mutex.run(id, async () => {
        const first = firstAnswer(id, request);
        if (first !== null) return respond(first);
        if (request.route.secretAnswer !== undefined) return respond(await computeSecret(id, request, work));
        const commands = new RecordingCommands(dependencies, id, request);
        try {
          const answer = await computeAnswer(commands, work).catch((error: unknown) => {
            if (isFenced(error) && !commands.isAnsweredElsewhere()) throw takenOver();
            if (!isFenced(error) && !(error instanceof AnsweredElsewhere)) throw error;
            // An answer of bytes is recorded without them; the route computes it again.
            return firstAnswer(id, request) ?? work(callerCommands(commandHandler, request.origin, id));
          });
          if (answer.kind === 'value' && answer.isSecret === true) secrets.keep(id, request, { answer });
          return await respond(answer);
        } finally {
          commands.end();
        }
      });
    },
  };
}

/** The commands of a request whose answer is not recorded. */
export function callerCommands(commandHandler: CommandHandler, origin: Origin, repeatId?: string): CallerCommands {
  return {
    origin,
    repeatId,
    dispatch: (decider, id, command, options) => commandHandler.dispatch(decider, id, command, { origin, ...options }),
    async answerAfter(decider, id, command, options) {
      const { answer, ...rest } = answerOptions(options);
      const { state, events } = await commandHandler.dispatch(decider, id, command, { origin, ...rest });
      return answer(state, events);
    },
    remember: async () => undefined,
  };
}

function answerOptions<State>(options: AnswerOf<State> | AnswerOptions<State>): AnswerOptions<State> {
  return typeof options === 'function' ? { answer: options } : options;
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
  return retryLater(message, TAKEN_OVER_RETRY_SECONDS);
}

/** Records one answer: with the first command that names its answer, otherwise when `remember` is called. */
class RecordingCommands implements CallerCommands {
  readonly origin: Origin & { readonly fence: Fence | undefined };
  readonly repeatId: string;
  readonly #dependencies: IdempotencyDependencies;
  readonly #id: string;
  readonly #request: KeyedRequest;
  readonly #claim: Claim;
  /**
   * The version of the request's stream before the work. It is above 0 after an answer of bytes, which is not repeated.
   */
  readonly #versionBefore: number;
  #isRecorded = false;

  constructor(dependencies: IdempotencyDependencies, id: string, request: KeyedRequest) {
    this.#dependencies = dependencies;
    this.#id = id;
    this.repeatId = id;
    this.#request = request;
    this.#versionBefore = dependencies.log.streamVersion(`request-${id}`);
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
    return !this.#isRecorded && this.#dependencies.log.streamVersion(`request-${this.#id}`) > this.#versionBefore;
  }

  /** Called before the work. */
  async begin(): Promise<void> {
    if (this.#request.route.dispatchOnly !== true) await this.#take();
  }

  /** Called after the answer was sent. */
  end(): void {
    this.#claim.release();
  }

  readonly dispatch: CallerCommands['dispatch'] = async (decider, stream, command, options) => {
    if (!this.#isRecorded) await this.#take();
    return this.#dependencies.commandHandler.dispatch(decider, stream, command, { origin: this.origin, ...options });
  };

  readonly answerAfter: CallerCommands['answerAfter'] = async (decider, stream, command, options) => {
    const { answer, ...rest } = answerOptions(options);
    let recorded: Answer | undefined;
    const record = (after: Parameters<typeof answer>[0], events: readonly Seen[]): BatchCommand | null => {
      recorded = answer(after, events);
      return this.#recordOf(recorded);
    };
    const { state, events } = await this.#dependencies.commandHandler.dispatch(decider, stream, command, {
      origin: this.origin,
      ...rest,
      record: this.#isRecorded ? undefined : record,
    });
    this.#isRecorded = true;
    return recorded ?? answer(state, events);
  };

  readonly remember: CallerCommands['remember'] = async (answer) => {
    const data = this.#isRecorded ? null : answerRecord(this.#id, this.#request, answer);
    if (data === null) return;
    const { commandHandler } = this.#dependencies;
    const command = { type: 'RecordAnswer', data } as const;
    const recorded = await commandHandler.dispatch(requestDecider, this.#id, command, { origin: this.origin });
    if (recorded.events.length === 0 && this.isAnsweredElsewhere()) throw new AnsweredElsewhere();
    this.#isRecorded = true;
  };

  #recordOf(answer: Answer): BatchCommand | null {
    if (this.isAnsweredElsewhere()) throw new AnsweredElsewhere();
    const data = answerRecord(this.#id, this.#request, answer);
    return data === null ? null : batchCommand(requestDecider, this.#id, { type: 'RecordAnswer', data });
  }

  async #take(): Promise<void> {
    if (!(await this.#claim.take())) throw new AnsweredElsewhere();
  }
}

/** The id of the stream of a request, `request-<id>`. Throws 400 for an invalid key. */
function requestId({ key, method, url }: KeyedRequest): string {
  // Header fields are bytes, which Node has as Latin-1.
  const characters = characterCount(Buffer.from(key, 'latin1').toString());
  if (characters > KEY_CHARACTERS_MAX || key.trim() === '') {
    throw new HttpError(400, `Idempotency-Key must have 1 to ${KEY_CHARACTERS_MAX} characters.`);
  }
  return hash('sha256', `${method} ${url}\n${key}`);
}
