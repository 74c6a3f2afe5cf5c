/** The whole lines of a text within so many characters; of a longer first line its beginning. */
export function beginning(text: string, charactersMax: number): string {
  if (text.length <= charactersMax) return text;
  const end = text.lastIndexOf('\n', charactersMax - 1);
  return text.slice(0, end === -1 ? charactersMax : end + 1);
}
