/** Helpers of the tests of models: requests, collecting frames, and the fake providers as a table. */

import { onTestFinished } from 'vitest';
import type { HarnessSettings } from '../../src/events/harness.ts';
import { createModels } from '../../src/integrations/models/models.ts';
import {
  ModelError,
  type ModelFrame,
  type ModelMessage,
  type ModelRequest,
  type ModelsPort,
  type ModelTool,
} from '../../src/ports/models.ts';
import { startFakeAnthropic } from '../fakes/providers/anthropic.ts';
import { startFakeGoogle } from '../fakes/providers/google.ts';
import { startFakeOllama } from '../fakes/providers/ollama.ts';
import { startFakeOpenAi } from '../fakes/providers/openai.ts';
import type { FakeProvider } from '../fakes/providers/server.ts';

export const NATIVE: HarnessSettings = { tool_transport: 'native', prompt_dialect: 'compact', prompt_cache: false };
export const PROSE: HarnessSettings = { ...NATIVE, tool_transport: 'prose', prompt_dialect: 'full' };

export const READ_FILE: ModelTool = {
  name: 'read_file',
  description: 'Reads a file.',
  input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

export function request(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    provider: 'rehearsal',
    model: 'fake-model',
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [],
    settings: NATIVE,
    thinking_budget: null,
    ...fields,
  };
}

export const user = (content: string): ModelMessage => ({ role: 'user', content });

export interface Collected {
  readonly frames: readonly ModelFrame[];
  readonly text: string;
  readonly reasoning: string;
  readonly signatures: readonly string[];
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly finish: Extract<ModelFrame, { type: 'finish' }> | undefined;
}

export function collected(frames: readonly ModelFrame[]): Collected {
  const of = <T extends ModelFrame['type']>(type: T) =>
    frames.filter((frame): frame is Extract<ModelFrame, { type: T }> => frame.type === type);
  return {
    frames,
    text: of('text')
      .map((frame) => frame.text)
      .join(''),
    reasoning: of('reasoning')
      .map((frame) => frame.text)
      .join(''),
    signatures: of('reasoning').flatMap((frame) => frame.signature ?? []),
    calls: of('tool_call').map((frame) => frame.call),
    finish: of('finish')[0],
  };
}

export async function collect(stream: AsyncIterable<ModelFrame>): Promise<Collected> {
  const frames: ModelFrame[] = [];
  for await (const frame of stream) frames.push(frame);
  return collected(frames);
}

export function ask(
  models: ModelsPort,
  fields: Partial<ModelRequest>,
  signal = new AbortController().signal,
): Promise<Collected> {
  return collect(models.stream(request(fields), signal));
}

/** The `ModelError` that a call ends with; anything else fails the test. */
export async function failure(answer: Promise<unknown>): Promise<ModelError> {
  try {
    await answer;
  } catch (error) {
    if (error instanceof ModelError) return error;
    throw error;
  }
  throw new Error('the call did not fail');
}

/** Has no shape by which it could be recognised: only knowing it keeps it out of errors. */
export const KEY = 'plain-0123456789abcdef';

export interface Wire {
  readonly name: string;
  readonly provider: string;
  readonly start: () => Promise<FakeProvider>;
  readonly env: (url: string) => { readonly [name: string]: string };
}

export const WIRES: readonly Wire[] = [
  {
    name: 'chat completions',
    provider: 'openai',
    start: startFakeOpenAi,
    env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: url }),
  },
  {
    name: 'Responses',
    provider: 'openai',
    start: startFakeOpenAi,
    env: (url) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: url, DAYBOOK_OPENAI_API: 'responses' }),
  },
  {
    name: 'Messages',
    provider: 'anthropic',
    start: startFakeAnthropic,
    env: (url) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }),
  },
  {
    name: 'generateContent',
    provider: 'google',
    start: startFakeGoogle,
    env: (url) => ({ GEMINI_API_KEY: KEY, GEMINI_BASE_URL: url }),
  },
  {
    name: 'Ollama',
    provider: 'ollama',
    start: startFakeOllama,
    env: (url) => ({ OLLAMA_API_KEY: KEY, OLLAMA_HOST: url }),
  },
];

/** A provider for the test, which ends with it, and the port to it. */
export async function connect(wire: Wire, env: { readonly [name: string]: string } = {}) {
  const fake = await wire.start();
  onTestFinished(() => fake.close());
  return { fake, models: createModels({ env: { ...wire.env(fake.url), ...env } }) };
}
