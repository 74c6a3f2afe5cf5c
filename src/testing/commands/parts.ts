/**
 * The parts of arbitrary commands: few names and texts, so that several commands concern the same thing. Ids that the
 * daemon generates itself (of approvals, evidence, links, texts, builds) are never repeated.
 */
import fc from 'fast-check';
import type { AnyDecider } from '../../resource.ts';

/** A command, or a draft that `fitted` turns into a command for the state of its stream. */
export type Wish = { readonly type: string };

export interface CommandSource {
  readonly decider: AnyDecider;
  readonly ids: fc.Arbitrary<string>;
  readonly command: fc.Arbitrary<Wish>;
  /** Fills in what depends on the state. Absent if wishes already are commands. */
  // biome-ignore lint/suspicious/noExplicitAny: sources of different deciders in one table; each names its own types.
  readonly fitted?: (wish: any, state: any) => Wish;
  /** How often it occurs among others; default 1. */
  readonly weight?: number;
}

type Fields = Readonly<Record<string, fc.Arbitrary<unknown>>>;

export const few = (name: string): fc.Arbitrary<string> => fc.constantFrom(`${name}1`, `${name}2`);
export const only = (id: string): fc.Arbitrary<string> => fc.constant(id);
export const fresh = fc.uuid({ version: 7 });
export const workspace = fc.constantFrom('/work', '/other');
export const anywhere = fc.constantFrom('/work', null);
export const positions = fc.constant<readonly number[]>([]);
export const text = fc.string({ maxLength: 12, unit: 'grapheme' });

/** An object with some of the fields. */
export function optional(fields: Fields): fc.Arbitrary<object> {
  return fc.record(fields, { requiredKeys: [], noNullPrototype: true });
}

/** A command of a type; the fields of `maybe` are optional. */
export function command(type: string, fields: Fields = {}, maybe: Fields = {}): fc.Arbitrary<Wish> {
  const made = fc.record({ ...fields, ...maybe }, { requiredKeys: Object.keys(fields), noNullPrototype: true });
  return made.map((parts) => ({ type, ...parts }));
}

/** A command that occurs this many times as often as one that is not counted. */
export function times(weight: number, type: string, fields?: Fields, maybe?: Fields): fc.WeightedArbitrary<Wish> {
  return { weight, arbitrary: command(type, fields, maybe) };
}
