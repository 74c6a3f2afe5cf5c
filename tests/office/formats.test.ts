/** The table of conversions from documents to targets. */
import { describe, expect, it } from 'vitest';
import { IMPORT_EXTENSIONS, stepsTo, targetExtension, targetsOf } from '../../src/integrations/office/formats.ts';
import { OFFICE_TARGETS } from '../../src/ports/office.ts';

describe('targets', () => {
  it.each([
    ['writer', ['pdf', 'png', 'svg', 'docx', 'odt', 'odg', 'html', 'txt']],
    ['calc', ['pdf', 'pdf_sheets', 'png', 'svg', 'xlsx', 'ods', 'odg', 'html', 'txt', 'csv']],
    ['impress', ['pdf', 'png', 'svg', 'pptx', 'odp', 'odg', 'html']],
    ['draw', ['pdf', 'png', 'svg', 'pptx', 'odp', 'odg', 'html']],
    ['pdf', ['pdf', 'png', 'svg', 'docx', 'pptx', 'odt', 'odp', 'odg', 'html']],
  ] as const)('of %s', (family, targets) => {
    expect(targetsOf(family)).toEqual(targets);
  });

  it('are each reached by somebody', () => {
    const families = ['writer', 'calc', 'impress', 'draw', 'pdf'] as const;
    const reached = new Set(families.flatMap((family) => targetsOf(family)));
    expect([...reached].sort()).toEqual([...OFFICE_TARGETS].sort());
  });

  it('end in their own extension, whatever the way', () => {
    for (const extension of IMPORT_EXTENSIONS) {
      for (const target of OFFICE_TARGETS) {
        const steps = stepsTo(target, { extension });
        if (steps !== undefined) expect(steps.at(-1)!.extension).toBe(targetExtension(target));
      }
    }
  });

  it('do not exist for what is no document', () => {
    expect(stepsTo('pdf', { extension: 'exe' })).toBeUndefined();
  });

  it('name the filter of texts, so that nothing is guessed', () => {
    expect(stepsTo('pdf', { extension: 'html' })![0]!.infilter).toBe('HTML (StarWriter)');
    expect(stepsTo('ods', { extension: 'csv', infilterTail: ':59,34,76,1' })![0]!.infilter).toMatch(/:59,34,76,1$/);
  });
});

it('extensions are lower case, without a dot, sorted and unique', () => {
  expect(IMPORT_EXTENSIONS.every((name) => /^[a-z0-9]+$/.test(name))).toBe(true);
  expect([...new Set(IMPORT_EXTENSIONS)].sort()).toEqual(IMPORT_EXTENSIONS);
});
