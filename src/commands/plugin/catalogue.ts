/** The plugins of this build: bundles first, then the core plugins. Their texts are in `texts/`, loaded when needed. */
import { z } from 'zod';

const zComponent = z.object({
  kind: z.enum(['skill', 'rule']).describe('What runs get of it.'),
  name: z.string().describe('Name of the part.'),
});
export interface CatalogueComponent extends Readonly<z.infer<typeof zComponent>> {
  /** The situation in which it is useful, in one sentence. An agent sees only this before it reads the file. */
  readonly description: string;
}

export const zCataloguePlugin = z.object({
  name: z.string().describe('Name of the plugin or bundle.'),
  title: z.string(),
  version: z.string().describe('Version of the plugin.'),
  description: z.string().describe('What it is for.'),
  category: z.string().describe('What it belongs to.'),
  components: z.array(zComponent).describe('Its parts.'),
  includes: z.array(z.string()).describe('Of a bundle, its plugins.'),
  connectors: z.array(z.string()).describe('Connectors that it asks for, by their id in the catalogue.'),
});
export interface CataloguePlugin extends Readonly<z.infer<typeof zCataloguePlugin>> {
  readonly components: CatalogueComponent[];
}

const VERSION = '1.0.0';

export const PLUGIN_CATALOGUE: readonly CataloguePlugin[] = [
  bundle('bundle-engineering', {
    title: 'Engineering',
    description: 'Everyday work on code: how changes are reviewed, tested first, and how a fault is found.',
    includes: ['core-review-standards', 'core-test-first', 'core-debugging'],
    connectors: ['filesystem', 'git', 'github'],
  }),
  bundle('bundle-on-call', {
    title: 'On-call',
    description: 'For whoever carries the pager: lead an incident, then find what caused it.',
    includes: ['core-incident-response', 'core-debugging'],
    connectors: ['sentry', 'github', 'slack'],
  }),
  bundle('bundle-security-review', {
    title: 'Security review',
    description: 'Reading code for what can be abused: secrets, untrusted input, and what comes in with dependencies.',
    includes: ['core-secure-defaults', 'core-dependency-hygiene'],
    connectors: ['github', 'git'],
  }),
  bundle('bundle-data', {
    title: 'Data work',
    description: 'Queries and schemas beside the code that uses them, held to the standards of a review.',
    includes: ['core-review-standards'],
    connectors: ['postgres', 'sqlite'],
  }),
  bundle('bundle-research', {
    title: 'Research',
    description: 'Find, keep and write up: sources from the web, notes that last, prose that is read.',
    includes: ['core-technical-writing'],
    connectors: ['fetch', 'brave-search', 'memory'],
  }),
  core('core-review-standards', {
    title: 'Review standards',
    category: 'Engineering Practice',
    description: 'What a change must satisfy before it is called done, and how findings are reported.',
    components: [rule('review-standards', 'What every change is held to, and how findings are ranked and reported.')],
  }),
  core('core-test-first', {
    title: 'Test first',
    category: 'Engineering Practice',
    description: 'Write the failing test before the code, and know what makes a test worth keeping.',
    components: [skill('test-first', 'Use before adding behaviour or mending a bug: write the test that fails first.')],
  }),
  core('core-commit-craft', {
    title: 'Commit craft',
    category: 'Engineering Practice',
    description: 'Commits that can be reviewed, reverted and found again.',
    components: [skill('commit-craft', 'Use when changes are to be committed: cut them into commits and say why.')],
  }),
  core('core-refactoring', {
    title: 'Safe refactoring',
    category: 'Engineering Practice',
    description: 'Change the shape of code in steps that keep its behaviour.',
    components: [skill('safe-refactoring', 'Use when code is to be restructured without changing what it does.')],
  }),
  core('core-secure-defaults', {
    title: 'Secure defaults',
    category: 'Security',
    description: 'How secrets are handled, and how input from outside is treated.',
    components: [
      rule('secret-handling', 'Where secrets may be and where they may never appear.'),
      rule('untrusted-input', 'How everything that comes from outside is checked and used.'),
    ],
  }),
  core('core-dependency-hygiene', {
    title: 'Dependency hygiene',
    category: 'Security',
    description: 'Decide on, add, update and remove dependencies with open eyes.',
    components: [skill('dependency-hygiene', 'Use before a dependency is added, updated or removed.')],
  }),
  core('core-performance', {
    title: 'Performance work',
    category: 'Performance',
    description: 'Measure, find what takes the time, change one thing, measure again.',
    components: [skill('performance-work', 'Use when something is too slow, too big or costs too much.')],
  }),
  core('core-debugging', {
    title: 'Debugging',
    category: 'Operations',
    description: 'From a symptom to its cause by experiments, not by guesses.',
    components: [skill('debugging', 'Use when something fails and the cause is not yet shown.')],
  }),
  core('core-incident-response', {
    title: 'Incident response',
    category: 'Operations',
    description: 'Lead an incident: stop the harm, keep a record, learn from it.',
    components: [
      skill('incident-response', 'Use when a running service harms its users, and for the review afterwards.'),
    ],
  }),
  core('core-api-design', {
    title: 'API design',
    category: 'Design',
    description: 'Interfaces that can be understood, used wrongly only with effort, and changed later.',
    components: [skill('api-design', 'Use when an interface that others will call is designed or changed.')],
  }),
  core('core-technical-writing', {
    title: 'Technical writing',
    category: 'Design',
    description: 'Documents that answer what their reader came to ask.',
    components: [skill('technical-writing', 'Use when documentation, a report or a proposal is written or revised.')],
  }),
];

export function cataloguePlugin(name: string): CataloguePlugin | undefined {
  return PLUGIN_CATALOGUE.find((plugin) => plugin.name === name);
}

function bundle(
  name: string,
  facts: Pick<CataloguePlugin, 'title' | 'description' | 'includes' | 'connectors'>,
): CataloguePlugin {
  return { name, version: VERSION, category: 'Bundles', components: [], ...facts };
}

function core(
  name: string,
  facts: Pick<CataloguePlugin, 'title' | 'category' | 'description' | 'components'>,
): CataloguePlugin {
  return { name, version: VERSION, includes: [], connectors: [], ...facts };
}

function skill(name: string, description: string): CatalogueComponent {
  return { kind: 'skill', name, description };
}

function rule(name: string, description: string): CatalogueComponent {
  return { kind: 'rule', name, description };
}
