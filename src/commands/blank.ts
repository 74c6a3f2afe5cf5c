/** Whether a text says nothing to a reader: spaces, and characters that nobody sees, such as a zero-width space. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}]/u.test(text);
}
