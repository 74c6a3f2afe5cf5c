/** The number of characters (code points) of a text; its `length` counts UTF-16 units. */
export function characterCount(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

/** The form in which texts are searched: lower case, with composed letters (file names may have them decomposed). */
export function foldedCase(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
