/** The number of characters (code points) of a text; its `length` counts UTF-16 units. */
export function characterCount(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

/** The beginning of a text, and the number of characters left out. */
export function cut(text: string, charactersMax: number): { readonly text: string; readonly left: number } {
  if (text.length <= charactersMax) return { text, left: 0 };
  // A character has at most two units.
  const head = [...text.slice(0, 2 * charactersMax)].slice(0, charactersMax).join('');
  return { text: head, left: characterCount(text.slice(head.length)) };
}

/** The text, or its beginning with an ellipsis. */
export function withEllipsis(text: string, charactersMax: number): string {
  const head = cut(text, charactersMax);
  return head.left === 0 ? text : `${head.text}…`;
}

/** The form in which texts are searched: lower case, with composed letters (file names may have them decomposed). */
export function foldedCase(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
