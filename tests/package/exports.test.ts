/** The libraries of the package, as package.json names them. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { libraries } from '../../scripts/package/exports.ts';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;

/** The source and all that it imports, without what is imported for its types alone. */
function reachedFrom(source: string, reached = new Map<string, string>()): ReadonlyMap<string, string> {
  if (reached.has(source)) return reached;
  const text = readFileSync(source, 'utf8');
  reached.set(source, text);
  for (const [, statement, path] of text.matchAll(/^(?:import|export)\b([^;]*?)from '(\.[^']+)';$/gms)) {
    if (!statement!.startsWith(' type')) reachedFrom(resolve(dirname(source), path!), reached);
  }
  return reached;
}

describe.each(libraries())('%s', (_entry, file) => {
  const source = resolve(file.replace('./dist/', 'src/').replace(/\.js$/, '.ts'));

  it('is the build of a source that is there', () => {
    expect(existsSync(source)).toBe(true);
  });

  it('imports only packages that are installed with it or are its peers', () => {
    const known = [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies)];
    const packages = [...reachedFrom(source).values()].flatMap((text) =>
      [...text.matchAll(/^(?:import|export)\b(?! type)[^;]*?from '([^.'][^']*)';$/gms)].map((match) => match[1]!),
    );
    const foreign = packages.filter((name) => !name.startsWith('node:'));
    expect(foreign.filter((name) => !known.some((own) => name === own || name.startsWith(`${own}/`)))).toEqual([]);
  });
});

it('no script runs when the package is installed', () => {
  const atInstall = ['preinstall', 'install', 'postinstall', 'prepare', 'preprepare', 'postprepare'];
  expect(Object.keys(manifest.scripts).filter((name) => atInstall.includes(name))).toEqual([]);
});
