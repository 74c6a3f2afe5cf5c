/** Release notes from CHANGELOG.md. */

export interface Section {
  /** For example `0.1.0`. */
  readonly version: string;
  /** For example `2026-12-01`; undefined while it is not released. */
  readonly date: string | undefined;
  readonly text: string;
}

/** The newest section of the changelog. */
export function newestSection(changelog: string): Section {
  const [, first = ''] = changelog.split(/^## /m);
  const heading = /^(\d+\.\d+\.\d+) \((.+)\)\n/.exec(first);
  if (heading === null) throw new Error('CHANGELOG.md has no section `## <version> (<date or not released>)`.');
  const [line, version, state] = heading as unknown as [string, string, string];
  const date = /^\d{4}-\d\d-\d\d$/.test(state) ? state : undefined;
  return { version, date, text: first.slice(line.length).trim() };
}

/** The text for the forge: the changes, each unwrapped to one line, and how to install. */
export function releaseNotes({ version, date, text }: Section): string {
  const changes = text.replaceAll(/\n {2}(?=\S)/g, ' ');
  const install = `Install: \`npm install --global daybook@${version}\` (Node 20 or newer). Before an upgrade, run \`daybook log check-schema\`.`;
  return `# Daybook ${version}\n\n${date === undefined ? '' : `${date}\n\n`}${changes}\n\n${install}\n`;
}
