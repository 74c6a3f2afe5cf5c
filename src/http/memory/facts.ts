/** Routes of temporal facts: record one, list them, or list those that held at a moment. */
import { z } from 'zod';
import { fact as decider, type FactState, recordedAs } from '../../commands/memory/fact.ts';
import { numberText } from '../../lib/number-text.ts';
import type { ReadWriteLock } from '../../lib/read-write-lock.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { factRow } from '../../projections/memory/facts.ts';
import { memory } from '../../projections/memory/memory.ts';
import type { Views } from '../../projections/views.ts';
import type { MemoryEncryption } from '../../queries/memory/encryption.ts';
import { factBody, factKey, factView, listFacts } from '../../queries/memory/facts.ts';
import { unixSeconds } from '../../queries/memory/memories.ts';
import { zFact } from '../../queries/memory/schemas.ts';
import { type AsOfSources, answerAt, asOfField, zAt } from '../server/as-of.ts';
import { jsonList } from '../server/json-array.ts';
import { queryNumber } from '../server/query-params.ts';
import { type Answer, ok, type RouteSpec, routesOf, secretValue, value } from '../server/route.ts';
import { badRequest, zShare, zText } from './schemas.ts';

const { get, post } = routesOf({ tag: 'memory' });

interface Dependencies {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly encryption: MemoryEncryption;
  /** Facts are encrypted in an exclusive section. */
  readonly memoryLock: ReadWriteLock;
}

/** About ten thousand years before and after 1970. */
const SECONDS_MAX = 3e11;
const LISTED_MAX = 10_000;

const MOMENT = `must be Unix seconds from ${-SECONDS_MAX} to ${SECONDS_MAX}`;
const zMoment = z.number(MOMENT).min(-SECONDS_MAX, MOMENT).max(SECONDS_MAX, MOMENT);

const zAssertion = z.object({
  subject: zText,
  predicate: zText,
  object: zText,
  valid_from: zMoment.nullish(),
  confidence: zShare.nullish(),
});
z.globalRegistry.add(zAssertion, {
  examples: [{ subject: 'Ada', predicate: 'lives in', object: 'Paris', confidence: 0.9 }],
});

const zPage = z.object({
  at: zAt,
  valid_at: numberText(/^-?\d{1,15}(\.\d{1,9})?$/, zMoment).optional(),
  limit: queryNumber({ min: 1, max: LISTED_MAX }).default(LISTED_MAX),
  offset: queryNumber({ min: 0 }).default(0).describe('Leaves out so many of the first.'),
});

/** The query. Clients of 0.1.0 send Unix seconds in `at` where newer ones send `valid_at`. */
function pageOf({ at, ...page }: z.infer<typeof zPage>): z.infer<typeof zPage> {
  const isPosition = at === undefined || !/^-?\d{1,12}(\.\d{1,9})?$/.test(at) || /^\d{1,9}$/.test(at);
  return isPosition ? { at, ...page } : { valid_at: Number(at), ...page };
}

export function assertFactRoute({ clock, ids, views, encryption, memoryLock }: Dependencies): RouteSpec {
  return post('/memory/fact', {
    operation: 'addFact',
    dispatchOnly: true,
    summary: 'Records a fact. It ends the fact with the same subject and predicate that held until then.',
    body: zAssertion,
    responses: ok('The fact was known; nothing was recorded.', zFact, {
      201: { description: 'The fact.', schema: zFact },
      ...badRequest,
    }),
    handle: ({ body, answerAfter }) =>
      memoryLock.shared(async () => {
        const { subject, predicate, object } = body;
        const texts = { subject, predicate, object };
        const id = ids.uuid();
        const recorded_at = unixSeconds(clock.now());
        const fact = factBody(encryption, texts, {
          id,
          valid_from: body.valid_from ?? recorded_at,
          confidence: body.confidence ?? 1,
        });
        const assertion = { fact, dated: typeof body.valid_from === 'number' };
        const answer = (state: FactState): Answer => {
          const recorded = state.find((each) => each.id === id) ?? recordedAs(state, assertion)!;
          const earlier = recorded.id === id ? undefined : factRow(views, recorded.id);
          // A record of this answer lies beside no event of the fact, so its deletion would not find these words.
          if (earlier !== undefined) return secretValue(factView(encryption.cipher(), earlier));
          const { valid_from, valid_to } = recorded;
          return value({ id, ...texts, valid_from, valid_to, confidence: fact.confidence, recorded_at }, 201);
        };
        const key = factKey(encryption, texts);
        return answerAfter(decider, key, { type: 'AssertFact', ...assertion }, answer);
      }),
  });
}

export function listFactsRoute({
  encryption,
  ...sources
}: AsOfSources & { readonly encryption: MemoryEncryption }): RouteSpec {
  return get('/memory/facts', {
    operation: 'listFacts',
    isLong: true,
    summary:
      'Present and past facts, the last recorded first; with `valid_at` (Unix seconds) only what held at that ' +
      'moment. `at` answers as the memory was then.',
    query: zPage,
    responses: ok(
      'The facts, and how many there are in all.',
      {
        facts: z.array(zFact).describe('Facts, the newest first.'),
        count: z.int().describe('Facts in the list.'),
        total: z.int().describe('Facts on all pages: with `valid_at` those that held, else all of the memory.'),
        ...asOfField,
      },
      badRequest,
    ),
    handle({ query, request }) {
      const { at, ...page } = pageOf(query);
      const list = (then: Views) => listFacts(then, encryption.cipher(), page);
      if (at === undefined) {
        const { facts, ...rest } = list(sources.views);
        return jsonList('facts', facts, rest);
      }
      const read = (then: Views): object => {
        const { facts, ...rest } = list(then);
        return { facts: [...facts], ...rest };
      };
      return answerAt(sources, { at, request }, { projection: memory, categories: [decider.category], read });
    },
  });
}
