/** Steps of a script, in order, with a line for each: what it is, how long it took, what it found. */

export class StepFailed extends Error {}

/** Runs the step; its text is written behind the name. Exits with 1 when it throws. */
export async function step(
  name: string,
  perform: () => Promise<string | undefined> | string | undefined,
): Promise<void> {
  const since = performance.now();
  process.stdout.write(`… ${name}\n`);
  try {
    const found = await perform();
    const seconds = ((performance.now() - since) / 1_000).toFixed(1);
    process.stdout.write(`✓ ${name} (${seconds} s)${found === undefined ? '' : `: ${found}`}\n`);
  } catch (error) {
    process.stdout.write(`✗ ${name}: ${describe(error)}\n`);
    process.exit(1);
  }
}

/** A child process that failed wrote why on its streams. */
function describe(error: unknown): string {
  const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string };
  if (error instanceof StepFailed) return message;
  return [message, stdout.slice(-4_000), stderr.slice(-4_000)].filter((text) => text !== '').join('\n');
}
