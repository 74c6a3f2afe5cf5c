/**
 * Signatures of reasoning, encoded as one string: the provider, then the value. Providers require them back unchanged.
 */
export type Signature =
  | { readonly by: 'anthropic'; readonly value: string }
  | { readonly by: 'anthropic-redacted'; readonly value: string }
  | { readonly by: 'google'; readonly value: string }
  | { readonly by: 'openai'; readonly id: string; readonly value: string }
  | { readonly by: 'unknown' };

export function writeSignature(signature: Exclude<Signature, { by: 'unknown' }>): string {
  return signature.by === 'openai' ? `openai:${signature.id}:${signature.value}` : `${signature.by}:${signature.value}`;
}

/** A signature of another provider, as after a change of the model, is `unknown`. */
export function readSignature(text: string): Signature {
  const [, by = '', value = ''] = /^([a-z-]+):([\s\S]*)$/.exec(text) ?? [];
  if (by === 'anthropic' || by === 'anthropic-redacted' || by === 'google') return { by, value };
  const [, id, content] = (by === 'openai' && /^([^:]+):([\s\S]*)$/.exec(value)) || [];
  return id !== undefined && content !== undefined ? { by: 'openai', id, value: content } : { by: 'unknown' };
}
