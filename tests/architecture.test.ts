/** The rules of the code, read from the sources: which layer imports which, no cycles, sizes, no barrels, no dead files. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { describe, expect, it } from 'vitest';
import { resources } from '../src/resources.ts';
import { importCycle } from './support/import-cycle.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src');
const LINES_MAX = 400;
const COLUMNS_MAX = 120;
const FUNCTION_LINES_MAX = 60;

/** Layer → what it may import. A name with a slash is one file or folder. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  lib: ['lib'],
  events: ['events'],
  commands: ['commands', 'lib', 'events', 'storage/canonical-json.ts'],
  projections: ['projections', 'lib', 'events'],
  ports: ['ports', 'events'],
  queries: ['queries', 'lib', 'events', 'commands', 'projections', 'ports', 'storage/event-log.ts'],
  reactors: [
    'reactors',
    'lib',
    'events',
    'commands',
    'queries',
    'projections',
    'ports',
    'streams',
    'storage/event-log.ts',
    'storage/merkle.ts',
  ],
  live: ['live', 'lib', 'events', 'commands', 'queries', 'projections', 'ports', 'streams', 'storage/event-log.ts'],
  integrations: ['integrations', 'lib', 'ports', 'events', 'storage/canonical-json.ts', 'storage/uuid.ts'],
  streams: [
    'streams',
    'lib',
    'events',
    'storage/event-log.ts',
    'storage/canonical-json.ts',
    'ports/clock.ts',
    'ports/id-generator.ts',
    'ports/leases.ts',
    'commands/decider.ts',
    'commands/refusal.ts',
    'projections/projection.ts',
    'projections/views.ts',
    'projections/views-failures.ts',
  ],
  storage: ['storage'],
  // It runs in browsers too, where there is nothing of the daemon.
  client: ['client'],
  kernel: [
    'kernel',
    'events',
    'streams',
    'storage',
    'commands/decider.ts',
    'commands/refusal.ts',
    'integrations/system.ts',
    'ports/clock.ts',
    'ports/id-generator.ts',
    'ports/leases.ts',
    'projections/projection.ts',
    'projections/views.ts',
    'projections/views-failures.ts',
    'read-models.ts',
  ],
  level: ['level', 'storage', 'lib/slices.ts'],
  http: [
    'http',
    'lib',
    'live',
    'queries',
    'reactors',
    'streams',
    'projections',
    'commands',
    'events',
    'ports',
    'config.ts',
    'host-names.ts',
    'storage/event-log.ts',
    'storage/canonical-json.ts',
    'storage/ops/control.ts',
    'storage/ops/operation.ts',
    'storage/ops/stats.ts',
  ],
};

/** What packages import: see `exports` in package.json. */
const CLIENT_ENTRIES = ['client/client.ts', 'client/rxjs.ts', 'client/voice.ts', 'client/yjs.ts'];

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => path.replaceAll('\\', '/'))
  .sort();

/** What a row imports, and what that imports in turn. */
function reachedFrom(entry: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const walk = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const target of valueImportsOf(path)) if (texts.has(target)) walk(target);
  };
  walk(entry);
  return reached;
}

/** The testing kit starts whole daemons; of the layers only the command line is nothing to it. */
const TESTING_MAY_IMPORT = [...new Set(files.map((path) => path.split('/')[0]!))].filter((layer) => layer !== 'cli');

/** The command line may use every layer but the HTTP server. */
const CLI_MAY_IMPORT = [...new Set(files.map((path) => path.split('/')[0]!))].filter(
  (layer) => !['http', 'testing'].includes(layer),
);

const texts = new Map(files.map((path) => [path, readFileSync(join(SOURCE, path), 'utf8')]));

