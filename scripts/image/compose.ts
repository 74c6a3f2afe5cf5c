/**
 * Starts compose.yaml unchanged, with docker-compose on podman, and checks what runs.
 *
 * Two images are made here, under the names that compose.yaml uses, because there is no image registry:
 *
 * - Prometheus is Debian's, an older version than the one that the file names.
 * - Debian has no package of Grafana. A stand-in does what Grafana's server would do: it reads the mounted
 *   provisioning, and sends every query of the dashboards to the address of the data source.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { StepFailed, step } from '../steps.ts';
import { baseName } from './base.ts';
import { type Containers, healthy, ROOT } from './containers.ts';
import type { Asked } from './grafana-stand-in.ts';

interface Service {
  readonly image: string;
  readonly ports?: readonly string[];
}

const PROJECT = 'daybook-check';
const DAEMON = `${PROJECT}_daybook_1`;
const GRAFANA = `${PROJECT}_grafana_1`;
/** Rates need two scrapes, 5 s apart; the rules are evaluated every 5 s. */
const SEEN_MS_MAX = 60_000;
const DAEMON_URL = 'http://127.0.0.1:7878';
const PROMETHEUS_URL = 'http://127.0.0.1:9090';
const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')) as {
  readonly services: Readonly<Record<'daybook' | 'prometheus' | 'grafana', Service>>;
};

/** `image`: the image of the daemon. */
export async function checkCompose(containers: Containers, image: string): Promise<void> {
  const { podman, compose } = containers;
  const project = (...words: string[]): Promise<undefined> =>
    compose(DAEMON, '--project-name', PROJECT, ...words).then(() => undefined);
  const up = () => project('up', '--detach', '--no-build');
  const down = async (...words: string[]) => {
    // docker-compose removes all containers at once, but podman removes none whose network another container uses.
    await project('rm', '--stop', '--force', 'grafana', 'prometheus');
    return project('down', ...words);
  };
  await step(`image ${services.prometheus.image} of Debian’s Prometheus`, () => makePrometheus(containers));
  await step(`image ${services.grafana.image}, without Grafana`, () => makeStandIn(containers));
  podman('tag', image, `docker.io/library/${services.daybook.image}`);
  await step('compose up', up);
  await step('the daemon is healthy', () => healthy(containers, DAEMON));
  await step('the daemon answers on its published port', () => addTask(containers));
  await step('Prometheus scrapes the daemon', () => scraped(containers));
  await step('Prometheus has the alert rules, and each metric that they ask for', () => rules(containers));
  await step('a verified backup is made', () => {
    podman('exec', DAEMON, 'daybook', 'storage', 'backup', '--verified');
    return undefined;
  });
  await step('every panel of the dashboard has series', () => panels(containers));
  const seen = Math.floor(Date.now() / 1_000);
  await step('compose down', () => down());
  await step('compose up again', up);
  await step('the daemon is healthy again', () => healthy(containers, DAEMON));
  await step('the daemon and Prometheus have what they had', () => kept(containers, seen));
  await step('compose down with its volumes', () => down('--volumes'));
}

/** Uses the user, folders and command of prom/prometheus. */
function makePrometheus({ buildah }: Containers): string {
  const container = buildah('from', '--pull-never', baseName());
  const run = (words: string) => buildah('run', '--isolation', 'chroot', container, 'sh', '-c', words);
  run('apt-get update && apt-get install --yes --no-install-recommends prometheus && rm -rf /var/lib/apt/lists/*');
  run('install --directory --owner=nobody --group=nogroup /prometheus');
  const version = run('prometheus --version 2>&1 | head -1');
  const words = ['--config.file=/etc/prometheus/prometheus.yml', '--storage.tsdb.path=/prometheus'];
  const config = ['--user', 'nobody', '--workingdir', '/prometheus', '--volume', '/prometheus'];
  buildah('config', ...config, '--entrypoint', '["prometheus"]', '--cmd', JSON.stringify(words), container);
  named({ buildah }, container, services.prometheus.image);
  return version;
}

function makeStandIn({ buildah }: Containers): string {
  const container = buildah('from', '--pull-never', baseName());
  buildah('copy', '--quiet', container, join(ROOT, 'scripts/image/grafana-stand-in.ts'), '/stand-in.ts');
  buildah('copy', '--quiet', container, join(ROOT, 'node_modules/yaml'), '/node_modules/yaml');
  buildah('run', '--isolation', 'chroot', container, 'sh', '-c', 'install --directory --owner=472 /var/lib/grafana');
  buildah('config', '--user', '472', '--entrypoint', '["sleep", "infinity"]', '--cmd', '', container);
  named({ buildah }, container, services.grafana.image);
  return 'it asks what the dashboards ask';
}

