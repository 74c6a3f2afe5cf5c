/** Temporal facts: tell one, list them, or see what held at a moment. */
import { z } from 'zod';
import { fact as decider, type FactState, knownAs } from '../../commands/memory/fact.ts';
import { factLine } from '../../commands/memory/lines.ts';
import type { FactBody } from '../../events/memory/facts.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { type FactRow, factCount, factRow, factRows } from '../../projections/memory/facts.ts';
import type { Views } from '../../projections/views.ts';
import { seconds } from '../../queries/memory/memory-context.ts';
import { type FactWords, factWords, kept } from '../../queries/memory/texts.ts';
import type { MemoryKeeper } from '../../reactors/memory/memory-store.ts';
import { type Answer, value } from '../server/answer.ts';
import { type RouteSpec, route } from '../server/route.ts';
import { common, refused, wholeText, zShare, zText } from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly views: Views;
  readonly memory: MemoryKeeper;
}

/** Ten thousand years either way are enough for facts. */
const SECONDS_MAX = 3e11;
const LISTED_MAX = 10_000;

const zFact = z.object({
  id: z.string(),
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
  valid_from: z.number(),
  valid_to: z.number().nullable(),
  confidence: z.number(),
  /** When it was told, Unix seconds. */
  recorded_at: z.int(),
});

const MOMENT = `must be Unix seconds from ${-SECONDS_MAX} to ${SECONDS_MAX}`;
const zMoment = z.number(MOMENT).min(-SECONDS_MAX, MOMENT).max(SECONDS_MAX, MOMENT);

export function factRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [tellRoute(deps), listRoute(deps)];
}

function tellRoute(deps: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'POST',
    path: '/memory/fact',
    summary: 'Tells a fact. It ends the one of the same subject and predicate that held until then.',
    body: z.object({
      subject: zText,
      predicate: zText,
      object: zText,
      valid_from: zMoment.nullish(),
      confidence: zShare.nullish(),
    }),
    responses: {
      201: { description: 'The fact.', schema: zFact },
      200: { description: 'It was known already; nothing was recorded.', schema: zFact },
      ...refused,
    },
    async handle({ body, dispatch }) {
      const { subject, predicate, object } = body;
      const words = { subject, predicate, object };
      const id = deps.ids.uuid();
      const fact = factBody(deps, words, {
        id,
        valid_from: body.valid_from ?? seconds(deps.clock.now()),
        confidence: body.confidence ?? 1,
      });
      const asserted = { fact, dated: typeof body.valid_from === 'number' };
      const recorded_at = seconds(deps.clock.now());
      const answer = (state: FactState): Answer => {
        const known = state.find((each) => each.id === id) ?? knownAs(state, asserted)!;
        const before = known.id === id ? undefined : factRow(deps.views, known.id);
        if (before !== undefined) return value(factView(deps, before), 200);
        const { valid_from, valid_to } = known;
        return value({ id, ...words, valid_from, valid_to, confidence: fact.confidence, recorded_at }, 201);
      };
      const key = factKey(deps, words);
      const { state } = await dispatch(decider, key, { type: 'AssertFact', ...asserted }, answer);
      return answer(state);
    },
  });
}

/** What the facts of one subject and predicate have in common: the name of their stream. */
export function factKey(deps: Dependencies, { subject, predicate }: Pick<FactWords, 'subject' | 'predicate'>): string {
  return deps.memory.marks().exact(JSON.stringify([subject, predicate]));
}

export function factBody(
  deps: Dependencies,
  words: FactWords,
  { id, valid_from, confidence }: Pick<FactBody, 'id' | 'valid_from' | 'confidence'>,
): FactBody {
  const { fingerprint, exact } = deps.memory.marks();
  return {
    id,
    ...kept(deps.memory.vault(), words, { id, empty: { subject: '', predicate: '', object: '' } }),
    object_key: exact(words.object),
    line_key: fingerprint(factLine(words)),
    valid_from,
    confidence,
  };
}

function listRoute(deps: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'GET',
    path: '/memory/facts',
    summary: 'Facts that hold and facts that held, newest told first; with `at` only what held at that moment.',
    query: z.object({
      at: z
        .string()
        .regex(/^-?\d{1,15}(\.\d{1,9})?$/, MOMENT)
        .transform(Number)
        .pipe(zMoment)
        .optional(),
      limit: wholeText({ min: 1, max: LISTED_MAX }).default(LISTED_MAX),
      offset: wholeText({ min: 0 }).default(0),
    }),
    responses: {
      200: {
        description: 'The facts, and how many there are in all.',
        schema: z.object({ facts: z.array(zFact), count: z.int(), total: z.int() }),
      },
      ...refused,
    },
    handle({ query }) {
      const facts = factRows(deps.views, query).map((row) => factView(deps, row));
      return value({ facts, count: facts.length, total: factCount(deps.views, query.at) });
    },
  });
}

export function factView(deps: Dependencies, row: FactRow) {
  const { id, valid_from, valid_to, confidence } = row;
  const words = factWords(deps.memory.vault(), row);
  return { id, ...words, valid_from, valid_to, confidence, recorded_at: seconds(row.recorded_at) };
}
