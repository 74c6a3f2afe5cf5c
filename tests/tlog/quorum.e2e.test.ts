/** A log with two real witnesses, of which one is killed: health, metrics and doctor report the missing quorum. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { cliHere } from '../cli/support.ts';
import { readExposition } from '../ops/exposition-reader.ts';
import { daemonHere, type KillableDaemon, killableDaemon, type TestDaemon } from '../support/daemon.ts';
import { freePort } from '../support/ports.ts';

async function witness(): Promise<KillableDaemon> {
  const daemon = await killableDaemon();
  onTestFinished(async () => void (await daemon.kill('SIGKILL')));
  return daemon;
}

async function metricsAt(port: number): Promise<Readonly<Record<string, number | undefined>>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const series = readExposition(text, 'prometheus').flatMap((family) => family.series);
  return Object.fromEntries(series.map(({ name, value }) => [name.replace('daybook_storage_', ''), value]));
}

async function grow(daemon: TestDaemon, title: string): Promise<void> {
  const { status } = await daemon.request('/api/tasks', { method: 'POST', body: JSON.stringify({ title }) });
  expect(status).toBe(200);
}

async function signedLogFinding({ home }: TestDaemon) {
  const { stdout } = await cliHere(['doctor', '--json'], { home });
  const { findings } = JSON.parse(stdout) as { findings: { name: string; state: string; detail: string }[] };
  return findings.find(({ name }) => name === 'signed log');
}

const healthOf = async (daemon: TestDaemon): Promise<object> =>
  ((await (await daemon.request('/health')).json()) as { checkpoints: object }).checkpoints;

describe('a log with two witnesses', () => {
  it('warns when one of them is killed, and not while both cosign', async () => {
    const port = await freePort();
    const logged = await daemonHere({ flags: { storage_ops_port: port } });
    const witnesses = [await witness(), await witness()];
    const vkey = (await cliHere(['log', 'key'], { home: logged.home })).stdout.trim();
    for (const { home, url } of witnesses) {
      await cliHere(['log', 'witness', 'trust', vkey], { home });
      const key = (await cliHere(['log', 'witness', 'key'], { home })).stdout.trim();
      await cliHere(['log', 'witness', 'add', `${url}/v1/tlog`, key], { home: logged.home });
    }
    await grow(logged, 'one');
    await logged.request('/v1/tlog/checkpoint');
    expect(await healthOf(logged)).toMatchObject({ witnesses: { needed: 2, cosigned: 2 }, warning: null });
    expect(await metricsAt(port)).toMatchObject({ witness_quorum_missing: 0, witnesses_cosigned: 2 });
    expect(await signedLogFinding(logged)).toMatchObject({ state: 'ok' });

    await witnesses[1]!.kill('SIGKILL');
    await grow(logged, 'two');
    await logged.request('/v1/tlog/checkpoint');
    const warning = 'Only 1 of 2 witnesses cosigned the log.';
    expect(await healthOf(logged)).toMatchObject({ witnesses: { needed: 2, cosigned: 1, missing: true }, warning });
    expect(await metricsAt(port)).toMatchObject({
      ...{ witness_quorum_missing: 1, witnesses_needed: 2, witnesses_cosigned: 1, signing_failing: 0 },
    });
    expect(await signedLogFinding(logged)).toMatchObject({ state: 'warning', detail: warning });
    expect(logged.lines.join('\n')).toContain('Only 1 of 2 witnesses cosigned the log');
    const { stdout } = await cliHere(['log', 'witness', 'list'], { home: logged.home });
    expect(stdout).toContain('quorum: 1 of 2 cosigned, MISSING');
  });

  it('counts the time stamps that failed', async () => {
    const port = await freePort();
    const logged = await daemonHere({ flags: { storage_ops_port: port } });
    expect(await metricsAt(port)).toMatchObject({ timestamps_total: 0, timestamp_failing: 0 });
    const authority = `http://127.0.0.1:${await freePort()}/`;
    const { code } = await cliHere(['log', 'timestamp', '--authority', authority], { home: logged.home });
    expect(code).toBe(1);
    const metrics = await metricsAt(port);
    expect(metrics).toMatchObject({ timestamps_total: 0, timestamp_failures_total: 1, timestamp_failing: 1 });
    expect(metrics).not.toHaveProperty('timestamp_last_timestamp_seconds');
  });
});
