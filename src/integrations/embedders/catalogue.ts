/**
 * Known embedding models, as data. Other models work too; their dimension is not known in advance. A prefix is the one
 * that the model was trained with; hosted models get the kind of text as a parameter instead.
 */
import type { EmbeddingModelRow, EmbeddingProvider } from '../../ports/embedder.ts';

type Facts = Partial<Omit<EmbeddingModelRow, 'provider' | 'id' | 'display_name'>> & { readonly dimension: number };

const LOCAL_MODEL = 'hashed-512';

const VOYAGE = { dimension: 1_024, supported_dimensions: [256, 512, 1_024, 2_048], max_input_tokens: 32_000 };

const BGE_QUERY = 'Represent this sentence for searching relevant passages: ';

export const MODELS: Readonly<Record<EmbeddingProvider, readonly EmbeddingModelRow[]>> = {
  ollama: [
    model('ollama', 'nomic-embed-text', 'Nomic Embed Text', {
      dimension: 768,
      max_input_tokens: 2_048,
      document_prefix: 'search_document: ',
      query_prefix: 'search_query: ',
      notes: 'Small and quick; a good first choice on one’s own machine.',
    }),
    model('ollama', 'embeddinggemma', 'EmbeddingGemma', {
      dimension: 768,
      supported_dimensions: [128, 256, 512, 768],
      max_input_tokens: 2_048,
      document_prefix: 'title: none | text: ',
      query_prefix: 'task: search result | query: ',
      notes: 'Many languages; vectors can be shortened.',
    }),
    model('ollama', 'qwen3-embedding', 'Qwen3 Embedding 8B', {
      dimension: 4_096,
      max_input_tokens: 32_768,
      query_prefix: 'Instruct: Given a question, find the passages that answer it\nQuery: ',
      recommended_for_code: true,
      notes: 'Large; smaller ones are tagged 0.6b (1024 dimensions) and 4b (2560).',
    }),
    model('ollama', 'mxbai-embed-large', 'mxbai Embed Large', {
      dimension: 1_024,
      max_input_tokens: 512,
      query_prefix: BGE_QUERY,
      notes: 'English; longer texts are cut by the server.',
    }),
    model('ollama', 'snowflake-arctic-embed2', 'Snowflake Arctic Embed 2', {
      dimension: 1_024,
      max_input_tokens: 8_192,
      query_prefix: 'query: ',
      notes: 'Many languages.',
    }),
    model('ollama', 'bge-m3', 'BGE M3', { dimension: 1_024, max_input_tokens: 8_192, notes: 'Many languages.' }),
    model('ollama', 'all-minilm', 'all-MiniLM', {
      dimension: 384,
      max_input_tokens: 256,
      notes: 'Very small; longer texts are cut by the server.',
    }),
  ],
  openai: [
    model('openai', 'text-embedding-3-small', 'Text Embedding 3 Small', {
      dimension: 1_536,
      supported_dimensions: [256, 512, 768, 1_024, 1_536],
      max_input_tokens: 8_191,
    }),
    model('openai', 'text-embedding-3-large', 'Text Embedding 3 Large', {
      dimension: 3_072,
      supported_dimensions: [256, 512, 768, 1_024, 1_536, 3_072],
      max_input_tokens: 8_191,
      recommended_for_code: true,
    }),
    model('openai', 'text-embedding-ada-002', 'Ada 002', { dimension: 1_536, max_input_tokens: 8_191, notes: 'Old.' }),
  ],
  voyage: [
    model('voyage', 'voyage-code-3', 'Voyage Code 3', {
      ...VOYAGE,
      recommended_for_code: true,
      notes: 'Trained for code.',
    }),
    model('voyage', 'voyage-3-large', 'Voyage 3 Large', VOYAGE),
    model('voyage', 'voyage-3.5', 'Voyage 3.5', VOYAGE),
    model('voyage', 'voyage-3.5-lite', 'Voyage 3.5 Lite', VOYAGE),
  ],
  cohere: [
    model('cohere', 'embed-v4.0', 'Embed 4', {
      dimension: 1_536,
      supported_dimensions: [256, 512, 1_024, 1_536],
      max_input_tokens: 128_000,
    }),
    model('cohere', 'embed-multilingual-v3.0', 'Embed Multilingual 3', { dimension: 1_024, max_input_tokens: 512 }),
    model('cohere', 'embed-english-v3.0', 'Embed English 3', { dimension: 1_024, max_input_tokens: 512 }),
  ],
  gemini: [
    model('gemini', 'gemini-embedding-001', 'Gemini Embedding', {
      dimension: 3_072,
      supported_dimensions: [768, 1_536, 3_072],
      max_input_tokens: 2_048,
      recommended_for_code: true,
    }),
  ],
  local: [
    model('local', LOCAL_MODEL, 'Hashed words (built in)', {
      dimension: 512,
      recommended_for_code: true,
      notes: 'Computed by the program itself: no model, no network, always ready. It knows words, not meanings.',
    }),
  ],
};

/** The known model of this name; for Ollama without namespace and tag. */
export function knownModel(provider: EmbeddingProvider, id: string): EmbeddingModelRow | undefined {
  const rows = MODELS[provider];
  const exact = rows.find((row) => row.id === id);
  if (exact !== undefined || provider !== 'ollama') return exact;
  const [base, tag = 'latest'] = (id.split('/').at(-1) ?? id).split(':');
  const row = rows.find((each) => each.id === base);
  // Another size of the family has the same prefixes but another dimension.
  return row === undefined || /^(?:latest|v[\d.]+)$/.test(tag) ? row : { ...row, dimension: null };
}

function model(provider: EmbeddingProvider, id: string, display_name: string, facts: Facts): EmbeddingModelRow {
  return {
    provider,
    id,
    display_name,
    supported_dimensions: [],
    max_input_tokens: null,
    document_prefix: '',
    query_prefix: '',
    recommended_for_code: false,
    notes: '',
    ...facts,
  };
}
