/** The rules of the console's sources: imports, sizes, and what its security policy forbids. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { describe, expect, it } from 'vitest';
import { categoriesOf } from '../../src/resource.ts';
import { resources } from '../../src/resources.ts';
import { ERASURES_STREAM } from '../../src/storage/event-log.ts';
import { importCycle } from '../support/import-cycle.ts';

const WEB = resolve(import.meta.dirname, '../../web');
const LINES_MAX = 400;
const FUNCTION_LINES_MAX = 60;
/** Packages whose code may run in the page. */
const PACKAGES = ['preact', 'preact/hooks', '@preact/signals', 'markdown-it', 'uplot'];
/** Packages of an editor, which is loaded with its view only. */
const EDITOR = ['@codemirror/commands', '@codemirror/state', '@codemirror/view', 'y-codemirror.next', 'yjs'];
const EDITORS = /^views\/rooms\//;
/** The files that may import the client of the daemon, and what of it. */
const CLIENT: Readonly<Record<string, RegExp>> = {
  'api.ts': /^\.\.\/src\/client\//,
  'views/rooms/visit.ts': /^\.\.\/\.\.\/\.\.\/src\/client\/yjs\.ts$/,
  'views/voice/conversation.ts': /^\.\.\/\.\.\/\.\.\/src\/client\/voice\.ts$/,
};

/** Properties of one side, and alignments to it. */
const PHYSICAL =
  /(?<![\w-])(?:left|right|(?:margin|padding|border)-(?:left|right)(?:-\w+)?):|(?:text-align|float): *(?:left|right)/g;
/** A shorthand of four sides, the second and the last of which are the right and the left one. */
const FOUR_SIDES =
  /(?<![\w-])(?:padding|margin|inset): *(?:calc\(.*?\)|[^\s;]+) +((?:calc\(.*?\)|[^\s;()]|var\(.*?\))+) +(?:calc\(.*?\)|[^\s;]+) +((?:calc\(.*?\)|[^\s;()]|var\(.*?\))+);/g;

const files = readdirSync(WEB, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path))
  .sort();
const texts = new Map(files.map((path) => [path, readFileSync(join(WEB, path), 'utf8')]));
const importsOf = (path: string): string[] =>
  [...texts.get(path)!.matchAll(/^(?:import|export) (?:[^;'=()]* from )?'([^']+)';|\bimport\('([^']+)'\)/gm)].map(
    ([, name, loaded]) => (name ?? loaded)!,
  );

describe('the sources of the console', () => {
  it('import each other, the client and few packages', () => {
    const wrong = files.flatMap((path) =>
      importsOf(path)
        .filter((name) => (name.startsWith('.') ? !isInside(path, name) : !isPackage(path, name)))
        .map((name) => `${path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it('import each other without a cycle, not even of types', () => {
    const relatives = (path: string): readonly string[] =>
      importsOf(path).flatMap((name) => (name.startsWith('.') ? [target(path, name)] : []));
    expect(importCycle(files, (path) => relatives(path).filter((to) => texts.has(to)))).toBeNull();
  });

  it('follow categories of streams that there are', () => {
    const known = new Set([...categoriesOf(resources).keys(), ERASURES_STREAM].map((name) => name.split('-', 1)[0]));
    const followed = [...texts.values()].flatMap((text) => [...text.matchAll(/ofCategory\(('[^)]*)\)/g)]);
    const names = followed.flatMap(([, list]) => list!.split(', ').map((name) => name.slice(1, -1)));
    expect(names.filter((name) => !known.has(name))).toEqual([]);
    expect(names).toContain('goal');
  });

  it('keep the views apart: the frame loads a view when it is opened, and no view imports another', () => {
    const view = (path: string): string | undefined => /^views\/([^/]+)\//.exec(path)?.[1];
    const wrong = files.flatMap((path) =>
      [...texts.get(path)!.matchAll(/^(?:import|export)[^;]*? from '(\.[^']+)'/gm)]
        .filter(([line]) => !/^import type/.test(line))
        .map(([, name]) => target(path, name!))
        .filter((to) => view(to) !== undefined && view(to) !== view(path) && !to.endsWith('/text.ts'))
        .map((to) => `${path} imports ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it(`have at most ${LINES_MAX} lines, and open with a sentence about themselves`, () => {
    const wrong = files.filter((path) => texts.get(path)!.split('\n').length > LINES_MAX + 1);
    expect(wrong).toEqual([]);
    expect(files.filter((path) => !texts.get(path)!.startsWith('/**'))).toEqual([]);
  });

  it(`have functions of at most ${FUNCTION_LINES_MAX} lines`, () => {
    expect(files.flatMap(longFunctions)).toEqual([]);
  });

  it('are laid out for both directions of writing: no style names left or right', () => {
    const styles = ['styles', 'views'].flatMap((folder) =>
      readdirSync(join(WEB, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.css'))
        .map((path) => join(WEB, folder, path)),
    );
    const wrong = styles.flatMap((path) => {
      // What begins so is about one direction.
      const rules = readFileSync(path, 'utf8').replace(/^\[dir="rtl"\].*$/gm, '');
      return [...rules.matchAll(PHYSICAL), ...rules.matchAll(FOUR_SIDES)]
        .filter(([, right, left]) => right === undefined || right !== left)
        .map(([rule]) => `${relative(WEB, path)}: ${rule}`);
    });
    expect(styles.length).toBeGreaterThan(5);
    expect(wrong).toEqual([]);
  });

  it('keep data by lib/storage.ts, which also works in a browser that blocks the data of sites', () => {
    expect(files.filter((path) => /\b(?:local|session)Storage\b/.test(texts.get(path)!))).toEqual(['lib/storage.ts']);
  });

  it('make elements only, no markup, and never put the token into an address', () => {
    const forbidden =
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setAttribute\('style'|token=|document\.cookie/;
    expect(files.filter((path) => forbidden.test(texts.get(path)!))).toEqual([]);
  });
});

function target(path: string, name: string): string {
  return relative(WEB, resolve(dirname(join(WEB, path)), name)).replaceAll('\\', '/');
}

function isInside(path: string, name: string): boolean {
  return texts.has(target(path, name)) || (CLIENT[path]?.test(name) ?? false);
}

function isPackage(path: string, name: string): boolean {
  return PACKAGES.includes(name) || (EDITORS.test(path) && EDITOR.includes(name));
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function longFunctions(path: string): string[] {
  const text = texts.get(path)!;
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]!.message}`);
  const long: string[] = [];
  const look = ({ start, end }: Span): void => {
    const body = text.slice(start, end).split('\n');
    if (body.length > FUNCTION_LINES_MAX) long.push(`${path}: ${body.length} lines from “${body[0]!.trim()}”`);
  };
  new Visitor({
    FunctionDeclaration: look,
    FunctionExpression: look,
    ArrowFunctionExpression: look,
  }).visit(program);
  return long;
}
