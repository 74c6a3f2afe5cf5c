/**
 * The rows of GET /models, with servers that run, are down or answer invalid data; and the cost of importing packages.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createModels } from '../../src/integrations/models/models.ts';
import { startFakeOllama } from '../fakes/providers/ollama.ts';
import { startFakeOpenAi } from '../fakes/providers/openai.ts';
import { startFake } from '../fakes/providers/server.ts';
import { KEY } from './support.ts';

/** Nothing listens on the discard port of loopback. */
const NOWHERE = 'http://127.0.0.1:9';

describe('the catalogue', () => {
  test('lists the active model, then installed models with their size, then known ones; every id once', async () => {
    const ollama = await startFakeOllama({
      models: [
        { name: 'qwen3:8b', size: 5_200_000_000 },
        { name: 'qwen3:8b', size: 5_200_000_000 },
      ],
    });
    const vllm = await startFakeOpenAi();
    const env = { ANTHROPIC_API_KEY: KEY, OLLAMA_HOST: ollama.url, VLLM_BASE_URL: vllm.url };
    const rows = await createModels({ env, provider: 'claude', model: 'claude-x' }).catalogue();
    expect(rows[0]).toEqual({ id: 'Anthropic', provider: 'claude', active: true });
    expect(rows.slice(1, 3)).toEqual([
      { id: 'vllm/fake-model', name: 'fake-model', provider: 'vllm' },
      { id: 'ollama/qwen3:8b', name: 'qwen3:8b', provider: 'ollama', size_bytes: 5_200_000_000 },
    ]);
    expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
    for (const row of rows.slice(1)) expect(row.id).toBe(`${row.provider}/${row.name}`);
    expect(rows.filter((row) => row.active)).toHaveLength(1);
    expect(rows.map((row) => row.id)).toContain('rehearsal/rehearsal-1');
    expect(JSON.stringify(rows)).not.toContain(KEY);
    await Promise.all([ollama.close(), vllm.close()]);
  });

  test('lacks only the models of a server that is down, answers nonsense or does not answer', async () => {
    const down = await createModels({ env: { OLLAMA_HOST: NOWHERE } }).catalogue();
    for (const documents of [{ '/api/tags': { models: 'what?' } }, {}]) {
      const odd = await startFake({ format: () => undefined, documents });
      expect(await createModels({ env: { OLLAMA_HOST: odd.url } }).catalogue()).toEqual(down);
      await odd.close();
    }
    expect(down[0]).toEqual({ id: 'Rehearsal (no model)', provider: 'rehearsal', active: true });
    expect(down.some((row) => row.provider === 'ollama')).toBe(false);
  });
});

test('no provider package is loaded before a provider is asked', async () => {
  const program = `
    const { createModels } = await import('./src/integrations/models/models.ts');
    const models = createModels({ env: { ANTHROPIC_API_KEY: 'k' } });
    models.choose('openai', 'x');
    models.configuredProviders();
    const { Session } = await import('node:inspector/promises');
    const session = new Session();
    session.connect();
    const urls = [];
    session.on('Debugger.scriptParsed', (event) => urls.push(event.params.url));
    await session.post('Debugger.enable');
    const packages = urls.filter((url) => url.includes('/@ai-sdk/'));
    console.log(JSON.stringify(packages), urls.some((url) => url.endsWith('/models.ts')));
    session.disconnect();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: new URL('../..', import.meta.url),
  });
  expect(stdout.trim()).toBe('[] true');
});
