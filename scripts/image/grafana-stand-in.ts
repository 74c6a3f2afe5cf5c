/**
 * Runs in place of Grafana's server: reads the mounted provisioning and dashboards, and sends every query of every
 * panel to the address of its data source. Prints how many series each query found.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Source {
  readonly uid: string;
  readonly url: string;
}

interface Panel {
  readonly title: string;
  readonly datasource: { readonly uid: string };
  readonly targets: readonly { readonly expr: string }[];
}

export interface Asked {
  readonly panel: string;
  readonly expr: string;
  readonly series: number;
  /** How many of them have a number as value: 0 divided by 0 has none. */
  readonly numbers: number;
}

const PROVISIONING = '/etc/grafana/provisioning';

const read = <Part>(kind: string): readonly Part[] =>
  readdirSync(join(PROVISIONING, kind)).map((name) => parse(readFileSync(join(PROVISIONING, kind, name), 'utf8')));
const sources = read<{ readonly datasources: readonly Source[] }>('datasources').flatMap((file) => file.datasources);
const folders = read<{ readonly providers: readonly { readonly options: { readonly path: string } }[] }>('dashboards')
  .flatMap((file) => file.providers)
  .map(({ options }) => options.path);
const dashboards = folders.flatMap((folder) =>
  readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')),
);
const panels = dashboards.flatMap((text) => (JSON.parse(text) as { readonly panels: readonly Panel[] }).panels);

const asked: Asked[] = [];
for (const { title, datasource, targets } of panels) {
  const { url } = sources.find(({ uid }) => uid === datasource.uid)!;
  for (const { expr } of targets) {
    const answer = await fetch(`${url}/api/v1/query`, { method: 'POST', body: new URLSearchParams({ query: expr }) });
    const { data } = (await answer.json()) as {
      readonly data: { readonly result: readonly { readonly value: [number, string] }[] };
    };
    const numbers = data.result.filter(({ value }) => value[1] !== 'NaN').length;
    asked.push({ panel: title, expr, series: data.result.length, numbers });
  }
}
console.log(JSON.stringify(asked));
