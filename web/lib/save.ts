/** Gives the person a file. */

const URL_KEPT_MS = 10_000;

export function save(
  content: string | Uint8Array<ArrayBuffer>,
  { type, name }: { readonly type: string; readonly name: string },
): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), URL_KEPT_MS);
}