function importsOf(path: string): string[] {
  return [...texts.get(path)!.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    .map((match) => relative(SOURCE, resolve(dirname(join(SOURCE, path)), match[1]!)).replaceAll('\\', '/'))
    .filter((target) => target.endsWith('.ts'));
}

describe('imports', () => {
  it.each(['cli', 'testing', ...Object.keys(MAY_IMPORT)])('%s stays in its row', (row) => {
    const allowed = MAY_IMPORT[row] ?? (row === 'cli' ? CLI_MAY_IMPORT : TESTING_MAY_IMPORT);
    const wrong = files
      .filter((path) => path.startsWith(`${row}/`) || path === `${row}.ts`)
      .flatMap((path) => importsOf(path).map((target) => ({ path, target })))
      .filter(({ target }) => !allowed.some((place) => target === place || target.startsWith(`${place}/`)));
    expect(wrong).toEqual([]);
  });

  it('name files that exist', () => {
    const missing = files.flatMap((path) =>
      importsOf(path)
        .filter((target) => !texts.has(target))
        .map((target) => ({ path, target })),
    );
    expect(missing).toEqual([]);
  });

  it('nothing of the daemon imports the testing kit', () => {
    const others = files.filter((path) => !path.startsWith('testing/'));
    expect(others.filter((path) => importsOf(path).some((target) => target.startsWith('testing/')))).toEqual([]);
  });

  it('only the composition roots, the command line and the testing kit import integrations', () => {
    const others = files.filter((path) => !/^(integrations|cli|compose|kernel|testing)\/|^compose\.ts$/.test(path));
    const wrong = others.filter((path) => importsOf(path).some((target) => target.startsWith('integrations/')));
    expect(wrong).toEqual([]);
  });

  it('the kernel loads nothing of the daemon', () => {
    const ofDaemon =
      /^(http|cli|compose|config|reactors|live|queries|integrations\/(?!system\.ts))|^(daemon|resources?)\.ts$/;
    expect([...reachedFrom('kernel.ts')].filter((path) => ofDaemon.test(path))).toEqual([]);
  });

  it('have no cycle, not even of types', () => {
    expect(importCycle(files, (path) => importsOf(path).filter((target) => texts.has(target)))).toBeNull();
  });

  it('leave no file that nothing uses', () => {
    const workers = files.filter((path) => path.endsWith('-worker.ts'));
    const entries = ['cli/main.ts', 'kernel.ts', 'level.ts', 'testing/testing.ts', ...CLIENT_ENTRIES, ...workers];
    const used = new Set([...files.flatMap(importsOf), ...entries]);
    expect(files.filter((path) => !used.has(path))).toEqual([]);
  });
});

/** Type imports are erased, so they make no cycle at run time. */
function valueImportsOf(path: string): string[] {
  const text = texts.get(path)!.replace(/^import type [^;]+;/gm, '');
  return [...text.matchAll(/from '(\.[^']+)'/g)].map((match) =>
    relative(SOURCE, resolve(dirname(join(SOURCE, path)), match[1]!)).replaceAll('\\', '/'),
  );
}

