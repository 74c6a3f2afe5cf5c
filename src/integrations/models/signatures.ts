/** What a provider wants back unchanged, in the one string the log has for it: whose it is, then what it is. */
export type Signature =
  | { readonly by: 'anthropic'; readonly value: string }
  | { readonly by: 'anthropic-redacted'; readonly value: string }
  | { readonly by: 'google'; readonly value: string }
  | { readonly by: 'openai'; readonly id: string; readonly value: string }
  | { readonly by: 'unknown' };

export function writeSignature(signature: Exclude<Signature, { by: 'unknown' }>): string {
  return signature.by === 'openai' ? `openai:${signature.id}:${signature.value}` : `${signature.by}:${signature.value}`;
}

/** A signature of another provider, say after the model of a run was changed, is `unknown` to the one asked. */
export function readSignature(text: string): Signature {
  const [, by = '', value = ''] = /^([a-z-]+):([\s\S]*)$/.exec(text) ?? [];
  if (by === 'anthropic' || by === 'anthropic-redacted' || by === 'google') return { by, value };
  const [, id, content] = (by === 'openai' && /^([^:]+):([\s\S]*)$/.exec(value)) || [];
  return id !== undefined && content !== undefined ? { by: 'openai', id, value: content } : { by: 'unknown' };
}
