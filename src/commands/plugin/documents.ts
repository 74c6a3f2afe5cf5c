/** The texts of the core plugins by component, as they are written to a project. Loaded by the first installation. */
import type { CatalogueComponent } from './catalogue.ts';
import { API_DESIGN } from './texts/api-design.ts';
import { COMMIT_CRAFT } from './texts/commit-craft.ts';
import { DEBUGGING } from './texts/debugging.ts';
import { DEPENDENCY_HYGIENE } from './texts/dependency-hygiene.ts';
import { INCIDENT_RESPONSE } from './texts/incident-response.ts';
import { PERFORMANCE_WORK } from './texts/performance-work.ts';
import { REVIEW_STANDARDS } from './texts/review-standards.ts';
import { SAFE_REFACTORING } from './texts/safe-refactoring.ts';
import { SECRET_HANDLING } from './texts/secret-handling.ts';
import { TECHNICAL_WRITING } from './texts/technical-writing.ts';
import { TEST_FIRST } from './texts/test-first.ts';
import { UNTRUSTED_INPUT } from './texts/untrusted-input.ts';

const TEXTS: Readonly<Record<CatalogueComponent['kind'], Readonly<Record<string, string>>>> = {
  skill: {
    'test-first': TEST_FIRST,
    'commit-craft': COMMIT_CRAFT,
    'safe-refactoring': SAFE_REFACTORING,
    'dependency-hygiene': DEPENDENCY_HYGIENE,
    'performance-work': PERFORMANCE_WORK,
    debugging: DEBUGGING,
    'incident-response': INCIDENT_RESPONSE,
    'api-design': API_DESIGN,
    'technical-writing': TECHNICAL_WRITING,
  },
  rule: {
    'review-standards': REVIEW_STANDARDS,
    'secret-handling': SECRET_HANDLING,
    'untrusted-input': UNTRUSTED_INPUT,
  },
};

/** The file of a skill begins with its name and description; the file of a rule is only its text. */
export function documentOf({ kind, name, description }: CatalogueComponent): string {
  const text = TEXTS[kind][name];
  if (text === undefined) throw new Error(`The ${kind} ${name} has no text.`);
  return kind === 'rule' ? text : `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${text}`;
}
