/** The catalogue equals the contract's, row by row, and every component has a meaningful text. */
import { describe, expect, it } from 'vitest';
import { catalogConnector } from '../../src/commands/connector/catalogue.ts';
import { cataloguePlugin, PLUGIN_CATALOGUE } from '../../src/commands/plugin/catalogue.ts';
import { documentOf } from '../../src/commands/plugin/documents.ts';

/** Name, category, title, components. */
const CORE = [
  ['core-review-standards', 'Engineering Practice', 'Review standards', 'rule review-standards'],
  ['core-test-first', 'Engineering Practice', 'Test first', 'skill test-first'],
  ['core-commit-craft', 'Engineering Practice', 'Commit craft', 'skill commit-craft'],
  ['core-refactoring', 'Engineering Practice', 'Safe refactoring', 'skill safe-refactoring'],
  ['core-secure-defaults', 'Security', 'Secure defaults', 'rule secret-handling, rule untrusted-input'],
  ['core-dependency-hygiene', 'Security', 'Dependency hygiene', 'skill dependency-hygiene'],
  ['core-performance', 'Performance', 'Performance work', 'skill performance-work'],
  ['core-debugging', 'Operations', 'Debugging', 'skill debugging'],
  ['core-incident-response', 'Operations', 'Incident response', 'skill incident-response'],
  ['core-api-design', 'Design', 'API design', 'skill api-design'],
  ['core-technical-writing', 'Design', 'Technical writing', 'skill technical-writing'],
];

/** Name, title, members, connectors. */
const BUNDLES = [
  [
    'bundle-engineering',
    'Engineering',
    'core-review-standards, core-test-first, core-debugging',
    'filesystem, git, github',
  ],
  ['bundle-on-call', 'On-call', 'core-incident-response, core-debugging', 'sentry, github, slack'],
  ['bundle-security-review', 'Security review', 'core-secure-defaults, core-dependency-hygiene', 'github, git'],
  ['bundle-data', 'Data work', 'core-review-standards', 'postgres, sqlite'],
  ['bundle-research', 'Research', 'core-technical-writing', 'fetch, brave-search, memory'],
];

describe('the catalogue', () => {
  it('has the bundles, then the core plugins, in the contract’s order, all of version 1.0.0', () => {
    expect(PLUGIN_CATALOGUE.map(({ name }) => name)).toEqual([...BUNDLES, ...CORE].map(([name]) => name));
    expect(new Set(PLUGIN_CATALOGUE.map(({ version }) => version))).toEqual(new Set(['1.0.0']));
  });
  it.each(CORE)('%s is as in the table', (name, category, title, components) => {
    const row = cataloguePlugin(name!)!;
    const written = row.components.map((each) => `${each.kind} ${each.name}`).join(', ');
    expect([row.category, row.title, written]).toEqual([category, title, components]);
    expect([row.includes, row.connectors]).toEqual([[], []]);
  });
  it.each(BUNDLES)('%s is as in the table', (name, title, includes, connectors) => {
    const row = cataloguePlugin(name!)!;
    expect([row.category, row.title, row.components]).toEqual(['Bundles', title, []]);
    expect([row.includes.join(', '), row.connectors.join(', ')]).toEqual([includes, connectors]);
    expect(row.includes.filter((member) => cataloguePlugin(member) === undefined)).toEqual([]);
    expect(row.connectors.filter((id) => catalogConnector(id) === undefined)).toEqual([]);
  });
});

describe('documents', () => {
  const components = PLUGIN_CATALOGUE.flatMap((plugin) => plugin.components);

  it.each(components)('$kind $name has 40 to 95 lines of its own under one title', (component) => {
    const text = documentOf(component);
    const lines = text.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(40);
    expect(lines.length).toBeLessThanOrEqual(95);
    expect(lines.filter((line) => line.startsWith('# '))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('## ')).length).toBeGreaterThanOrEqual(3);
    expect(text.endsWith('\n')).toBe(true);
  });
  it('are told apart: a skill says what it is for, a rule begins with its title', () => {
    for (const component of components) {
      const { kind, name, description } = component;
      const head =
        kind === 'rule' ? '# ' : `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n# `;
      expect(documentOf(component).startsWith(head)).toBe(true);
    }
    expect(new Set(components.map(documentOf)).size).toBe(12);
  });
});
