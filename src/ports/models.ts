/**
 * Language models: one streaming call that can be aborted, and a catalogue.
 *
 * - A call is one attempt. The run's decider and reactor retry, record and cancel.
 */
import type { Json } from '../events/envelope.ts';
import type { HarnessSettings } from '../events/harness.ts';

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed arguments; a string when the model sent invalid JSON. */
  readonly input: Json;
}

export type ModelMessage =
  | { readonly role: 'user' | 'system'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly tool_calls: readonly ModelToolCall[];
      readonly reasoning?: readonly ModelReasoning[];
    }
  | {
      readonly role: 'tool';
      readonly call_id: string;
      readonly name: string;
      readonly output: string;
      readonly is_error: boolean;
    };

/** A piece of reasoning. Some providers want signed blocks back unchanged. */
export interface ModelReasoning {
  readonly text: string;
  readonly signature: string | null;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input object. */
  readonly input_schema: { readonly [key: string]: Json };
}

export interface ModelRequest {
  readonly provider: string;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** The effective harness profile; an adapter sends what its provider supports. */
  readonly settings: HarnessSettings;
  /** Thinking budget in tokens; null when reasoning is not requested or the profile has none. */
  readonly thinking_budget: number | null;
}

export interface ModelUsage {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
}

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'other';

/**
 * A piece of an answer, in order; the last is `finish`, exactly once.
 *
 * - Text contains neither reasoning nor tool markup. An empty text frame shows that the model is working.
 * - Reasoning comes in pieces; the piece with a signature closes its block.
 */
export type ModelFrame =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string; readonly signature: string | null }
  | { readonly type: 'tool_call'; readonly call: ModelToolCall }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly usage: ModelUsage };

/** Sent while the model produces something that is no text yet. */
export const SIGN_OF_LIFE: ModelFrame = { type: 'text', text: '' };

/**
 * `transient`: a retry may succeed (429, 5xx, broken connection). `fatal`: it will not. `unconfigured`: a key or
 * program is missing; the message names it.
 */
export type ModelErrorKind = 'transient' | 'fatal' | 'unconfigured';

/** Why a call of a model failed. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  /** Delay that the provider asked for, in milliseconds. */
  readonly retryAfterMs: number | null;
  readonly status: number | null;

  constructor(
    kind: ModelErrorKind,
    message: string,
    detail: { retryAfterMs?: number | null; status?: number | null } = {},
  ) {
    super(message);
    this.name = 'ModelError';
    this.kind = kind;
    this.retryAfterMs = detail.retryAfterMs ?? null;
    this.status = detail.status ?? null;
  }
}

/** A row of `GET /models`. */
export interface ModelRow {
  readonly id: string;
  readonly name?: string;
  readonly provider: string;
  readonly active?: true;
  readonly size_bytes?: number;
}

export interface ModelChoice {
  readonly provider: string;
  readonly model: string;
}

export interface ModelsPort {
  /** The configured provider and model. */
  readonly configured: ModelChoice;
  /**
   * The given pair when both parts are non-empty, the provider is known and its key is set; else the configured pair.
   * Never fails.
   */
  choose(provider: string | null | undefined, model: string | null | undefined): ModelChoice;
  /** Sorted ids of the providers that are configured. */
  configuredProviders(): readonly string[];
  /**
   * Calls the model once. Throws `ModelError`; an abort ends the iteration with the signal's reason. No error contains
   * a key.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelFrame>;
  /**
   * The active row, then live local models, then the static catalogue, with unique ids. Providers that are down are
   * left out.
   */
  catalogue(): Promise<readonly ModelRow[]>;
}
