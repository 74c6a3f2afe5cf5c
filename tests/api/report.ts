/**
 * The public interface of the package, written down: one report per entry, made by API Extractor from the declarations
 * that the build makes. An entry is one line of `files` in `tsconfig.types.json`.
 *
 * `npm run api:report` writes the reports into `docs/api/`; `report.release.test.ts` compares them.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { optionsOf } from '../../scripts/options.ts';

const ROOT = join(import.meta.dirname, '../..');
export const REPORTS = join(ROOT, 'docs/api');

/** The name of an entry's report: `src/kernel.ts` is `kernel`, `src/client/client.ts` is `client`. */
function nameOf(entry: string): string {
  const parts = entry.replace(/^src\/|\.ts$/g, '').split('/');
  return parts.filter((part, index) => part !== parts[index - 1]).join('-');
}

export function entries(): readonly { readonly name: string; readonly entry: string }[] {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.types.json'), 'utf8')) as { files: string[] };
  return files.map((entry) => ({ name: nameOf(entry), entry }));
}

/** The report of every entry, by its name. Throws when an entry uses a type that neither it nor another entry exports. */
export function reports(): ReadonlyMap<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-api-'));
  try {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [compiler, '--project', 'tsconfig.types.json', '--outDir', join(folder, 'types')], {
      cwd: ROOT,
      // The compiler writes its errors to standard output.
      stdio: 'inherit',
    });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), readFileSync(join(ROOT, 'package.json')));
    const found = entries().map(({ name, entry }) => ({ name, ...reportOf(folder, { name, entry }) }));
    const exported = new Set(found.flatMap(({ text }) => exportsOf(text)));
    const faults = found.flatMap(({ faults }) =>
      faults.filter((fault) => !exported.has(unexportedSymbol(fault) ?? '')),
    );
    if (faults.length > 0) throw new Error(faults.join('\n'));
    return new Map(found.map(({ name, text }) => [name, text]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function exportsOf(report: string): string[] {
  return [...report.matchAll(/^export (?:abstract class|class|function|const|interface|type) (\w+)/gm)].map(
    ([, name]) => name!,
  );
}

function unexportedSymbol(fault: string): string | undefined {
  return /The symbol "(\w+?)(?:_\d+)?" needs to be exported/.exec(fault)?.[1];
}

function reportOf(folder: string, { name, entry }: { readonly name: string; readonly entry: string }) {
  mkdirSync(join(folder, 'reports'), { recursive: true });
  const declaration = join(folder, 'types', entry.replace(/^src\//, '').replace(/\.ts$/, '.d.ts'));
  const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: object;
  };
  const config = ExtractorConfig.prepare({
    configObject: {
      mainEntryPointFilePath: declaration,
      projectFolder: folder,
      newlineKind: 'lf',
      compiler: { overrideTsconfig: { compilerOptions, files: [declaration] } },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: folder,
        reportTempFolder: join(folder, 'reports'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.Error },
          'ae-missing-release-tag': { logLevel: ExtractorLogLevel.None },
          'ae-undocumented': { logLevel: ExtractorLogLevel.None },
        },
        tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
      },
    },
    configObjectFullPath: join(folder, 'api-extractor.json'),
    packageJsonFullPath: join(folder, 'package.json'),
  });
  const faults: string[] = [];
  Extractor.invoke(config, {
    localBuild: true,
    messageCallback(message) {
      if (message.logLevel === ExtractorLogLevel.Error) faults.push(`${name}: ${message.text}`);
      message.handled = true;
    },
  });
  return { faults, text: readFileSync(join(folder, 'reports', `${name}.api.md`), 'utf8') };
}

if (import.meta.main) {
  optionsOf({});
  for (const [name, text] of reports()) {
    writeFileSync(join(REPORTS, `${name}.api.md`), text);
    console.log(`docs/api/${name}.api.md`);
  }
}
