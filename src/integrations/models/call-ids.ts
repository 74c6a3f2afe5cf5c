/**
 * Ids of tool calls in a form that a provider takes back. A conversation may come from another provider, or from a
 * server that repeats its ids: Anthropic and Mistral refuse ids of other forms, Anthropic also repeated ones.
 */
import { hash } from 'node:crypto';
import type { Target } from './adapters.ts';

export interface CallIds {
  /** The id for the next call of the conversation. */
  call(id: string): string;
  /** The id for a result of the newest call with this id. */
  result(id: string): string;
}

const ANTHROPIC_FORM = /^[\w-]+$/;
const MISTRAL_FORM = /^[A-Za-z0-9]{9}$/;
/** Fits both forms. */
const DIGITS = 9;

/** The ids stay as they are where the provider takes them. Equal conversations give equal ids. */
export function createCallIds(target: Target): CallIds {
  const form = formOf(target);
  if (form === null) return { call: (id) => id, result: (id) => id };
  const used = new Set<string>();
  const newest = new Map<string, string>();
  const call = (id: string): string => {
    let sent = id;
    for (let round = 1; !form.test(sent) || used.has(sent); round += 1) {
      sent = hash('sha256', `${round} ${id}`).slice(0, DIGITS);
    }
    used.add(sent);
    newest.set(id, sent);
    return sent;
  };
  return { call, result: (id) => newest.get(id) ?? call(id) };
}

function formOf({ dialect, provider }: Target): RegExp | null {
  if (dialect === 'anthropic') return ANTHROPIC_FORM;
  return provider.id === 'mistral' ? MISTRAL_FORM : null;
}
