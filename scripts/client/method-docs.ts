/** The doc comment of a method: what it does, what its arguments mean, which errors are its own, and an example. */
import { COMMON_ERRORS } from '../../src/http/openapi/operation.ts';
import { clientCall } from '../../src/http/openapi/samples.ts';
import { argumentName, type ClientOperation } from './operations.ts';

/** Errors of all routes are documented once, at `DaybookError`. */
const OF_ALL_ROUTES: ReadonlySet<string> = new Set(Object.values(COMMON_ERRORS));

export function methodDocumentation(each: ClientOperation): string {
  const { operation, method, path } = each;
  return [
    operation.summary,
    '',
    `\`${method} ${path}\``,
    '',
    ...argumentsOf(each),
    ...answersOf(each),
    '@example',
    '```ts',
    clientCall(operation),
    '```',
  ].join('\n');
}

function argumentsOf({ params, operation }: ClientOperation): string[] {
  return params.flatMap((name) => {
    const found = operation.parameters.find((each) => each.in === 'path' && each.name === name);
    return found?.description === undefined ? [] : [`@param ${argumentName(name)} ${found.description}`];
  });
}

function answersOf({ operation }: ClientOperation): string[] {
  const all = Object.entries(operation.responses);
  const returned = all.filter(([status]) => status.startsWith('2')).map(([, { description }]) => description);
  const errors = all
    .filter(([status, { description }]) => Number(status) >= 400 && !OF_ALL_ROUTES.has(description))
    .map(([status, { description }]) => `@throws DaybookError ${status}: ${description}`);
  return [`@returns ${returned.join(' Or: ')}`, ...errors];
}
