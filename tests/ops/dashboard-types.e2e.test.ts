/**
 * The dashboard conforms to the types of the Grafana version that compose.yaml names: fields, panel options,
 * enumerations.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../support/folders.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TYPES = '@grafana/schema/dist/types/raw/composable';

/** A dashboard file leaves out what Grafana fills in, and has enumerations as text. */
const program = (dashboard: string): string => `
import type { Dashboard, Panel } from '@grafana/schema';
import type { Options as StatOptions } from '${TYPES}/stat/panelcfg/x/StatPanelCfg_types.gen.d.ts';
import type { FieldConfig, Options as GraphOptions } from '${TYPES}/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen.d.ts';

type Written<T> = T extends string
  ? \`\${T}\`
  : T extends readonly (infer Item)[]
    ? Written<Item>[]
    : T extends object
      ? { [Name in keyof T]?: Written<T[Name]> }
      : T;
type Shown<Type extends string, Options, Custom = never> = Written<
  Omit<Panel, 'type' | 'options' | 'fieldConfig'> & {
    options: Options;
    fieldConfig: Omit<NonNullable<Panel['fieldConfig']>, 'defaults'> & {
      defaults: Omit<NonNullable<Panel['fieldConfig']>['defaults'], 'custom'> & { custom: Custom };
    };
  }
> & { type: Type; title: string; gridPos: object; targets: object[] };

export const dashboard = ${dashboard} satisfies Written<Omit<Dashboard, 'panels'>> & {
  panels: (Shown<'stat', StatOptions> | Shown<'timeseries', GraphOptions, FieldConfig>)[];
};
`;

/** What the compiler finds wrong in each of these dashboards. */
function faultsOf(dashboards: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const folder = temporaryFolder('dashboard');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const [name, dashboard] of Object.entries(dashboards)) {
    writeFileSync(join(folder, `${name}.ts`), program(dashboard));
  }
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8', cwd: folder });
  // Each fault begins with the name of its file; the lines that explain it are indented.
  const faults = stdout.split(/^(?=\w+\.ts\()/m);
  return Object.fromEntries(
    Object.keys(dashboards).map((name) => [name, faults.filter((fault) => fault.startsWith(`${name}.ts(`)).join('')]),
  );
}

const text = readFileSync(join(ROOT, 'ops/grafana/dashboards/daybook-storage.json'), 'utf8').trim();

it('has the types of the Grafana that compose.yaml names', () => {
  const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/@grafana/schema/package.json'), 'utf8'));
  expect(services.grafana.image).toBe(`grafana/grafana:${version}`);
});

it('has fields, options and words that Grafana knows; an unknown option or word, or a wrong type, is a fault', () => {
  const dashboards = {
    whole: text,
    option: text.replace('"colorMode"', '"colourMode"'),
    word: text.replace('"colorMode": "value"', '"colorMode": "loud"'),
    type: text.replace('"refresh": "10s"', '"refresh": 10'),
  };
  expect(faultsOf(dashboards)).toEqual({
    whole: '',
    option: expect.stringContaining('colourMode'),
    word: expect.stringContaining('loud'),
    type: expect.stringContaining("'number' is not assignable"),
  });
});
