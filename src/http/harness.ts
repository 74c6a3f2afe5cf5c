/**
 * Harness profiles: the effective settings of a (provider, model) pair, the defaults of this build, and the user's
 * overrides.
 */
import { z } from 'zod';
import { harnessOverrides as decider, HARNESS_STREAM_ID } from '../commands/harness/decide.ts';
import {
  ANY_MODEL,
  harnessKey,
  harnessProfileRows,
  resolveHarness,
  zHarnessProfile,
} from '../commands/harness/defaults.ts';
import { type HarnessPatch, zHarnessPatch } from '../events/harness.ts';
import { harnessOverrides } from '../projections/harness.ts';
import type { Views } from '../projections/views.ts';
import { type Answer, ok, type RouteSpec, routesOf, value } from './server/route.ts';

const { get, put, del } = routesOf({ tag: 'harness' });

const zProfiles = z.object({
  overrides: z
    .record(z.string(), zHarnessPatch)
    .describe('By `provider/model` (`provider/*` for all models), what you set.'),
  profiles: z
    .array(zHarnessProfile.pick({ provider: true, model: true, effective: true, builtin: true }))
    .describe('A row for each known provider and each overridden pair.'),
});

const zPair = z.object({
  provider: z
    .string()
    .refine((provider) => provider.trim() !== '', 'must not be empty')
    .refine((provider) => !provider.includes('/'), 'must hold no slash: it divides provider and model'),
  model: z.string().optional(),
});
type Pair = z.infer<typeof zPair>;

const responses = ok('The resolved profile.', zHarnessProfile, {
  400: 'No provider, an unknown field or a value that is not allowed.',
});

export function harnessRoutes({ views }: { readonly views: Views }): readonly RouteSpec[] {
  const common = { query: zPair, responses };
  return [
    get('/harness/profile', {
      ...common,
      operation: 'getProfile',
      summary: 'The resolved profile of a pair.',
      handle: ({ query }) => profile(views, query),
    }),
    put('/harness/profile', {
      ...common,
      operation: 'setProfile',
      summary:
        'Replaces the pair’s override by the body; an empty body removes it. It applies from the next request on.',
      body: zHarnessPatch.optional(),
      async handle({ query, body, dispatch }) {
        const command = {
          type: 'SetHarnessOverride',
          key: keyOf(query),
          patch: withoutEmptyBudgets(body ?? {}),
        } as const;
        await dispatch(decider, HARNESS_STREAM_ID, command);
        return profile(views, query);
      },
    }),
    del('/harness/profile', {
      ...common,
      operation: 'resetProfile',
      summary: 'Removes the pair’s override.',
      async handle({ query, dispatch }) {
        await dispatch(decider, HARNESS_STREAM_ID, { type: 'RemoveHarnessOverride', key: keyOf(query) });
        return profile(views, query);
      },
    }),
    get('/harness/profiles', {
      operation: 'listProfiles',
      summary: 'Every stored override, and the profiles of all known providers and overridden pairs.',
      responses: ok('The overrides by `provider/model`, and the profiles.', zProfiles),
      handle() {
        const overrides = harnessOverrides(views);
        return value({ overrides, profiles: harnessProfileRows(overrides) });
      },
    }),
  ];
}

function keyOf(pair: Pair): string {
  return harnessKey(pair.provider, modelOf(pair));
}

function modelOf({ model }: Pair): string {
  return model === undefined || model.trim() === '' ? ANY_MODEL : model;
}

/** Budgets without any tier set nothing. */
function withoutEmptyBudgets({ thinking_budgets, ...patch }: HarnessPatch): HarnessPatch {
  const isSet = thinking_budgets !== undefined && Object.keys(thinking_budgets).length > 0;
  return isSet ? { ...patch, thinking_budgets } : patch;
}

function profile(views: Views, pair: Pair): Answer {
  const overrides = harnessOverrides(views);
  return value(resolveHarness({ provider: pair.provider, model: modelOf(pair), overrides }));
}
