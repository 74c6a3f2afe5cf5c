/** The public suite of abstract-level on every engine. */
import { it } from 'vitest';
import { expectPasses, SUITE_MS_MAX } from './public-suite.ts';

it.each(['cow', 'memory', 'lsm', 'embedded_kv'] as const)('%s passes', { timeout: SUITE_MS_MAX }, expectPasses);
