/** Saves files for the user. */

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

export function savePdf(document: Uint8Array, name: string): void {
  save(Uint8Array.from(document), { type: 'application/pdf', name: `${name}.pdf` });
}

/** Saves an evidence bundle, named after its subject. */
export function saveBundle(bundle: Uint8Array, id: string): void {
  save(Uint8Array.from(bundle), { type: 'application/zip', name: `evidence-${id.slice(0, 12)}.zip` });
}
