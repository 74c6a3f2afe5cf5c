/** Validation of the settings of an engine. */
import { StorageError } from './errors.ts';

/** The whole numbers that a setting may be. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The settings that were given, and a number for each that was not. */
export interface Settings<Name extends string> {
  readonly given: Readonly<Partial<Record<Name, number>>>;
  readonly defaults: Readonly<Record<Name, number>>;
}

/** All settings of a section. Throws `STORAGE_CONFIG` for an unknown setting or a number out of range. */
export function checkedSettings<Name extends string>(
  section: string,
  limits: Readonly<Record<Name, Range>>,
  { given, defaults }: Settings<Name>,
): Record<Name, number> {
  const names = Object.keys(limits) as Name[];
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(limits, name));
  if (unknown !== undefined) {
    throw refused(`${section} has no setting "${unknown}". Its settings are ${names.join(', ')}.`);
  }
  const checked = (name: Name): number => {
    const value = given[name] ?? defaults[name];
    const { min, max } = limits[name];
    if (Number.isSafeInteger(value) && value >= min && value <= max) return value;
    throw refused(`${section}.${name} must be a whole number from ${min} to ${max}, not ${value}.`);
  };
  return Object.fromEntries(names.map((name) => [name, checked(name)])) as Record<Name, number>;
}

function refused(what: string): StorageError {
  return new StorageError('STORAGE_CONFIG', what);
}
