/** Wire formats of the providers: requests and responses, without I/O. */
import { z } from 'zod';
import type { EmbeddingChoice, EmbeddingProvider } from '../../ports/embedder.ts';

export interface WireRequest {
  readonly choice: EmbeddingChoice;
  readonly kind: 'document' | 'query';
  readonly texts: readonly string[];
}

export interface Wire {
  /** Path below the provider's address. */
  path(choice: EmbeddingChoice): string;
  headers(key: string | null): Readonly<Record<string, string>>;
  body(request: WireRequest): unknown;
  /** The vectors in the order of the texts. Throws when the response has another format. */
  read(answer: unknown): readonly (readonly number[])[];
}

const zVector = z.array(z.number()).min(1);
const zVectors = z.array(zVector);
const zOllama = z.object({ embeddings: zVectors });
const zList = z.object({ data: z.array(z.object({ index: z.int().nonnegative(), embedding: zVector })) });
const zCohere = z.object({ embeddings: z.object({ float: zVectors }) });
const zGemini = z.object({ embeddings: z.array(z.object({ values: zVector })) });

const bearer = (key: string | null): Record<string, string> => (key === null ? {} : { authorization: `Bearer ${key}` });

const ollama: Wire = {
  path: () => '/api/embed',
  headers: bearer,
  body: ({ choice, texts }) => ({
    model: choice.model,
    input: texts,
    truncate: true,
    ...(choice.dimensions !== undefined && { dimensions: choice.dimensions }),
  }),
  read: (answer) => zOllama.parse(answer).embeddings,
};

const openai: Wire = {
  path: () => '/embeddings',
  headers: bearer,
  body: ({ choice, texts }) => ({
    model: choice.model,
    input: texts,
    encoding_format: 'float',
    ...(choice.dimensions !== undefined && { dimensions: choice.dimensions }),
  }),
  read: indexed,
};

const voyage: Wire = {
  path: () => '/embeddings',
  headers: bearer,
  body: ({ choice, kind, texts }) => ({
    model: choice.model,
    input: texts,
    input_type: kind,
    truncation: true,
    ...(choice.dimensions !== undefined && { output_dimension: choice.dimensions }),
  }),
  read: indexed,
};

const cohere: Wire = {
  path: () => '/embed',
  headers: bearer,
  body: ({ choice, kind, texts }) => ({
    model: choice.model,
    texts,
    input_type: kind === 'query' ? 'search_query' : 'search_document',
    embedding_types: ['float'],
    truncate: 'END',
    ...(choice.dimensions !== undefined && { output_dimension: choice.dimensions }),
  }),
  read: (answer) => zCohere.parse(answer).embeddings.float,
};

const gemini: Wire = {
  path: ({ model }) => `/models/${encodeURIComponent(model.replace(/^models\//, ''))}:batchEmbedContents`,
  headers: (key) => (key === null ? {} : { 'x-goog-api-key': key }),
  body: ({ choice, kind, texts }) => ({
    requests: texts.map((text) => ({
      model: `models/${choice.model.replace(/^models\//, '')}`,
      content: { parts: [{ text }] },
      taskType: kind === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT',
      ...(choice.dimensions !== undefined && { outputDimensionality: choice.dimensions }),
    })),
  }),
  read: (answer) => zGemini.parse(answer).embeddings.map(({ values }) => values),
};

export const WIRES: Readonly<Record<Exclude<EmbeddingProvider, 'local'>, Wire>> = {
  ollama,
  openai,
  voyage,
  cohere,
  gemini,
};

/** Reads responses that number their vectors, in any order. Every number must occur. */
function indexed(answer: unknown): readonly (readonly number[])[] {
  const { data } = zList.parse(answer);
  const byIndex = new Map(data.map(({ index, embedding }) => [index, embedding]));
  return data.map((_, index) => {
    const vector = byIndex.get(index);
    if (vector === undefined) throw new Error(`no vector for text ${index}`);
    return vector;
  });
}
