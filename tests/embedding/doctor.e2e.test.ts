/** What `daybook doctor` says about the embedding model. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { embeddingFinding } from '../../src/cli/doctor/models.ts';
import { loadConfig } from '../../src/config/load.ts';
import { temporaryFolder } from '../support/folders.ts';
import { type FakeEmbedder, KEY, startFakeEmbedder } from './fake.ts';

let home: string;
let ollama: FakeEmbedder;
beforeAll(async () => {
  home = temporaryFolder('home');
  ollama = await startFakeEmbedder('ollama');
  ollama.installed = ['nomic-embed-text:latest'];
});
afterAll(() => ollama.close());

it.each([
  [{}, 'ok', 'local/hashed-512 (512d, local)'],
  [{ DAYBOOK_EMBEDDING_PROVIDER: 'voyage' }, 'warning', 'VOYAGE_API_KEY'],
  [{ DAYBOOK_EMBEDDING_PROVIDER: 'voyage', VOYAGE_API_KEY: KEY }, 'ok', 'voyage/voyage-code-3'],
  [{ DAYBOOK_EMBEDDING_PROVIDER: 'word2vec' }, 'warning', 'word2vec'],
  [{ DAYBOOK_EMBEDDING_PROVIDER: 'ollama' }, 'ok', 'ollama/nomic-embed-text'],
  [{ DAYBOOK_EMBEDDING_PROVIDER: 'ollama', DAYBOOK_EMBEDDING_MODEL: 'bge-m3' }, 'warning', 'is not pulled'],
])('%j: %s', async (settings, state, said) => {
  const env = { ...ollama.env, ...settings };
  const [found] = await embeddingFinding(env, loadConfig(env, { home }, home));
  expect(found).toMatchObject({ name: 'embeddings', state, detail: expect.stringContaining(said) });
  expect(JSON.stringify(found)).not.toContain(KEY);
});
