/** Steps of a script, in order, with one line of output each: its name, its duration and its result. */

export class StepFailed extends Error {}

/** Runs the step and prints the text that it returns. Exits with 1 if it throws. */
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

/** The message of an error, with the output of the child process that failed, if any. */
function describe(error: unknown): string {
  const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string };
  if (error instanceof StepFailed) return message;
  return [message, stdout.slice(-4_000), stderr.slice(-4_000)].filter((text) => text !== '').join('\n');
}
