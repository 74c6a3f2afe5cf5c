/** `a, b or c`: the possible values of a setting or an option. */
export function orList(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
