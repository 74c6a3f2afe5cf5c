/** The URL of the module `name` beside the one at `base`. The published package has .js files; a checkout runs .ts. */
export function moduleBeside(base: string, name: `./${string}`): URL {
  const ending = new URL(base).pathname.endsWith('.ts') ? '.ts' : '.js';
  return new URL(name + ending, base);
}
