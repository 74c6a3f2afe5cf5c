/** Runs the behaviours under Node 20: `node <bundle of this> <control url>`; one line of JSON for each. */
import { nodeBehaviours } from './behaviours.ts';

const place = { controlUrl: process.argv[2]! };
for (const [name, behaviour] of Object.entries(nodeBehaviours)) {
  const error = await behaviour(place).then(
    () => null,
    (reason: unknown) => String(reason instanceof Error ? reason.stack : reason),
  );
  process.stdout.write(`${JSON.stringify({ name, error })}\n`);
}
