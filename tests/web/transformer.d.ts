/**
 * What TypeScript's types of browsers do not declare yet. Tests of the console import sources of the daemon, which use it
 * in Node.
 */
interface Transformer<I, O> {
  cancel?(reason: unknown): void | PromiseLike<void>;
}
