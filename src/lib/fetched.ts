/** What `fetch` got: bodies, read no further than a limit, or why there was no response. */

/** The body as UTF-8. Throws what `readBytes` throws. */
export async function readBody(response: Response, bytesMax: number): Promise<string> {
  return (await readBytes(response, bytesMax)).toString('utf8');
}

/** The body. Throws `RangeError` when it has more than `bytesMax` bytes, and the errors of reading it. */
export async function readBytes(response: Response, bytesMax: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.byteLength;
    if (bytes > bytesMax) throw new RangeError(`an answer over ${bytesMax} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Why `fetch` got no response: the code of the error of the connection, else its message. */
export function fetchFault(error: unknown): string {
  const { cause, message } = error as Error & { readonly cause?: Error & { readonly code?: string } };
  return cause?.code ?? cause?.message ?? message;
}