function named({ buildah }: Pick<Containers, 'buildah'>, container: string, name: string): void {
  buildah('commit', '--quiet', '--rm', container, `docker.io/${name}`);
}

/** Repeats the check until it finds no fault. */
async function eventually(faults: () => readonly string[]): Promise<void> {
  const since = performance.now();
  for (let found = faults(); found.length > 0; found = faults()) {
    if (performance.now() - since > SEEN_MS_MAX) throw new StepFailed(found.join('\n'));
    await sleep(1_000);
  }
}

/** The answer of a published port to a request from this machine. */
function asked({ beside }: Containers, url: string, ...words: string[]): string {
  return beside(process.execPath, '--eval', CALL, url, ...words);
}

/** Arguments: address, token, body. */
const CALL = `
  const [url, token, body] = process.argv.slice(1);
  const headers = { ...(token && { authorization: 'Bearer ' + token }), ...(body && { 'content-type': 'application/json' }) };
  const answer = await fetch(url, { headers, ...(body && { method: 'POST', body }) });
  if (!answer.ok) throw new Error(url + ' answered ' + answer.status);
  process.stdout.write(await answer.text());`;

const tokenOf = ({ podman }: Containers) => podman('exec', DAEMON, 'cat', '/data/daybook/daemon.token');

function addTask(containers: Containers): string {
  const added = asked(containers, `${DAEMON_URL}/api/tasks`, tokenOf(containers), '{"title":"kept"}');
  return (JSON.parse(added) as { readonly title: string }).title;
}

function prometheus<Data>(containers: Containers, path: string): Data {
  return (JSON.parse(asked(containers, `${PROMETHEUS_URL}/api/v1/${path}`)) as { readonly data: Data }).data;
}

interface Vector {
  readonly result: readonly { readonly value: readonly [number, string] }[];
}

function seriesOf(containers: Containers, query: string): Vector['result'] {
  return prometheus<Vector>(containers, `query?query=${encodeURIComponent(query)}`).result;
}

async function scraped(containers: Containers): Promise<string> {
  await eventually(() => {
    const up = seriesOf(containers, 'up').map(({ value }) => value[1]);
    return up.join() === '1' ? [] : [`up: ${up.join()}`];
  });
  return 'up';
}

interface Rule {
  readonly name: string;
  readonly query: string;
  readonly health: string;
  readonly state: string;
}

async function rules(containers: Containers): Promise<string> {
  const loaded = () =>
    prometheus<{ readonly groups: readonly { readonly rules: readonly Rule[] }[] }>(containers, 'rules').groups.flatMap(
      (group) => group.rules,
    );
  const written = readFileSync(join(ROOT, 'ops/prometheus/alerts.yml'), 'utf8').match(/^ +- alert: /gm)!.length;
  await eventually(() => {
    const found = loaded();
    const ill = found.filter(({ health }) => health !== 'ok').map(({ name, health }) => `${name}: ${health}`);
    return found.length === written ? ill : [`${found.length} of ${written} rules`];
  });
  const metrics = new Set(loaded().flatMap(({ query }) => query.match(/\b(up|daybook_storage_\w+)\b/g) ?? []));
  await eventually(() => [...metrics].filter((name) => seriesOf(containers, name).length === 0));
  const firing = loaded().filter(({ state }) => state === 'firing');
  return `${written} rules, ${metrics.size} metrics; firing: ${firing.map(({ name }) => name).join() || 'none'}`;
}

/** Sends the queries from Grafana's container. */
async function panels({ podman }: Containers): Promise<string> {
  let found: readonly Asked[] = [];
  await eventually(() => {
    found = JSON.parse(podman('exec', GRAFANA, 'node', '/stand-in.ts')) as readonly Asked[];
    return found.filter(({ series }) => series === 0).map(({ panel, expr }) => `${panel}: ${expr}`);
  });
  return `${found.length} queries`;
}

/** `seen`: when Prometheus had scraped the daemon before it was stopped, Unix time. */
function kept(containers: Containers, seen: number): string {
  const tasks = asked(containers, `${DAEMON_URL}/api/tasks`, tokenOf(containers));
  const titles = (JSON.parse(tasks) as readonly { readonly title: string }[]).map(({ title }) => title).join();
  const early = seriesOf(containers, `up @ ${seen}`).length;
  if (titles !== 'kept' || early === 0) throw new StepFailed(`tasks: ${titles}; early samples: ${early}`);
  return titles;
}
