/** Whether a text is blank: it consists of spaces and invisible characters, such as a zero-width space. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}]/u.test(text);
}