/** What in a layer belongs to no single resource. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  events: ['define', 'decode', 'erasure', 'envelope', 'fault', 'overrides', 'provider-id'],
  commands: ['decider', 'refusal', 'blank'],
  projections: ['projection', 'rows', 'views', 'views-failures', 'views-statements', 'views-wal', 'recall'],
  queries: ['as-of', 'markdown', 'workspace-scope'],
  reactors: ['send-command'],
  live: [],
  http: ['server', 'openapi', 'html', 'service-name'],
};

describe('one key names a resource in every layer', () => {
  const keys = new Set(resources.map(({ key }) => key));

  it.each(Object.keys(SHARED))('%s', (layer) => {
    const names = files
      .filter((path) => path.startsWith(`${layer}/`))
      .map((path) => path.split('/')[1]!.replace(/\.ts$/, ''));
    expect([...new Set(names)].filter((name) => !keys.has(name) && !SHARED[layer]!.includes(name))).toEqual([]);
  });
});

describe('the event log', () => {
  it('is appended to by the command handler and the storage’s own tools alone; the kernel hands its log out', () => {
    const appends = files.filter((path) => /\blog\.append\(/.test(texts.get(path)!));
    // The contract of the log appends to logs of tests.
    const others = appends.filter((path) => !/^(storage|cli\/storage|testing\/event-log-contract)\//.test(path));
    expect(others).toEqual(['kernel/event-log.ts', 'streams/command-handler.ts']);
  });

  it('is folded without a `default:`: a new event type without its case does not compile', () => {
    const folds = files.filter((path) => /^(commands|projections|events)\//.test(path));
    const wrong = folds.filter((path) => /switch \(event\.type\)[\s\S]*?\n {4,6}default:/.test(texts.get(path)!));
    expect(wrong).toEqual([]);
  });
});

describe('files', () => {
  it(`have at most ${LINES_MAX} lines of at most ${COLUMNS_MAX} columns`, () => {
    const wrong = files.flatMap((path) => {
      const lines = texts.get(path)!.split('\n');
      const wide = lines.findIndex((line) => [...line].length > COLUMNS_MAX && !/['"`]|https?:/.test(line));
      if (path.startsWith('client/generated/')) return [];
      if (lines.length > LINES_MAX + 1) return [`${path}: ${lines.length} lines`];
      return wide < 0 ? [] : [`${path}:${wide + 1}: too wide`];
    });
    expect(wrong).toEqual([]);
  });

  it('open with a sentence about themselves', () => {
    expect(files.filter((path) => !texts.get(path)!.startsWith('/**'))).toEqual([]);
  });

  it('use the terms of the field instead of metaphors', () => {
    const metaphor = /\b(?:house|doors?|knock|desk|boarding|ambient|rehearsing)\b/i;
    const isWordList = (path: string): boolean => path.endsWith('/lexicon.ts');
    expect(files.filter((path) => !isWordList(path) && metaphor.test(texts.get(path)!))).toEqual([]);
  });

  it('are no barrels and leave nothing for later', () => {
    const wrong = files.filter(
      (path) =>
        path.endsWith('/index.ts') ||
        /^export \* from/m.test(texts.get(path)!) ||
        /\b(TODO|FIXME|XXX)\b/.test(texts.get(path)!),
    );
    expect(wrong).toEqual([]);
  });
});

it('tests make no fake by a cast', () => {
  const folder = join(ROOT, 'tests');
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  expect(all.length).toBeGreaterThan(500);
  expect(all.filter((path) => /\bas (?:unknown as|never)\b/.test(readFileSync(join(folder, path), 'utf8')))).toEqual(
    [],
  );
});

describe('functions', () => {
  it(`have at most ${FUNCTION_LINES_MAX} lines`, () => {
    const long = files.flatMap((path) =>
      functionsIn(path)
        .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
        .map(({ name, lines }) => `${path} ${name}: ${lines} lines`),
    );
    expect(long).toEqual([]);
  });

  it('and classes that ports, streams, storage and events export have a doc comment', () => {
    const layers = files.filter((path) => /^(ports|streams|storage|events)\//.test(path));
    const undocumented = /(?<!\*\/\n)^export (?:abstract )?(?:async )?(?:function\*?|class) (\w+)/gm;
    const wrong = layers.flatMap((path) =>
      [...texts.get(path)!.matchAll(undocumented)].map(([, name]) => `${path} ${name}`),
    );
    expect(wrong).toEqual([]);
  });
});

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Every function of a file with its length; a function without a name has the name of its variable, field or class. */
function functionsIn(path: string): { readonly name: string; readonly lines: number }[] {
  const text = texts.get(path)!;
  const names = new Map<number, string>();
  const found: { readonly name: string; readonly lines: number }[] = [];
  const named = (key: Span, value: Span | null): void => {
    if (value !== null) names.set(value.start, text.slice(key.start, key.end));
  };
  const add = (node: Span & { readonly id?: Span | null }): void => {
    const name = node.id == null ? (names.get(node.start) ?? 'anonymous') : text.slice(node.id.start, node.id.end);
    found.push({ name, lines: text.slice(node.start, node.end).split('\n').length });
  };
  const visitor = new Visitor({
    VariableDeclarator: ({ id, init }) => named(id, init),
    Property: ({ key, value }) => named(key, value),
    PropertyDefinition: ({ key, value }) => named(key, value),
    MethodDefinition: ({ key, value }) => named(key, value),
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
  });
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]!.message}`);
  visitor.visit(program);
  return found;
}
