/**
 * Process of `document.test.ts`: renders a document that takes too much memory, then a small one, and prints both
 * outcomes.
 */
import { createPdf } from '../../src/integrations/pdf/pdf.ts';

const pdf = createPdf({ home: '/nowhere' });
const { signal } = new AbortController();
const refused = await pdf
  .render({ kind: 'markdown', title: 'm.md', text: '*a* '.repeat(900_000) }, signal)
  .catch(({ fault, message }) => ({ fault, message }));
const next = await pdf.render({ kind: 'source', title: 'a', text: 'x' }, signal);
await pdf.close();
console.log(JSON.stringify({ refused, next: next.length }));
