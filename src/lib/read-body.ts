/** Bodies of HTTP responses, read no further than a limit. */

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
