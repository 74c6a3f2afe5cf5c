/** Standard streams that are terminals. */
import { onTestFinished } from 'vitest';

/** Gives the stream the properties of a terminal until the test ends. */
export function asTerminal(
  stream: NodeJS.WriteStream,
  size: { readonly columns?: number; readonly rows?: number } = {},
) {
  for (const [name, value] of Object.entries({ isTTY: true, ...size })) {
    const before = Object.getOwnPropertyDescriptor(stream, name);
    Object.defineProperty(stream, name, { value, configurable: true });
    onTestFinished(() => {
      if (before === undefined) Reflect.deleteProperty(stream, name);
      else Object.defineProperty(stream, name, before);
    });
  }
}
