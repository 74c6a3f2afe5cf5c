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

/** What the compiler finds wrong. */
function faultsOf(dashboard: string): string {
  const folder = temporaryFolder('dashboard');
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'dashboard.ts'), program(dashboard));
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['dashboard.ts'] }));
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  return spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' }).stdout;
}

const text = readFileSync(join(ROOT, 'ops/grafana/dashboards/daybook-storage.json'), 'utf8').trim();

it('has the types of the Grafana that compose.yaml names', () => {
  const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'));
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/@grafana/schema/package.json'), 'utf8'));
  expect(services.grafana.image).toBe(`grafana/grafana:${version}`);
});

it('has fields, options and words that Grafana knows', () => {
  expect(faultsOf(text)).toBe('');
});

it('would not pass with an unknown option, an unknown word or a wrong type', () => {
  expect(faultsOf(text.replace('"colorMode"', '"colourMode"'))).toContain('colourMode');
  expect(faultsOf(text.replace('"colorMode": "value"', '"colorMode": "loud"'))).toContain('loud');
  expect(faultsOf(text.replace('"refresh": "10s"', '"refresh": 10'))).toContain("'number' is not assignable");
});
