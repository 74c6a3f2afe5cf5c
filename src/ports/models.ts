/**
 * What Daybook needs of a language model: one streaming call that can be aborted, and a catalogue. Retrying, recording
 * and cancelling are ours (the run decider and its reactor), so an adapter makes exactly one attempt per call.
 */
import type { Json } from '../events/envelope.ts';
import type { HarnessSettings } from '../events/harness.ts';

export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed arguments; a string when the model sent something that is not JSON. */
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

/** A reasoning block that some providers want back unchanged with its signature. */
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
  /** The effective harness profile; an adapter sends just what its provider honours. */
  readonly settings: HarnessSettings;
  /** Thinking budget in tokens when the request asked for reasoning and the profile resolves one. */
  readonly thinking_budget: number | null;
}

export interface ModelUsage {
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
}

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'other';

/**
 * Frames in order; `finish` is the last one, exactly once. Text never holds reasoning or tool markup; an empty text
 * frame is a sign of life. Reasoning comes in pieces: the one with a
 * signature closes its block.
 */
export type ModelFrame =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string; readonly signature: string | null }
  | { readonly type: 'tool_call'; readonly call: ModelToolCall }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly usage: ModelUsage };

/** The model is at work on something that is no text yet. */
export const SIGN_OF_LIFE: ModelFrame = { type: 'text', text: '' };

/**
 * `transient`: worth another attempt (429, 5xx, broken connection). `fatal`: not. `unconfigured`: a key or program is
 * missing; the message says which.
 */
export type ModelErrorKind = 'transient' | 'fatal' | 'unconfigured';

export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  /** What the provider asked to wait, in milliseconds. */
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
  /** The daemon's configured provider and model. */
  readonly configured: ModelChoice;
  /**
   * The pair to use for a request: the given pair when both are non-empty, the provider is known and its key is set;
   * otherwise the configured one. Never fails.
   */
  choose(provider: string | null | undefined, model: string | null | undefined): ModelChoice;
  /** Provider ids with a key (or needing none) configured, sorted. Never keys. */
  configuredProviders(): readonly string[];
  /** One attempt. Throws `ModelError`; an abort ends the iteration with the signal's reason. No error holds a key. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelFrame>;
  /**
   * Active row first, then live local models, then the static catalogue; unique ids. A provider that is down only
   * shortens it.
   */
  catalogue(): Promise<readonly ModelRow[]>;
}
