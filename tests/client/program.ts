/**
 * Runs the behaviours in any runtime: `<runtime> <bundle of this> <control url> <file of ws>`. It prints its versions,
 * then one line of JSON for each behaviour.
 */
import { programBehaviours } from './behaviours.ts';

const [controlUrl, ws] = process.argv.slice(2) as [string, string];
// Node 20 has no WebSocket.
const { WebSocket }: Pick<typeof globalThis, 'WebSocket'> = globalThis.WebSocket ? globalThis : await import(ws);
const write = (line: unknown): unknown => process.stdout.write(`${JSON.stringify(line)}\n`);
write({ name: 'versions', error: process.versions });
for (const [name, behaviour] of Object.entries(programBehaviours)) {
  const error = await behaviour({ controlUrl, WebSocket }).then(
    () => null,
    (reason: unknown) => String(reason instanceof Error ? reason.stack : reason),
  );
  write({ name, error });
}
process.exit();
